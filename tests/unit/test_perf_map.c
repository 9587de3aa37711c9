/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perf maps: lines good and bad, overlaps, growth. */
#include "symbolize/jit/perf_map.h"

#include "tests/unit/perf_map_file.h"
#include "tests/harness.h"

/* All addresses that most tests name. */
#define EXPECT(expected) expect_map(file, 0xf00, 0x40ff, expected)

static void open_map(struct map_file *file, const char *text)
{
	map_file_open(file, text, strlen(text));
}

static void append(struct map_file *file, const char *text)
{
	map_file_write(file, (size_t)lseek(file->fd, 0, SEEK_END), text, strlen(text));
}

MAP_TEST(an_entry_covers_its_range_and_names_have_spaces)
{
	open_map(file, "1000 20 LazyCompile:~f g.js:1\n0x7f0000001000 0x10 B::m\n");
	EXPECT("1000-101f LazyCompile:~f g.js:1");
	expect_map(file, 0x7f0000000f00, 0x7f00000010ff, "7f0000001000-7f000000100f B::m");
}

MAP_TEST(the_later_of_overlapping_entries_counts)
{
	open_map(file, "1000 100 old\n1040 10 inner\n1080 100 tail\n0ff0 20 head\n1044 4 innermost\n");
	EXPECT("ff0-100f head, 1010-103f old, 1040-1043 inner, 1044-1047 innermost, 1048-104f inner, 1050-107f old, "
	       "1080-117f tail");
	append(file, "1000 200 newest\n");
	EXPECT("ff0-fff head, 1000-11ff newest");
}

MAP_TEST(a_line_that_is_being_written_is_left_for_the_next_time)
{
	open_map(file, "1000 10 first\n2000 10 sec");
	EXPECT("1000-100f first");
	append(file, "ond\n3000 10 third\n");
	EXPECT("1000-100f first, 2000-200f second, 3000-300f third");
}

/* What is not read may have taken the place of any entry that is. */
MAP_TEST(a_map_with_more_entries_than_are_read_is_cut)
{
	for (size_t i = 0; i < 3 << 20; i++)
		buf_adds(&file->bytes, "1000 10 old\n");
	map_file_open(file, file->bytes.data, file->bytes.nr);
	assert_false(file->map.is_cut);
	EXPECT("1000-100f old");
	append(file, "1000 10 new\n");
	assert_true(file->map.is_cut);
	EXPECT("");
}

MAP_TEST(a_map_with_more_bytes_than_are_read_is_cut)
{
	open_map(file, "1000 10 old\n");
	assert_int_equal(ftruncate(file->fd, (256 << 20) + 65536), 0);
	append(file, "\n1000 10 new\n");
	assert_true(file->map.is_cut);
	assert_int_equal(ftruncate(file->fd, 0), 0);
	append(file, "1000 10 other\n");
	assert_false(file->map.is_cut);
	EXPECT("1000-100f other");
}

/* The rest of a line that is longer than what is read at once is not a line of its own. */
MAP_TEST(a_line_that_is_too_long_is_passed_over_to_its_end)
{
	buf_adds(&file->bytes, "1000 10 first\n2000 10 ");
	while (file->bytes.nr < 3 * 65536)
		buf_adds(&file->bytes, "3 ");
	buf_adds(&file->bytes, "\n4000 10 last\n");
	map_file_open(file, file->bytes.data, file->bytes.nr);
	assert_int_equal(file->map.entries.nr, 2);
	EXPECT("1000-100f first, 4000-400f last");
}

MAP_TEST(a_file_that_was_started_anew_is_read_anew)
{
	open_map(file, "1000 10 first\n2000 10 second\n");
	assert_int_equal(ftruncate(file->fd, 0), 0);
	append(file, "1000 10 other\n");
	EXPECT("1000-100f other");
}

TEST(what_is_no_entry_is_passed_over)
{
	static const char *const lines[] = {
		"\n",
		"1000\n",
		"1000 10\n",
		"1000 10 \n",
		"x 10 f\n",
		"1000 0 f\n",
		" 1000 10 f\n",
		"-1000 10 f\n",
		"1000,10 f\n",
		"1000 100000000 f\n",
		"fffffffffffffff0 20 f\n",
		"11111111111111111 1 f\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		_cleanup_(map_file_tear_down) struct map_file one = {};
		struct map_file *file = &one;

		map_file_set_up(file);
		open_map(file, lines[i]);
		append(file, "2000 10 good\n");
		assert_int_equal(file->map.entries.nr, 1);
		EXPECT("2000-200f good");
	}
}

MAP_TEST(a_very_long_line_does_not_stop_the_reading)
{
	buf_adds(&file->bytes, "1000 10 ");
	while (file->bytes.nr < 200000)
		buf_addc(&file->bytes, 'x');
	buf_adds(&file->bytes, "\n2000 10 good\n");
	map_file_open(file, file->bytes.data, file->bytes.nr);
	assert_string_equal(map_file_name(file, 0x2000), "good");
}

static bool is_listed_again(struct map_file *file, const char *text)
{
	map_file_tear_down(file);
	map_file_set_up(file);
	open_map(file, text);
	assert_non_null(perf_map_lookup(&file->map, 0x1000));
	return perf_map_is_listed_again(&file->map, 0x1000);
}

MAP_TEST(the_same_line_once_more_is_no_other_function)
{
	assert_false(is_listed_again(file, "1000 10 f\n1000 10 f\n2000 10 g\n1000 10 f\n"));
	assert_true(is_listed_again(file, "1000 10 f\n1000 10 g\n1000 10 f\n"));
	assert_true(is_listed_again(file, "1000 10 f\n1000 20 f\n"));
	assert_true(is_listed_again(file, "1000 10 f\n1000 10 f1\n"));
	assert_true(is_listed_again(file, "1000 10 f\n1000 10 f\nff8 10 g\n"));
}

/* Nested and staggered ranges must not make the sharing out quadratic. */
MAP_TEST(a_million_overlapping_entries_are_shared_out)
{
	for (unsigned int i = 0; i < 1000000; i++)
		buf_addf(&file->bytes, "%x %x f\n", 0x10000000 - i, 0x10 + 2 * i);
	map_file_open(file, file->bytes.data, file->bytes.nr);
	assert_int_equal(perf_map_lookup(&file->map, 0x10000000)->start, 0x10000000 - 999999);
}

/* The plainest way to find the entry that counts: the last line that covers the address. */
MAP_TEST(whatever_overlaps_the_last_line_counts)
{
	uint32_t starts[300], sizes[300], random = 7;

	for (int i = 0; i < 300; i++) {
		random = random * 1664525 + 1013904223;
		starts[i] = 0x1000 + (random >> 8) % 2000;
		sizes[i] = 1 + (random >> 20) % (i % 3 ? 40 : 400);
		buf_addf(&file->bytes, "%x %x f%d\n", starts[i], sizes[i], i);
	}
	map_file_open(file, file->bytes.data, file->bytes.nr);
	for (uint32_t address = 0xfff; address < 0x1000 + 2500; address++) {
		const struct perf_map_entry *found = perf_map_lookup(&file->map, address);
		int last = -1, nr = 0;

		for (int i = 0; i < 300; i++) {
			if (address - starts[i] >= sizes[i])
				continue;
			last = i;
			nr++;
		}
		assert_int_equal(found ? found - file->map.entries.data : -1, last);
		assert_int_equal(perf_map_is_listed_again(&file->map, address), nr > 1);
	}
}
