/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorting by a member: the order, that equal keys keep theirs, and lists of which a part is in order. */
#include "core/base/radix_sort.h"
#include "tests/harness.h"

#define NR 200

struct element {
	uint64_t key, number;
};

static bool in_order(const struct element *elements, size_t nr)
{
	for (size_t i = 1; i < nr; i++)
		if (elements[i - 1].key > elements[i].key ||
		    (elements[i - 1].key == elements[i].key && elements[i - 1].number > elements[i].number))
			return false;
	return true;
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return *state >> 33;
}

/* The first `ordered` are in order; the others are any, of few keys or of many, smaller or greater ones. */
static void sort_after(size_t ordered, uint64_t lowest, uint64_t nr_keys)
{
	struct element elements[NR];
	uint64_t state = ordered * 31 + lowest + nr_keys, sum = 0;

	for (size_t i = 0; i < NR; i++) {
		elements[i].key = i < ordered ? 1000 + i / 2 : lowest + next_random(&state) % nr_keys;
		elements[i].number = i;
		sum += elements[i].key * (i + 1);
	}
	assert_int_equal(radix_sort(elements, NR, key), 0);
	assert_true(in_order(elements, NR));
	for (size_t i = 0; i < NR; i++)
		sum -= elements[i].key * (elements[i].number + 1);
	assert_int_equal(sum, 0);
}

/* A list that is in order but for its end: what comes first stays, equal keys keep their order. */
TEST(sorts_what_is_partly_in_order)
{
	for (size_t ordered = 0; ordered <= NR; ordered++) {
		sort_after(ordered, 0, UINT32_MAX);
		sort_after(ordered, 990, 20);
		sort_after(ordered, 1000, 2);
		sort_after(ordered, 1ULL << 60, 1000);
	}
}

TEST(sorts_nothing)
{
	struct element one = { 7, 1 };

	assert_int_equal(radix_sort(&one, 0, key), 0);
	assert_int_equal(radix_sort(&one, 1, key), 0);
	assert_int_equal(one.key, 7);
}
