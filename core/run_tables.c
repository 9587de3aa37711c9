/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run_tables.h"

#define MAX_TARGETS_WAIT_MS 2000 /* for the tables of the targets, before the first event */
#define MAX_COMMAND_WAIT_MS 1000 /* for those of a command and its libraries, before it is let go */

void run_ask_for_tables(struct spaces *spaces, const struct plan *plan, const struct command *command)
{
	if (command)
		spaces_expect(spaces, command_pid(command), plan->command[0]);
	for (size_t i = 0; !command && i < plan->tgids.nr && plan->mode != EVENTS_BY_PROBE; i++)
		spaces_prime(spaces, plan->tgids.data[i]);
	spaces_unwind(spaces, 0);
}

void run_await_tables(struct spaces *spaces, const struct session *session, const struct plan *plan)
{
	struct unwind_store_options store = { .max_bytes = plan->unwind_bytes };

	if (!session_unwind_maps(session, &store))
		return;
	spaces_set_unwind_store(spaces, &store);
	if (plan->tgids.nr && !plan->command)
		spaces_unwind(spaces, MAX_TARGETS_WAIT_MS);
}

int run_release_command(struct spaces *spaces, struct command *command)
{
	spaces_unwind(spaces, MAX_COMMAND_WAIT_MS);
	return command_release(command);
}
