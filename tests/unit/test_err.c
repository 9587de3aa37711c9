/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Causes belong to the call that failed, and none of them can turn output that is not written into success. */
#include "core/base/err.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/cli/finish.h"
#include "core/host/host.h"
#include "tests/harness.h"

static int callee(void)
{
	return fail_host(-ENOENT, "the callee's cause");
}

TEST(the_cause_is_that_of_the_call_that_failed)
{
	err_clear();
	assert_int_equal(callee(), -ENOENT);
	hint("of the callee");
	assert_int_equal((fail)(-EPERM, "what the caller makes of it"), -EPERM);
	assert_string_equal(err_cause(), "what the caller makes of it");
	assert_string_equal(err_hint(), "");
	assert_int_equal(err_kind(), ERR_FAILED);
	err_clear();
}

TEST(what_may_fail_leaves_the_cause_alone)
{
	err_clear();
	for (int had_cause = 0; had_cause < 2; had_cause++) {
		if (had_cause)
			fail_usage("on its way up");
		hint("with advice");
		{
			_cleanup_(err_restore) struct err_saved before = err_save();

			callee();
			hint("of the callee");
			err_clear();
			callee();
		}
		assert_int_equal(err_kind(), had_cause ? ERR_USAGE : ERR_NONE);
		assert_string_equal(err_cause(), had_cause ? "on its way up" : "");
		assert_string_equal(err_hint(), had_cause ? "with advice" : "");
	}
	err_clear();
}

TEST(a_long_cause_is_cut_in_its_middle)
{
	_cleanup_(buf_done) struct buf pattern = {};

	for (int i = 0; i < 50000; i++)
		buf_adds(&pattern, "\u00e4");
	(fail)(-ENOENT, "'%s': no such library", buf_text(&pattern));
	hint("'%s' is long", buf_text(&pattern));
	for (int i = 0; i < 2; i++) {
		const char *text = i ? err_hint() : err_cause();
		const char *end = i ? "\u00e4' is long" : "\u00e4': no such library";
		const char *cut = strstr(text, "...");

		assert_true(strlen(text) < 512);
		assert_true(!strncmp(text, "'\u00e4", 3));
		assert_string_equal(text + strlen(text) - strlen(end), end);
		assert_non_null(cut);
		assert_true(((unsigned char)cut[3] & 0xc0) != 0x80); /* between characters */
		assert_true(((unsigned char)cut[-1] & 0xc0) == 0x80);
	}
	err_clear();
}

/* In a child, where /sys has no list of CPUs. 77: namespaces are not to be had here. */
static int ask_for_cpus(void)
{
	cpu_list cpus = {};

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) || mount("none", "/sys/devices/system/cpu", "tmpfs", 0, NULL))
		return 77;
	fail_usage("on its way up");
	if (host_tells_online_cpus(&cpus) || strcmp(err_cause(), "on its way up"))
		return 1;
	err_clear();
	return host_tells_online_cpus(&cpus) || err_kind() != ERR_NONE ? 2 : 0;
}

TEST(cpus_that_cannot_be_listed_leave_no_cause)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(ask_for_cpus());
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

static int end_on(const char *path, int err)
{
	FILE *out = fopen(path, "we");
	int result;

	assert_non_null(out);
	fputs("a report", out);
	result = finish_output(out, err);
	fclose(out);
	return result;
}

TEST(a_full_disk_is_a_failure_whatever_was_recorded)
{
	for (int stale = 0; stale < 2; stale++) {
		err_clear();
		if (stale)
			callee();
		assert_int_equal(end_on("/dev/full", 0), -ENOSPC);
		assert_string_equal(err_cause(), "standard output: cannot be written: No space left on device");
		assert_int_equal(err_kind(), ERR_FAILED);

		err_clear();
		if (stale)
			callee();
		assert_int_equal(end_on("/dev/null", 0), 0);
		assert_int_equal(err_kind(), ERR_NONE);
	}
}

TEST(the_cause_of_the_run_stays)
{
	err_clear();
	assert_int_equal(end_on("/dev/full", callee()), -ENOENT);
	assert_string_equal(err_cause(), "the callee's cause");
	err_clear();
	assert_int_equal(end_on("/dev/null", -ENOMEM), -ENOMEM);
	assert_string_equal(err_cause(), "failed: Cannot allocate memory");
	err_clear();
}

TEST(a_reader_that_has_gone_is_no_failure)
{
	for (int err = 0; err >= -EPIPE; err -= EPIPE) {
		int ends[2];
		FILE *out;

		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
		out = fdopen(ends[1], "w");
		assert_non_null(out);
		close(ends[0]);
		fputs("a report", out);
		err_clear();
		assert_int_equal(finish_output(out, err), 0);
		fclose(out);
	}
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	return run_all_tests();
}
