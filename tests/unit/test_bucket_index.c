/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A search that begins at a bucket finds what a search among all finds. */
#include "core/base/bucket_index.h"

#include "core/base/vec.h"
#include "tests/harness.h"

struct element {
	uint32_t start, other;
};

struct elements {
	VEC(struct element) list;
	struct bucket_index buckets;
};

static void make(struct elements *elements, size_t nr, uint32_t (*start)(size_t))
{
	*elements = (struct elements){};
	for (size_t i = 0; i < nr; i++)
		vec_push(&elements->list, (struct element){ start(i), 0 });
	bucket_index_make(&elements->buckets, elements->list.data, nr, sizeof(struct element));
	assert_true(!!elements->buckets.before == (nr >= 64));
}

static void check_at(const struct elements *elements, uint64_t place)
{
	size_t all = vec_nr_first(&elements->list, element, element->start <= place);

	assert_int_equal(bucket_index_nr_until(&elements->buckets, &elements->list, place), all);
}

static void check(size_t nr, uint32_t (*start)(size_t))
{
	struct elements elements;

	make(&elements, nr, start);
	for (size_t i = 0; i < nr; i++)
		for (int64_t off = -2; off <= 2; off++)
			check_at(&elements, (uint64_t)(elements.list.data[i].start + off) & UINT32_MAX);
	check_at(&elements, 0);
	check_at(&elements, UINT32_MAX);
	check_at(&elements, UINT64_MAX);
	bucket_index_done(&elements.buckets);
	vec_done(&elements.list);
}

static uint32_t even(size_t i)
{
	return (uint32_t)i * 16;
}

static uint32_t together(size_t i)
{
	return i < 990 ? 7 : 4000000000u + (uint32_t)i;
}

static uint32_t far_apart(size_t i)
{
	return i ? UINT32_MAX - 1000 + (uint32_t)i : 0;
}

static uint32_t all_the_same(size_t i)
{
	(void)i;
	return 5;
}

static uint32_t at_the_end(size_t i)
{
	(void)i;
	return UINT32_MAX;
}

TEST(what_is_found_does_not_depend_on_buckets)
{
	static uint32_t (*const starts[])(size_t) = { even, together, far_apart, all_the_same, at_the_end };

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		check(0, starts[i]);
		check(1, starts[i]);
		check(63, starts[i]);
		check(64, starts[i]);
		check(1000, starts[i]);
	}
}

TEST(buckets_take_about_a_byte_for_an_element)
{
	struct elements elements;

	make(&elements, 1000, together);
	assert_true(elements.buckets.nr <= 1000 / 4 + 2);
	bucket_index_make(&elements.buckets, elements.list.data, 10, sizeof(struct element)); /* once more, of fewer */
	assert_null(elements.buckets.before);
	bucket_index_done(&elements.buckets);
	vec_done(&elements.list);
}
