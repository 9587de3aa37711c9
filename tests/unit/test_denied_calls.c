/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/host/denied_calls.c: what the process that traces can no longer call after attaching, each time in a child. */
#include "core/host/denied_calls.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "core/base/call_filter.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "tests/harness.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static int begin(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || denied_calls_begin_but_ptrace() || denied_calls_add_ptrace();
}

/* What `check` returns in a child; 250 if `prepare`, which may be NULL, fails there. */
static int run_in_child(int (*prepare)(void), int (*check)(void))
{
	int pid = fork(), status;

	if (!pid)
		_exit(prepare && prepare() ? 250 : check());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 251;
}

/* The same in a child that has the filter. */
static int run(int (*check)(void))
{
	return run_in_child(begin, check);
}

/* Calls whose arguments are all 0 have another errno without the filter, or would succeed. */
static const struct {
	const char *name;
	long number;
	unsigned long arguments[3];
} denied[] = {
	{ "openat for writing", SYS_openat, { (unsigned long)AT_FDCWD, (unsigned long)"/dev/null", O_WRONLY } },
	{ "openat for both", SYS_openat, { (unsigned long)AT_FDCWD, (unsigned long)"/dev/null", O_RDWR } },
	{ "openat to truncate", SYS_openat, { (unsigned long)AT_FDCWD, (unsigned long)"/dev/null", O_TRUNC } },
	{ "openat to create", SYS_openat, { (unsigned long)AT_FDCWD, (unsigned long)"/dev/null", O_CREAT } },
	{ "open_by_handle_at for writing", SYS_open_by_handle_at, { 0, 0, O_RDWR } },
	{ "openat2", SYS_openat2, {} },
	{ "truncate", SYS_truncate, {} },
	{ "renameat", SYS_renameat, {} },
	{ "renameat2", SYS_renameat2, {} },
	{ "linkat", SYS_linkat, {} },
	{ "symlinkat", SYS_symlinkat, {} },
	{ "unlinkat", SYS_unlinkat, {} },
	{ "mkdirat", SYS_mkdirat, {} },
	{ "mknodat", SYS_mknodat, {} },
	{ "fchmod", SYS_fchmod, { 1000 } },
	{ "fchmodat", SYS_fchmodat, {} },
	{ "fchown", SYS_fchown, { 1000 } },
	{ "fchownat", SYS_fchownat, {} },
	{ "setxattr", SYS_setxattr, {} },
	{ "fsetxattr", SYS_fsetxattr, { 1000 } },
	{ "removexattr", SYS_removexattr, {} },
	{ "process_vm_writev", SYS_process_vm_writev, { 1 } },
	{ "pidfd_getfd", SYS_pidfd_getfd, { 1000 } },
	{ "execve", SYS_execve, { (unsigned long)"/nowhere" } },
	{ "execveat", SYS_execveat, { (unsigned long)AT_FDCWD, (unsigned long)"/nowhere" } },
	{ "ptrace", SYS_ptrace, { PTRACE_PEEKDATA, 1 } },
	{ "socket", SYS_socket, { AF_UNIX, SOCK_DGRAM } },
	{ "socketpair", SYS_socketpair, { AF_UNIX, SOCK_DGRAM } },
	{ "connect", SYS_connect, { 1000 } },
	{ "bind", SYS_bind, { 1000 } },
	{ "typing into the terminal", SYS_ioctl, { 1000, TIOCSTI } },
	{ "pasting into the console", SYS_ioctl, { 1000, TIOCLINUX } },
	{ "io_uring_setup", SYS_io_uring_setup, { 1 } },
	{ "io_uring_enter", SYS_io_uring_enter, { 1000 } },
	{ "io_uring_register", SYS_io_uring_register, { 1000 } },
	{ "mount", SYS_mount, {} },
	{ "umount2", SYS_umount2, {} },
	{ "move_mount", SYS_move_mount, {} },
	{ "open_tree", SYS_open_tree, {} },
	{ "fsopen", SYS_fsopen, {} },
	{ "setns", SYS_setns, { 1000 } },
	{ "unshare", SYS_unshare, { 0 } },
	{ "clone into a user namespace", SYS_clone, { CLONE_NEWUSER | CLONE_THREAD } },
	{ "finit_module", SYS_finit_module, { 1000 } },
	{ "init_module", SYS_init_module, {} },
	{ "delete_module", SYS_delete_module, {} },
	{ "add_key", SYS_add_key, {} },
	{ "request_key", SYS_request_key, {} },
	{ "keyctl", SYS_keyctl, { KEYCTL_GET_KEYRING_ID, (unsigned long)KEY_SPEC_PROCESS_KEYRING } },
#ifdef __x86_64__
	{ "open for writing", SYS_open, { (unsigned long)"/dev/null", O_WRONLY } },
	{ "creat", SYS_creat, {} },
	{ "rename", SYS_rename, {} },
	{ "link", SYS_link, {} },
	{ "unlink", SYS_unlink, {} },
	{ "chmod", SYS_chmod, {} },
#endif
};

