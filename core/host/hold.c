/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/hold.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/call_filter.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/host/privilege.h"
#include "core/host/signals.h"

#define LOOK_NS NSEC_PER_MSEC /* how often to check for a stop; SIGCHLD, if it comes, ends the wait earlier */
#define QUIET_NS (5 * NSEC_PER_MSEC) /* without a system call: then interrupt the child to see where it is */
#define TRY_TO_STOP_NS (100 * NSEC_PER_MSEC)
#define TRIES_TO_STOP 10 /* before a signal ends the wait */
#define NR_AUXV 64

/* PTRACE_GET_SYSCALL_INFO (v5.3). C libraries name its structures differently. */
#define GET_SYSCALL_INFO 0x420e
enum {
	CALL_NONE,
	CALL_ENTRY,
	CALL_EXIT,
};

struct call_info {
	uint8_t kind, padding[3];
	uint32_t architecture;
	uint64_t ip, sp;
	uint64_t nr, arguments[6]; /* of CALL_ENTRY */
};

static void note_stop(struct hold *hold)
{
	hold->stopped = true;
	hold->stopped_ns = clock_monotonic_ns();
}

static void note_going(struct hold *hold)
{
	if (hold->stopped)
		hold->held_ns += clock_monotonic_ns() - hold->stopped_ns;
	hold->stopped = false;
	hold->signal = 0;
}

static void go_on(struct hold *hold)
{
	int request = hold->listens ? PTRACE_LISTEN : hold->loader_end ? PTRACE_SYSCALL : PTRACE_CONT;

	if (hold->stopped && ptrace(request, hold->pid, NULL, (long)hold->signal) && errno == ESRCH)
		hold->gone = true; /* killed while it was stopped */
	note_going(hold);
}

static void wait_for_child(uint64_t span_ns)
{
	const struct timespec span = { .tv_nsec = (long)span_ns };
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigtimedwait(&mask, NULL, &span);
}

static bool is_late(uint64_t until_ns)
{
	return clock_monotonic_ns() >= until_ns;
}

/* True with the child's event (event << 8 | signal); false if none comes until `until_ns`. The end of the child is for command_wait(). */
static bool next_stop(struct hold *hold, uint64_t until_ns, bool until_signal, int *ret_stop)
{
	const int looks = WSTOPPED | WNOHANG | __WALL;

	while (!hold->gone) {
		siginfo_t info = {};
		bool failed = waitid(P_PID, (id_t)hold->pid, &info, looks | WEXITED | WNOWAIT);

		if (failed && errno == EINTR)
			continue;
		if (failed || (info.si_pid && info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)) {
			hold->gone = true;
		} else if (info.si_pid && !waitid(P_PID, (id_t)hold->pid, &info, looks) && info.si_pid) {
			note_stop(hold);
			*ret_stop = info.si_status;
			return true;
		} else if (is_late(until_ns) || (until_signal && signals_end_has_come())) {
			return false;
		} else {
			wait_for_child(LOOK_NS);
		}
	}
	return false;
}

static bool is_in_loader(const struct hold *hold, uint64_t address)
{
	return address >= hold->loader_start && address < hold->loader_end;
}

/* Calls that dynamic loaders make. musl's loader is also its C library, so other calls from there show that the program runs. */
static bool is_call_of_loader(uint64_t nr)
{
	static const uint64_t calls[] = {
		SYS_mmap,       SYS_munmap, SYS_mprotect,   SYS_mremap, SYS_madvise,
		SYS_brk,        SYS_openat, SYS_close,      SYS_read,   SYS_pread64,
		SYS_fstat,      SYS_statx,  SYS_newfstatat, SYS_lseek,  SYS_fcntl,
		SYS_faccessat,  SYS_getcwd, SYS_readlinkat, SYS_rseq,   SYS_set_tid_address,
		SYS_prlimit64,  SYS_uname,  SYS_getrandom,  SYS_getpid, SYS_set_robust_list,
#ifdef __x86_64__
		SYS_arch_prctl, SYS_open,   SYS_access,     SYS_stat,   SYS_lstat,
		SYS_readlink,
#endif
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i] == nr)
			return true;
	return false;
}

static bool is_mapping_code(const struct call_info *call)
{
	return (call->nr == SYS_mmap || call->nr == SYS_mprotect) && call->arguments[2] & PROT_EXEC;
}

