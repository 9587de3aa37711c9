/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/host/process.c */
#include "core/host/process.h"

#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "core/base/err.h"
#include "tests/harness.h"

/* A child that waits to be killed, at the latest with us: a test that fails does not come to stop(). */
static int start(void)
{
	int us = getpid(), pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == us)
			pause();
		_exit(0);
	}
	return pid;
}

static void stop(int pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static uint32_t gone_pid(void)
{
	int pid = start();

	stop(pid);
	return (uint32_t)pid;
}

static void expect_cause(const char *text)
{
	if (!strstr(err_cause(), text))
		fail_msg("'%s' does not say '%s'", err_cause(), text);
	err_clear();
}

TEST(a_missing_process_is_named)
{
	assert_int_equal(process_exists((uint32_t)getpid()), 0);
	assert_int_equal(process_exists(1), 0); /* of another user, perhaps */
	assert_int_equal(process_exists(gone_pid()), -ESRCH);
	expect_cause("no such process");
	assert_int_equal(process_exists(0), -ESRCH);
	err_clear();
	assert_int_equal(process_exists(UINT32_MAX), -ESRCH);
	err_clear();
	assert_int_equal(process_thread_exists(gone_pid()), -ESRCH);
	expect_cause("no such thread");
}

struct thread_test {
	int ends[2];
	uint32_t tid;
};

static void *be_a_thread(void *context)
{
	struct thread_test *test = context;
	char byte;

	test->tid = (uint32_t)syscall(SYS_gettid);
	if (write(test->ends[1], "", 1) != 1 || read(test->ends[0], &byte, 1))
		return NULL;
	return NULL;
}

/* The thread lives until the other end of its pipe is closed. */
static pthread_t start_thread(struct thread_test *test)
{
	int to_thread[2], from_thread[2];
	pthread_t thread;
	char byte;

	assert_int_equal(pipe(to_thread), 0);
	assert_int_equal(pipe(from_thread), 0);
	*test = (struct thread_test){ { to_thread[0], from_thread[1] }, 0 };
	assert_int_equal(pthread_create(&thread, NULL, be_a_thread, test), 0);
	assert_int_equal(read(from_thread[0], &byte, 1), 1);
	close(from_thread[0]);
	close(from_thread[1]);
	test->ends[1] = to_thread[1];
	return thread;
}

static void end_thread(struct thread_test *test, pthread_t thread)
{
	close(test->ends[1]);
	pthread_join(thread, NULL);
	close(test->ends[0]);
}

TEST(a_thread_is_no_process)
{
	struct thread_test test;
	pthread_t thread = start_thread(&test);

	assert_int_equal(process_thread_exists(test.tid), 0);
	assert_int_equal(process_exists(test.tid), -ESRCH);
	expect_cause("it is a thread of process");
	end_thread(&test, thread);
}

TEST(start_times_are_near_the_truth)
{
	struct timespec now;
	uint64_t start_ns, now_ns;
	int pid;

	clock_gettime(CLOCK_MONOTONIC, &now);
	now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	pid = start();
	assert_int_equal(process_start_time((uint32_t)pid, &start_ns), 0);
	assert_in_range(start_ns, now_ns - 20000000, now_ns + 1000000000);
	stop(pid);
	assert_int_equal(process_start_time((uint32_t)pid, &start_ns), -ENOENT);
}

/* ---- the end of targets ---- */

static bool is_readable(const struct process_watch *watch, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = process_watch_fd(watch), .events = POLLIN };

	return poll(&poll_fd, 1, timeout_ms) == 1;
}

TEST(the_end_of_each_process_is_told)
{
	uint32_t pids[3] = { (uint32_t)start(), (uint32_t)start(), (uint32_t)start() };
	struct process_watch *watch;

	assert_int_equal(process_watch_new(pids, 3, NULL, 0, &watch), 0);
	assert_false(is_readable(watch, 0));
	assert_int_equal(process_watch_left(watch), 3);
	kill((int)pids[1], SIGKILL);
	assert_true(is_readable(watch, 10000));
	assert_int_equal(process_watch_left(watch), 2);
	assert_false(is_readable(watch, 0));
	stop((int)pids[0]);
	stop((int)pids[1]);
	stop((int)pids[2]);
	assert_true(is_readable(watch, 10000));
	assert_int_equal(process_watch_left(watch), 0);
	process_watch_free(watch);
}

TEST(a_process_that_had_ended_is_not_waited_for)
{
	uint32_t pids[2] = { (uint32_t)start(), gone_pid() };
	struct process_watch *watch;

	assert_int_equal(process_watch_new(pids, 2, NULL, 0, &watch), 0);
	assert_int_equal(process_watch_left(watch), 1);
	assert_false(process_watch_has_ended(watch, 1)); /* meanwhile */
	process_watch_free(watch);
	stop((int)pids[0]);
}

