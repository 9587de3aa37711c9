/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/probe_call.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/call_filter.h"
#include "core/base/cleanup.h"
#include "core/host/process.h"
#include "core/host/signals.h"

enum {
	STACK_BYTES = 32 << 10,
};

enum state {
	STARTED, /* the child has copies of all our descriptors */
	READY, /* it has closed those that the work does not need, and waits */
	GOES,
	ENDS, /* it sends the new descriptors */
	LEFT,
};

struct probe_call {
	size_t nr_bytes;
	probe_work *work;
	int *fds; /* after the memory of the work */
	size_t nr_fds;
	pid_t pid; /* 0: not started */
	int pidfd;
	_Atomic uint32_t state; /* an enum state */
	int result;
	_Alignas(16) char stack[STACK_BYTES];
	_Alignas(16) char memory[];
};

/* From the children to us. Opened before the first call, because sockets are denied after attaching (core/host/denied_calls.h). */
static int channel[2] = { -1, -1 };

/* Room for the descriptors of one call. */
union passed {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(PROBE_CALL_FDS * sizeof(int))];
};

struct probe_call *probe_call_new(size_t nr, size_t nr_fds)
{
	size_t nr_aligned = (nr + sizeof(int) - 1) / sizeof(int) * sizeof(int);
	size_t nr_bytes = sizeof(struct probe_call) + nr_aligned + (nr_fds + 1) * sizeof(int); /* and the channel */
	struct probe_call *call =
		mmap(NULL, nr_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	if (call == MAP_FAILED)
		return NULL;
	call->nr_bytes = nr_bytes;
	call->fds = (int *)(void *)(call->memory + nr_aligned);
	call->pidfd = -1;
	call->result = -EINTR;
	return call;
}

void *probe_call_memory(struct probe_call *call)
{
	return call->memory;
}

static bool move_on(struct probe_call *call, uint32_t from, enum state to)
{
	return atomic_compare_exchange_strong(&call->state, &from, to);
}

static void await_change(struct probe_call *call, uint32_t from)
{
	const struct timespec second = { .tv_sec = 1 };

	syscall(SYS_futex, &call->state, FUTEX_WAIT_PRIVATE, from, &second, NULL, 0);
}

static void wake_other(struct probe_call *call)
{
	syscall(SYS_futex, &call->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* If a container forbids close_range(), they stay open, and a child that is left keeps them. */
static void close_others(const struct probe_call *call)
{
	unsigned int from = 0;

	for (size_t i = 0; i < call->nr_fds; i++) {
		unsigned int kept = (unsigned int)call->fds[i];

		if (kept > from)
			syscall(SYS_close_range, from, kept - 1, 0);
		from = kept + 1;
	}
	syscall(SYS_close_range, from, ~0U, 0);
}

static void hand_over(const int *fds, size_t nr)
{
	union passed passed = {};
	char byte = 0;
	struct iovec bytes = { &byte, 1 };
	struct msghdr message = { .msg_iov = &bytes,
				  .msg_iovlen = 1,
				  .msg_control = &passed,
				  .msg_controllen = CMSG_SPACE(nr * sizeof(*fds)) };

	passed.header = (struct cmsghdr){ CMSG_LEN(nr * sizeof(*fds)), SOL_SOCKET, SCM_RIGHTS };
	memcpy(CMSG_DATA(&passed.header), fds, nr * sizeof(*fds));
	syscall(SYS_sendmsg, channel[1], &message, MSG_NOSIGNAL);
}

#ifdef __SANITIZE_ADDRESS__
static void confine(void)
{
	/* no filter: the sanitizer makes system calls of its own */
}
#else
/* The system calls that attach, detach and send descriptors; of bpf() only BPF_LINK_CREATE. */
static const struct sock_filter child_filter[] = {
	CALLS_BEGIN,
	CALLS_ALLOW(SYS_perf_event_open),
	CALLS_IF(SYS_bpf, 4),
	CALLS_LOAD(args[0]),
	CALLS_IF(BPF_LINK_CREATE, 1),
	CALLS_RETURN(SECCOMP_RET_ALLOW),
	CALLS_RETURN(CALLS_REFUSED),
	CALLS_ALLOW(SYS_ioctl),
	CALLS_ALLOW(SYS_fcntl), /* libbpf moves links away from descriptors 0, 1 and 2 */
	CALLS_ALLOW(SYS_close),
	CALLS_ALLOW(SYS_sendmsg),
	CALLS_ALLOW(SYS_futex),
	CALLS_ALLOW(SYS_rt_sigprocmask),
	CALLS_ALLOW(SYS_restart_syscall),
	CALLS_ALLOW(SYS_exit),
	CALLS_REFUSE_REST,
};

/* The child shares our memory, so a filter is the only way to confine it. The filter does not apply to us. */
static void confine(void)
{
	syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	call_filter_begin(child_filter, sizeof(child_filter) / sizeof(*child_filter));
}
#endif

static int run(void *argument)
{
	struct probe_call *call = argument;
	int fds[PROBE_CALL_FDS] = { -1, -1 };

	syscall(SYS_prctl, PR_SET_NAME, "stacktool-probe", 0, 0, 0);
	close_others(call);
	confine();
	if (move_on(call, STARTED, READY)) {
		wake_other(call);
		await_change(call, READY);
	}
	call->result = call->work(call->memory, fds);
	if (move_on(call, GOES, ENDS) && call->result > 0)
		hand_over(fds, (size_t)call->result);
	return 0;
}

static int compare_fds(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int clone_child(struct probe_call *call)
{
	_cleanup_(signals_release) sigset_t before;
	int pid;

	signals_hold(&before);
	pid = clone(run, call->stack + STACK_BYTES, CLONE_VM | CLONE_PIDFD, call, &call->pidfd);
	return pid < 0 ? -errno : pid;
}

static int open_channel(void)
{
	if (channel[0] < 0 && socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, channel))
		return -errno;
	return 0;
}

void probe_call_give(struct probe_call *call, int fd)
{
	call->fds[call->nr_fds++] = fd;
}

int probe_call_start(struct probe_call *call, probe_work *work, bool waits)
{
	int pid = open_channel();

	if (pid)
		return pid;
	probe_call_give(call, channel[1]);
	qsort(call->fds, call->nr_fds, sizeof(*call->fds), compare_fds);
	call->work = work;
	call->state = waits ? STARTED : GOES;
	pid = clone_child(call);
	if (pid < 0)
		return pid;
	call->pid = pid;
	return 0;
}

bool probe_call_has_ended(struct probe_call *call, int timeout_ms)
{
	struct pollfd polled = { .fd = call->pidfd, .events = POLLIN };

	return poll(&polled, 1, timeout_ms) > 0;
}

void probe_calls_go(struct probe_call *const *calls, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		while (calls[i] && calls[i]->state == STARTED && !probe_call_has_ended(calls[i], 0)) {
			await_change(calls[i], STARTED);
			process_continue(calls[i]->pid);
		}
	for (size_t i = 0; i < nr; i++) {
		if (!calls[i])
			continue;
		calls[i]->state = GOES;
		wake_other(calls[i]);
	}
}

pid_t probe_call_pid(const struct probe_call *call)
{
	return call->pid;
}

static void take(int fds[PROBE_CALL_FDS])
{
	union passed passed = {};
	char byte;
	struct iovec bytes = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &passed, .msg_controllen = sizeof(passed)
	};

	if (recvmsg(channel[0], &message, MSG_CMSG_CLOEXEC) == 1 && message.msg_controllen >= sizeof(passed.header) &&
	    passed.header.cmsg_type == SCM_RIGHTS)
		memcpy(fds, CMSG_DATA(&passed.header), passed.header.cmsg_len - CMSG_LEN(0));
}

int probe_call_end(struct probe_call *call, int ret_fds[PROBE_CALL_FDS])
{
	for (size_t i = 0; i < PROBE_CALL_FDS; i++)
		ret_fds[i] = -1;
	while (waitpid(call->pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	call->pid = 0;
	closep(&call->pidfd);
	if (call->state == ENDS && call->result > 0)
		take(ret_fds);
	return call->result > 0 && ret_fds[0] < 0 ? -EMFILE : call->result;
}

bool probe_call_leave(struct probe_call *call)
{
	return move_on(call, GOES, LEFT);
}

void probe_call_free(struct probe_call *call)
{
	int fds[PROBE_CALL_FDS];

	if (!call)
		return;
	if (call->pid && probe_call_has_ended(call, 0))
		probe_call_end(call, fds);
	closep(&call->pidfd);
	if (!call->pid)
		munmap(call, call->nr_bytes);
}
