/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/session/sample_shares.c: why timed samples are missing, in one drain and over many. */
#include "core/session/sample_shares.h"

#include "core/profile/profile.h"
#include "tests/harness.h"

#define NR_DRAINS 1000

static struct sample_shares share(const struct sample_counts *counts, int64_t *remainder)
{
	struct sample_shares shares;

	share_missing_samples(counts, remainder, &shares);
	return shares;
}

/* Many drains of which each is as the last; what of the sum no cause explains, as a report says it. */
static int64_t unexplained_after_many(const struct sample_counts *counts)
{
	struct profile_interval interval = { .account.nr_cpus = (uint32_t)counts->nr_cpus };
	struct sample_account account;
	int64_t remainder = 0;

	for (int i = 0; i < NR_DRAINS; i++) {
		struct sample_shares shares = share(counts, &remainder);

		interval.account.expected += shares.expected;
		interval.account.taken += counts->taken;
		interval.losses[ST_LOSS_SAMPLE_IDLE] += shares.idle;
		interval.losses[ST_LOSS_SAMPLE_LATE] += shares.late;
		interval.losses[ST_LOSS_SAMPLE_SKIPPED] += shares.skipped;
	}
	assert_true(profile_sample_account(&interval, &account));
	return account.unexplained;
}

TEST(the_rest_of_one_drain_was_skipped)
{
	const struct sample_counts counts = {
		.expected = 100,
		.taken = 60,
		.idle_expected = 15,
		.idle_taken = 5,
		.late = 20,
		.nr_cpus = 2,
	};
	int64_t remainder = 0;
	struct sample_shares shares = share(&counts, &remainder);

	assert_int_equal(shares.idle, 10);
	assert_int_equal(shares.late, 20);
	assert_int_equal(shares.skipped, 10);
	assert_int_equal(remainder, 0);
}

TEST(causes_explain_no_more_than_is_missing)
{
	struct sample_counts counts = { .expected = 100, .taken = 95, .idle_expected = 3, .late = 9, .nr_cpus = 1 };
	int64_t remainder = 0;
	struct sample_shares shares = share(&counts, &remainder);

	assert_int_equal(shares.idle, 3);
	assert_int_equal(shares.late, 2);
	assert_int_equal(shares.skipped, 0);
	counts.idle_expected = 8;
	shares = share(&counts, &remainder);
	assert_int_equal(shares.idle, 5);
	assert_int_equal(shares.late, 0);
}

/* A sample of each CPU may come after the counter was read, and before it the next time. */
TEST(rounding_is_no_loss)
{
	const struct sample_counts fewer = { .expected = 10, .taken = 8, .nr_cpus = 2 };
	const struct sample_counts more = { .expected = 10, .taken = 12, .nr_cpus = 2 };
	int64_t remainder = 0;

	for (int i = 0; i < NR_DRAINS; i++) {
		assert_int_equal(share(i % 2 ? &more : &fewer, &remainder).skipped, 0);
		assert_true(remainder >= -2 && remainder <= 2);
	}
}

/* Each drain alone has what rounding explains. */
TEST(a_sample_that_every_drain_lacks_is_a_loss)
{
	const struct sample_counts counts = { .expected = 10, .taken = 9, .nr_cpus = 2 };
	const struct sample_counts beside_idle = {
		.expected = 10,
		.taken = 5,
		.idle_expected = 3,
		.nr_cpus = 2,
		.nr_in_idle_step = 1,
	};

	assert_int_equal(unexplained_after_many(&counts), 0);
	assert_int_equal(unexplained_after_many(&beside_idle), 0);
}

/* The counter of idle time moves in steps: what one interval lacks for this reason is not a second loss of the next. */
TEST(each_interval_adds_up)
{
	struct sample_counts counts = {
		.expected = 203,
		.taken = 190,
		.idle_expected = 9,
		.nr_cpus = 2,
		.nr_in_idle_step = 1,
	};
	int64_t remainder = 0;
	struct sample_shares shares = share(&counts, &remainder);

	assert_int_equal(shares.expected, 190 + 9);
	counts = (struct sample_counts){ .expected = 195, .taken = 194, .nr_cpus = 2 };
	shares = share(&counts, &remainder);
	assert_int_equal(shares.expected, 194 + 5);
	assert_int_equal(shares.skipped, 5);
	assert_int_equal(remainder, 0);
}

/* Of more samples than the counter explains, one for each CPU is rounding. The rest shows. */
TEST(a_surplus_shows)
{
	const struct sample_counts more = { .expected = 10, .taken = 20, .nr_cpus = 2 };
	int64_t remainder = 0;

	assert_int_equal(share(&more, &remainder).expected, 12);
	assert_int_equal(share(&more, &remainder).expected, 10);
}

/* A counter that is estimated can be too small for long: what is skipped later is still seen. */
TEST(a_surplus_does_not_hide_a_later_loss)
{
	const struct sample_counts more = { .expected = 10, .taken = 20, .nr_cpus = 2 };
	const struct sample_counts skipped = { .expected = 10, .taken = 0, .nr_cpus = 2 };
	int64_t remainder = 0;

	for (int i = 0; i < NR_DRAINS; i++)
		assert_int_equal(share(&more, &remainder).skipped, 0);
	assert_int_equal(remainder, -2);
	assert_int_equal(share(&skipped, &remainder).skipped, 8);
}
