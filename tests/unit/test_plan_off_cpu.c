/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans of offcputime, offwaketime and wakeuptime: every line that bcc documents is taken; the header lines are bcc's. */

#include "core/resolve/probe_kinds.h"
#include "tests/unit/plan_line.h"
#include "tests/harness.h"

extern const struct applet offcputime_applet, offwaketime_applet, wakeuptime_applet;

TEST(every_documented_line_is_taken)
{
	must_plan_each(&offcputime_applet, &probe_scheduler,
		       "; 5; -f 5; -s 5; -m 1000; -M 10000; -p 185,175,165; -t 188,120,134; -u; -k; -U; -K; -K -f 5; "
		       "-K -p 26651 5; -d 1; -df 1; --state 2 1; --stack-storage-size 1 1; --min-block 3");
	must_plan_each(&offwaketime_applet, &probe_scheduler,
		       "; 5; -f 5; -fu 5; -m 1000; -M 9000; -p 185; -t 188; -u; -k; -U; -K; -Kf 1; --state 0; "
		       "-p 1,2,3,4,5,6,7");
	must_plan_each(&wakeuptime_applet, &probe_scheduler,
		       "; 5; -f 5; -u; -p 185; -p 19097 5; -v 1; -m 1 -M 9 2; --u 1; --ver 1; --fold 1");
}

PLAN_TEST(limits_are_inclusive_microseconds)
{
	must_plan(&offcputime_applet, "", plan);
	assert_int_equal(plan->off_cpu.min_ns, 1000);
	assert_true(plan->off_cpu.max_ns == UINT64_MAX);
	must_plan(&offcputime_applet, "-m 5 -M 7", plan);
	assert_int_equal(plan->off_cpu.min_ns, 5000);
	assert_int_equal(plan->off_cpu.max_ns, 7999);
	must_plan(&wakeuptime_applet, "-M 18446744073709551615", plan);
	assert_true(plan->off_cpu.max_ns == UINT64_MAX);
	must_plan(&wakeuptime_applet, "-m 18446744073709551615", plan);
	assert_true(plan->off_cpu.min_ns == UINT64_MAX);
	must_refuse_each(&offwaketime_applet, "-m 8 -M 7");
}

PLAN_TEST(states_are_masks_or_letters)
{
	must_plan(&offcputime_applet, "", plan);
	assert_int_equal(plan->off_cpu.state_filter, STATES_ALL);
	must_plan(&offcputime_applet, "--state 0", plan);
	assert_int_equal(plan->off_cpu.state_filter, STATES_MASK);
	assert_int_equal(plan->off_cpu.states, 0);
	must_plan(&offcputime_applet, "--state 0x402", plan);
	assert_int_equal(plan->off_cpu.states, 0x402);
	must_plan(&offwaketime_applet, "--state DSt", plan);
	assert_int_equal(plan->off_cpu.state_filter, STATES_LETTERS);
	assert_int_equal(plan->off_cpu.states, 1U << ('D' - 'A') | 1U << ('S' - 'A') | 1U << 31);
	must_refuse_each(&offcputime_applet, "--state Q; --state 2x; --state 4294967296; --state=");
}

PLAN_TEST(options_reach_the_plan)
{
	must_plan(&offcputime_applet, "-k -K -d --runqueue --unfinished --interval 2 --stack-storage-size 9 --strict 3",
		  plan);
	assert_int_equal(plan->off_cpu.threads, THREADS_KERNEL);
	assert_int_equal(plan->off_cpu.part, PART_RUNQUEUE);
	assert_int_equal(plan->off_cpu.measure, MEASURE_OFF_CPU);
	assert_true(plan->off_cpu.unfinished && plan->strict && plan->want_kernel && !plan->want_user);
	assert_false(plan->view.delimited); /* there is one stack only */
	assert_int_equal(plan->interval_ns, 2000000000);
	assert_int_equal(plan->duration_ns, 3000000000);
	assert_int_equal(plan->record_entries, 9);
	assert_int_equal(plan->key_parts, KEY_TGID | KEY_TID | KEY_COMM);
	must_plan(&offwaketime_applet, "-u", plan);
	assert_int_equal(plan->off_cpu.measure, MEASURE_OFF_WAKE);
	assert_int_equal(plan->off_cpu.threads, THREADS_USER);
	must_plan(&wakeuptime_applet, "-u", plan);
	assert_int_equal(plan->off_cpu.measure, MEASURE_WAKE);
	assert_int_equal(plan->off_cpu.threads, THREADS_USER);
	assert_int_equal(plan->key_parts, KEY_COMM);
	assert_true(plan->want_kernel && !plan->want_user && plan->view.addresses && plan->view.offsets);
}

