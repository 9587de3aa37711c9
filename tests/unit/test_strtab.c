/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/strtab.h"
#include "tests/harness.h"

TEST(equal_texts_have_one_id)
{
	_cleanup_(strtab_done) struct strtab table = {};
	uint32_t one = strtab_add(&table, "one"), two = strtab_add(&table, "two");

	assert_int_not_equal(one, two);
	assert_int_equal(strtab_add(&table, "one"), one);
	assert_int_equal(strtab_addn(&table, "twofold", 3), two);
	assert_int_equal(strtab_add(&table, ""), 0);
	assert_int_equal(strtab_find(&table, "three"), 0);
	assert_string_equal(strtab_get(&table, two), "two");
}

/* The table moves when it grows, and then the text that is being added moves with it. */
TEST(a_part_of_a_text_of_the_table_may_be_added)
{
	_cleanup_(strtab_done) struct strtab table = {};

	for (unsigned int i = 0; i < 5000; i++) {
		char path[64], name[32];
		uint32_t whole, part;

		snprintf(path, sizeof(path), "/usr/lib/lib%u.so", i);
		snprintf(name, sizeof(name), "lib%u.so", i);
		whole = strtab_add(&table, path);
		part = strtab_add(&table, strrchr(strtab_get(&table, whole), '/') + 1);
		assert_string_equal(strtab_get(&table, part), name);
	}
}

/* Offsets have 32 bits. Beyond them a text gets no id, and those that are there keep theirs. */
TEST(a_table_of_four_gigabytes_is_full)
{
	_cleanup_(strtab_done) struct strtab table = {};
	uint32_t one = strtab_add(&table, "one");

	table.bytes.nr = STRTAB_BYTES_MAX - 3; /* not that there was anything */
	assert_int_equal(strtab_add(&table, "three"), 0);
	assert_int_equal(strtab_add(&table, "one"), one);
	assert_string_equal(strtab_get(&table, one), "one");
	table.bytes.nr = sizeof("one");
	assert_int_equal(strtab_add(&table, "three"), one + 1);
	assert_string_equal(strtab_get(&table, one + 1), "three");
}
