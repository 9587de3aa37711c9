/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of /proc/PID/maps, ordinary and hostile. */
#include "core/files/proc_maps.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/files/helper.h"
#include "core/files/opener.h"
#include "core/host/process.h"
#include "tests/harness.h"
#include "tests/unit/fuse_file.h"

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

/* ---- a process that holds its locks ---- */

/* Its execve() closes a file whose daemon does not answer, and holds exec_update_lock meanwhile. */
static pid_t start_held(const struct fuse_file *file)
{
	pid_t child = fork();
	eventfd_t waits;

	assert_true(child >= 0);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fcntl(file->fd, F_SETFD, FD_CLOEXEC);
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	assert_int_equal(eventfd_read(file->waits_fd, &waits), 0);
	return child;
}

TEST(a_process_that_holds_its_locks_is_not_waited_for)
{
	struct fuse_file file;
	struct visits visits = {};
	struct opener_request mapped = { .path = "/proc/self/exe", .start = 0x1000, .end = 0x2000, .inode = 1 };
	uint64_t begin_ns;

	if (fuse_file_open_for_long(&file)) {
		print_message("FUSE is not permitted here\n");
		skip();
	}
	mapped.tgid = (uint32_t)start_held(&file);
	begin_ns = clock_monotonic_ns();
	assert_int_equal(proc_maps_read_of(mapped.tgid, count, &visits), -ETIMEDOUT);
	assert_int_equal(visits.nr, 0);
	assert_true(opener_open(&mapped) < 0);
	assert_false(process_has_ended(mapped.tgid));
	assert_true(clock_monotonic_ns() - begin_ns < 5 * NSEC_PER_SEC);
	kill((pid_t)mapped.tgid, SIGKILL);
	fuse_file_close(&file);
	close(file.waits_fd);
	waitpid((pid_t)mapped.tgid, NULL, 0);
	assert_int_equal(waitpid(-1, NULL, __WALL | WNOHANG), -1); /* no helper is left */
}

static int pause_for_ever(struct helper *helper, void *memory)
{
	(void)helper;
	(void)memory;
	for (;;)
		syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
	return 0;
}

/* The helper shares the descriptors of the process that started it: it must not keep them when that is killed. */
TEST(a_helper_ends_when_its_process_is_killed)
{
	struct pollfd polled = { .events = POLLIN };
	int ends[2], child;
	char byte;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		struct helper *helper = helper_new(0);

		if (!helper || helper_start(helper, pause_for_ever, false) || write(ends[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	polled.fd = ends[0];
	assert_int_equal(poll(&polled, 1, 60000), 1);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

/* A process with more mappings than a pipe holds. */
TEST(all_of_many_mappings_are_read)
{
	enum {
		NR = 5000
	};
	struct visits visits = {};
	char *at = mmap(NULL, NR * 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(at, MAP_FAILED);
	for (size_t i = 0; i < NR; i++)
		assert_int_equal(mprotect(at + i * 8192, 4096, PROT_READ | PROT_EXEC), 0);
	assert_true(proc_maps_read_of((uint32_t)getpid(), count, &visits) > 2 * NR);
	assert_true(visits.nr > NR);
	munmap(at, NR * 8192);
}
