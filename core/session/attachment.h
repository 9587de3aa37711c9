/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is attached: the links of a loaded object to the places of its attach plan, what they cost, and what the kernel
 * misses at them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/session/loaded.h"

struct attachment;

/* Nothing is attached yet. What is loaded is borrowed. 0 or a recorded failure. */
int attachment_new(const struct loaded *loaded, struct attachment **ret_attachment);
void attachment_free(struct attachment *attachment);

/*
 * What is to be called between any two places that are attached or detached one by one, which may take a tenth of a second each;
 * NULL: nothing, as at first.
 */
typedef void attachment_between(void *context);
void attachment_set_between(struct attachment *attachment, attachment_between *between, void *context);

/*
 * Attaches everything; events are counted from then on, at all places at once. 0 or a recorded failure that names the
 * place.
 */
int attachment_attach(struct attachment *attachment, const struct plan *plan);

/*
 * Detaches everything; from the call on no event of a probe is counted. No program runs any more when it returns, apart
 * from those that are just finishing. Nothing for NULL.
 */
void attachment_detach(struct attachment *attachment);

/* Number of places that were attached: functions, events, or the CPUs of timed samples. */
size_t attachment_nr_attached(const struct attachment *attachment);

/*
 * A line on the places that the kernel refused and one on those whose turn did not come before the run was ended; "" when there were
 * none.
 */
void attachment_describe_refused(const struct attachment *attachment, struct buf *ret_lines);

/* To be called about once a second while attached: follows CPUs that come and go, for timed samples. */
void attachment_tick(struct attachment *attachment);

/* The timed samples; NULL: there are none. */
struct sampling *attachment_sampling(const struct attachment *attachment);

/* ---- cost ---- */

/*
 * What the programs have cost since they were attached. Estimates, for only some runs are timed; without a timed one
 * nothing is known.
 */
struct attachment_cost {
	uint64_t timed; /* runs */
	uint64_t runs; /* all of them */
	uint64_t ns; /* inside the programs */
	uint64_t trap_ns; /* outside, for the traps of user probes: so much each, not measured */
};

void attachment_cost(const struct attachment *attachment, struct attachment_cost *ret_cost);

/* Takes down what each place has cost since the last call. */
void attachment_cost_by_place(struct attachment *attachment);

/*
 * Takes out the place that has cost most of those not yet taken since then; places count as in the attach plan. False:
 * none of them has cost anything.
 */
bool attachment_take_hottest(struct attachment *attachment, size_t *ret_place, struct attachment_cost *ret_cost);

/* Whether costs are known by place, so that one of them can be dropped. */
bool attachment_tells_places(const struct attachment *attachment);

/* What dropping one place did to others of its link. */
struct attachment_drop {
	uint64_t gap_ns; /* so long they were detached; 0: they were not */
	size_t nr_gap; /* how many */
	size_t nr_refused; /* that could not be attached again */
};

/* Detaches one place for good. What is counted stays. 0 or a recorded failure. */
int attachment_drop(struct attachment *attachment, size_t place, struct attachment_drop *ret_drop);

/* The time since the first place was dropped; 0: none is. */
uint64_t attachment_dropped_ns(const struct attachment *attachment);

/* ---- misses ---- */

/* What reached no program from attaching to detaching, as far as the kernel counts it. */
struct attachment_misses {
	bool are_told; /* the kernel counts the first two */
	uint64_t recursion; /* a program was not run: one was running on the CPU */
	uint64_t in_probe; /* a probe was not served: the CPU was inside another one */
	int64_t births; /* of processes, where children are followed; smaller again when a second report makes up for it */
};

void attachment_misses(struct attachment *attachment, struct attachment_misses *ret_misses);
