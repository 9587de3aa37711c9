/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All time of threads (`wall`): makes the rows of a run from the counts. The outermost frame of a row is the state, and the innermost frame
 * of a wait is the reason (wait_reasons.h).
 */
#pragma once

#include "core/profile/profile.h"

/* Where the stack of an interval comes from. */
enum wall_stack {
	BY_RECORD,
	BY_LOOK,
	BY_SAMPLES, /* from the samples of its thread in this state, as for time on the CPU */
};

/* An interval that is in no row yet: it had not ended at the end of the window, or its thread has never left the CPU. */
struct wall_interval {
	uint32_t record;
	enum thread_state state;
	enum wall_stack stack;
	uint64_t ns;
	uint64_t since_ns, end_ns; /* BY_LOOK: CLOCK_MONOTONIC */
};

typedef VEC(struct wall_interval) wall_interval_list;

/*
 * Replaces the rows of the interval. Pairs with WALL_REASON() become rows of their state. The time of a thread on the CPU is divided among
 * its timed samples, and the time of its waits without a stack among pairs with WALL_SAMPLE(); without samples, it is a row of its own.
 * With view.latency, time on the CPU is then divided by the number of running threads, the `probe` of a timed sample. `open`: intervals in
 * no row yet. `looks`: records of threads at the beginning of the window. Removes all pairs. Returns the nanoseconds of all states, before
 * the division.
 */
uint64_t wall_settle(struct profile *profile, struct profile_interval *interval, const wall_interval_list *open,
		     const struct u32_list *looks);

/* Puts the frames of our own program, which renderers hide, before the reasons. Call it after naming. A second call changes nothing. */
void wall_hide_tracer(struct profile *profile);

/* In addition to enum thread_state: waits in state S that wall_idle_settle() found to be waits for work, and rows without a state. */
#define WALL_IDLE THREAD_NR_STATES
#define WALL_NO_STATE (THREAD_NR_STATES + 1)
#define WALL_IDLE_ROOT "[idle]"

/* The `where` of the outermost frame of a row (FRAME_TEXT). */
#define WALL_ROOT_PLACE(state) (3ULL << 32 | (state))

/* The state of a row: an enum thread_state, WALL_IDLE or WALL_NO_STATE. */
unsigned int wall_state_of(const struct profile *profile, const struct profile_record *record);

/* "on the CPU". Also for WALL_IDLE and WALL_NO_STATE. */
const char *wall_state_name(unsigned int state);
