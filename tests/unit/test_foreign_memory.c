/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of a child: what is there, what is not, and pages that it holds back for ever. */
#include "core/files/foreign_memory.h"

#include <linux/userfaultfd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "core/base/clock.h"
#include "tests/unit/fuse_file.h"
#include "tests/harness.h"

#define PAGE 4096

struct fixture {
	char *there;    /* a page of data, and one that nobody has touched */
	int never;      /* userfaultfd, which nobody reads; -1: not in this kernel for us */
	pid_t child;
};

static void set_up(struct fixture *fixture)
{
	fixture->there = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(fixture->there, MAP_FAILED);
	strcpy(fixture->there, "what is there");
}

static bool hold_back(struct fixture *fixture)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register page = { .range = { (uintptr_t)fixture->there + PAGE, PAGE },
					.mode = UFFDIO_REGISTER_MODE_MISSING };

	fixture->never = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	return fixture->never >= 0 && !ioctl(fixture->never, UFFDIO_API, &api) &&
	       !ioctl(fixture->never, UFFDIO_REGISTER, &page);
}

/* What has a copy of our memory now, until tear_down() ends it. */
static void start(struct fixture *fixture, bool holds_back)
{
	int said[2];
	char held = 0;

	assert_int_equal(pipe2(said, O_CLOEXEC), 0);
	fixture->child = fork();
	assert_true(fixture->child >= 0);
	if (!fixture->child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		held = !holds_back || hold_back(fixture) ? 'y' : 'n';
		if (write(said[1], &held, 1) == 1)
			pause();
		_exit(0);
	}
	close(said[1]);
	assert_int_equal(read(said[0], &held, 1), 1);
	close(said[0]);
	if (held != 'y') {
		print_message("userfaultfd is not permitted here\n");
		skip();
	}
}

static void tear_down(struct fixture *fixture)
{
	if (fixture->child) {
		kill(fixture->child, SIGKILL);
		waitpid(fixture->child, NULL, 0);
	}
	fixture->child = 0;
	assert_int_equal(munmap(fixture->there, 2 * PAGE), 0);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

FIXTURE_TEST(what_is_there_is_read)
{
	char got[64] = "";

	start(fixture, false);
	assert_int_equal(foreign_memory_read((uint32_t)fixture->child, (uintptr_t)fixture->there, got, sizeof(got)), 0);
	assert_string_equal(got, "what is there");
}

FIXTURE_TEST(what_is_not_is_told)
{
	char got[64];

	start(fixture, false);
	assert_int_equal(foreign_memory_read((uint32_t)fixture->child, PAGE, got, sizeof(got)), -EFAULT);
	kill(fixture->child, SIGKILL);
	waitpid(fixture->child, NULL, 0);
	assert_int_equal(foreign_memory_read((uint32_t)fixture->child, (uintptr_t)fixture->there, got, sizeof(got)),
			 -ESRCH);
	fixture->child = 0;
}

FIXTURE_TEST(a_page_that_is_held_back_is_not_waited_for)
{
	char got[64];

	start(fixture, true);
	assert_int_equal(foreign_memory_read((uint32_t)fixture->child, (uintptr_t)fixture->there + PAGE, got,
					     sizeof(got)),
			 -ETIMEDOUT);
	assert_int_equal(waitpid(-1, NULL, __WALL | WNOHANG), 0); /* the helper has gone, the child is there */
}

FIXTURE_TEST(parts_are_read_up_to_one_that_is_held_back)
{
	struct foreign_part parts[] = { { .start = (uintptr_t)fixture->there },
					{ .start = PAGE },
					{ .start = (uintptr_t)fixture->there + 2 },
					{ .start = (uintptr_t)fixture->there + PAGE },
					{ .start = (uintptr_t)fixture->there, .err = 1 } };

	start(fixture, true);
	assert_int_equal(foreign_memory_read_parts((uint32_t)fixture->child, parts, 5), 3);
	assert_int_equal(parts[0].err, 0);
	assert_string_equal((char *)parts[0].bytes, "what is there");
	assert_int_equal(parts[1].err, -EFAULT);
	assert_int_equal(parts[2].err, 0);
	assert_string_equal((char *)parts[2].bytes, "at is there");
	assert_int_equal(parts[3].err, -ETIMEDOUT);
	assert_int_equal(parts[4].err, 1);
	assert_int_equal(foreign_memory_read_parts((uint32_t)fixture->child, parts + 4, 1), 1);
	assert_int_equal(parts[4].err, 0);
	assert_int_equal(foreign_memory_read_parts((uint32_t)fixture->child, parts, 0), 0);
}

/* Of a file whose daemon does not answer: then not even a killed process is let go. */
FIXTURE_TEST(a_file_that_is_held_back_is_not_waited_for)
{
	struct fuse_file file;
	char got[64] = "untouched";
	uint64_t begin_ns;
	void *mapped;

	if (fuse_file_open(&file)) {
		print_message("FUSE is not permitted here\n");
		skip();
	}
	mapped = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, file.fd, 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	start(fixture, false);
	begin_ns = clock_monotonic_ns();
	assert_int_equal(foreign_memory_read((uint32_t)fixture->child, (uintptr_t)mapped, got, sizeof(got)),
			 -ETIMEDOUT);
	assert_true(clock_monotonic_ns() - begin_ns < 5 * NSEC_PER_SEC);
	munmap(mapped, PAGE);
	fuse_file_close(&file);
	assert_true(waitpid(-1, NULL, __WCLONE) > 0); /* the helper */
	assert_string_equal(got, "untouched");
}
