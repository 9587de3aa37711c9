/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/worker/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/call_filter.h"
#include "symbolize/symbolize.h"

/* A sanitizer maps terabytes and makes system calls of its own: docs/reference/symbols.md lists what is allowed then. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

/*
 * User ids from here up to 2147352575 are unused: ids of containers are below, foreign ids are above ("Users, Groups, UIDs and GIDs on
 * systemd Systems").
 */
enum {
	UNUSED_USERS = 0x70000000,
	NOBODY = 65534,
};

static void close_from(unsigned int first)
{
	if (syscall(SYS_close_range, first, ~0u, 0) == 0)
		return;
	for (long fd = first; fd < sysconf(_SC_OPEN_MAX); fd++)
		close((int)fd);
}

enum {
	PLACE = 3
};

int sandbox_keep_as_well(int kept)
{
	if (kept != PLACE && dup3(kept, PLACE, O_CLOEXEC) < 0)
		return -errno;
	close_from(PLACE + 1);
	return PLACE;
}

int sandbox_keep_only(int kept)
{
	int null, place = sandbox_keep_as_well(kept);

	if (place < 0)
		return place;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; fd < PLACE; fd++) {
		bool keep_for_reports = SANITIZED && fd == 2;

		if (!keep_for_reports && null != fd && (null < 0 || dup2(null, fd) < 0))
			close(fd);
	}
	if (null > PLACE)
		close(null);
	return PLACE;
}

static int drop_capabilities(void)
{
	cap_t none = cap_init();
	int err;

	if (!none)
		return -ENOMEM;
	err = cap_set_proc(none) ? -errno : 0;
	cap_free(none);
	return err;
}

static bool become(uid_t user)
{
	return !setresgid(user, user, user) && !setresuid(user, user, user);
}

/*
 * Becomes a user that no other process has, because processes of one user may stop and kill each other. If the user namespace lacks that
 * id, becomes nobody. An unprivileged process keeps its ids. So does root if the user namespace has no 65534; sandbox_lacks() reports that.
 * Capabilities are dropped in any case.
 */
static void become_another_user(void)
{
	for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
		prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
	if (setgroups(0, NULL) || become(UNUSED_USERS + (uid_t)getpid()) || become(NOBODY))
		return;
}

int sandbox_drop_privileges(void)
{
	int err;

	become_another_user();
	err = drop_capabilities();
	if (err)
		return err;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		return -errno;
	return 0;
}

bool sandbox_has_filter(void)
{
	const uint32_t action = SECCOMP_RET_KILL_PROCESS;

	return !syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
}

/* Returns less than 1 without Landlock. */
static long landlock_version(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

static unsigned int give_up_and_look(void)
{
	uid_t user = geteuid();
	gid_t group = getegid();
	unsigned int lacks = sandbox_has_filter() ? 0 : CONFINED_WITHOUT_FILTER;

	if (landlock_version() < 1)
		lacks |= CONFINED_WITHOUT_LANDLOCK;
	if (sandbox_drop_privileges() || (!user && (geteuid() == user || getegid() == group)))
		lacks |= CONFINED_AS_CALLER;
	return lacks;
}

unsigned int sandbox_lacks(void)
{
	int status, child = fork();

	if (!child)
		_exit((int)give_up_and_look());
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 0;
	return child > 0 && WIFEXITED(status) ? (unsigned int)WEXITSTATUS(status) : 0;
}

int sandbox_follow_parent(int parent_pid)
{
	/* Signals that may be sent to the whole process group to end a run. SIGXCPU is not ignored: it enforces the CPU limit. */
	static const int ignored[] = { SIGINT,  SIGHUP,    SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1,  SIGUSR2,
				       SIGALRM, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,  SIGSTKFLT };
	sigset_t none;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	for (int realtime = SIGRTMIN; realtime <= SIGRTMAX; realtime++)
		signal(realtime, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))
		return -errno;
	return getppid() == parent_pid ? 0 : -ESRCH;
}

static int limit(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit now, wanted = { value, value };

	if (getrlimit(resource, &now))
		return -errno;
	if (now.rlim_max < value)
		wanted = (struct rlimit){ now.rlim_max, now.rlim_max };
	return setrlimit(resource, &wanted) ? -errno : 0;
}

/* The limit is per user, so processes of other runs count too. */
void sandbox_allow_processes(void)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };

	if (setrlimit(RLIMIT_NPROC, &unlimited)) /* fails without CAP_SYS_RESOURCE */
		limit(RLIMIT_NPROC, RLIM_INFINITY);
}

