/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans of funccount and stacksnoop: every line that bcc documents is taken, and means what it should. */

#include "core/resolve/probe_kinds.h"
#include "tests/unit/plan_line.h"
#include "tests/harness.h"

extern const struct applet funccount_applet, funclatency_applet, slow_applet, stacksnoop_applet;

TEST(funccount_takes_every_documented_line)
{
	must_plan_each(&funccount_applet, &probe_kernel_function,
		       "vfs_*; tcp_*; *readdir*; *tcp*send*; -r ^vfs.*; -Ti 5 vfs_*; -i 1 -d 5 vfs_read; -d 10 vfs_*; "
		       "-p 185 vfs_*; -c 1 vfs_*; -i 1 -c 1 lapic_next_deadline; -D --dur 3 --inter=1 --time --reg x");
	must_plan_each(&funccount_applet, &probe_user_function,
		       "-r c:(write|read)$; c:malloc; go:os.*; -p 185 go:os.*; ./test:read*; "
		       "-p 1442 /home/ubuntu/contentions:*; -p 1442 contentions:*");
	must_plan_each(&funccount_applet, &probe_tracepoint, "t:block:*; t:sched:sched_fork");
	must_plan_each(&funccount_applet, &probe_usdt, "-p 185 u:node:gc*; u:pthread:*mutex* -p 1442");
}

PLAN_TEST(funccount_means_what_it_says)
{
	_cleanup_(buf_done) struct buf text = {};

	must_plan(&funccount_applet, "-p 7,8 -c 0 -Ti 5 -d 10 -D -l c malloc --max-probes 9", plan);
	assert_int_equal(plan->mode, EVENTS_BY_PROBE);
	assert_int_equal(plan->tgids.nr, 2);
	assert_int_equal(plan->cpus.nr, 1);
	assert_int_equal(plan->interval_ns, 5000000000);
	assert_int_equal(plan->duration_ns, 10000000000);
	assert_int_equal(plan->max_probes, 9);
	assert_true(plan->debug && plan->view.timestamps && plan->include_idle);
	assert_false(plan->want_kernel || plan->want_user);
	assert_int_equal(plan->view.style, VIEW_FUNCCOUNT);
	assert_ptr_equal(plan->probe.kind, &probe_user_function);
	funccount_applet.header(plan, 3, &text);
	assert_string_equal(buf_text(&text), "Tracing 3 functions for \"malloc\"... Hit Ctrl-C to end.");
}

TEST(funclatency_takes_every_documented_line)
{
	must_plan_each(
		&funclatency_applet, &probe_kernel_function,
		"do_sys_open; -u vfs_read; -m do_nanosleep; -mTi 5 vfs_read; -p 181 vfs_read; vfs_fstat*; -F vfs_r*; "
		"-uF vfs_r*; -um vfs_read; -mp 17064 vfs_read; -l 3 -F vfs_read; -v x; -r ^vfs_read$; -i 2 -d 10 x");
	must_plan_each(
		&funclatency_applet, &probe_user_function,
		"c:read; -i 2 -d 10 c:open; c:*printf; pthread:pthread_mutex_lock -p 7; /home/user/primes:* -p 7 -F");
	must_refuse_each(
		&funclatency_applet,
		"; -l 0 x; -l 65 x; c:malloc c:free; u:c:setjmp; u:c:a u:c:b u:c:c; -d 0 x; --histogram x; --lines x");
}

PLAN_TEST(funclatency_means_what_it_says)
{
	must_plan(&funclatency_applet, "-mTl 3 c:read", plan);
	assert_int_equal(plan->mode, EVENTS_BY_LENGTH);
	assert_int_equal(plan->levels, 3);
	assert_int_equal(view_unit_ns(&plan->view), 1000000);
	assert_true(plan->view.by_function && plan->key_parts & KEY_TGID); /* by process, as bcc does */
	assert_false(plan->view.percentiles); /* under bcc's name */
	must_plan(&funclatency_applet, "-p 7 c:read", plan);
	assert_false(plan->view.by_function || plan->key_parts & KEY_TGID);
	assert_int_equal(view_unit_ns(&plan->view), 1);
	must_plan(&funclatency_applet, "-F vfs_read", plan);
	assert_true(plan->view.by_function && !(plan->key_parts & KEY_TGID));
	expect_header(&funclatency_applet, "vfs_r*", "Tracing 1 functions for \"vfs_r*\"... Hit Ctrl-C to end.");
}

TEST(slow_takes_every_documented_line)
{
	must_plan_each(&slow_applet, &probe_user_function,
		       "--above 50ms -p 181 ./server:handle; --above 100ms -o slow.html -p 181 ./server:handle; "
		       "--above 10ms -p 181 c:fsync; --below 50ms --save fast.stk -p 181 ./server:handle; "
		       "--above 20ms ./server:handle -- ./server");
	must_plan_each(&slow_applet, &probe_tracepoint, "--above 10ms t:syscalls:sys_enter_openat");
	must_plan_each(&slow_applet, &probe_kernel_function, "--above 1ms vfs_read; --above 500 -f -m vfs_read");
	must_refuse_each(&slow_applet,
			 "; x; --above 0 x; --above 1ms; --above 1ms --below 2ms x; --above 1ms c:malloc c:free; "
			 "--above 1ms u:c:setjmp; --above 1ms -i 1 x");
}

