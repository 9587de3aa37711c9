/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/foreign_memory.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/engine/process.h"

enum {
	PATIENCE_MS = 200,
	STACK_BYTES = 32 << 10,
};

struct reading {
	pid_t task;
	struct iovec here, there;
	int result;
};

/* In the helper, which shares our memory and our errno: we wait meanwhile. */
static int read_all(void *argument)
{
	struct reading *reading = argument;
	long got = syscall(SYS_process_vm_readv, reading->task, &reading->here, 1, &reading->there, 1, 0);

	reading->result = got < 0 ? -errno : (size_t)got < reading->here.iov_len ? -EFAULT : 0;
	return 0;
}

/* Waits for the helper, or makes an end of it. */
static void end_helper(pid_t helper, int pidfd)
{
	struct pollfd end = { .fd = pidfd, .events = POLLIN };

	if (poll(&end, 1, PATIENCE_MS) != 1)
		kill(helper, SIGKILL);
	while (waitpid(helper, NULL, __WALL) < 0 && errno == EINTR)
		;
}

static int read_by_helper(struct reading *reading)
{
	_cleanup_(freep) char *stack = malloc(STACK_BYTES);
	_cleanup_(closep) int pidfd = -1;
	pid_t helper;

	if (!stack)
		return -ENOMEM;
	reading->result = -ETIMEDOUT;
	helper = clone(read_all, stack + STACK_BYTES, CLONE_VM | CLONE_PIDFD, reading, &pidfd);
	if (helper < 0)
		return -errno;
	end_helper(helper, pidfd);
	return reading->result;
}

int foreign_memory_read(uint32_t tgid, uint64_t start, void *to, size_t nr)
{
	struct reading reading = {
		.task = (pid_t)tgid,
		.here = { to, nr },
		.there = { (void *)(uintptr_t)start, nr },
	};
	int err = read_by_helper(&reading);

	if (err == -ESRCH) { /* the leader has ended, and other threads have not */
		reading.task = (pid_t)process_living_task(tgid);
		err = read_by_helper(&reading);
	}
	return err;
}
