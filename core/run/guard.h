/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cost of a run: watched while it goes on, printed at its end. docs/use/overhead.md has the rules. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/plan/guard.h"
#include "core/plan/plan.h"
#include "core/resolve/resolve.h"
#include "core/session/attachment.h"
#include "symbolize/symbolize.h"

struct run_guard {
	const struct plan *plan; /* borrowed, as are: */
	struct attachment *attachment;
	const struct attach_plan *attach;
	struct guard guard;
	struct attachment_cost before; /* at the last look */
	uint64_t begun_ns, ended_ns; /* of the programs */
};

/* Reads the limit. 0, or a usage error about STACKTOOL_MAX_OVERHEAD. */
int run_guard_init(struct run_guard *guard, const struct plan *plan);

/* From now on; everything is attached. */
void run_guard_begin(struct run_guard *guard, struct attachment *attachment, const struct attach_plan *attach);

/*
 * Looks at the cost. When it is more than the limit, the hottest probes are detached, with a message on stderr. *ret_end: the
 * run has to end, because no probe would be left. 0 or a recorded failure.
 */
int run_guard_look(struct run_guard *guard, bool *ret_end);

/* The programs count no more. */
void run_guard_end(struct run_guard *guard);

/* The cost as a line on stderr, that of this process and of all symbol workers included. */
void run_guard_say(const struct run_guard *guard, const struct symbolizer *symbolizer);

/*
 * Sets the duration of a plan with many probes that has none; *ret_is_cut: whether it did. 0, or a usage error where
 * the plan's own is too long for them.
 */
int run_guard_duration(struct plan *plan, size_t nr_probes, bool *ret_is_cut);

/* The message about it: at the start of the run, and at its end. */
void run_guard_say_cut(const struct plan *plan, size_t nr_probes, bool is_over);
