/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guard: shares, when they are too much for long enough, and for how long many probes may run. */

#include "core/base/err.h"
#include "core/plan/guard.h"
#include "core/plan/plan.h"
#include "tests/harness.h"

#define MS 1000000ULL
#define SECOND (1000 * MS)

TEST(test_shares)
{
	assert_int_equal(guard_share(SECOND, SECOND), 100000);
	assert_int_equal(guard_share(SECOND, 4 * SECOND), 25000);
	assert_int_equal(guard_share(50 * MS, SECOND), 5000);
	assert_int_equal(guard_share(10000, SECOND), 1); /* a hundred-thousandth */
	assert_int_equal(guard_share(9999, SECOND), 0);
	assert_int_equal(guard_share(5, 0), 0);
	assert_int_equal(guard_share(UINT64_MAX, 1), UINT32_MAX);
}

#define TICK (50 * MS)

static struct guard guard;
static struct guard_reading reading;

static void begin(void)
{
	guard = (struct guard){ .limit = 5000 };
	reading = (struct guard_reading){ .time_ns = 10 * SECOND, .timed = 7, .cost_ns = { SECOND, SECOND } };
	guard_begin(&guard, &reading);
}

/* A tick of a host with two CPUs, and of processes that use one: both bases cost so many percent. */
static enum guard_verdict tick(uint64_t host_percent, uint64_t traced_percent, enum guard_base *ret_base)
{
	reading.time_ns += TICK;
	reading.timed += 10;
	reading.base_ns[GUARD_HOST] += 2 * TICK;
	reading.base_ns[GUARD_TRACED] += TICK;
	reading.cost_ns[GUARD_HOST] += 2 * TICK * host_percent / 100;
	reading.cost_ns[GUARD_TRACED] += TICK * traced_percent / 100;
	return guard_look(&guard, &reading, ret_base);
}

/* How many ticks the guard lets such a run go on, at most `most`. */
static unsigned int ticks_until_too_much(uint64_t host_percent, uint64_t traced_percent, unsigned int most,
					 enum guard_base *ret_base)
{
	unsigned int nr = 1;

	while (nr < most && tick(host_percent, traced_percent, ret_base) != GUARD_TOO_MUCH)
		nr++;
	return nr;
}

TEST(test_the_worse_the_sooner)
{
	enum guard_base base = GUARD_NR_BASES;

	begin();
	assert_int_equal(ticks_until_too_much(100, 0, 1000, &base), 2); /* 100 ms */
	assert_int_equal(base, GUARD_HOST);
	begin();
	assert_int_equal(ticks_until_too_much(40, 0, 1000, &base), 3);
	begin();
	assert_int_equal(ticks_until_too_much(10, 0, 1000, &base), 11);
	begin();
	assert_int_equal(ticks_until_too_much(6, 0, 1000, &base), 17);
	begin();
	assert_int_equal(ticks_until_too_much(5, 5, 1000, &base), 1000);
}

TEST(test_traced_processes_have_a_limit_of_their_own)
{
	enum guard_base base = GUARD_NR_BASES;

	begin();
	assert_int_equal(ticks_until_too_much(1, 40, 1000, &base), 3);
	assert_int_equal(base, GUARD_TRACED);
}

TEST(test_it_counts_anew_after_something_was_done)
{
	enum guard_base base;

	begin();
	assert_int_equal(ticks_until_too_much(40, 0, 1000, &base), 3);
	assert_int_equal(guard_window(&guard).time_ns, 3 * TICK);
	assert_int_equal(guard_window(&guard).cost_ns[GUARD_HOST], 6 * TICK * 40 / 100);
	guard_begin(&guard, &reading);
	assert_int_equal(guard_window(&guard).time_ns, 0);
	assert_int_equal(ticks_until_too_much(40, 0, 1000, &base), 3);
}

TEST(test_a_burst_is_not_too_much)
{
	enum guard_base base;

	begin();
	for (int i = 0; i < 100; i++) { /* one tick of twenty: the limit is just not passed */
		enum guard_verdict wanted = i % 20 == 19 ? GUARD_NEXT : GUARD_GO_ON;

		assert_int_equal(tick(i % 20 == 19 ? 100 : 0, 0, &base), wanted);
	}
}

TEST(test_a_timed_run_that_was_interrupted_is_not_too_much)
{
	enum guard_base base;

	begin();
	assert_int_equal(tick(1, 1, &base), GUARD_GO_ON);
	assert_int_equal(tick(1, 130, &base), GUARD_GO_ON); /* more than the limit for a second, in one tick */
	for (int i = 0; i < 100; i++)
		assert_int_not_equal(tick(1, 1, &base), GUARD_TOO_MUCH);
}

TEST(test_few_timed_runs_tell_nothing)
{
	enum guard_base base;

	begin();
	for (int i = 0; i < 40; i++) {
		reading.timed -= i < 39 ? 10 : 0; /* none in this tick */
		assert_int_equal(tick(50, 50, &base), GUARD_GO_ON);
	}
	reading.timed += 10;
	assert_int_equal(tick(50, 50, &base), GUARD_TOO_MUCH);
}

TEST(test_without_a_limit_nothing_is_too_much)
{
	enum guard_base base;

	begin();
	guard.limit = OVERHEAD_OFF;
	assert_int_equal(ticks_until_too_much(100, 100, 100, &base), 100);
}

TEST(test_many_probes_end)
{
	uint64_t ns = 1;

	assert_int_equal(guard_duration(100, 0, &ns), 0);
	assert_int_equal(ns, 0);
	assert_int_equal(guard_duration(100, 3600 * SECOND, &ns), 0);
	assert_int_equal(ns, 3600 * SECOND);
	assert_int_equal(guard_duration(101, 0, &ns), 0);
	assert_int_equal(ns, 300 * SECOND);
	assert_int_equal(guard_duration(101, 300 * SECOND, &ns), 0);
	assert_int_equal(ns, 300 * SECOND);
	assert_int_equal(guard_duration(101, 7 * SECOND, &ns), 0);
	assert_int_equal(ns, 7 * SECOND);
	assert_int_equal(guard_duration(101, 300 * SECOND + 1, &ns), -ERANGE);
	assert_int_equal(ns, 7 * SECOND);
}

static void assert_limit(const char *text, uint32_t thousandths)
{
	uint32_t limit = 0;

	assert_int_equal(overhead_parse(text, &limit), 0);
	assert_int_equal(limit, thousandths);
}

static void assert_no_limit(const char *text)
{
	uint32_t limit = 7;

	err_clear();
	assert_int_equal(overhead_parse(text, &limit), -EINVAL);
	assert_int_equal(err_kind(), ERR_USAGE);
	assert_non_null(strstr(err_cause(), "give 0.001 to 100, or off"));
	assert_int_equal(limit, 7);
	err_clear();
}

TEST(test_limits_are_read)
{
	assert_limit("5", 5000);
	assert_limit("0.5%", 500);
	assert_limit("0.001", 1);
	assert_limit("100", 100000);
	assert_limit("0", OVERHEAD_OFF);
	assert_limit("off", OVERHEAD_OFF);
	assert_no_limit("101");
	assert_no_limit("-1");
	assert_no_limit("much");
	assert_no_limit("");
	assert_no_limit("5 %");
}
