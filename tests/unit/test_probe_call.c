/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/host/probe_call.c: children that make calls for us, and what they keep open. */
#include "core/host/probe_call.h"

#include <linux/bpf.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/harness.h"

#define LONG_MS 60000

/* What the work of a test gets: descriptors, as numbers; and a futex. */
struct ends {
	int fds[4];
	int is_let_go;
};

static struct probe_call *new_call(const int *fds, size_t nr, size_t nr_given)
{
	struct probe_call *call = probe_call_new(sizeof(struct ends), nr_given);
	struct ends *ends;

	assert_non_null(call);
	ends = probe_call_memory(call);
	for (size_t i = 0; i < nr; i++)
		ends->fds[i] = fds[i];
	for (size_t i = 0; i < nr_given; i++)
		probe_call_give(call, fds[i]);
	return call;
}

static bool is_at_end(int fd)
{
	struct pollfd polled = { .fd = fd, .events = POLLIN };
	char byte;

	return poll(&polled, 1, LONG_MS) > 0 && read(fd, &byte, 1) == 0;
}

/* ---- results ---- */

static int refuse(void *memory, int fds[PROBE_CALL_FDS])
{
	(void)memory;
	(void)fds;
	return -EOPNOTSUPP;
}

TEST(the_result_of_the_work_is_that_of_the_call)
{
	struct probe_call *call = new_call(NULL, 0, 0);
	int fds[PROBE_CALL_FDS];

	assert_int_equal(probe_call_start(call, refuse, false), 0);
	assert_true(probe_call_pid(call) > 0);
	assert_true(probe_call_has_ended(call, LONG_MS));
	assert_int_equal(probe_call_end(call, fds), -EOPNOTSUPP);
	assert_int_equal(fds[0], -1);
	assert_int_equal(fds[1], -1);
	probe_call_free(call);
}

/* Descriptors as a link would be: of two that it got. */
static int copy_two(void *memory, int fds[PROBE_CALL_FDS])
{
	const struct ends *ends = memory;

	for (int i = 0; i < 2; i++) {
		fds[i] = (int)syscall(SYS_fcntl, ends->fds[i], F_DUPFD_CLOEXEC, 0);
		if (fds[i] < 0)
			return -errno;
	}
	return 2;
}

TEST(descriptors_are_handed_over)
{
	struct probe_call *call;
	int ends[2], fds[PROBE_CALL_FDS];
	char byte = 0;

	assert_int_equal(pipe(ends), 0);
	call = new_call(ends, 2, 2);
	assert_int_equal(probe_call_start(call, copy_two, false), 0);
	close(ends[0]);
	close(ends[1]);
	assert_true(probe_call_has_ended(call, LONG_MS));
	assert_int_equal(probe_call_end(call, fds), 2);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	assert_int_equal(byte, 'x');
	assert_true(fcntl(fds[0], F_GETFD) & FD_CLOEXEC);
	close(fds[0]);
	close(fds[1]);
	probe_call_free(call);
}

/* ---- what the child has open ---- */

/* Which of the descriptors 0 to 3 of `ends` are open, as bits. */
static int which_are_open(void *memory, int fds[PROBE_CALL_FDS])
{
	const struct ends *ends = memory;
	int open = 0;

	(void)fds;
	for (int i = 0; i < 4; i++)
		open |= (syscall(SYS_fcntl, ends->fds[i], F_GETFD) >= 0) << i;
	return -open;
}

TEST(the_child_has_what_it_was_given_and_nothing_else)
{
	int ends[4], fds[PROBE_CALL_FDS];
	struct probe_call *call;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pipe(ends + 2), 0);
	for (int i = 0; i < 2; i++) { /* in whatever order */
		const int order[] = { ends[i ? 2 : 0], ends[i ? 0 : 2], ends[1], ends[3] };

		call = new_call(order, 4, 2);
		assert_int_equal(probe_call_start(call, which_are_open, false), 0);
		assert_true(probe_call_has_ended(call, LONG_MS));
		assert_int_equal(probe_call_end(call, fds), -3);
		probe_call_free(call);
	}
	for (int i = 0; i < 4; i++)
		close(ends[i]);
}

/* ---- waiting, and being left ---- */