/*
 * RLIMIT_CPU counts from the start of a process, and a worker may run for days. So only the soft limit is set, and sandbox_grant_cpu()
 * raises it with each answer. The worker itself has no system call to raise it or to ignore the signal.
 */
static int limit_cpu(int pid, rlim_t seconds)
{
	struct rlimit now;

	if (prlimit(pid, RLIMIT_CPU, NULL, &now))
		return -errno;
	now.rlim_cur = now.rlim_max < seconds ? now.rlim_max : seconds;
	return prlimit(pid, RLIMIT_CPU, &now, NULL) ? -errno : 0;
}

int64_t sandbox_cpu_ms(int pid)
{
	struct timespec used;
	clockid_t clock;
	int err = clock_getcpuclockid(pid, &clock);

	if (err)
		return -err;
	return clock_gettime(clock, &used) ? -errno : used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

int sandbox_grant_cpu(int pid, unsigned int cpu_seconds)
{
	int64_t used_ms = sandbox_cpu_ms(pid);

	if (used_ms < 0)
		return (int)used_ms;
	return limit_cpu(pid, (rlim_t)used_ms / 1000 + 1 + cpu_seconds);
}

unsigned int sandbox_descriptors(unsigned int wanted)
{
	struct rlimit now;

	return !getrlimit(RLIMIT_NOFILE, &now) && now.rlim_max < wanted ? (unsigned int)now.rlim_max : wanted;
}

static int set_limits(unsigned int cpu_seconds, unsigned int descriptors, unsigned int memory_mb)
{
	int err = limit(RLIMIT_CORE, 0);

	err = err ?: limit(RLIMIT_FSIZE, 0);
	err = err ?: limit(RLIMIT_NPROC, 0);
	err = err ?: limit(RLIMIT_NOFILE, descriptors);
	signal(SIGXCPU, SIG_DFL);
	err = err ?: limit_cpu(0, cpu_seconds);
	if (!SANITIZED)
		err = err ?: limit(RLIMIT_AS, (rlim_t)memory_mb << 20);
	return err;
}

/*
 * Restricts the process by a rule set that handles all rights and allows none. A kernel without Landlock (before 5.13, or not enabled) is
 * no failure: the system call filter allows no call that opens a file.
 */
static void deny_files(void)
{
	struct {
		uint64_t fs, net, scoped; /* as struct landlock_ruleset_attr, whose later members old headers lack */
	} handled = {};
	long version = landlock_version();
	size_t size = sizeof(handled.fs);
	int ruleset;

	if (version < 1)
		return;
	/* Rights by ABI version: 13 bits in 1, refer in 2, truncate in 3, TCP in 4, ioctl in 5, scopes in 6. */
	handled.fs = version >= 5 ? 0xffff : version >= 3 ? 0x7fff : version == 2 ? 0x3fff : 0x1fff;
	if (version >= 4) {
		handled.net = 3;
		size = offsetof(__typeof__(handled), scoped);
	}
	if (version >= 6) {
		handled.scoped = 3;
		size = sizeof(handled);
	}
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0);
	if (ruleset < 0)
		return;
	syscall(SYS_landlock_restrict_self, ruleset, 0);
	close(ruleset);
}

/*
 * Calls to read and seek descriptors, for memory, the socket, and exit. fstat is not allowed: since glibc 2.33 it is newfstatat(), which
 * takes paths.
 */
/* clang-format off */
static const int allowed[] = {
	SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(close), SCMP_SYS(dup),
	SCMP_SYS(recvmsg), SCMP_SYS(sendmsg),
	SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
	SCMP_SYS(futex), SCMP_SYS(restart_syscall), SCMP_SYS(rt_sigreturn), SCMP_SYS(clock_gettime),
	SCMP_SYS(getrandom), SCMP_SYS(exit), SCMP_SYS(exit_group),
};

/* Calls by a sanitizer's allocator and reports. With a sanitizer, other calls fail with EPERM instead of killing the worker. */
static const int allowed_sanitized[] = {
	SCMP_SYS(write), SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(sigaltstack), SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask), SCMP_SYS(sched_yield), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
	SCMP_SYS(prlimit64), SCMP_SYS(getrlimit), SCMP_SYS(set_robust_list), SCMP_SYS(sched_getaffinity),
};
/* clang-format on */

static int set_action(scmp_filter_ctx filter, uint32_t action, const int *calls, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		int err = seccomp_rule_add(filter, action, calls[i], 0);

		if (err && err != -EDOM) /* a call of another architecture */
			return err;
	}
	return 0;
}

/*
 * Calls by libdw that may fail: dwarf_begin_elf() asks for the path of its image in memory (realpath("/proc/self/fd/-1")), and glibc's
 * qsort() for the size of memory before a large sort. open() still kills the worker.
 */