/* It has a place in /proc until its parent asks for its status. */
TEST(a_zombie_is_not_there)
{
	uint32_t pids[2] = { (uint32_t)start(), (uint32_t)start() };
	struct process_watch *watch;
	siginfo_t info;

	kill((int)pids[1], SIGKILL);
	assert_int_equal(waitid(P_PID, pids[1], &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(process_exists(pids[0]), 0);
	assert_int_equal(process_exists(pids[1]), -ESRCH);
	expect_cause("has ended (zombie)");
	assert_int_equal(process_thread_exists(pids[1]), -ESRCH);
	expect_cause("has ended (zombie)");
	assert_int_equal(process_watch_new(pids, 2, NULL, 0, &watch), 0);
	assert_int_equal(process_watch_left(watch), 1);
	assert_false(process_watch_has_ended(watch, 1));
	process_watch_free(watch);
	stop((int)pids[0]);
	stop((int)pids[1]);
}

/* There is no pidfd of a process for it: -ENOENT, before 6.9 -EINVAL. */
TEST(a_thread_among_processes_is_left_out)
{
	struct thread_test test;
	pthread_t thread = start_thread(&test);
	uint32_t pids[2] = { (uint32_t)start(), test.tid };
	struct process_watch *watch;

	assert_int_equal(process_watch_new(pids, 2, NULL, 0, &watch), 0);
	assert_int_equal(process_watch_left(watch), 1);
	assert_false(process_watch_has_ended(watch, 1));
	stop((int)pids[0]);
	assert_true(is_readable(watch, 10000));
	assert_int_equal(process_watch_left(watch), 0);
	process_watch_free(watch);
	end_thread(&test, thread);
}

TEST(the_end_of_a_thread_is_seen)
{
	struct thread_test test;
	pthread_t thread = start_thread(&test);
	struct process_watch *watch;

	assert_int_equal(process_watch_new(NULL, 0, &test.tid, 1, &watch), 0);
	assert_int_equal(process_watch_left(watch), 1);
	end_thread(&test, thread);
	for (int i = 0; i < 10000 && process_watch_left(watch); i++)
		poll(NULL, 0, 1); /* a joined thread can be in /proc a moment longer */
	assert_int_equal(process_watch_left(watch), 0);
	process_watch_free(watch);
}

TEST(more_targets_than_descriptors_are_watched)
{
	struct rlimit given, low;
	uint32_t pids[1100];
	struct process_watch *watch;
	int err;

	for (size_t i = 0; i < 1100; i++)
		pids[i] = (uint32_t)(i == 0 || i == 1099 ? start() : getpid());
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &given), 0);
	low = (struct rlimit){ .rlim_cur = 1024, .rlim_max = given.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	err = process_watch_new(pids, 1100, NULL, 0, &watch);
	setrlimit(RLIMIT_NOFILE, &given);
	assert_int_equal(err, 0);
	assert_int_equal(process_watch_left(watch), 1100);
	stop((int)pids[0]);
	stop((int)pids[1099]);
	assert_int_equal(process_watch_left(watch), 1098);
	assert_true(process_watch_has_ended(watch, 0));
	assert_true(process_watch_has_ended(watch, 1099));
	process_watch_free(watch);
}

/* ---- pid namespaces ---- */

/* Runs `check` as pid 1 of a new pid namespace, with its own /proc or the old one. False when that is not permitted. */
static bool run_in_pid_namespace(bool own_proc, int (*check)(void), int *ret_status)
{
	int pid = fork(), status;

	if (!pid) {
		if (unshare(CLONE_NEWPID | CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
			_exit(77);
		pid = fork();
		if (!pid) {
			if (own_proc && mount("proc", "/proc", "proc", 0, NULL))
				_exit(77);
			_exit(check());
		}
		waitpid(pid, &status, 0);
		_exit(WEXITSTATUS(status));
	}
	waitpid(pid, ret_status, 0);
	*ret_status = WEXITSTATUS(*ret_status);
	if (*ret_status == 77)
		print_message("namespaces cannot be made here\n");
	return *ret_status != 77;
}

static int check_own_namespace(void)
{
	uint64_t device = 0, inode = 0;
	struct stat status;

	if (process_require_proc() || process_pidns(&device, &inode) != 1 || stat("/proc/self/ns/pid", &status))
		return 1;
	return inode == status.st_ino && device == status.st_dev ? 0 : 2; /* equal for minor numbers below 256 */
}

static int check_foreign_proc(void)
{
	return process_require_proc() == -EXDEV && err_kind() == ERR_HOST ? 0 : 1;
}

TEST(a_child_pid_namespace_is_recognised)
{
	int status;

	if (!run_in_pid_namespace(true, check_own_namespace, &status))
		skip();
	assert_int_equal(status, 0);
	assert_true(run_in_pid_namespace(false, check_foreign_proc, &status));
	assert_int_equal(status, 0);
	assert_int_equal(process_require_proc(), 0);
}

/* In /proc/PID/status they come before all that is said of namespaces. */
static int check_with_many_groups(void)
{
	gid_t groups[400];
	uint32_t inner = 0, user = 1;
	char outer[32] = "";

	for (size_t i = 0; i < 400; i++)
		groups[i] = (gid_t)(4000000000U + i);
	if (setgroups(400, groups) || readlink("/proc/self", outer, sizeof(outer) - 1) < 1)
		return 77;
	if (process_identity((uint32_t)strtoul(outer, NULL, 10), &inner, &user))
		return 1;
	return inner == 1 && user == 0 && process_require_proc() == -EXDEV ? 0 : 2;
}

TEST(many_groups_hide_no_namespace)
{
	int status;

	if (!run_in_pid_namespace(false, check_with_many_groups, &status))
		skip();
	assert_int_equal(status, 0);
}
