/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/release.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/files/proc_maps.h"
#include "core/host/command.h"
#include "core/host/hold.h"
#include "core/host/signals.h"
#include "core/plan/plan.h"
#include "core/resolve/attach_plan.h"
#include "core/run/words.h"
#include "core/session/attachment.h"
#include "core/spaces/spaces.h"
#include "core/unwind/unwinding.h"

#define HELD_MAX_NS NSEC_PER_SEC /* longer may be an attempt to delay the run */

struct loader {
	uint64_t base, start, end;
};

/* The loader is mapped from its base on without gaps: its code is the first executable mapping from there on. */
static void find_loader(void *context, const struct proc_mapping *mapping)
{
	struct loader *loader = context;

	if (mapping->start < loader->base || (loader->end && mapping->start > loader->start))
		return;
	loader->start = mapping->start;
	loader->end = mapping->end;
}

/* False: the program has no loader. */
static bool follow_loader(struct hold *hold)
{
	struct loader loader = { .base = hold_loader_base(hold) };

	if (!loader.base || proc_maps_read_of((uint32_t)hold->pid, find_loader, &loader) <= 0 || !loader.end)
		return false;
	hold->loader_start = loader.start;
	hold->loader_end = loader.end;
	return true;
}

/* Whether the run may count the stops: following a loader causes some hundred, each with scheduler events. */
static bool counts_stops(const struct release *release)
{
	enum mechanism mechanism = release->attach->mechanism;

	return mechanism != MECHANISM_PERF_EVENT && mechanism != MECHANISM_UPROBE &&
	       mechanism != MECHANISM_UPROBE_MULTI && mechanism != MECHANISM_TP_BTF && mechanism != MECHANISM_WALL;
}

/* Gives the BPF programs the tables of all code that is mapped now. False: not ready in time. */
static bool give_tables(const struct release *release, const struct hold *hold, uint64_t program_ns, uint64_t until_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	int left_ms = now_ns < until_ns ? (int)((until_ns - now_ns) / NSEC_PER_MSEC) : 0;

	spaces_update_held(release->spaces, (uint32_t)hold->pid, program_ns);
	return left_ms && unwinding_work(release->unwinding, left_ms);
}

/* Holds the command as long as needed. False: the time is over, or a signal came. */
static bool keep_held(const struct release *release, struct hold *hold)
{
	uint64_t let_go_ns = clock_monotonic_ns(), until_ns = let_go_ns + HELD_MAX_NS, program_ns = 0;

	for (;; let_go_ns = clock_monotonic_ns()) {
		enum hold_at at = hold_next(hold, until_ns);

		if (at == HOLD_OVER || at == HOLD_LATE)
			return at == HOLD_OVER;
		if (at == HOLD_PROGRAM)
			program_ns = let_go_ns;
		if (!give_tables(release, hold, program_ns, until_ns))
			return false;
		if (at == HOLD_PROGRAM && (counts_stops(release) || !follow_loader(hold)))
			return true;
	}
}

static void say_refused(const struct plan *plan, int err)
{
	if (!plan->presentation.quiet)
		run_say("the command cannot be held at its start: ptrace: %s: its first stacks may be incomplete",
			strerror(-err));
}

static void say_late(const struct plan *plan)
{
	if (!plan->presentation.quiet)
		run_say("the loader or the unwind tables of the command took longer than a second: its first "
			"stacks may be incomplete");
}

int release_command(const struct release *release, uint64_t *start_ns)
{
	struct command *command = release->command;
	struct hold hold;
	int err;

	if (!release->unwinding)
		return command_release(command);
	err = hold_begin(&hold, (pid_t)command_pid(command));
	if (err) {
		say_refused(release->plan, err);
		return command_release(command);
	}
	attachment_set_held(release->attachment, true);
	err = command_let_go(command);
	if (!err && !keep_held(release, &hold) && !signals_end_has_come())
		say_late(release->plan);
	hold_end(&hold);
	attachment_set_held(release->attachment, false);
	if (start_ns)
		*start_ns += hold.held_ns;
	return err ?: command_release(command);
}
