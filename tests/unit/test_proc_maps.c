/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of /proc/PID/maps, ordinary and hostile. */
#include "core/files/proc_maps.h"

#include <sys/mman.h>

#include "core/base/buf.h"
#include "tests/harness.h"

static void expect_name(const char *name, const char *path, bool deleted, enum mapping_kind kind, const char *inode)
{
	_cleanup_(buf_done) struct buf line = {};
	struct proc_mapping mapping;

	buf_addf(&line, "7f1234560000-7f1234570000 r-xp 0000f000 fe:01 %s                     %s", inode, name);
	assert_int_equal(proc_maps_parse(line.data, &mapping), 0);
	assert_int_equal(mapping.start, 0x7f1234560000);
	assert_int_equal(mapping.end, 0x7f1234570000);
	assert_int_equal(mapping.file_offset, 0xf000);
	assert_int_equal(mapping.device, 0xfe00000001);
	assert_true(mapping.executable);
	assert_string_equal(mapping.path, path);
	assert_int_equal(mapping.deleted, deleted);
	assert_int_equal(mapping.kind, kind);
}

TEST(file_names_are_taken_as_they_are)
{
	expect_name("/usr/lib/libc.so.6", "/usr/lib/libc.so.6", false, MAPPING_FILE, "332835");
	expect_name("/tmp/a  b c ", "/tmp/a  b c ", false, MAPPING_FILE, "1");
	expect_name("/tmp/new\\012line", "/tmp/new\nline", false, MAPPING_FILE, "1");
	expect_name("/tmp/\\012\\012", "/tmp/\n\n", false, MAPPING_FILE, "1");
	expect_name("/tmp/x\\01", "/tmp/x\\01", false, MAPPING_FILE, "1");
	expect_name("/tmp/[vdso]", "/tmp/[vdso]", false, MAPPING_FILE, "1");
	expect_name("[vdso]", "[vdso]", false, MAPPING_FILE, "18446744073709551615"); /* an inode is a file */
	expect_name("/tmp/7f00-7f01 r-xp 0 0:0 0 /x", "/tmp/7f00-7f01 r-xp 0 0:0 0 /x", false, MAPPING_FILE, "1");
}

TEST(one_deleted_is_cut_off)
{
	expect_name("/tmp/x (deleted)", "/tmp/x", true, MAPPING_FILE, "1");
	expect_name("/tmp/x (deleted) (deleted)", "/tmp/x (deleted)", true, MAPPING_FILE, "1");
	expect_name("/tmp/x(deleted)", "/tmp/x(deleted)", false, MAPPING_FILE, "1");
	expect_name("/tmp/x (deleted) ", "/tmp/x (deleted) ", false, MAPPING_FILE, "1");
	expect_name("/memfd:jit (deleted)", "/memfd:jit", true, MAPPING_FILE, "1");
	expect_name(" (deleted)", "(deleted)", false, MAPPING_FILE, "1");
}

TEST(memory_has_kinds)
{
	expect_name("", "", false, MAPPING_ANONYMOUS, "0");
	expect_name("[heap]", "[heap]", false, MAPPING_ANONYMOUS, "0");
	expect_name("[stack]", "[stack]", false, MAPPING_ANONYMOUS, "0");
	expect_name("[anon:v8]", "[anon:v8]", false, MAPPING_ANONYMOUS, "0");
	expect_name("[anon_shmem:x]", "[anon_shmem:x]", false, MAPPING_ANONYMOUS, "0");
	expect_name("//anon", "//anon", false, MAPPING_ANONYMOUS, "0");
	expect_name("[vdso]", "[vdso]", false, MAPPING_VDSO, "0");
	expect_name("[uprobes]", "[uprobes]", false, MAPPING_SPECIAL, "0");
	expect_name("[vsyscall]", "[vsyscall]", false, MAPPING_SPECIAL, "0");
}

