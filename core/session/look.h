/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A look at threads: the present state, kernel stack and user stack of each, without stopping any.
 *
 * The kernel runs bpf/on_task.bpf.c for each thread of the host. A thread that is on no CPU does not change: its user stack is copied, and
 * the copy is walked. A second look then tells whether the thread has switched in between. If not, the copy is its stack; otherwise it is
 * copied again. The stack of a thread on a CPU changes all the time, so a timed sample on that CPU takes it.
 */
#pragma once

#include <stdbool.h>

#include "core/plan/plan.h"
#include "core/session/drain.h"
#include "core/session/loaded.h"
#include "core/spaces/spaces.h"
#include "core/unwind/unwinding.h"

#define LOOK_SECONDS 30 /* then a look ends; also in docs/use/dump.md */
struct st_look;

struct look_sources {
	const struct plan *plan; /* borrowed, like the others */
	const struct loaded *loaded;
	struct drain *drain;
	struct spaces *spaces;
	struct unwinding *unwinding; /* NULL: no tables */
	bool (*is_over)(void *context); /* whether the user ends the run; called often */
	void *context;
	bool leaves_ring; /* the ring has events of a run, which a look must not read: it waits for no sample and no table */
};

/*
 * Adds a row for each thread of the plan to the target, while timed samples are taken. *ret_sampled gets the records of the samples that
 * are the rows of running threads. *ret_is_cut: the user or a deadline ended the look, and threads that were not read twice have no row.
 * *ret_notes gets a line with the reason for each process whose Python frames are not shown. Returns 0 or a recorded failure.
 */
int look_at_threads(const struct look_sources *sources, const struct drain_target *target, struct u32_list *ret_sampled,
		    bool *ret_is_cut, struct buf *ret_notes);

/* The bytes of a look that the iterator sends: only as many frames as there are. */
size_t look_bytes(const struct st_look *look);

/* To be called once, after drain_all(): removes all samples except these, and counts rows instead of events. */
void look_settle(const struct drain_target *target, const struct u32_list *sampled);
