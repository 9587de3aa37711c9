/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guard: shares, when they are too much for long enough, and for how long many probes may run. */

#include "core/base/err.h"
#include "core/plan/guard.h"
#include "core/plan/plan.h"
#include "tests/harness.h"

#define MS 1000000ULL
#define SECOND (1000 * MS)

TEST(test_shares_are_of_all_cpus)
{
	assert_int_equal(guard_share(SECOND, SECOND, 1), 100000);
	assert_int_equal(guard_share(SECOND, SECOND, 4), 25000);
	assert_int_equal(guard_share(50 * MS, SECOND, 1), 5000);
	assert_int_equal(guard_share(10000, SECOND, 1), 1); /* a hundred-thousandth */
	assert_int_equal(guard_share(9999, SECOND, 1), 0);
	assert_int_equal(guard_share(5, 0, 1), 0);
	assert_int_equal(guard_share(5, SECOND, 0), 0);
	assert_int_equal(guard_share(UINT64_MAX, 1, 1), UINT32_MAX);
}

TEST(test_two_looks_in_a_row_are_too_much)
{
	struct guard guard = { .limit = 5000, .time_ns = 10 * SECOND, .cost_ns = 7 * SECOND };

	assert_false(guard_look(&guard, 11 * SECOND, 7 * SECOND + 101 * MS, 2));
	assert_int_equal(guard.elapsed_ns, SECOND);
	assert_true(guard_look(&guard, 12 * SECOND, 7 * SECOND + 202 * MS, 2));
	assert_false(guard_look(&guard, 13 * SECOND, 7 * SECOND + 303 * MS, 2)); /* from the beginning */
	assert_true(guard_look(&guard, 14 * SECOND, 7 * SECOND + 404 * MS, 2));
}

TEST(test_a_burst_is_not)
{
	struct guard guard = { .limit = 5000 };
	uint64_t cost = 0;

	for (uint64_t second = 1; second < 20; second++) {
		cost += second % 2 ? SECOND : 50 * MS; /* just the limit every other second */
		assert_false(guard_look(&guard, second * SECOND, cost, 1));
	}
}

TEST(test_without_a_limit_nothing_is_too_much)
{
	struct guard guard = { .limit = OVERHEAD_OFF };

	for (uint64_t look = 1; look < 5; look++)
		assert_false(guard_look(&guard, look, look << 50, 1));
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
