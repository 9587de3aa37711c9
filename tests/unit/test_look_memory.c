/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies of the memory of several processes: up to the first page that is missing, and past a process that holds its pages back. */

#include <linux/userfaultfd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "core/session/look_private.h"
#include "tests/harness.h"

#define PAGE 4096

struct fixture {
	struct look_memory *memory;
	char *there; /* two pages of data, and no memory after them */
	pid_t honest, holding; /* children with a copy of it */
};

/* Its first page is gone, and comes only when somebody answers. */
static bool hold_back(const struct fixture *fixture)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register page = { .range = { (uintptr_t)fixture->there, PAGE },
					.mode = UFFDIO_REGISTER_MODE_MISSING };
	int never = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	return never >= 0 && !ioctl(never, UFFDIO_API, &api) && !ioctl(never, UFFDIO_REGISTER, &page) &&
	       !madvise(fixture->there, PAGE, MADV_DONTNEED);
}

/* A child that lives until tear_down(). 0: userfaultfd is not permitted. */
static pid_t start(const struct fixture *fixture, bool holds)
{
	char said = 0;
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		said = !holds || hold_back(fixture) ? 'y' : 'n';
		if (write(ends[1], &said, 1) == 1)
			pause();
		_exit(0);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &said, 1), 1);
	close(ends[0]);
	if (said == 'y')
		return pid;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}

static void set_up(struct fixture *fixture)
{
	fixture->there = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(fixture->there, MAP_FAILED);
	assert_int_equal(munmap(fixture->there + 2 * PAGE, PAGE), 0);
	strcpy(fixture->there, "first");
	strcpy(fixture->there + PAGE, "second");
	fixture->memory = look_memory_new();
	fixture->honest = start(fixture, false);
}

static void tear_down(struct fixture *fixture)
{
	pid_t children[] = { fixture->honest, fixture->holding };

	look_memory_free(fixture->memory);
	for (size_t i = 0; i < 2; i++) {
		if (!children[i])
			continue;
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	assert_int_equal(munmap(fixture->there, 2 * PAGE), 0);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

static struct look_request request(const struct fixture *fixture, pid_t pid, size_t page, size_t room)
{
	return (struct look_request){ (uint32_t)pid, (uint32_t)pid, (uintptr_t)fixture->there + page * PAGE, room, 0,
				      NULL };
}

FIXTURE_TEST(a_copy_ends_at_the_first_page_that_is_missing)
{
	struct look_request requests[] = {
		request(fixture, fixture->honest, 0, LOOK_COPY_BYTES), request(fixture, fixture->honest, 2, PAGE),
		request(fixture, fixture->honest, 1, PAGE), request(fixture, 4194303, 0, PAGE), /* no such process */
	};

	look_memory_copy(fixture->memory, requests, 4);
	assert_int_equal(requests[0].got, 2 * PAGE);
	assert_string_equal((const char *)requests[0].bytes, "first");
	assert_string_equal((const char *)requests[0].bytes + PAGE, "second");
	assert_int_equal(requests[1].got, -EFAULT);
	assert_int_equal(requests[2].got, PAGE);
	assert_string_equal((const char *)requests[2].bytes, "second");
	assert_int_equal(requests[3].got, -ESRCH);
}

FIXTURE_TEST(a_process_that_holds_a_page_back_holds_up_no_other)
{
	struct look_request requests[4];

	fixture->holding = start(fixture, true);
	if (!fixture->holding) {
		print_message("userfaultfd is not permitted here\n");
		skip();
	}
	requests[0] = request(fixture, fixture->honest, 0, PAGE);
	requests[1] = request(fixture, fixture->holding, 0, PAGE);
	requests[2] = request(fixture, fixture->holding, 1, PAGE); /* not tried again, although it is there */
	requests[3] = request(fixture, fixture->honest, 1, PAGE);
	for (int turn = 0; turn < 2; turn++) {
		look_memory_copy(fixture->memory, requests, 4);
		assert_int_equal(requests[0].got, PAGE);
		assert_string_equal((const char *)requests[0].bytes, "first");
		assert_int_equal(requests[1].got, -ETIMEDOUT);
		assert_int_equal(requests[2].got, -ETIMEDOUT);
		assert_int_equal(requests[3].got, PAGE);
		assert_string_equal((const char *)requests[3].bytes, "second");
	}
}
