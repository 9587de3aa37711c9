/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/unwind/unwind_store.c: what the kernel side gets of a process with more mappings than it can search. */
#include "core/unwind/unwind_store.h"
#include "tests/harness.h"

enum {
	NR = 8
};

/* Of a page each, with a gap of one; those at even places are in files, with `per_file` between two of them. */
static void make(struct unwind_space_mapping *mappings, size_t per_file)
{
	for (size_t i = 0; i < NR; i++)
		mappings[i] = (struct unwind_space_mapping){
			.start = 0x10000 + i * 0x2000,
			.end = 0x11000 + i * 0x2000,
			.table = i % per_file ? UNWIND_NO_TABLE : (uint32_t)i,
		};
}

TEST(what_fits_stays)
{
	struct unwind_space_mapping mappings[NR];

	make(mappings, 4);
	assert_int_equal(unwind_store_fit(mappings, NR, NR), NR);
	assert_int_equal(mappings[2].end, 0x15000);
}

/* A JIT compiler's thousands of areas must not cost the libraries above them. */
TEST(code_without_tables_becomes_one)
{
	struct unwind_space_mapping mappings[NR];

	make(mappings, 4);
	assert_int_equal(unwind_store_fit(mappings, NR, 4), 4);
	assert_int_equal(mappings[0].table, 0);
	assert_int_equal(mappings[1].start, 0x12000);
	assert_int_equal(mappings[1].end, 0x17000);
	assert_int_equal(mappings[1].table, UNWIND_NO_TABLE);
	assert_int_equal(mappings[2].table, 4);
	assert_int_equal(mappings[2].start, 0x18000);
	assert_int_equal(mappings[3].end, 0x1f000);
}

TEST(what_is_cut_is_known_to_be)
{
	struct unwind_space_mapping mappings[NR];

	make(mappings, 1);
	assert_int_equal(unwind_store_fit(mappings, NR, 3), 3);
	assert_int_equal(mappings[1].table, 1);
	assert_int_equal(mappings[2].start, 0x14000);
	assert_int_equal(mappings[2].end, 0x1f000);
	assert_int_equal(mappings[2].table, UNWIND_TABLE_CUT);
}
