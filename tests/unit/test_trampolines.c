/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules for CPython's trampolines: where each instruction has the return address, and nowhere else. */
#include <sys/mman.h>

#include "core/unwind/trampolines.h"
#include "tests/harness.h"
#include "tests/unwind_rule.h"

#define AREA 65536

static const uint8_t with_endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 0x08,
				      0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3 };
static const uint8_t *const without = with_endbr + 4;
#define NR_WITHOUT (sizeof(with_endbr) - 4)

static uint8_t area[AREA];

static void fill(const uint8_t *code, size_t nr, size_t step)
{
	memset(area, 0, sizeof(area));
	for (size_t i = 0; i + nr <= sizeof(area); i += step)
		memcpy(area + i, code, nr);
}

static void expect_rule(const struct unwind_table *table, uint64_t address, int offset)
{
	struct st_unwind_rule rule = unwind_table_rule(table, address);

	assert_int_equal(rule.kind, offset ? ST_UNWIND_SP : ST_UNWIND_INVALID);
	assert_int_equal(rule.offset, offset);
	assert_int_equal(rule.how, 0); /* rbp is the caller's all the time */
}

/* What the instructions say, of every trampoline of the area. */
static void expect_trampolines(const struct unwind_table *table, size_t endbr, size_t nr, size_t step)
{
	for (size_t at = 0; at < sizeof(area); at++) {
		size_t in = at % step;

		if (at - in + nr > sizeof(area) || in >= nr)
			expect_rule(table, at, 0);
		else
			expect_rule(table, at, in >= endbr + 4 && in < endbr + 10 ? 16 : 8);
	}
}

TEST(each_instruction_has_its_rule)
{
	static const size_t steps[] = { 15, 16, 32 };
	_cleanup_(unwind_table_done) struct unwind_table table;

	for (size_t i = 0; i < 3; i++) {
		fill(with_endbr, sizeof(with_endbr), steps[i]);
		assert_int_equal(trampolines_compile(area, sizeof(area), &table), 0);
		assert_true(unwind_table_is_valid(&table));
		expect_trampolines(&table, 4, sizeof(with_endbr), steps[i]);
		unwind_table_done(&table);
	}
	fill(without, NR_WITHOUT, NR_WITHOUT); /* one directly after the other, as 3.12 puts them */
	assert_int_equal(trampolines_compile(area, sizeof(area), &table), 0);
	assert_true(unwind_table_is_valid(&table));
	expect_trampolines(&table, 0, NR_WITHOUT, NR_WITHOUT);
}

TEST(other_code_has_none)
{
	struct unwind_table table;

	for (size_t nr = 0; nr < sizeof(with_endbr); nr++)
		assert_int_equal(trampolines_compile(with_endbr, nr, &table), -ENODATA);
	for (size_t i = 0; i < sizeof(with_endbr); i++) {
		fill(with_endbr, sizeof(with_endbr), 16);
		area[i] ^= 1;
		assert_int_equal(trampolines_compile(area, sizeof(area), &table), -ENODATA);
	}
}

/* A byte that is not as it should be costs the one that it is in. */
TEST(one_that_was_changed_has_none)
{
	_cleanup_(unwind_table_done) struct unwind_table table;

	fill(with_endbr, sizeof(with_endbr), 16);
	area[4096 + 32 + 8] ^= 1;
	assert_int_equal(trampolines_compile(area, sizeof(area), &table), 0);
	expect_rule(&table, 4096 + 16 + 8, 16);
	for (uint64_t at = 0; at < 16; at++)
		expect_rule(&table, 4096 + 32 + at, 0);
	expect_rule(&table, 4096 + 48 + 8, 16);
}

TEST(they_are_read_from_a_process)
{
	const size_t nr = 2 * TRAMPOLINES_BYTES_MAX;
	uint8_t *memory = mmap(NULL, nr, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t start = (uint64_t)(uintptr_t)memory;
	uint32_t tgid = (uint32_t)getpid();
	struct unwind_table table;

	assert_true(memory != MAP_FAILED);
	fill(with_endbr, sizeof(with_endbr), 16);
	assert_int_equal(trampolines_read(tgid, start, start + AREA, &table), -ENODATA);
	memcpy(memory, area, sizeof(area));
	assert_int_equal(trampolines_read(tgid, start, start + AREA, &table), 0);
	expect_trampolines(&table, 4, sizeof(with_endbr), 16);
	unwind_table_done(&table);
	assert_int_equal(trampolines_read(tgid, start, start + nr, &table), -E2BIG);
	assert_int_equal(trampolines_read(tgid, start, start, &table), -ENODATA);
	munmap(memory, nr);
	assert_int_equal(trampolines_read(tgid, start, start + AREA, &table), -EFAULT);
}
