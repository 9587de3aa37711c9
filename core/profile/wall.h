/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All time of threads (`wall`): makes the rows of a run of what the kernel has counted. In a row, the state is the outermost frame, and
 * a wait has its reason as the innermost one (wait_reasons.h).
 */
#pragma once

#include "core/profile/profile.h"

/* Where the stack of an interval is. */
enum wall_stack {
	BY_RECORD,
	BY_LOOK,
	BY_SAMPLES, /* it shares those of the samples of its thread in this state, as time on the CPU does */
};

/* An interval of a thread that is in no row yet: it had not ended when the window did, or its thread has never left the CPU. */
struct wall_interval {
	uint32_t record; /* of the thread */
	enum thread_state state;
	enum wall_stack stack;
	uint64_t ns;
	uint64_t since_ns, end_ns; /* BY_LOOK: when it began and ended, CLOCK_MONOTONIC */
};

typedef VEC(struct wall_interval) wall_interval_list;

/*
 * Replaces the rows of the interval. Pairs with WALL_REASON() become rows of their state. The timed samples of a thread share its time
 * on the CPU, and pairs with WALL_SAMPLE() the time of its waits without a stack; a thread without samples has a row of its own for it. With
 * view.latency, time on the CPU is then divided by the number of threads that ran, the `probe` of a timed sample. `looks`: records of threads as they were when the window began.
 * All pairs are removed. Returns the nanoseconds of all states, before any division.
 */
uint64_t wall_settle(struct profile *profile, struct profile_interval *interval, const wall_interval_list *open,
		     const struct u32_list *looks);

/* After naming: puts the frames of our own program, which renderers hide, before the reasons. A second call changes nothing. */
void wall_hide_tracer(struct profile *profile);

/* Beside enum thread_state: what wall_idle_settle() makes of waits in state S, and rows that do not begin with a state. */
#define WALL_IDLE THREAD_NR_STATES
#define WALL_NO_STATE (THREAD_NR_STATES + 1)
#define WALL_IDLE_ROOT "[idle]"

/* The `where` of the outermost frame of a row, of kind FRAME_TEXT. */
#define WALL_ROOT_PLACE(state) (3ULL << 32 | (state))

/* The state of a row by its outermost frame: an enum thread_state, WALL_IDLE or WALL_NO_STATE. */
unsigned int wall_state_of(const struct profile *profile, const struct profile_record *record);

/* "on the CPU"; also of WALL_IDLE and WALL_NO_STATE. */
const char *wall_state_name(unsigned int state);
