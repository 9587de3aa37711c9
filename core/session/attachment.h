/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An attachment: the links from the programs of a loaded object to the places of its attach plan, the cost of the programs, and
 * the events that the kernel missed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/session/loaded.h"

struct attachment;

/* Makes an attachment, with nothing attached yet. `loaded` is borrowed. 0 or a recorded failure. */
int attachment_new(const struct loaded *loaded, struct attachment **ret_attachment);
/* Detaches first if something is attached. NULL: does nothing. */
void attachment_free(struct attachment *attachment);

/*
 * A function to call before a place is attached and after a link is closed, where that is done one by one: each may take a tenth of
 * a second. NULL: none, the default.
 */
typedef void attachment_between(void *context);
void attachment_set_between(struct attachment *attachment, attachment_between *between, void *context);

/*
 * Attaches all places, or those whose turn comes before a signal that ends the run. Probes count from the moment when everything is
 * attached; timed samples and the scheduler's events count at once. If the kernel refuses some places, the others are attached.
 * 0, or a recorded failure that names the place.
 */
int attachment_attach(struct attachment *attachment, const struct plan *plan);

/*
 * Detaches everything. From the call on, no event of a probe is counted. After it, only programs that are about to finish still run.
 * NULL: does nothing.
 */
void attachment_detach(struct attachment *attachment);

/* Number of places that are attached: functions, events, or the CPUs of timed samples. */
size_t attachment_nr_attached(const struct attachment *attachment);

/* Adds a line if the kernel refused places, and a line if the run ended before all places were attached. */
void attachment_describe_refused(const struct attachment *attachment, struct buf *ret_lines);

/* Adds a line if another process keeps the kernel from removing probes (core/host/probe_call.h), which are left to a child. */
void attachment_describe_stuck(struct attachment *attachment, struct buf *ret_line);

/* While `held`, stops by a debugger do not count as time off the CPU, because the debugger is stacktool, which holds the command at its start. */
void attachment_set_held(struct attachment *attachment, bool held);

/* To be called about once a second while attached. For timed samples, it follows CPUs that come and go. */
void attachment_tick(struct attachment *attachment);

/* The timed samples; NULL: there are none. */
struct sampling *attachment_sampling(const struct attachment *attachment);

/* ---- cost ---- */

/* The cost of the programs, estimated from the runs that were timed. Without a timed run, nothing is known. */
struct attachment_cost {
	uint64_t timed; /* timed runs */
	uint64_t runs; /* all runs, estimated */
	uint64_t ns; /* time inside the programs */
	uint64_t trap_ns; /* time outside, for the traps of user probes: a constant for each run, not measured */
	uint64_t others_runs, others_ns; /* of these: for events that a filter left out */
};

/* Whose events: all; those that pass the filters; those that do not. */
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
 * Finds the place with the highest cost that the last attachment_cost_by_place() computed, and sets that cost to 0: the next call
 * finds the next place. *ret_place is its number in the attach plan. False: no cost is left.
 */
bool attachment_take_hottest(struct attachment *attachment, enum cost_of of, size_t *ret_place,
			     struct attachment_cost *ret_cost);

/* Whether costs are known by place, so that one of them can be dropped. */
bool attachment_tells_places(const struct attachment *attachment);

/* What dropping one place did to the other places of its link. */
struct attachment_drop {
	uint64_t gap_ns; /* how long they were detached; 0: they were not */
	size_t nr_gap; /* how many were detached */
	size_t nr_refused; /* how many of them could not be attached again */
};

/* Detaches one place for good. Its counts stay. 0 or a recorded failure. */
int attachment_drop(struct attachment *attachment, size_t place, struct attachment_drop *ret_drop);

/* The time since the first place was dropped; 0: none was. */
uint64_t attachment_dropped_ns(const struct attachment *attachment);

/* ---- misses ---- */

/* Events that reached no program, as far as the kernel counts them. */
struct attachment_misses {
	bool are_told; /* the kernel counts the next two */
	uint64_t recursion; /* the kernel did not run a program, because one was running on the CPU */
	uint64_t in_probe; /* the kernel did not handle a probe, because the CPU was inside another one */
	int64_t births; /* of processes, where children are followed; falls when the second report of a fork makes up for the first */
};

/* The misses since everything was attached, or since the start for programs that count at once. */
void attachment_misses(struct attachment *attachment, struct attachment_misses *ret_misses);