/* True if the program itself runs: the call is not from the loader, or a loader does not make it. *ret_mapped: code was mapped. */
static bool take_call(struct hold *hold, bool *ret_mapped)
{
	struct call_info call = {};

	if (ptrace((enum __ptrace_request)GET_SYSCALL_INFO, hold->pid, (void *)sizeof(call), &call) <= 0)
		return true;
	if (call.kind == CALL_ENTRY) {
		hold->in_call = true;
		hold->maps = is_mapping_code(&call);
		return !is_in_loader(hold, call.ip) || !is_call_of_loader(call.nr);
	}
	if (call.kind == CALL_EXIT) {
		hold->in_call = false;
		*ret_mapped = hold->maps;
		return false;
	}
	return !is_in_loader(hold, call.ip); /* interrupted outside of a call */
}

/* Whether the stopped child runs code that has unwind tables. */
static bool is_native(const struct hold *hold)
{
	struct call_info call = {};

	return ptrace((enum __ptrace_request)GET_SYSCALL_INFO, hold->pid, (void *)sizeof(call), &call) > 0 &&
	       call.architecture == CALLS_ARCHITECTURE;
}

/* Interprets a stop. True: the caller gets it. */
static bool judge(struct hold *hold, int stop, enum hold_at *ret_at)
{
	bool mapped = false;

	hold->listens = false;
	if (stop >> 8 == PTRACE_EVENT_EXEC) {
		hold->in_call = true; /* until execve() returns */
		hold->maps = false;
		hold->loader_start = hold->loader_end = 0;
		*ret_at = is_native(hold) ? HOLD_PROGRAM : HOLD_OVER;
		return true;
	}
	if (stop >> 8 == PTRACE_EVENT_STOP && (stop & 0xff) != SIGTRAP) {
		hold->listens = true;
		return false;
	}
	if (stop >> 8 != PTRACE_EVENT_STOP && stop != (SIGTRAP | 0x80)) {
		hold->signal = stop & 0x7f; /* sent by others */
		return false;
	}
	if (!hold->loader_end)
		return false;
	*ret_at = take_call(hold, &mapped) ? HOLD_OVER : HOLD_MAPPED;
	return *ret_at == HOLD_OVER || mapped;
}

int hold_begin(struct hold *hold, pid_t pid)
{
	sigset_t mask;

	*hold = (struct hold){ .pid = pid };
	if (!privilege_may_trace())
		return -EPERM;
	if (ptrace(PTRACE_SEIZE, pid, NULL, (long)(PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD)))
		return -errno;
	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, &hold->mask_before);
	return 0;
}

/* A program may compute long before its first system call, so a quiet child is interrupted; not in a call, which could fail. */
enum hold_at hold_next(struct hold *hold, uint64_t until_ns)
{
	enum hold_at at;
	int stop;

	for (;;) {
		bool looks;
		uint64_t look_ns;

		go_on(hold);
		looks = hold->loader_end && !hold->in_call && !hold->listens;
		look_ns = clock_monotonic_ns() + QUIET_NS;
		if (!next_stop(hold, looks && look_ns < until_ns ? look_ns : until_ns, true, &stop)) {
			if (hold->gone)
				return HOLD_OVER;
			if (is_late(until_ns) || signals_end_has_come())
				return HOLD_LATE;
			if (looks)
				ptrace(PTRACE_INTERRUPT, hold->pid, NULL, NULL);
			continue;
		}
		if (judge(hold, stop, &at))
			return at;
	}
}

uint64_t hold_loader_base(const struct hold *hold)
{
	Elf64_auxv_t auxv[NR_AUXV];
	_cleanup_(closep) int fd = -1;
	char path[64];
	ssize_t nr;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)hold->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	nr = fd < 0 ? 0 : read(fd, auxv, sizeof(auxv));
	for (ssize_t i = 0; i < nr / (ssize_t)sizeof(auxv[0]); i++)
		if (auxv[i].a_type == AT_BASE)
			return auxv[i].a_un.a_val;
	return 0;
}

void hold_end(struct hold *hold)
{
	int stop = 0;

	for (int i = 0; !hold->stopped && !hold->gone && (i < TRIES_TO_STOP || !signals_end_has_come()); i++) {
		ptrace(PTRACE_INTERRUPT, hold->pid, NULL, NULL);
		if (next_stop(hold, clock_monotonic_ns() + TRY_TO_STOP_NS, false, &stop) && stop >> 8 == 0 &&
		    stop != (SIGTRAP | 0x80))
			hold->signal = stop & 0x7f;
	}
	if (hold->stopped)
		ptrace(PTRACE_DETACH, hold->pid, NULL, (long)hold->signal);
	note_going(hold);
	sigprocmask(SIG_SETMASK, &hold->mask_before, NULL);
}
