/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf/grid.h: which gaps between timed samples are due to a late timer. */
#include "bpf/grid.h"

#include "tests/harness.h"

#define PERIOD 1000000ull
#define AT(periods, off) (5 * PERIOD + (periods) * PERIOD + (off))

/* The sum for samples at these times, of which the last is 0. */
static uint64_t late(const uint64_t *times)
{
	struct st_grid grid = {};
	uint64_t sum = 0;

	for (; *times; times++)
		sum += st_grid_late(&grid, *times, PERIOD);
	return sum;
}

#define late_of(...) late((const uint64_t[]){ __VA_ARGS__, 0 })

TEST(samples_on_time)
{
	assert_int_equal(late_of(AT(0, 0), AT(1, 1000), AT(2, 100000), AT(3, 0), AT(4, -100000)), 0);
}

TEST(a_sample_on_the_grid_follows_skipped_ones)
{
	assert_int_equal(late_of(AT(0, 0), AT(40, 1000), AT(90, -1000)), 0);
}

TEST(a_sample_off_the_grid_is_late)
{
	assert_int_equal(late_of(AT(0, 0), AT(40, 400000)), 39);
	assert_int_equal(late_of(AT(0, 0), AT(40, 400000), AT(41, 0), AT(51, 0)), 39);
	assert_int_equal(late_of(AT(0, 0), AT(1, 400000), AT(2, 0)), 0); /* nothing is missing */
}

TEST(late_samples_of_different_times_stay_late)
{
	assert_int_equal(late_of(AT(0, 0), AT(10, 300000), AT(20, 600000), AT(30, 200000), AT(40, 500000)), 36);
}

/* All others would be late for the whole run. */
TEST(the_first_sample_may_be_late)
{
	assert_int_equal(late_of(AT(0, 400000), AT(10, 0), AT(20, 0), AT(50, 1000), AT(90, 0)), 8);
	assert_int_equal(late_of(AT(0, 800000), AT(1, 0), AT(2, 0), AT(50, 0), AT(90, 0)), 0);
}

/* Two delays of the same length move it; two samples on time move it back. */
TEST(a_grid_that_moved_wrongly_moves_back)
{
	assert_int_equal(late_of(AT(0, 0), AT(10, 300000), AT(20, 300000), AT(21, 0), AT(22, 0), AT(50, 0), AT(60, 0)),
			 9);
}