TEST(wakers_have_both_stacks_when_asked)
{
	static const struct {
		const char *line;
		bool kernel, user;
	} lines[] = {
		{ "1", true, false }, { "-K 1", true, false }, { "-U 1", false, true }, { "--both 1", true, true }
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		_cleanup_(plan_done) struct plan plan = {};

		must_plan(&wakeuptime_applet, lines[i].line, &plan);
		assert_true(plan.want_kernel == lines[i].kernel && plan.view.want_kernel == lines[i].kernel);
		assert_true(plan.want_user == lines[i].user && plan.view.want_user == lines[i].user);
	}
	must_refuse_each(&wakeuptime_applet, "-U -K 1");
	expect_header(&wakeuptime_applet, "--both 1", "Tracing blocked time (us) by user + kernel stack for 1 secs.");
	expect_header(&wakeuptime_applet, "-U 1", "Tracing blocked time (us) by user stack for 1 secs.");
}

/* The time of an interval, and its name, are those of a thread. */
TEST(times_and_threads_are_options_of_all)
{
	static const struct applet *const applets[] = { &offcputime_applet, &offwaketime_applet, &wakeuptime_applet };

	for (size_t i = 0; i < sizeof(applets) / sizeof(*applets); i++) {
		_cleanup_(plan_done) struct plan plan = {};

		must_plan(applets[i], "1", &plan);
		assert_false(plan.off_cpu.by_time || plan.view.times || plan.view.by_thread);
		must_plan(applets[i], "--timestamps 1", &plan);
		assert_true(plan.off_cpu.by_time && plan.view.times && !plan.view.by_thread);
		assert_int_equal(plan.mode, EVENTS_BY_STACK);
		assert_int_equal(plan.key_parts, KEY_TGID | KEY_TID | KEY_COMM);
		must_plan(applets[i], "--per-thread 1", &plan);
		assert_true(plan.view.by_thread && !plan.off_cpu.by_time);
		assert_int_equal(plan.key_parts, KEY_TGID | KEY_TID | KEY_COMM);
	}
}

TEST(what_excludes_each_other_is_refused)
{
	must_refuse_each(&offcputime_applet, "-p 1 -t 2; -u -k; -U -K; -k -U; --blocked --runqueue");
	must_refuse_each(&offwaketime_applet, "-p 1 -u");
	must_refuse_each(&wakeuptime_applet, "-u -p 3; 0; -p 0");
	assert_int_equal(plan_line(&offcputime_applet, "-f -s", &(struct plan){}), -EINVAL); /* status 1, as in bcc */
	assert_int_not_equal(err_kind(), ERR_USAGE);
}

TEST(a_file_of_no_format_is_refused)
{
	must_refuse_each(&offcputime_applet, "-o report.unknown");
	must_refuse_each(&offwaketime_applet, "-o report.unknown");
	must_refuse_each(&wakeuptime_applet, "-o report.unknown");
}

TEST(histograms_are_for_forms_that_have_room)
{
	static const struct applet *const applets[] = { &offcputime_applet, &offwaketime_applet, &wakeuptime_applet };

	for (size_t i = 0; i < sizeof(applets) / sizeof(*applets); i++) {
		_cleanup_(plan_done) struct plan plan = {};

		must_plan(applets[i], "1", &plan);
		assert_false(plan.off_cpu.by_duration || plan.view.histogram);
		must_plan(applets[i], "--histogram 1", &plan);
		assert_true(plan.off_cpu.by_duration && plan.view.histogram);
		must_plan(applets[i], "--histogram -o a.json 1", &plan);
		must_plan(applets[i], "--histogram --format stk 1", &plan);
		must_plan(applets[i], "--histogram -f --save a.stk 1", &plan); /* the file has it */
		assert_true(plan.off_cpu.by_duration && plan.view.histogram && plan.view.folded);
		must_refuse_each(
			applets[i],
			"--histogram -f 1; --histogram --format folded 1; --histogram -o a.svg 1; --histogram --format perf 1");
	}
}

TEST(headers_are_bccs)
{
	expect_header(&offcputime_applet, "",
		      "Tracing off-CPU time (us) of all threads by user + kernel stack... Hit Ctrl-C to end.");
	expect_header(&offcputime_applet, "-p 1,2 -U 1",
		      "Tracing off-CPU time (us) of PIDs 1,2 by user stack for 1 secs.");
	expect_header(&offcputime_applet, "-t 3 -K 5",
		      "Tracing off-CPU time (us) of TIDs 3 by kernel stack for 5 secs.");
	expect_header(&offcputime_applet, "-u 1",
		      "Tracing off-CPU time (us) of user threads by user + kernel stack for 1 secs.");
	expect_header(&offcputime_applet, "-k 1",
		      "Tracing off-CPU time (us) of kernel threads by user + kernel stack for 1 secs.");
	expect_header(&offwaketime_applet, "1",
		      "Tracing blocked time (us) by user + kernel off-CPU and waker stack for 1 secs.");
	expect_header(&offwaketime_applet, "-U",
		      "Tracing blocked time (us) by user off-CPU and waker stack... Hit Ctrl-C to end.");
	expect_header(&wakeuptime_applet, "1", "Tracing blocked time (us) by kernel stack for 1 secs.");
	expect_header(&wakeuptime_applet, "", "Tracing blocked time (us) by kernel stack... Hit Ctrl-C to end.");
}
