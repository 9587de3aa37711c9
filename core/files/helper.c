/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/files/helper.h"

#include <errno.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/host/process.h"

enum {
	TIMEOUT_MS = 100,
	SHORT_TIMEOUT_MS = 20,
	LATE_MAX = 10, /* so many timeouts are long, all later ones short */
	KILL_MS = 200,
	LEFT_MAX = 4,
	STACK_BYTES = 32 << 10,
};

/* Stays mapped until the helper has ended, even if the caller has freed it. */
struct helper {
	size_t nr_bytes;
	helper_work *work;
	bool is_alone, is_left;
	pid_t parent;
	pid_t pid; /* 0: not started, or ended */
	int pidfd;
	int result;
	_Atomic unsigned int nr_steps;
	_Alignas(16) char stack[STACK_BYTES];
	_Alignas(16) char memory[];
};

static unsigned int nr_late, nr_left;

struct helper *helper_new(size_t nr)
{
	size_t nr_bytes = sizeof(struct helper) + nr;
	struct helper *helper =
		mmap(NULL, nr_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	if (helper == MAP_FAILED)
		return NULL;
	helper->nr_bytes = nr_bytes;
	helper->pidfd = -1;
	helper->result = -ETIMEDOUT;
	return helper;
}

void *helper_memory(struct helper *helper)
{
	return helper->memory;
}

/* Runs in the helper. */
static int begin(void *argument)
{
	struct helper *helper = argument;

	/* Without this, a helper that hangs would keep our descriptors open, BPF programs included, after we end. */
	syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (syscall(SYS_getppid) != helper->parent)
		return 0;
	if (helper->is_alone) /* if close_range() is forbidden, the descriptors stay shared */
		syscall(SYS_close_range, 0, ~0U, CLOSE_RANGE_UNSHARE);
	helper->result = helper->work(helper, helper->memory);
	return 0;
}

int helper_start(struct helper *helper, helper_work *work, bool is_alone)
{
	pid_t pid;

	if (nr_left >= LEFT_MAX)
		return -EBUSY;
	helper->work = work;
	helper->is_alone = is_alone;
	helper->parent = getpid();
	pid = clone(begin, helper->stack + STACK_BYTES, CLONE_VM | CLONE_FILES | CLONE_PIDFD, helper, &helper->pidfd);
	if (pid < 0)
		return -errno;
	helper->pid = pid;
	return 0;
}

void helper_progress(struct helper *helper)
{
	helper->nr_steps++;
}

static bool is_readable(int fd, int other_fd, int timeout_ms)
{
	struct pollfd polled[] = { { .fd = fd, .events = POLLIN }, { .fd = other_fd, .events = POLLIN } };

	return poll(polled, 2, timeout_ms) > 0;
}

/* A runnable helper may have waited for a CPU all the time. */
static bool is_stuck(const struct helper *helper, unsigned int nr_steps_before)
{
	return helper->nr_steps == nr_steps_before && process_state((uint32_t)helper->pid) != 'R';
}

int helper_await(struct helper *helper, int fd)
{
	int timeout_ms = nr_late < LATE_MAX ? TIMEOUT_MS : SHORT_TIMEOUT_MS;

	for (;;) {
		unsigned int nr_steps = helper->nr_steps;

		if (is_readable(helper->pidfd, fd, timeout_ms))
			return 0;
		if (is_stuck(helper, nr_steps))
			break;
	}
	nr_late++;
	return -ETIMEDOUT;
}

static void leave(struct helper *helper)
{
	helper->is_left = true;
	nr_left++;
}

int helper_end(struct helper *helper)
{
	if (!helper->pid)
		return helper->result;
	if (!is_readable(helper->pidfd, -1, 0))
		kill(helper->pid, SIGKILL);
	while (!is_readable(helper->pidfd, -1, KILL_MS) && !helper->is_left)
		if (process_state((uint32_t)helper->pid) != 'R')
			leave(helper);
	while (!helper->is_left && waitpid(helper->pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	helper->pid = 0;
	closep(&helper->pidfd);
	return helper->is_left ? -ETIMEDOUT : helper->result;
}

void helper_free(struct helper *helper)
{
	if (!helper)
		return;
	helper_end(helper);
	if (!helper->is_left)
		munmap(helper, helper->nr_bytes);
}

void helper_freep(struct helper **helper)
{
	helper_free(*helper);
}
