/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A loaded BPF object and what hangs on it: maps, links, the ring. Opened for one plan; only the program and the maps
 * that the plan needs exist.
 *
 * session*.c loads, attach*.c attaches, drain*.c reads. No other room sees the skeleton and bpf/abi.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/plan/plan.h"
#include "core/resolve/resolve.h"
#include "core/unwind/unwind_store.h"

struct session;

/* Opens, configures and loads. 0, or a recorded failure in one sentence. */
int session_new(const struct plan *plan, const struct attach_plan *attach, struct session **ret_session);
void session_free(struct session *session);

/*
 * What is to be called between any two places that are attached or detached one by one, which may take a tenth of a second each;
 * NULL: nothing, as at first.
 */
typedef void session_between(void *context);
void session_set_between(struct session *session, session_between *between, void *context);

/*
 * Attaches everything; events are counted from then on, of all probes at once. 0 or a recorded failure that names the
 * place.
 */
int session_attach(struct session *session, const struct plan *plan, const struct attach_plan *attach);

/*
 * Detaches everything; from the call on no event of a probe is counted. No program runs any more when it returns, apart
 * from those that are just finishing. Nothing for NULL.
 */
void session_detach(struct session *session);

/* Number of places that were attached: functions, events, or the CPUs of timed samples. */
size_t session_nr_attached(const struct session *session);

/*
 * What the programs have cost since they were attached. Estimates, for only some runs are timed; without a timed one
 * nothing is known.
 */
struct session_cost {
	uint64_t timed; /* runs */
	uint64_t runs; /* all of them */
	uint64_t ns; /* inside the programs */
	uint64_t trap_ns; /* outside, for the traps of user probes: so much each, not measured */
};

void session_cost(const struct session *session, struct session_cost *ret_cost);

/* Takes down what each place has cost since the last call. */
void session_cost_by_place(struct session *session);

/*
 * Takes out the place that has cost most of those not yet taken since then; places count as in the attach plan. False:
 * none of them has cost anything.
 */
bool session_take_hottest(struct session *session, size_t *ret_place, struct session_cost *ret_cost);

/* Whether costs are known by place, so that one of them can be dropped. */
bool session_tells_places(const struct session *session);

/* What dropping one place did to others of its link. */
struct session_drop {
	uint64_t gap_ns; /* so long they were detached; 0: they were not */
	size_t nr_gap; /* how many */
	size_t nr_refused; /* that could not be attached again */
};

/*
 * Detaches one place for good. What is counted stays; from now on each interval says how long something is missing. 0
 * or a recorded failure.
 */
int session_drop(struct session *session, size_t place, struct session_drop *ret_drop);

/*
 * A line on the places that the kernel refused and one on those whose turn did not come before the run was ended; "" when there were
 * none.
 */
void session_describe_refused(const struct session *session, struct buf *ret_lines);

/* Whether the programs of such a session walk user stacks by unwind tables. */
bool session_will_unwind(const struct plan *plan, const struct attach_plan *attach);

/* The maps that they read them from: descriptors of the session. False: it does not unwind by tables. */
bool session_unwind_maps(const struct session *session, struct unwind_store_options *ret_maps);

/* To be called about once a second while attached: follows CPUs that come and go, for timed samples. */
void session_tick(struct session *session);

/*
 * The configuration and the BPF instructions of the program that the plan would use, for --debug and --ebpf. Opens the
 * object and loads nothing. 0 or a recorded failure.
 */
int session_describe(const struct plan *plan, const struct attach_plan *attach, struct buf *ret_text);
