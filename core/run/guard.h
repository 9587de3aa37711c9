/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cost of a run: limited during the run, printed at its end (docs/use/overhead.md). */
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
	const struct plan *plan; /* borrowed, as the next two */
	struct attachment *attachment;
	const struct attach_plan *attach;
	struct guard guard;
	struct guard_reading now; /* at the last check */
	struct attachment_cost cost, before; /* at the last check, and at the start of the window */
	enum guard_base base; /* the base of the excess */
	struct cpu_time traced; /* CPU time of the targets of -p and -L */
	uint64_t begun_ns, ended_ns; /* of the programs */
	struct buf end; /* message of run_guard_say_end() */
};

/* Sets the limit. 0, or a usage error for STACKTOOL_MAX_OVERHEAD. */
int run_guard_init(struct run_guard *guard, const struct plan *plan);

/* Starts to measure. Call it when everything is attached. */
void run_guard_begin(struct run_guard *guard, struct attachment *attachment, const struct attach_plan *attach);

/*
 * Compares the cost with the limit; call it many times a second. If the cost is higher, detaches the costliest probes, with a message on
 * stderr. *ret_end: the run must end, because no probe would be left; then run_guard_say_end() has the message, and the interval is marked.
 * 0 or a recorded failure.
 */
int run_guard_look(struct run_guard *guard, struct run_progress *progress, struct profile_interval *interval,
		   bool *ret_end);

/* Prints why the run ended. Call it after *ret_end, when the last probe is detached. */
void run_guard_say_end(const struct run_guard *guard);

/* Ends the measurement. Call it before probes are detached. */
void run_guard_end(struct run_guard *guard);

void run_guard_done(struct run_guard *guard);

/* With -v, or if the cost is high: prints it to stderr, with that of this process and of all symbol workers. */
void run_guard_say(const struct run_guard *guard, const struct symbolizer *symbolizer);

/* Limits the duration of a plan with many probes; *ret_is_cut: whether it did. 0, or a usage error if its duration is too long. */
int run_guard_duration(struct plan *plan, size_t nr_probes, bool *ret_is_cut);

/* Prints the message about that, at the start or the end of the run. */
void run_guard_say_cut(size_t nr_probes, bool is_over);