static bool is_left_to_the_sanitizer(long number)
{
	return SANITIZED && (number == SYS_execve || number == SYS_execveat || number == SYS_ptrace);
}

static int try_denied(void)
{
	for (size_t i = 0; i < sizeof(denied) / sizeof(*denied); i++) {
		const unsigned long *arguments = denied[i].arguments;
		long result;

		errno = 0;
		if (is_left_to_the_sanitizer(denied[i].number))
			continue;
		result = syscall(denied[i].number, arguments[0], arguments[1], arguments[2], 0, 0, 0);
		if (result < 0 && errno == EPERM)
			continue;
		fprintf(stderr, "%s: %ld, %s\n", denied[i].name, result, strerror(errno));
		return 1;
	}
	return 0;
}

TEST(what_a_run_does_not_need_is_refused)
{
	assert_int_equal(run(try_denied), 0);
}

static void *do_nothing(void *argument)
{
	return argument;
}

/* Reading, helpers and threads. */
static int try_allowed(void)
{
	_cleanup_(closep) int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	char byte, copy;
	struct iovec from = { &byte, 1 }, to = { &copy, 1 };
	pthread_t thread;
	int pid, status;

	if (file < 0 || read(file, &byte, 1) != 1)
		return 1;
	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != 1)
		return 2;
	if (pthread_create(&thread, NULL, do_nothing, NULL) || pthread_join(thread, NULL))
		return 3;
	pid = fork();
	if (!pid)
		_exit(7);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 7)
		return 4;
	return syscall(SYS_open_by_handle_at, -1, &byte, O_RDONLY) < 0 && errno == EPERM && geteuid() == 0 ? 5 : 0;
}

TEST(what_a_run_needs_is_allowed)
{
	assert_int_equal(run(try_allowed), 0);
}

/* As in a container whose filter refuses seccomp(). */
static int begin_below_another_filter(void)
{
	static const struct sock_filter refuses_filters[] = { CALLS_BEGIN, CALLS_REFUSE(SYS_seccomp),
							      CALLS_ALLOW_REST };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    call_filter_begin(refuses_filters, sizeof(refuses_filters) / sizeof(*refuses_filters)))
		return 1;
	return denied_calls_begin_but_ptrace() || denied_calls_add_ptrace() ? 2 : 0;
}

TEST(a_container_without_seccomp_ends_no_run)
{
	assert_int_equal(run_in_child(NULL, begin_below_another_filter), 0);
}

static int wait_and_try(void *argument)
{
	const int *go = argument;
	char byte;

	if (read(*go, &byte, 1) != 1)
		return 1;
	return open("/dev/null", O_WRONLY) < 0 && errno == EPERM ? 0 : 2;
}

static void *wait_and_try_in_thread(void *argument)
{
	return wait_and_try(argument) ? argument : NULL;
}

/* 0 if a thread that was there before has the filter too. */
static int look_at_older_thread(void)
{
	pthread_t thread;
	void *result;
	int ends[2];

	if (pipe(ends) || pthread_create(&thread, NULL, wait_and_try_in_thread, &ends[0]) || begin() ||
	    write(ends[1], "", 1) != 1 || pthread_join(thread, &result))
		return 1;
	return result ? 2 : 0;
}

TEST(threads_that_were_there_before_have_the_filter)
{
	assert_int_equal(run_in_child(NULL, look_at_older_thread), 0);
}

/* As core/host/probe_call.c and core/files/foreign_memory.c clone theirs. */
static int look_at_helper(void)
{
	static _Alignas(16) char stack[64 << 10];
	int ends[2], status, helper;

	if (pipe(ends) || write(ends[1], "", 1) != 1)
		return 1;
	helper = clone(wait_and_try, stack + sizeof(stack), CLONE_VM | CLONE_FILES, &ends[0]);
	if (helper < 0 || waitpid(helper, &status, __WALL) != helper)
		return 2;
	return status ? 3 : 0;
}

TEST(helpers_that_are_cloned_later_have_the_filter)
{
	if (!SANITIZED) /* which looks at stacks */
		assert_int_equal(run(look_at_helper), 0);
}
