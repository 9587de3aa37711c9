/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perf maps: lines good and bad, overlaps, growth. */
#include "symbolize/jit/perf_map.h"

#include "core/base/buf.h"
#include "tests/unit/elf_writer.h"
#include "tests/unit/perf_map_names.h"
#include "tests/harness.h"

struct fixture {
	struct perf_map map;
	int fd;
	char text[NAME_MAX_BYTES + 1];
};

static void set_up(struct fixture *fixture)
{
	fixture->fd = fixture->map.fd = -1;
}

static void tear_down(struct fixture *fixture)
{
	perf_map_done(&fixture->map);
	close(fixture->fd);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

static void open_map(struct fixture *fixture, const char *text)
{
	fixture->fd = memory_file(text, strlen(text));
	assert_int_equal(perf_map_open(&fixture->map, fixture->fd), 0);
}

static void append(struct fixture *fixture, const char *text)
{
	lseek(fixture->fd, 0, SEEK_END);
	assert_int_equal(write(fixture->fd, text, strlen(text)), strlen(text));
	assert_int_equal(perf_map_update(&fixture->map), 0);
}

static const char *name_at(struct fixture *fixture, uint64_t address)
{
	return perf_map_text_at(&fixture->map, address, fixture->text);
}

FIXTURE_TEST(an_entry_covers_its_range_and_names_have_spaces)
{
	open_map(fixture, "1000 20 LazyCompile:~f g.js:1\n0x7f0000001000 0x10 B::m\n");
	assert_string_equal(name_at(fixture, 0xfff), "");
	assert_string_equal(name_at(fixture, 0x1000), "LazyCompile:~f g.js:1");
	assert_string_equal(name_at(fixture, 0x101f), "LazyCompile:~f g.js:1");
	assert_string_equal(name_at(fixture, 0x1020), "");
	assert_string_equal(name_at(fixture, 0x7f000000100f), "B::m");
	assert_string_equal(name_at(fixture, UINT64_MAX), "");
}

FIXTURE_TEST(the_later_of_overlapping_entries_counts)
{
	open_map(fixture, "1000 100 old\n1040 10 inner\n1080 100 tail\n0ff0 20 head\n1044 4 innermost\n");
	assert_string_equal(name_at(fixture, 0x100f), "head");
	assert_string_equal(name_at(fixture, 0x1010), "old");
	assert_string_equal(name_at(fixture, 0x1040), "inner");
	assert_string_equal(name_at(fixture, 0x1045), "innermost");
	assert_string_equal(name_at(fixture, 0x1048), "inner");
	assert_string_equal(name_at(fixture, 0x1050), "old");
	assert_string_equal(name_at(fixture, 0x1080), "tail");
	append(fixture, "1000 200 newest\n");
	assert_string_equal(name_at(fixture, 0x1045), "newest");
	assert_string_equal(name_at(fixture, 0x0ff5), "head");
}

FIXTURE_TEST(a_line_that_is_being_written_is_left_for_the_next_time)
{
	open_map(fixture, "1000 10 first\n2000 10 sec");
	assert_string_equal(name_at(fixture, 0x2000), "");
	append(fixture, "ond\n3000 10 third\n");
	assert_string_equal(name_at(fixture, 0x2000), "second");
	assert_string_equal(name_at(fixture, 0x3000), "third");
	assert_string_equal(name_at(fixture, 0x1000), "first");
}

static void fill(struct fixture *fixture, const char *line, size_t nr)
{
	struct buf text = {};

	for (size_t i = 0; i < nr; i++)
		buf_adds(&text, line);
	fixture->fd = memory_file(text.data, text.nr);
	buf_done(&text);
	assert_int_equal(perf_map_open(&fixture->map, fixture->fd), 0);
}

/* What is not read may have taken the place of any entry that is. */
FIXTURE_TEST(a_map_with_more_entries_than_are_read_is_cut)
{
	fill(fixture, "1000 10 old\n", 3 << 20);
	assert_false(fixture->map.is_cut);
	assert_string_equal(name_at(fixture, 0x1000), "old");
	append(fixture, "1000 10 new\n");
	assert_true(fixture->map.is_cut);
	assert_string_equal(name_at(fixture, 0x1000), "");
}

FIXTURE_TEST(a_map_with_more_bytes_than_are_read_is_cut)
{
	open_map(fixture, "1000 10 old\n");
	assert_int_equal(ftruncate(fixture->fd, (256 << 20) + 65536), 0);
	append(fixture, "\n1000 10 new\n");
	assert_true(fixture->map.is_cut);
	assert_int_equal(ftruncate(fixture->fd, 0), 0);
	append(fixture, "1000 10 other\n");
	assert_false(fixture->map.is_cut);
	assert_string_equal(name_at(fixture, 0x1000), "other");
}

/* The rest of a line that is longer than what is read at once is no line of its own. */
FIXTURE_TEST(a_line_that_is_too_long_is_passed_over_to_its_end)
{
	struct buf text = {};

	buf_adds(&text, "1000 10 first\n2000 10 ");
	while (text.nr < 3 * 65536)
		buf_adds(&text, "3 ");
	buf_adds(&text, "\n4000 10 last\n");
	open_map(fixture, buf_text(&text));
	buf_done(&text);
	assert_int_equal(fixture->map.entries.nr, 2);
	assert_string_equal(name_at(fixture, 0x1000), "first");
	assert_string_equal(name_at(fixture, 0x4000), "last");
}

FIXTURE_TEST(a_file_that_was_started_anew_is_read_anew)
{
	open_map(fixture, "1000 10 first\n2000 10 second\n");
	assert_int_equal(ftruncate(fixture->fd, 0), 0);
	append(fixture, "1000 10 other\n");
	assert_string_equal(name_at(fixture, 0x1000), "other");
	assert_string_equal(name_at(fixture, 0x2000), "");
}

TEST(what_is_no_entry_is_passed_over)
{
	static const char *const lines[] = { "\n",
					     "1000\n",
					     "1000 10\n",
					     "1000 10 \n",
					     "x 10 f\n",
					     "1000 0 f\n",
					     "1000 100000000 f\n",
					     "fffffffffffffff0 20 f\n",
					     "11111111111111111 1 f\n",
					     " 1000 10 f\n",
					     "-1000 10 f\n",
					     "1000,10 f\n" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct fixture one = {}, *fixture = &one;

		set_up(fixture);
		open_map(fixture, lines[i]);
		append(fixture, "2000 10 good\n");
		assert_int_equal(fixture->map.entries.nr, 1);
		assert_string_equal(name_at(fixture, 0x2000), "good");
		tear_down(fixture);
	}
}

FIXTURE_TEST(a_very_long_line_does_not_stop_the_reading)
{
	char *text = malloc(300000);

	memset(text, 'x', 200000);
	memcpy(text, "1000 10 ", 8);
	strcpy(text + 200000, "\n2000 10 good\n");
	open_map(fixture, text);
	free(text);
	assert_string_equal(name_at(fixture, 0x2000), "good");
}

/* Nested and staggered ranges must not make the sharing out quadratic. */
FIXTURE_TEST(a_million_overlapping_entries_are_shared_out)
{
	FILE *file = tmpfile();

	for (unsigned int i = 0; i < 1000000; i++)
		fprintf(file, "%x %x f\n", 0x10000000 - i, 0x10 + 2 * i);
	fflush(file);
	fixture->fd = dup(fileno(file));
	fclose(file);
	assert_int_equal(perf_map_open(&fixture->map, fixture->fd), 0);
	assert_int_equal(perf_map_lookup(&fixture->map, 0x10000000)->start, 0x10000000 - 999999);
}

/* The plainest way to find the entry that counts: the last line that covers the address. */
FIXTURE_TEST(whatever_overlaps_the_last_line_counts)
{
	uint32_t starts[300], sizes[300], random = 7;
	struct buf text = {};

	for (int i = 0; i < 300; i++) {
		random = random * 1664525 + 1013904223;
		starts[i] = 0x1000 + (random >> 8) % 2000;
		sizes[i] = 1 + (random >> 20) % (i % 3 ? 40 : 400);
		buf_addf(&text, "%x %x f%d\n", starts[i], sizes[i], i);
	}
	open_map(fixture, buf_text(&text));
	buf_done(&text);
	for (uint32_t address = 0xfff; address < 0x1000 + 2500; address++) {
		const struct perf_map_entry *found = perf_map_lookup(&fixture->map, address);
		int last = 299;

		while (last >= 0 && address - starts[last] >= sizes[last])
			last--;
		assert_int_equal(found ? found - fixture->map.entries.data : -1, last);
	}
}
