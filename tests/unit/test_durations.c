/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Classes of durations: found again by the mean, as in the kernel; what is said of the shortest and the longest is true. */

#include "bpf/abi.h"
#include "core/base/durations.h"
#include "tests/harness.h"

/* xorshift: the same numbers in every run */
static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static uint64_t any_duration(uint64_t *seed)
{
	uint64_t bits = next(seed) % 64;

	return next(seed) >> bits;
}

TEST(classes_are_the_three_highest_bits)
{
	static const uint64_t us[][2] = { { 0, 0 },       { 1, 1 },       { 7, 7 },         { 8, 8 },
					  { 9, 8 },       { 10, 10 },     { 15, 14 },       { 16, 16 },
					  { 19, 16 },     { 20, 20 },     { 1023, 896 },    { 1024, 1024 },
					  { 1279, 1024 }, { 1280, 1280 }, { 20479, 16384 }, { 20480, 20480 } };

	for (size_t i = 0; i < sizeof(us) / sizeof(*us); i++) {
		assert_int_equal(duration_class(us[i][0] * 1000), us[i][1]);
		assert_int_equal(duration_class(us[i][0] * 1000 + 999), us[i][1]);
	}
}

TEST(the_kernels_classes_are_the_same)
{
	uint64_t seed = 42;

	for (int i = 0; i < 100000; i++) {
		uint64_t ns = any_duration(&seed);

		assert_true(st_span_class(ns) == duration_class(ns));
	}
	assert_true(st_span_class(UINT64_MAX) == duration_class(UINT64_MAX));
}

/* Adds intervals as they come out of the kernel: one row per class. */
static void add_by_class(struct durations *durations, const uint64_t *ns, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t sum = 0, in_class = 0;
		size_t first = 0;

		while (duration_class(ns[first]) != duration_class(ns[i]))
			first++;
		if (first != i)
			continue; /* this class has been added */
		for (size_t j = i; j < nr; j++) {
			if (duration_class(ns[j]) != duration_class(ns[i]))
				continue;
			in_class++;
			sum += ns[j];
		}
		durations_add(durations, in_class, sum);
	}
}

static void expect_true_of(const struct durations *durations, const uint64_t *ns, size_t nr)
{
	struct duration_range shortest = durations_shortest(durations), longest = durations_longest(durations);
	uint64_t powers[DURATION_POWERS] = {}, sum = 0, least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < nr; i++) {
		unsigned int power = 0;

		while (ns[i] / 1000 > duration_power(power).last_us)
			power++;
		assert_true(ns[i] / 1000 >= duration_power(power).first_us);
		powers[power]++;
		sum += ns[i];
		least = ns[i] < least ? ns[i] : least;
		most = ns[i] > most ? ns[i] : most;
	}
	assert_memory_equal(durations->powers, powers, sizeof(powers));
	assert_true(durations->nr == nr && durations->sum_ns == sum);
	assert_true(shortest.first_us <= least / 1000 && least / 1000 <= shortest.last_us);
	assert_true(longest.first_us <= most / 1000 && most / 1000 <= longest.last_us);
	assert_int_equal(duration_class(shortest.first_us * 1000), duration_class(shortest.last_us * 1000));
	assert_int_equal(duration_class(longest.first_us * 1000), duration_class(longest.last_us * 1000));
}

TEST(what_is_said_is_true)
{
	uint64_t seed = 7;

	for (int round = 0; round < 2000; round++) {
		uint64_t ns[64], bits = next(&seed) % 54 + 10; /* 64 of them do not overflow */
		size_t nr = next(&seed) % 64 + 1;
		struct durations durations = {};

		for (size_t i = 0; i < nr; i++)
			ns[i] = next(&seed) >> bits;
		add_by_class(&durations, ns, nr);
		expect_true_of(&durations, ns, nr);
	}
}

/* In one class by itself, and where the others of the class leave only one length */
TEST(bounds_meet_where_they_can)
{
	struct durations durations = {};
	struct duration_range range;

	durations_add(&durations, 1, 5000999);
	range = durations_shortest(&durations);
	assert_true(range.first_us == 5000 && range.last_us == 5000);
	range = durations_longest(&durations);
	assert_true(range.first_us == 5000 && range.last_us == 5000);
	durations_add(&durations, 1, 5100000); /* each of them is known */
	range = durations_shortest(&durations);
	assert_true(range.first_us == 5000 && range.last_us == 5000);
	range = durations_longest(&durations);
	assert_true(range.first_us == 5100 && range.last_us == 5100);
	durations_add(&durations, 3, 3 * 1024000); /* as short as the class allows: all three are */
	range = durations_shortest(&durations);
	assert_true(range.first_us == 1024 && range.last_us == 1024);
	durations_add(&durations, 2, 2 * 9000000); /* from 8192 to 10239 us */
	range = durations_longest(&durations);
	assert_true(range.first_us == 9000 && range.last_us == 9808);
}

TEST(odd_files_do_no_harm)
{
	struct durations durations = {};

	durations_add(&durations, 0, 77);
	assert_int_equal(durations.nr, 0);
	durations_add(&durations, 1ULL << 63, UINT64_MAX);
	durations_add(&durations, 1ULL << 63, UINT64_MAX);
	durations_add(&durations, UINT64_MAX, UINT64_MAX);
	durations_add(&durations, 1, UINT64_MAX);
	assert_true(durations.nr == UINT64_MAX && durations.sum_ns == UINT64_MAX);
	assert_true(durations_shortest(&durations).first_us <= durations_shortest(&durations).last_us);
	assert_true(durations_longest(&durations).last_us == UINT64_MAX / 1000);
	assert_int_equal(durations.powers[DURATION_POWERS - 1], 1);
}