PLAN_TEST(slow_means_what_it_says)
{
	must_plan(&slow_applet, "--above 50ms -p 7 c:read", plan);
	assert_int_equal(plan->mode, EVENTS_BY_LENGTH);
	assert_int_equal(plan->levels, 1);
	assert_true(plan->view.slow && !plan->view.fast && plan_has_states(plan) && !plan_counts_functions(plan));
	assert_int_equal(plan->view.limit_ns, 50000000);
	assert_int_equal(view_unit_ns(&plan->view), 1000);
	assert_true(plan->want_user && plan->want_kernel);
	expect_header(&slow_applet, "--above 50ms c:read",
		      "Tracing calls of c:read that take at least 0.05 s... Hit Ctrl-C to end.");
	must_plan(&slow_applet, "--below 7 -d 2 vfs_read", plan);
	assert_true(plan->view.slow && plan->view.fast);
	assert_int_equal(plan->view.limit_ns, 7000);
}

PLAN_TEST(threads_and_addresses_are_options_of_both)
{
	must_plan(&funccount_applet, "-t 7,8 x", plan);
	assert_int_equal(plan->tids.nr, 2);
	must_plan(&stacksnoop_applet, "-A -t 7 x", plan);
	assert_int_equal(plan->tids.nr, 1);
	assert_true(plan->view.addresses);
	must_refuse_each(&funccount_applet, "-t 7 -p 8 x");
}

PLAN_TEST(several_patterns_are_one_plan)
{
	must_plan(&funccount_applet, "c:malloc c:free", plan);
	assert_int_equal(plan->probes.nr, 2);
	assert_string_equal(plan->probes.data[1].pattern, "free");
	assert_ptr_equal(plan->probe.kind, &probe_user_function);
	expect_header(&funccount_applet, "c:malloc c:free",
		      "Tracing 1 functions for \"c:malloc c:free\"... Hit Ctrl-C to end.");
	must_plan(&funccount_applet, "-l c malloc free", plan);
	assert_string_equal(plan->probes.data[1].target, "c");
	must_plan(&funccount_applet, "c:malloc", plan);
	assert_int_equal(plan->probes.nr, 0);
	assert_string_equal(plan->probe.pattern, "malloc");
}

TEST(funccount_refuses_nonsense)
{
	must_refuse_each(&funccount_applet, "; -d 0 x; -i -1 x; -p 0 x; -c x y; x c:y; a:b:c:d; 3 x; x 3");
}

/* ---- stacksnoop ---- */

TEST(stacksnoop_takes_every_documented_line)
{
	must_plan_each(&stacksnoop_applet, &probe_kernel_function,
		       "ext4_sync_fs; -s ext4_sync_fs; -v ext4_sync_fs; -p 185 ext4_sync_fs; -r ^tcp_");
	must_plan_each(&stacksnoop_applet, &probe_user_function, "-U -n 3 c:malloc");
	must_plan_each(&stacksnoop_applet, &probe_tracepoint, "-T --both t:sched:sched_fork");
	must_plan_each(&stacksnoop_applet, &probe_usdt, "-p 1 u:node:gc__start");
}

static void expect_stacks(const char *line, bool kernel, bool user)
{
	_cleanup_(plan_done) struct plan plan = {};

	must_plan(&stacksnoop_applet, line, &plan);
	assert_int_equal(plan.mode, EVENTS_EACH);
	assert_int_equal(plan.want_kernel, kernel);
	assert_int_equal(plan.want_user, user);
	assert_int_equal(plan.view.want_kernel, kernel);
	assert_int_equal(plan.view.want_user, user);
}

TEST(stacksnoop_shows_the_kernel_stack_by_default)
{
	expect_stacks("vfs_read", true, false);
	expect_stacks("-K vfs_read", true, false);
	expect_stacks("-U vfs_read", false, true);
	expect_stacks("--both vfs_read", true, true);
	expect_stacks("t:sched:sched_fork", true, false);
	expect_stacks("c:malloc", false, true);
	expect_stacks("--both c:malloc", true, true);
	expect_stacks("-K c:malloc", true, false);
}

TEST(stacksnoop_has_bccs_headers)
{
	expect_header(&stacksnoop_applet, "x", "TIME(s)            FUNCTION");
	expect_header(&stacksnoop_applet, "-v x", "TIME(s)            COMM         PID    CPU FUNCTION");
	expect_header(&stacksnoop_applet, "--per-thread x",
		      "TIME(s)            COMM         PID/TID         CPU FUNCTION");
	expect_header(&stacksnoop_applet, "-T x", "TIME               FUNCTION");
}

TEST(stacksnoop_refuses_nonsense)
{
	must_refuse_each(&stacksnoop_applet, "; -n 0 x; -U -K x; --both -U x; -p -1 y; x c:y");
}
