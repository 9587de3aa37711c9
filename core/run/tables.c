/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/tables.h"

#include <stdio.h>

#define MAX_TARGETS_WAIT_MS 2000 /* for the tables of the targets, before the first event */
#define MAX_COMMAND_WAIT_MS 1000 /* for those of a command and its libraries, before it is let go */

void run_ask_for_tables(struct unwinding *unwinding, struct spaces *spaces, const struct plan *plan,
			const struct command *command)
{
	if (unwinding && command && spaces_expect(spaces, command_pid(command)))
		unwinding_expect(unwinding, plan->command[0]);
	for (size_t i = 0; !command && i < plan->tgids.nr && plan->mode != EVENTS_BY_PROBE; i++)
		spaces_prime(spaces, plan->tgids.data[i]);
	unwinding_work(unwinding, 0);
}

void run_await_tables(struct unwinding *unwinding, const struct loaded *loaded, const struct plan *plan)
{
	struct unwind_store_options store = { .max_bytes = plan->unwind_bytes };

	if (!unwinding || !loaded_unwind_maps(loaded, &store))
		return;
	unwinding_set_store(unwinding, &store);
	if (plan->tgids.nr && !plan->command)
		unwinding_work(unwinding, MAX_TARGETS_WAIT_MS);
}

void run_await_command_tables(struct unwinding *unwinding)
{
	unwinding_work(unwinding, MAX_COMMAND_WAIT_MS);
}

void run_say_tables_full(const char *applet, const struct unwinding *unwinding, const struct plan *plan)
{
	if (unwinding_nr_refused(unwinding))
		fprintf(stderr,
			"stacktool %s: the unwind tables of some files do not fit into %llu MiB: see --unwind-mem\n",
			applet, (unsigned long long)(plan->unwind_bytes >> 20));
}
