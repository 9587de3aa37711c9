/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distinguishes late samples from skipped ones. The timer of a clock event expires on a fixed grid. After a gap, a sample off the grid is
 * late: the timer was delayed, and the periods before it have no samples. A sample on the grid follows skipped samples.
 *
 * If the first sample was late, all others are off its grid by the same time: two such samples in a row move the grid.
 */
#pragma once

#include <linux/types.h>

/* State of one CPU; all zero before the first sample. */
struct st_grid {
	__u64 first_ns; /* a moment on the grid */
	__u64 last; /* number of periods from first_ns to the last sample */
	__u64 off_ns; /* how far the last sample was off the grid; 0: within an eighth of a period */
};

/* For a sample at `now`, returns the number of periods before it that have no sample because the timer was delayed. `period` is not 0. */
static inline __u64 st_grid_late(struct st_grid *grid, __u64 now, __u64 period)
{
	__u64 slack = period / 8, last = grid->last, off_before = grid->off_ns, nr, off;

	if (!grid->first_ns) {
		grid->first_ns = now;
		return 0;
	}
	nr = (now - grid->first_ns + slack) / period;
	/* wraps for a sample slightly early, by at most `slack`: it is on the grid */
	off = now - grid->first_ns - nr * period;
	grid->last = nr;
	grid->off_ns = 0;
	if (off + slack <= 2 * slack)
		return 0;
	if (off - off_before + slack <= 2 * slack) {
		grid->first_ns += off;
		return 0;
	}
	grid->off_ns = off;
	return nr > last + 1 ? nr - last - 1 : 0;
}
