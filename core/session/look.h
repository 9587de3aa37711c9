/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads as they are now: the state, kernel stack and user stack of each, without stopping any.
 *
 * The kernel runs bpf/on_task.bpf.c for each thread of the host. A thread that is on no CPU stands still: its stack is copied, and
 * walked in the copy. Then the kernel is asked again: if the thread has not switched meanwhile, the stack is its stack. Otherwise it
 * is read again. The stack of a thread that is on a CPU changes all the time; it is taken by a timed sample on that CPU.
 */
#pragma once

#include <stdbool.h>

#include "core/plan/plan.h"
#include "core/session/drain.h"
#include "core/session/loaded.h"
#include "core/spaces/spaces.h"
#include "core/unwind/unwinding.h"

#define LOOK_SECONDS 30 /* then a look ends by itself; docs/use/dump.md has it */
struct st_look;

struct look_sources {
	const struct plan *plan; /* this and the others are borrowed */
	const struct loaded *loaded;
	struct drain *drain;
	struct spaces *spaces;
	struct unwinding *unwinding; /* NULL: no tables */
	bool (*is_over)(void *context); /* whether the user ends the run: asked often */
	void *context;
	bool leaves_ring; /* it has events of a run, which are not to be read here: no sample and no table is waited for */
};

/*
 * Adds a row for each thread of the plan to the target, while timed samples are taken. *ret_sampled gets the records of the samples that
 * are the rows of threads that run. *ret_is_cut: the user or a deadline has ended it, and the threads that were not read twice have no row.
 * *ret_notes gets a line for each process whose Python frames are not shown, with the reason. 0 or a recorded failure.
 */
int look_at_threads(const struct look_sources *sources, const struct drain_target *target, struct u32_list *ret_sampled,
		    bool *ret_is_cut, struct buf *ret_notes);

/* The bytes of a look as the iterator sends it: with only as many frames as there are. */
size_t look_bytes(const struct st_look *look);

/* To be called once, after drain_all(): leaves these samples and no other; and counts rows, not events. */
void look_settle(const struct drain_target *target, const struct u32_list *sampled);