/* Waits, as for a lock, until let_go(). */
static int wait_for_us(void *memory, int fds[PROBE_CALL_FDS])
{
	struct ends *ends = memory;

	(void)fds;
	while (!__atomic_load_n(&ends->is_let_go, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &ends->is_let_go, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	return 0;
}

static void let_go(struct ends *ends)
{
	__atomic_store_n(&ends->is_let_go, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &ends->is_let_go, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static int wait_and_copy_two(void *memory, int fds[PROBE_CALL_FDS])
{
	return wait_for_us(memory, fds) ?: copy_two(memory, fds);
}

static int close_it(void *memory, int fds[PROBE_CALL_FDS])
{
	const struct ends *ends = memory;

	(void)fds;
	return syscall(SYS_close, ends->fds[0]) ? -errno : 0;
}

/* Two children with the ends of two pipes, of which each closes its own: neither keeps the other's open. */
TEST(the_last_descriptor_is_the_childs)
{
	struct probe_call *calls[3] = {};
	int pipes[2][2], fds[PROBE_CALL_FDS];

	for (int i = 0; i < 2; i++)
		assert_int_equal(pipe(pipes[i]), 0);
	for (int i = 0; i < 2; i++) {
		calls[i] = new_call(&pipes[i][1], 1, 1);
		assert_int_equal(probe_call_start(calls[i], close_it, true), 0);
		close(pipes[i][1]);
	}
	probe_calls_go(calls, 3);
	for (int i = 0; i < 2; i++) {
		assert_true(is_at_end(pipes[i][0]));
		assert_true(probe_call_has_ended(calls[i], LONG_MS));
		assert_int_equal(probe_call_end(calls[i], fds), 0);
		probe_call_free(calls[i]);
		close(pipes[i][0]);
	}
}

/* Without probe_calls_go(), as when we are killed before it: the child closes what it has all the same. */
TEST(a_child_that_nobody_lets_go_begins_by_itself)
{
	struct probe_call *call;
	int ends[2], fds[PROBE_CALL_FDS];

	assert_int_equal(pipe(ends), 0);
	call = new_call(&ends[1], 1, 1);
	assert_int_equal(probe_call_start(call, close_it, true), 0);
	close(ends[1]);
	assert_true(is_at_end(ends[0]));
	assert_true(probe_call_has_ended(call, LONG_MS));
	assert_int_equal(probe_call_end(call, fds), 0);
	probe_call_free(call);
	close(ends[0]);
}

/* What a child that was left makes goes with it. */
TEST(a_child_that_is_left_hands_over_nothing)
{
	struct probe_call *call, *next = new_call(NULL, 0, 0);
	int ends[2], fds[PROBE_CALL_FDS];

	assert_int_equal(pipe(ends), 0);
	call = new_call(ends, 2, 2);
	assert_int_equal(probe_call_start(call, wait_and_copy_two, false), 0);
	assert_false(probe_call_has_ended(call, 0));
	assert_true(probe_call_leave(call));
	let_go(probe_call_memory(call));
	assert_true(probe_call_has_ended(call, LONG_MS));
	probe_call_free(call);

	assert_int_equal(probe_call_start(next, refuse, false), 0);
	assert_true(probe_call_has_ended(next, LONG_MS));
	assert_int_equal(probe_call_end(next, fds), -EOPNOTSUPP);
	probe_call_free(next);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(waitpid(-1, NULL, __WALL | WNOHANG), -1); /* no child is left */
}

/* We can close and free while it is still at work. */
TEST(a_child_that_is_left_needs_us_no_more)
{
	struct probe_call *call = new_call(NULL, 0, 0);
	struct ends *ends = probe_call_memory(call);
	int child;

	assert_int_equal(probe_call_start(call, wait_for_us, false), 0);
	child = probe_call_pid(call);
	assert_true(probe_call_leave(call));
	probe_call_free(call);
	assert_int_equal(waitpid(child, NULL, __WALL | WNOHANG), 0); /* it is still at work */
	let_go(ends);
	assert_int_equal(waitpid(child, NULL, __WALL), child);
}

TEST(a_child_that_is_killed_has_no_result)
{
	struct probe_call *call = new_call(NULL, 0, 0);
	int fds[PROBE_CALL_FDS];

	assert_int_equal(probe_call_start(call, wait_for_us, false), 0);
	kill(probe_call_pid(call), SIGTERM); /* blocked */
	assert_false(probe_call_has_ended(call, 100));
	kill(probe_call_pid(call), SIGKILL);
	assert_true(probe_call_has_ended(call, LONG_MS));
	assert_int_equal(probe_call_end(call, fds), -EINTR);
	probe_call_free(call);
}

/* ---- its system calls ---- */

#ifndef __SANITIZE_ADDRESS__ /* a sanitized build has no filter there */

/* How many of the calls that it does not need are not refused with EPERM. */
static int do_other_things(void *memory, int fds[PROBE_CALL_FDS])
{
	struct ends *ends = memory;
	int allowed = 0, bpf_map = BPF_MAP_CREATE;
	long other_calls[][4] = {
		{ SYS_openat, AT_FDCWD, (long)(uintptr_t)"/dev/null", O_RDONLY },
		{ SYS_read, ends->fds[0] },
		{ SYS_kill, getpid() },
		{ SYS_process_vm_readv, getpid() },
		{ SYS_execve, (long)(uintptr_t)"/bin/true" },
		{ SYS_clone },
		{ SYS_socket, 1, 1 },
		{ SYS_mmap, 0, 4096 },
		{ SYS_bpf, bpf_map },
	};

	(void)fds;
	for (size_t i = 0; i < sizeof(other_calls) / sizeof(*other_calls); i++) {
		const long *other = other_calls[i];

		allowed += syscall(other[0], other[1], other[2], other[3]) != -1 || errno != EPERM;
	}
	return -allowed;
}

TEST(the_child_can_only_attach_and_remove)
{
	struct probe_call *call = new_call(NULL, 0, 0);
	int fds[PROBE_CALL_FDS];

	assert_int_equal(probe_call_start(call, do_other_things, false), 0);
	assert_true(probe_call_has_ended(call, LONG_MS));
	assert_int_equal(probe_call_end(call, fds), 0);
	probe_call_free(call);
}
#endif
