/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Growing arrays: what was pushed is there, and a binary search finds the border. */
#include "core/base/vec.h"
#include "tests/harness.h"

TEST(what_was_pushed_is_there)
{
	VEC(uint32_t) numbers = {};

	for (uint32_t i = 0; i < 1000; i++) {
		if (i % 2)
			vec_push(&numbers, i);
		else
			assert_int_equal(vec_try_push(&numbers, i), 0);
		assert_int_equal(vec_last(&numbers), i);
	}
	assert_int_equal(numbers.nr, 1000);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(numbers.data[i], i);
	vec_done(&numbers);
	assert_null(numbers.data);
	assert_int_equal(numbers.nr, 0);
}

/* Of every length up to 40: each border that there can be, and equal elements. */
TEST(the_border_of_a_condition_is_found)
{
	VEC(uint32_t) numbers = {};

	for (uint32_t length = 0; length < 40; length++) {
		for (uint32_t border = 0; border <= length; border++)
			assert_int_equal(vec_nr_first(&numbers, number, *number / 2 < border),
					 2 * border < length ? 2 * border : length);
		vec_push(&numbers, length);
	}
	vec_done(&numbers);
}
