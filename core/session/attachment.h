/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The links from a loaded object's programs to the places of its attach plan, the cost of the programs, and missed events. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/session/loaded.h"

struct attachment;

/* Makes an attachment without attaching a place. `loaded` is borrowed. Returns 0 or a recorded failure. */
int attachment_new(const struct loaded *loaded, struct attachment **ret_attachment);
/* Detaches first if places are attached. NULL: does nothing. */
void attachment_free(struct attachment *attachment);

/* Called between places (attaching or closing one may take 0.1 s), and repeatedly during longer waits. NULL, the default: none. */
typedef void attachment_between(void *context);
void attachment_set_between(struct attachment *attachment, attachment_between *between, void *context);

/*
 * Attaches all places, or only some if a signal ends the run in between. Probes count from the moment when all are attached; timed samples
 * and scheduler events count at once. If the kernel refuses some places, the others are attached. Returns 0 or a recorded failure that
 * names the place.
 */
int attachment_attach(struct attachment *attachment, const struct plan *plan);

/* Detaches all places. No probe event is counted from the call on; on return, running programs may still finish. NULL: does nothing. */
void attachment_detach(struct attachment *attachment);

/* The number of attached places: functions, events, or CPUs of timed samples. */
size_t attachment_nr_attached(const struct attachment *attachment);

/* Adds a line if places were refused, and a line if the run ended before all places were attached. */
void attachment_describe_refused(const struct attachment *attachment, struct buf *ret_lines);

/* Adds a line if another process prevents the kernel from removing probes (core/host/probe_call.h). A child removes them later. */
void attachment_describe_stuck(struct attachment *attachment, struct buf *ret_line);

/* While `held`, stops by a debugger do not count as time off the CPU: the debugger is stacktool, which holds the command at its start. */
void attachment_set_held(struct attachment *attachment, bool held);

/* To be called about once a second while attached: timed samples follow CPUs that come and go. */
void attachment_tick(struct attachment *attachment);

/* The timed samples. NULL: none. */
struct sampling *attachment_sampling(const struct attachment *attachment);

/* ---- cost ---- */

/* The cost of the programs, estimated from timed runs. Without a timed run, it is unknown. */
struct attachment_cost {
	uint64_t timed; /* number of timed runs */
	uint64_t runs; /* number of all runs, estimated */
	uint64_t ns; /* time inside the programs */
	uint64_t trap_ns; /* time of the traps of user probes, outside the programs: a constant for each run, not measured */
	uint64_t others_runs, others_ns; /* the part for events that a filter left out */
};

/* Whose events: all, those that pass the filters, those that do not. */
enum cost_of {
	COST_ALL,
	COST_WANTED,
	COST_OTHERS
};

uint64_t attachment_cost_ns(const struct attachment_cost *cost, enum cost_of of);
uint64_t attachment_cost_runs(const struct attachment_cost *cost, enum cost_of of);

/* The cost since the programs were attached. */
void attachment_cost(const struct attachment *attachment, struct attachment_cost *ret_cost);

/* Computes the cost of each place since the last call, for attachment_take_hottest(). */
void attachment_cost_by_place(struct attachment *attachment);

/*
 * Finds the place with the highest cost that the last attachment_cost_by_place() computed, and sets that cost to 0, so that the next call
 * finds the next place. *ret_place is its number in the attach plan. False: no cost is left.
 */
bool attachment_take_hottest(struct attachment *attachment, enum cost_of of, size_t *ret_place,
			     struct attachment_cost *ret_cost);

/* Whether costs are known for each place, so that a place can be dropped. */
bool attachment_tells_places(const struct attachment *attachment);

/* The effect of dropping one place on the other places of its link. */
struct attachment_drop {
	uint64_t gap_ns; /* how long they were detached; 0: not at all */
	size_t nr_gap; /* number of places that were detached */
	size_t nr_refused; /* number of these that could not be attached again */
};

/* Detaches one place until the end of the run. Its counts stay. Returns 0 or a recorded failure. */
int attachment_drop(struct attachment *attachment, size_t place, struct attachment_drop *ret_drop);

/* The time since the first place was dropped. 0: no place was dropped. */
uint64_t attachment_dropped_ns(const struct attachment *attachment);

/* ---- misses ---- */

/* Events that reached no program, as far as the kernel counts them. */
struct attachment_misses {
	bool are_told; /* the kernel counts `recursion` and `in_probe` */
	uint64_t recursion; /* the kernel did not run a program because another one was running on the CPU */
	uint64_t in_probe; /* the kernel did not handle a probe because the CPU was inside another probe */
	/* of processes, if children are followed; decreases when the second report of a fork makes up for a missed first one */
	int64_t births;
};

/* The misses since all places were attached, or since the start for programs that count at once. */
void attachment_misses(struct attachment *attachment, struct attachment_misses *ret_misses);
