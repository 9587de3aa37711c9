/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cost of a run: limited during the run, and printed at its end. docs/use/overhead.md has the rules. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/host/cpu_time.h"
#include "core/plan/guard.h"
#include "core/plan/plan.h"
#include "core/resolve/resolve.h"
#include "core/run/progress.h"
#include "core/session/attachment.h"
#include "symbolize/symbolize.h"

struct run_guard {
	const struct plan *plan; /* borrowed, like the next two */
	struct attachment *attachment;
	const struct attach_plan *attach;
	struct guard guard;
	struct guard_reading now; /* at the last check */
	struct attachment_cost cost, before; /* the same, and when the window began */
	enum guard_base base; /* of which the cost was too much */
	struct cpu_time traced; /* with -p and -L */
	uint64_t begun_ns, ended_ns; /* when the programs began and ended */
	struct buf end; /* what run_guard_say_end() prints */
};

/* Reads the limit. 0, or a usage error about STACKTOOL_MAX_OVERHEAD. */
int run_guard_init(struct run_guard *guard, const struct plan *plan);

/* Begins to measure. Everything is attached. */
void run_guard_begin(struct run_guard *guard, struct attachment *attachment, const struct attach_plan *attach);

/*
 * Compares the cost with the limit; to be called many times a second. If it is higher, detaches the costliest probes, with a message on
 * stderr. *ret_end: end the run, because no probe would be left; run_guard_say_end() has the message, and the interval is marked. 0 or a
 * recorded failure.
 */
int run_guard_look(struct run_guard *guard, struct run_progress *progress, struct profile_interval *interval,
		   bool *ret_end);

/* After *ret_end, when the last probe is detached: prints why. */
void run_guard_say_end(const struct run_guard *guard);

/* The programs are detached: ends the measurement. */
void run_guard_end(struct run_guard *guard);

void run_guard_done(struct run_guard *guard);

/* Prints the cost to stderr, including that of this process and of all symbol workers: with -v, or if it is high. */
void run_guard_say(const struct run_guard *guard, const struct symbolizer *symbolizer);

/*
 * Limits the duration of a plan with many probes, if it has none; *ret_is_cut: whether it did. 0, or a usage error if
 * the plan's duration is too long.
 */
int run_guard_duration(struct plan *plan, size_t nr_probes, bool *ret_is_cut);

/* Prints the message about it, at the start and at the end of the run. */
void run_guard_say_cut(size_t nr_probes, bool is_over);
