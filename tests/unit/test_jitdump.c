/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jitdumps: records good and bad, code that is moved and replaced, growth. */
#include "symbolize/jit/perf_map.h"

#include "tests/unit/elf_writer.h"
#include "tests/unit/perf_map_names.h"
#include "tests/harness.h"

struct fixture {
	struct perf_map map;
	VEC(char) bytes; /* of the file */
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
	vec_done(&fixture->bytes);
	close(fixture->fd);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

static void add(struct fixture *fixture, const void *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		vec_push(&fixture->bytes, ((const char *)bytes)[i]);
}

static void add_32(struct fixture *fixture, uint32_t value)
{
	add(fixture, &value, sizeof(value));
}

static void add_64(struct fixture *fixture, uint64_t value)
{
	add(fixture, &value, sizeof(value));
}

static void add_header(struct fixture *fixture)
{
	const uint32_t words[] = { 0x4a695444, 1, 40, 62, 0, 42, 0, 0, 0, 0 };

	add(fixture, words, sizeof(words));
}

static void add_prefix(struct fixture *fixture, uint32_t kind, uint32_t nr_body)
{
	add_32(fixture, kind);
	add_32(fixture, 16 + nr_body);
	add_64(fixture, 5);
}

/* Its copy of the code has four bytes, whatever size it claims. */
static void add_load(struct fixture *fixture, uint64_t address, uint64_t size, uint64_t code, const char *name)
{
	add_prefix(fixture, 0, (uint32_t)(40 + strlen(name) + 1 + 4));
	add_64(fixture, 42);
	add_64(fixture, address);
	add_64(fixture, address);
	add_64(fixture, size);
	add_64(fixture, code);
	add(fixture, name, strlen(name) + 1);
	add(fixture, "code", 4);
}

static void add_move(struct fixture *fixture, uint64_t to, uint64_t size, uint64_t code)
{
	add_prefix(fixture, 1, 48);
	add_64(fixture, 42);
	add_64(fixture, to);
	add_64(fixture, 0x1000);
	add_64(fixture, to);
	add_64(fixture, size);
	add_64(fixture, code);
}

/* Anything that is no code, of a later version perhaps. */
static void add_other(struct fixture *fixture, uint32_t kind, uint32_t nr_body)
{
	add_prefix(fixture, kind, nr_body);
	for (uint32_t i = 0; i < nr_body; i++)
		add(fixture, "x", 1);
}

static void open_dump(struct fixture *fixture, size_t nr)
{
	fixture->fd = memory_file(fixture->bytes.data, nr);
	assert_int_equal(perf_map_open(&fixture->map, fixture->fd), 0);
	assert_true(fixture->map.is_dump || nr < 4);
}

static void write_rest(struct fixture *fixture, size_t from)
{
	size_t nr = fixture->bytes.nr - from;

	assert_int_equal(pwrite(fixture->fd, fixture->bytes.data + from, nr, (off_t)from), nr);
	assert_int_equal(perf_map_update(&fixture->map), 0);
}

static const char *name_at(struct fixture *fixture, uint64_t address)
{
	return perf_map_text_at(&fixture->map, address, fixture->text);
}

FIXTURE_TEST(code_has_the_name_of_its_load)
{
	add_header(fixture);
	add_other(fixture, 2, 33);
	add_load(fixture, 0x7f0000001000, 0x20, 1, "Class::method\nwith a line");
	add_other(fixture, 4, 70000);
	add_load(fixture, 0x7f0000002000, 0x10, 2, "other");
	add_other(fixture, 3, 0);
	open_dump(fixture, fixture->bytes.nr);
	assert_string_equal(name_at(fixture, 0x7f0000000fff), "");
	assert_string_equal(name_at(fixture, 0x7f0000001000), "Class::method\nwith a line");
	assert_string_equal(name_at(fixture, 0x7f000000101f), "Class::method\nwith a line");
	assert_string_equal(name_at(fixture, 0x7f0000001020), "");
	assert_string_equal(name_at(fixture, 0x7f000000200f), "other");
}

FIXTURE_TEST(the_newest_code_counts)
{
	add_header(fixture);
	add_load(fixture, 0x1000, 0x100, 1, "old");
	add_load(fixture, 0x1040, 0x20, 2, "new");
	open_dump(fixture, fixture->bytes.nr);
	assert_string_equal(name_at(fixture, 0x103f), "old");
	assert_string_equal(name_at(fixture, 0x1040), "new");
	assert_string_equal(name_at(fixture, 0x1060), "old");
}

FIXTURE_TEST(moved_code_takes_its_name_along)
{
	add_header(fixture);
	add_load(fixture, 0x1000, 0x10, 7, "first");
	add_load(fixture, 0x2000, 0x10, 8, "second");
	add_move(fixture, 0x2000, 0x10, 7);
	add_move(fixture, 0x3000, 0x10, 9);
	open_dump(fixture, fixture->bytes.nr);
	assert_string_equal(name_at(fixture, 0x2008), "first");
	assert_string_equal(name_at(fixture, 0x3008), "");
}

/* At every length: what is complete is there, what is not comes with the rest. */
TEST(a_record_that_is_being_written_is_left_for_the_next_time)
{
	size_t nr;

	for (size_t cut = 0; cut < 200; cut++) {
		struct fixture one = {}, *fixture = &one;

		set_up(fixture);
		add_header(fixture);
		add_load(fixture, 0x1000, 0x10, 1, "first");
		nr = fixture->bytes.nr;
		add_load(fixture, 0x2000, 0x10, 2, "second");
		if (cut >= 4 && cut <= fixture->bytes.nr) {
			open_dump(fixture, cut);
			assert_string_equal(name_at(fixture, 0x1000), cut < nr ? "" : "first");
			assert_string_equal(name_at(fixture, 0x2000), cut < fixture->bytes.nr ? "" : "second");
			write_rest(fixture, cut);
			assert_string_equal(name_at(fixture, 0x1000), "first");
			assert_string_equal(name_at(fixture, 0x2000), "second");
		}
		tear_down(fixture);
	}
}

FIXTURE_TEST(a_dump_that_was_started_anew_is_read_anew)
{
	add_header(fixture);
	add_load(fixture, 0x1000, 0x10, 1, "first of all, and longer");
	open_dump(fixture, fixture->bytes.nr);
	fixture->bytes.nr = 0;
	add_header(fixture);
	add_load(fixture, 0x3000, 0x10, 1, "third");
	assert_int_equal(ftruncate(fixture->fd, 0), 0);
	write_rest(fixture, 0);
	assert_string_equal(name_at(fixture, 0x1000), "");
	assert_string_equal(name_at(fixture, 0x3000), "third");
}

FIXTURE_TEST(what_makes_no_sense_is_passed_over)
{
	add_header(fixture);
	add_load(fixture, 0x1000, 0, 1, "empty");
	add_load(fixture, 0x1000, 1ull << 32, 2, "too large");
	add_load(fixture, -16ull, 16, 3, "over the end");
	add_other(fixture, 0, 20);
	add_other(fixture, 1, 20);
	add_load(fixture, 0x2000, 0x10, 1, "");
	add_load(fixture, 0x1000, 0x10, 1, "good");
	open_dump(fixture, fixture->bytes.nr);
	assert_int_equal(fixture->map.entries.nr, 2);
	assert_string_equal(name_at(fixture, 0x1000), "good");
	assert_string_equal(name_at(fixture, 0x2000), "");
}

/* A name without its NUL ends with its record, and does not run into the next one. */
FIXTURE_TEST(a_name_stays_in_its_record)
{
	add_header(fixture);
	add_load(fixture, 0x1000, 0x10, 1, "name");
	memset(fixture->bytes.data + fixture->bytes.nr - 5, 'x', 5);
	add_other(fixture, 0x78787878, 100);
	open_dump(fixture, fixture->bytes.nr);
	assert_string_equal(name_at(fixture, 0x1000), "namexxxxx");
}

FIXTURE_TEST(a_record_without_a_length_ends_the_reading)
{
	add_header(fixture);
	add_load(fixture, 0x1000, 0x10, 1, "before");
	add_32(fixture, 0);
	add_32(fixture, 0);
	add_64(fixture, 0);
	add_load(fixture, 0x2000, 0x10, 2, "behind");
	open_dump(fixture, fixture->bytes.nr);
	assert_string_equal(name_at(fixture, 0x1000), "before");
	assert_string_equal(name_at(fixture, 0x2000), "");
}