TEST(lines_that_are_none_are_refused)
{
	static const char *const lines[] = {
		"",
		" ",
		"7f00",
		"7f00-",
		"7f00-7f01",
		"7f00-7f01 ",
		"7f00-7f01 r-x",
		"7f00-7f01 r-xp",
		"7f00-7f01 r-xp ",
		"7f00-7f01 r-xp 0",
		"7f00-7f01 r-xp 0 ",
		"7f00-7f01 r-xp 0 fe",
		"7f00-7f01 r-xp 0 fe:",
		"7f00-7f01 r-xp 0 fe:01",
		"7f00-7f01 r-xp 0 fe:01 ",
		"7f00-7f01 r-xp 0 fe:01 x",
		"7f01-7f00 r-xp 0 fe:01 1",
		"7f00-7f00 r-xp 0 fe:01 1",
		"-7f00 r-xp 0 fe:01 1",
		"7F00-7F01 r-xp 0 fe:01 1",
		"+7f00-7f01 r-xp 0 fe:01 1",
		"10000000000000000-20000000000000000 r-xp 0 fe:01 1",
		"7f00-7f01 r-xp 0 100000000:01 1",
		"7f00-7f01 r-xp 0 fe:01 18446744073709551616",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		_cleanup_(freep) char *line = strdup(lines[i]); /* so that the sanitizer sees its end */
		struct proc_mapping mapping;

		if (proc_maps_parse(line, &mapping) != -EBADMSG)
			fail_msg("'%s' was taken", lines[i]);
	}
}

/* ---- whole files ---- */

struct visits {
	size_t nr;
	uint64_t last_start;
	bool found_code, found_forged;
};

#define FORGED_START 0x7000

static void count(void *context, const struct proc_mapping *mapping)
{
	struct visits *visits = context;

	assert_true(mapping->executable);
	visits->nr++;
	visits->last_start = mapping->start;
	visits->found_forged = visits->found_forged || mapping->start == FORGED_START;
	if ((uintptr_t)count >= mapping->start && (uintptr_t)count < mapping->end)
		visits->found_code = true;
}

/* A file in memory, which read() hands out in pieces of any size, as a pipe would. */
static int file_of(const struct buf *text)
{
	int fd = memfd_create("maps", 0);

	assert_int_equal(write(fd, text->data, text->nr), text->nr);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

TEST(many_and_long_lines_are_read_whole)
{
	_cleanup_(buf_done) struct buf text = {};
	_cleanup_(closep) int fd = -1;
	struct visits visits = {};

	for (unsigned int i = 1; i <= 2000; i++) {
		buf_addf(&text, "%x000-%x000 r%cxp 00000000 fe:00 %u %*s/", i, i + 1, i % 2 ? '-' : 'w', i,
			 (int)(i % 40), "");
		for (unsigned int j = 0; j < (i % 50 ? 20 : 4090); j++)
			buf_adds(&text, "\\012");
		buf_addf(&text, "\n%x000-%x000 rw-p 00000000 00:00 0\n", i, i + 1);
	}
	fd = file_of(&text);
	assert_int_equal(proc_maps_read(fd, count, &visits), 4000);
	assert_int_equal(visits.nr, 2000);
	assert_int_equal(visits.last_start, 2000 * 4096);
}

TEST(a_line_without_end_is_passed_over)
{
	_cleanup_(buf_done) struct buf text = {};
	_cleanup_(closep) int fd = -1;
	struct visits visits = {};

	for (int i = 0; i < 100000; i++)
		buf_addc(&text, 'x');
	buf_adds(&text, "\n1000-2000 r-xp 00000000 fe:00 1 /a\n");
	fd = file_of(&text);
	assert_int_equal(proc_maps_read(fd, count, &visits), 2);
	assert_int_equal(visits.nr, 1);
}

/* Names have no limit when folders are entered one by one, and whoever makes them chooses where the buffer ends. */
TEST(the_rest_of_a_long_line_is_no_line)
{
	for (size_t length = 16 * 1024; length < 17 * 1024; length++) {
		_cleanup_(buf_done) struct buf text = {};
		_cleanup_(closep) int fd = -1;
		struct visits visits = {};

		buf_adds(&text, "1000-2000 r-xp 00000000 fe:00 1 /");
		while (text.nr < length)
			buf_addc(&text, 'd');
		buf_adds(&text, "7000-8000 r-xp 00000000 fe:00 2 /usr/lib/libc.so.6\n");
		buf_adds(&text, "3000-4000 r-xp 00000000 fe:00 3 /b\n");
		fd = file_of(&text);
		proc_maps_read(fd, count, &visits);
		assert_int_equal(visits.last_start, 0x3000);
		assert_false(visits.found_forged);
	}
}

TEST(our_own_maps_have_our_code)
{
	const uint32_t both[] = { 0, (uint32_t)getpid() };

	for (size_t i = 0; i < 2; i++) {
		struct visits visits = {};

		assert_true(proc_maps_read_of(both[i], count, &visits) > 5);
		assert_true(visits.found_code);
	}
	assert_true(proc_maps_read_of(0x7ffffff0, count, &(struct visits){}) < 0); /* beyond any pid_max */
}