static const int refused[] = { SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(lstat), SCMP_SYS(sysinfo) };

/* Allows mmap() and mprotect(), except with PROT_EXEC. */
static int allow_data(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp is_data = SCMP_A2_64(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);

	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, is_data)
		       ?: seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, is_data);
}

static int filter_calls(void)
{
	scmp_filter_ctx filter = seccomp_init(SANITIZED ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_KILL_PROCESS);
	int err;

	if (!filter)
		return -ENOMEM;
	err = set_action(filter, SCMP_ACT_ALLOW, allowed, sizeof(allowed) / sizeof(*allowed)) ?: allow_data(filter);
	if (SANITIZED)
		err = err
			      ?: set_action(filter, SCMP_ACT_ALLOW, allowed_sanitized,
					    sizeof(allowed_sanitized) / sizeof(*allowed_sanitized));
	else
		err = err ?: set_action(filter, SCMP_ACT_ERRNO(EACCES), refused, sizeof(refused) / sizeof(*refused));
	err = err ?: seccomp_load(filter);
	seccomp_release(filter);
	return err;
}

/* Calls of the supervisor, and those that a worker makes before it is confined or that its filter allows. */
static const struct sock_filter supervisor_calls[] = {
	CALLS_BEGIN,
	CALLS_ALLOW(SYS_sendmsg),
	CALLS_ALLOW(SYS_recvmsg),
	CALLS_ALLOW(SYS_ppoll),
	CALLS_ALLOW(SYS_close),
	CALLS_ALLOW(SYS_read),
	CALLS_ALLOW(SYS_pread64),
	CALLS_ALLOW(SYS_lseek),
	CALLS_ALLOW(SYS_futex),
	CALLS_ALLOW(SYS_clock_gettime),
	CALLS_ALLOW(SYS_clock_getres),
	CALLS_ALLOW(SYS_brk),
	CALLS_ALLOW(SYS_mmap),
	CALLS_ALLOW(SYS_munmap),
	CALLS_ALLOW(SYS_mremap),
	CALLS_ALLOW(SYS_mprotect),
	CALLS_ALLOW(SYS_madvise),
	CALLS_ALLOW(SYS_getrandom),
	CALLS_ALLOW(SYS_restart_syscall),
	CALLS_ALLOW(SYS_rt_sigreturn),
	CALLS_ALLOW(SYS_exit),
	CALLS_ALLOW(SYS_exit_group),
	/* start and end workers */
	CALLS_ALLOW(SYS_socketpair),
	CALLS_ALLOW(SYS_setsockopt),
	CALLS_REFUSE_BITS(SYS_clone, 0, CALLS_NAMESPACES),
	CALLS_IF(SYS_clone3, 1), /* its flags are in memory; after ENOSYS the C library uses clone() */
	CALLS_RETURN(SECCOMP_RET_ERRNO | ENOSYS),
	CALLS_ALLOW(SYS_kill),
	CALLS_ALLOW(SYS_wait4),
	CALLS_ALLOW(SYS_pidfd_open),
	CALLS_ALLOW(SYS_getpid),
	CALLS_ALLOW(SYS_prlimit64),
	/* a worker confines itself */
	CALLS_ALLOW(SYS_getppid),
	CALLS_ALLOW(SYS_gettid),
	CALLS_ALLOW(SYS_set_robust_list),
	CALLS_ALLOW(SYS_dup),
	CALLS_ALLOW(SYS_dup3),
	CALLS_ALLOW(SYS_close_range),
	CALLS_ALLOW(SYS_prctl),
	CALLS_ALLOW(SYS_rt_sigaction),
	CALLS_ALLOW(SYS_rt_sigprocmask),
	CALLS_ALLOW(SYS_landlock_create_ruleset),
	CALLS_ALLOW(SYS_landlock_restrict_self),
	CALLS_ALLOW(SYS_seccomp),
#ifdef SYS_poll
	CALLS_ALLOW(SYS_poll),
#endif
#ifdef SYS_dup2
	CALLS_ALLOW(SYS_dup2),
#endif
	CALLS_REFUSE_REST,
};

int sandbox_filter_supervisor(void)
{
	return SANITIZED ? 0
			 : call_filter_begin(supervisor_calls, sizeof(supervisor_calls) / sizeof(*supervisor_calls));
}

int sandbox_confine(unsigned int cpu_seconds, unsigned int descriptors, unsigned int memory_mb)
{
	int err = set_limits(cpu_seconds, descriptors, memory_mb);

	if (err)
		return err;
	deny_files();
	return sandbox_has_filter() ? filter_calls() : 0;
}
