/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/files/foreign_memory.h"

#include <errno.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/host/process.h"

enum {
	PATIENCE_MS = 200,
	STACK_BYTES = 32 << 10,
};

/* The memory of the helper, which may live longer than the call. */
struct reading {
	pid_t task;
	uint64_t start;
	size_t nr;
	int result;
	_Alignas(16) char stack[STACK_BYTES];
	char bytes[];
};

/*
 * In the helper, which shares our memory and our errno: we wait meanwhile. It has no descriptor of ours, for one that never
 * ends would keep what they stand for.
 */
static int read_all(void *argument)
{
	struct reading *reading = argument;
	struct iovec here = { reading->bytes, reading->nr }, there = { (void *)(uintptr_t)reading->start, reading->nr };
	long got;

	syscall(SYS_close_range, 0, ~0U,
		CLOSE_RANGE_UNSHARE); /* where that is forbidden they stay shared: ours to close */
	got = syscall(SYS_process_vm_readv, reading->task, &here, 1, &there, 1, 0);
	reading->result = got < 0 ? -errno : (size_t)got < reading->nr ? -EFAULT : 0;
	return 0;
}

static bool has_ended(int pidfd)
{
	struct pollfd end = { .fd = pidfd, .events = POLLIN };

	return poll(&end, 1, PATIENCE_MS) == 1;
}

/* Waits for the helper, and kills it if it does not end in time. False when it does not end even then. */
static bool end_helper(pid_t helper, int pidfd)
{
	if (!has_ended(pidfd)) {
		kill(helper, SIGKILL);
		if (!has_ended(pidfd))
			return false;
	}
	while (waitpid(helper, NULL, __WALL) < 0 && errno == EINTR)
		;
	return true;
}

static int read_by_helper(struct reading *reading)
{
	_cleanup_(closep) int pidfd = -1;
	pid_t helper;

	reading->result = -ETIMEDOUT;
	helper = clone(read_all, reading->stack + STACK_BYTES, CLONE_VM | CLONE_FILES | CLONE_PIDFD, reading, &pidfd);
	if (helper < 0)
		return -errno;
	return end_helper(helper, pidfd) ? reading->result : -EBUSY;
}

int foreign_memory_read(uint32_t tgid, uint64_t start, void *to, size_t nr)
{
	size_t nr_bytes = sizeof(struct reading) + nr;
	struct reading *reading =
		mmap(NULL, nr_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	int err;

	if (reading == MAP_FAILED)
		return -ENOMEM;
	reading->task = (pid_t)tgid;
	reading->start = start;
	reading->nr = nr;
	err = read_by_helper(reading);
	if (err == -ESRCH) { /* the leader has ended, and other threads have not */
		reading->task = (pid_t)process_living_task(tgid);
		err = read_by_helper(reading);
	}
	if (err == -EBUSY) /* the helper still uses it */
		return -ETIMEDOUT;
	if (!err)
		memcpy(to, reading->bytes, nr);
	munmap(reading, nr_bytes);
	return err;
}
