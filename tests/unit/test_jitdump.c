/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jitdumps: records good and bad, code that is moved and replaced, growth. */
#include "tests/unit/perf_map_file.h"
#include "tests/harness.h"

/* All addresses that most tests name. */
#define EXPECT(expected) expect_map(file, 0xf00, 0x30ff, expected)

static void add(struct map_file *file, const void *bytes, size_t nr)
{
	buf_add(&file->bytes, bytes, nr);
}

static void add_32(struct map_file *file, uint32_t value)
{
	add(file, &value, sizeof(value));
}

static void add_64(struct map_file *file, uint64_t value)
{
	add(file, &value, sizeof(value));
}

static void add_header(struct map_file *file)
{
	const uint32_t words[] = { 0x4a695444, 1, 40, 62, 0, 42, 0, 0, 0, 0 };

	add(file, words, sizeof(words));
}

static void add_prefix(struct map_file *file, uint32_t kind, uint32_t nr_body)
{
	add_32(file, kind);
	add_32(file, 16 + nr_body);
	add_64(file, 5);
}

/* Its copy of the code has four bytes, whatever size it claims. */
static void add_load(struct map_file *file, uint64_t address, uint64_t size, uint64_t code, const char *name)
{
	add_prefix(file, 0, (uint32_t)(40 + strlen(name) + 1 + 4));
	add_64(file, 42);
	add_64(file, address);
	add_64(file, address);
	add_64(file, size);
	add_64(file, code);
	add(file, name, strlen(name) + 1);
	add(file, "code", 4);
}

static void add_move(struct map_file *file, uint64_t to, uint64_t size, uint64_t code)
{
	add_prefix(file, 1, 48);
	add_64(file, 42);
	add_64(file, to);
	add_64(file, 0x1000);
	add_64(file, to);
	add_64(file, size);
	add_64(file, code);
}

/* Anything that is not code, of a later version perhaps. */
static void add_other(struct map_file *file, uint32_t kind, uint32_t nr_body)
{
	add_prefix(file, kind, nr_body);
	for (uint32_t i = 0; i < nr_body; i++)
		add(file, "x", 1);
}

static void open_dump(struct map_file *file, size_t nr)
{
	map_file_open(file, file->bytes.data, nr);
	assert_true(file->map.is_dump || nr < 4);
}

static void open_whole(struct map_file *file)
{
	open_dump(file, file->bytes.nr);
}

static void write_rest(struct map_file *file, size_t from)
{
	map_file_write(file, from, file->bytes.data + from, file->bytes.nr - from);
}

MAP_TEST(code_has_the_name_of_its_load)
{
	add_header(file);
	add_other(file, 2, 33);
	add_load(file, 0x7f0000001000, 0x20, 1, "Class::method\nwith a line");
	add_other(file, 4, 70000);
	add_load(file, 0x7f0000002000, 0x10, 2, "other");
	add_other(file, 3, 0);
	open_whole(file);
	expect_map(file, 0x7f0000000f00, 0x7f00000020ff,
		   "7f0000001000-7f000000101f Class::method\nwith a line, 7f0000002000-7f000000200f other");
}

MAP_TEST(the_newest_code_counts)
{
	add_header(file);
	add_load(file, 0x1000, 0x100, 1, "old");
	add_load(file, 0x1040, 0x20, 2, "new");
	open_whole(file);
	EXPECT("1000-103f old, 1040-105f new, 1060-10ff old");
}

MAP_TEST(moved_code_takes_its_name_along)
{
	add_header(file);
	add_load(file, 0x1000, 0x10, 7, "first");
	add_load(file, 0x2000, 0x10, 8, "second");
	add_move(file, 0x2000, 0x10, 7);
	add_move(file, 0x3000, 0x10, 9);
	open_whole(file);
	EXPECT("1000-100f first, 2000-200f first");
}

/* At every length: what is complete is there, what is not comes with the rest. */
TEST(a_record_that_is_being_written_is_left_for_the_next_time)
{
	for (size_t cut = 4; cut < 200; cut++) {
		_cleanup_(map_file_tear_down) struct map_file one = {};
		struct map_file *file = &one;
		size_t nr;

		map_file_set_up(file);
		add_header(file);
		add_load(file, 0x1000, 0x10, 1, "first");
		nr = file->bytes.nr;
		add_load(file, 0x2000, 0x10, 2, "second");
		if (cut > file->bytes.nr)
			continue;
		open_dump(file, cut);
		assert_string_equal(map_file_name(file, 0x1000), cut < nr ? "" : "first");
		assert_string_equal(map_file_name(file, 0x2000), cut < file->bytes.nr ? "" : "second");
		write_rest(file, cut);
		EXPECT("1000-100f first, 2000-200f second");
	}
}

MAP_TEST(a_dump_that_was_started_anew_is_read_anew)
{
	add_header(file);
	add_load(file, 0x1000, 0x10, 1, "first of all, and longer");
	open_whole(file);
	buf_clear(&file->bytes);
	add_header(file);
	add_load(file, 0x3000, 0x10, 1, "third");
	assert_int_equal(ftruncate(file->fd, 0), 0);
	write_rest(file, 0);
	EXPECT("3000-300f third");
}

MAP_TEST(what_makes_no_sense_is_passed_over)
{
	add_header(file);
	add_load(file, 0x1000, 0, 1, "empty");
	add_load(file, 0x1000, 1ull << 32, 2, "too large");
	add_load(file, -16ull, 16, 3, "over the end");
	add_other(file, 0, 20);
	add_other(file, 1, 20);
	add_load(file, 0x2000, 0x10, 1, "");
	add_load(file, 0x1000, 0x10, 1, "good");
	open_whole(file);
	assert_int_equal(file->map.entries.nr, 2);
	EXPECT("1000-100f good");
}

/* A name without its NUL ends with its record, and does not run into the next one. */
MAP_TEST(a_name_stays_in_its_record)
{
	add_header(file);
	add_load(file, 0x1000, 0x10, 1, "name");
	memset(file->bytes.data + file->bytes.nr - 5, 'x', 5);
	add_other(file, 0x78787878, 100);
	open_whole(file);
	EXPECT("1000-100f namexxxxx");
}

MAP_TEST(a_record_without_a_length_ends_the_reading)
{
	add_header(file);
	add_load(file, 0x1000, 0x10, 1, "before");
	add_32(file, 0);
	add_32(file, 0);
	add_64(file, 0);
	add_load(file, 0x2000, 0x10, 2, "behind");
	open_whole(file);
	EXPECT("1000-100f before");
}
