/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of system calls: their numbers, and when they are taken from the raw tracepoints. */
#include <sys/syscall.h>

#include "core/base/alloc.h"
#include "core/resolve/attach_plan.h"
#include "core/resolve/system_calls.h"
#include "tests/harness.h"

static void expect_call(const char *event, int number, bool is_exit)
{
	struct system_call call;

	assert_true(system_call_of_event(event, &call));
	assert_int_equal(call.number, number);
	assert_int_equal(call.is_exit, is_exit);
}

TEST(calls_have_their_numbers)
{
	struct system_call call;

	expect_call("sys_enter_getppid", SYS_getppid, false);
	expect_call("sys_exit_getppid", SYS_getppid, true);
	expect_call("sys_enter_mseal", 462, false);
	assert_false(system_call_of_event("sys_enter", &call));
	assert_false(system_call_of_event("sys_exit", &call));
	assert_false(system_call_of_event("sys_enter_no_such_call", &call));
	assert_false(system_call_of_event("sched_switch", &call));
}

/* The kernel's functions, by which events are called, have names of their own. */
TEST(calls_are_found_by_the_kernels_functions)
{
	expect_call("sys_enter_newuname", SYS_uname, false);
	expect_call("sys_exit_umount", SYS_umount2, true);
	expect_call("sys_exit_newfstat", SYS_fstat, true);
	expect_call("sys_enter_sendfile64", SYS_sendfile, false);
#ifdef __x86_64__
	expect_call("sys_enter_newstat", SYS_stat, false);
	expect_call("sys_exit_newlstat", SYS_lstat, true);
#endif
}

/* ---- what is attached ---- */

static void add(struct attach_plan *attach, const char *category, const char *event)
{
	vec_push(&attach->places, (struct probe_place){
					  .name = xasprintf("%s:%s", category, event),
					  .category = xstrdup(category),
					  .event = xstrdup(event),
				  });
}

static void prefer(struct attach_plan *attach, bool want_kernel)
{
	struct plan plan = { .want_kernel = want_kernel };

	attach->mechanism = MECHANISM_TRACEPOINT;
	system_calls_prefer_raw(&plan, attach);
}

TEST(beginnings_and_ends_are_taken_raw)
{
	_cleanup_(attach_plan_done) struct attach_plan attach = {};

	add(&attach, "syscalls", "sys_enter_read");
	add(&attach, "syscalls", "sys_exit_read");
	prefer(&attach, true);
	assert_int_equal(attach.mechanism, MECHANISM_SYSTEM_CALLS);
	assert_string_equal(attach_plan_program(&attach), "on_sys_enter");
	assert_string_equal(attach.places.data[1].program, "on_sys_exit");
	assert_int_equal(attach.places.data[1].number, SYS_read);
	assert_true(attach.places.data[1].is_exit && !attach.places.data[0].is_exit);
	assert_non_null(strstr(buf_text(&attach.note), "kernel stacks of sys_exit_read show only the exit path"));
}

TEST(ends_by_themselves_have_their_program)
{
	_cleanup_(attach_plan_done) struct attach_plan attach = {};

	add(&attach, "syscalls", "sys_exit_read");
	prefer(&attach, false);
	assert_int_equal(attach.mechanism, MECHANISM_SYSTEM_CALLS);
	assert_string_equal(attach_plan_program(&attach), "on_sys_exit");
	assert_string_equal(buf_text(&attach.note), "");
}

TEST(another_event_keeps_all_of_them_classic)
{
	_cleanup_(attach_plan_done) struct attach_plan attach = {}, quiet = {}, others = {};

	add(&attach, "syscalls", "sys_exit_read");
	add(&attach, "task", "task_rename");
	prefer(&attach, true);
	assert_int_equal(attach.mechanism, MECHANISM_TRACEPOINT);
	assert_non_null(strstr(
		buf_text(&attach.note),
		"on kernels before Linux 6.12, system calls have no kernel stacks in this run, because task:task_rename is traced too"));

	add(&quiet, "syscalls", "sys_enter_read");
	add(&quiet, "syscalls", "sys_enter_no_such_call");
	prefer(&quiet, false);
	assert_int_equal(quiet.mechanism, MECHANISM_TRACEPOINT);
	assert_string_equal(buf_text(&quiet.note), "");

	add(&others, "sched", "sched_switch");
	prefer(&others, true);
	assert_int_equal(others.mechanism, MECHANISM_TRACEPOINT);
	assert_string_equal(buf_text(&others.note), "");
}
