/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the words of a command line to the plan: every line that bcc documents for profile and stackcount is taken, and
 * means what it should. The header lines are bcc's.
 */

#include "core/resolve/probe_kinds.h"
#include "tests/unit/plan_line.h"
#include "tests/harness.h"

extern const struct applet profile_applet, count_applet, funccount_applet, stacksnoop_applet, offcputime_applet,
	offwaketime_applet, wakeuptime_applet, wall_applet, lock_applet, dump_applet;

/* ---- profile ---- */

TEST(profile_takes_every_documented_line)
{
	must_plan_each(
		&profile_applet, &probe_sample,
		"; -F 99; -F 99 5; -c 1000000; 5; -f 5; -df 5; -adf -p 185 10; -p 185; -p 2040,1316151; -p 25036 -d; "
		"-L 185; -U; -K; -I; -C 7 2; --cgroupmap mappath; --mntnsmap mappath; "
		"--stack-storage 10 --hash-storage-size=20; -A 1; --ebpf");
}

PLAN_TEST(profile_samples_49_times_a_second_of_both_stacks)
{
	must_plan(&profile_applet, "", plan);
	assert_string_equal(plan->applet, "profile");
	assert_ptr_equal(plan->probe.kind, &probe_sample);
	assert_int_equal(plan->event, SAMPLE_DEFAULT);
	assert_int_equal(plan->frequency_hz, 49);
	assert_int_equal(plan->period, 0);
	assert_int_equal(plan->cpus.nr, 0);
	assert_int_equal(plan->key_parts, KEY_TGID | KEY_COMM);
	assert_true(plan->want_kernel && plan->want_user && plan->view.want_kernel && plan->view.want_user);
	assert_false(plan->include_idle);
	assert_int_equal(plan->duration_ns, 0);
	assert_int_equal(plan->view.style, VIEW_PROFILE);
	assert_true(plan->view.offsets && plan->view.modules);
	assert_false(plan->view.addresses || plan->view.delimited || plan->view.folded);
}

PLAN_TEST(profile_options_reach_the_plan)
{
	must_plan(
		&profile_applet,
		"-p 7,8 -c 1000 -e page-faults -K -afIA --plain -C 0 --cgroupmap c --mntnsmap m --pidns n --hash-storage-size "
		"10 --stack-storage-size 20 --save s --strict --explain --debug --no-demangle 2.5",
		plan);
	assert_int_equal(plan->tgids.nr, 2);
	assert_int_equal(plan->tgids.data[1], 8);
	assert_int_equal(plan->period, 1000);
	assert_int_equal(plan->frequency_hz, 0);
	assert_int_equal(plan->event, SAMPLE_PAGE_FAULTS);
	assert_true(plan->want_kernel && !plan->want_user && plan->view.want_kernel && !plan->view.want_user);
	assert_true(plan->view.annotate && plan->view.folded && plan->view.addresses && plan->include_idle);
	assert_false(plan->view.offsets || plan->view.modules);
	assert_int_equal(plan->cpus.nr, 1);
	assert_int_equal(plan->cpus.data[0], 0);
	assert_string_equal(plan->cgroup_map, "c");
	assert_string_equal(plan->mntns_map, "m");
	assert_string_equal(plan->pidns, "n");
	assert_int_equal(plan->count_entries, 10);
	assert_int_equal(plan->record_entries, 20);
	assert_string_equal(plan->save_path, "s");
	assert_true(plan->strict && plan->explain && plan->debug && plan->no_demangle);
	assert_false(plan->ebpf);
	assert_int_equal(plan->duration_ns, 2500000000);
}

TEST(profile_header_is_bccs)
{
	expect_header(&profile_applet, "",
		      "Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end.");
	expect_header(&profile_applet, "1", "Sampling at 49 Hertz of all threads by user + kernel stack for 1 secs.");
	expect_header(&profile_applet, "-K 1", "Sampling at 49 Hertz of all threads by kernel stack for 1 secs.");
	expect_header(&profile_applet, "-UF 99 -p 1,2 1",
		      "Sampling at 99 Hertz of PID [1, 2] by user stack for 1 secs.");
	expect_header(&profile_applet, "-c 1000 -L 7 -C 2 1",
		      "Sampling at every 1000 events of TID [7] by user + kernel stack on CPU#2 for 1 secs.");
	expect_header(&profile_applet, "-C 0 0.5",
		      "Sampling at 49 Hertz of all threads by user + kernel stack on CPU#0 for 0.5 secs.");
}

TEST(profile_excludes_what_bcc_excludes)
{
	must_refuse_each(&profile_applet, "-p 1 -L 2; -U -K; -F 1 -c 1");
}

PLAN_TEST(a_mistyped_event_is_guessed)
{
	assert_true(plan_line(&profile_applet, "-e cpu-clcok", plan) < 0);
	assert_string_equal(err_cause(), "event 'cpu-clcok': no such event");
	assert_non_null(strstr(err_hint(), "did you mean 'cpu-clock'?"));
	assert_true(plan_line(&profile_applet, "-e zzzzzzzz", plan) < 0);
	assert_non_null(strstr(err_hint(), "there are cpu-cycles, cpu-clock, "));
}

/* ---- count ---- */

TEST(count_takes_every_documented_line)
{
	must_plan_each(
		&count_applet, &probe_kernel_function,
		"submit_bio; ip_output; -d submit_bio; -K submit_bio; -U submit_bio; -s ip_output; -sv ip_output; "
		"tcp_send*; -r ^tcp_send.*; -Ks tcp_send*; -Ti 5 ip_output; -P -Tdi 1 submit_bio; -P -d submit_bio; "
		"-P -U ip_output; -P -s tcp_sendmsg; -P -v tcp_sendmsg; -p 185 ip_output; -c 1 put_prev_entity; "
		"__kmalloc_noprof -i 1; -D 10 --debug ip_output");
	must_plan_each(
		&count_applet, &probe_tracepoint,
		"t:sched:sched_fork; -K t:sched:sched_switch; -U t:sched:sched_switch; -P -df t:sched:sched_switch");
	must_plan_each(&count_applet, &probe_usdt, "-p 185 u:node:*; -p 185 u:pthread:pthread_create");
	must_plan_each(&count_applet, &probe_user_function, "-p 185 c:malloc");
}

TEST(count_takes_the_older_form_in_any_order)
{
	must_plan_each(&count_applet, &probe_user_function,
		       "-l c -p 185 malloc; -p 185 -l c malloc; malloc -l c -p 185; -l c malloc -p 185");
}

PLAN_TEST(count_keeps_nothing_but_stacks)
{
	must_plan(&count_applet, "t:sched:sched_switch", plan);
	assert_string_equal(plan->applet, "count");
	assert_ptr_equal(plan->probe.kind, &probe_tracepoint);
	assert_int_equal(plan->key_parts, 0);
	assert_true(plan->include_idle);
	assert_true(plan->want_kernel && plan->want_user);
	assert_int_equal(plan->view.style, VIEW_STACKCOUNT);
	assert_false(plan->view.per_process || plan->view.offsets || plan->view.modules || plan->view.addresses);
	assert_int_equal(plan->cpus.nr, 0);
}

PLAN_TEST(count_options_reach_the_plan)
{
	must_plan(&count_applet, "-p 7 -c 0 -l /bin/app -i 2 -D 5 -Trsv --by-name -Kdf ^ma", plan);
	assert_int_equal(plan->tgids.data[0], 7);
	assert_int_equal(plan->cpus.nr, 1);
	assert_int_equal(plan->cpus.data[0], 0);
	assert_ptr_equal(plan->probe.kind, &probe_user_function);
	assert_string_equal(plan->probe.target, "/bin/app");
	assert_string_equal(plan->probe.pattern, "^ma");
	assert_true(plan->probe.regex);
	assert_int_equal(plan->interval_ns, 2000000000);
	assert_int_equal(plan->duration_ns, 5000000000);
	assert_true(plan->view.timestamps && plan->view.offsets && plan->view.addresses && plan->view.by_name);
	assert_true(plan->view.folded);
	assert_false(plan->view.delimited); /* of no meaning with one stack */
	assert_false(plan->want_user);
}

TEST(count_splits_processes_visibly_only_with_perpid)
{
	_cleanup_(plan_done) struct plan visible = {}, silent = {};

	must_plan(&count_applet, "-P x", &visible);
	assert_int_equal(visible.key_parts, KEY_TGID | KEY_COMM);
	assert_true(visible.view.per_process && !visible.view.no_process_line);
	must_plan(&count_applet, "-p 1 x", &silent);
	assert_int_equal(silent.key_parts, KEY_TGID | KEY_COMM);
	assert_true(silent.view.per_process && silent.view.no_process_line);
}

static void expect_children_followed(const struct applet *applet, const char *pattern)
{
	_cleanup_(plan_done) struct plan all = {}, alone = {};
	char line[64];

	snprintf(line, sizeof(line), "%s-- true", pattern);
	must_plan(applet, line, &all);
	assert_true(all.follow_children);
	vec_push(&all.tgids, 7);
	assert_false(plan_is_one_process(&all));
	snprintf(line, sizeof(line), "--no-children %s-- true", pattern);
	must_plan(applet, line, &alone);
	assert_false(alone.follow_children);
	vec_push(&alone.tgids, 7);
	assert_true(plan_is_one_process(&alone));
	snprintf(line, sizeof(line), "--no-children -p 1 %s", pattern);
	must_refuse_each(applet, line);
}

TEST(a_command_is_followed_with_its_children)
{
	expect_children_followed(&count_applet, "x ");
	expect_children_followed(&funccount_applet, "x ");
	expect_children_followed(&stacksnoop_applet, "x ");
	expect_children_followed(&profile_applet, "");
	expect_children_followed(&offcputime_applet, "");
	expect_children_followed(&offwaketime_applet, "");
	expect_children_followed(&wakeuptime_applet, "");
}

/* Hundreds of processes may have the same stack. */
TEST(rows_of_a_command_are_one_without_perpid)
{
	_cleanup_(plan_done) struct plan together = {}, apart = {}, alone = {};

	must_plan(&count_applet, "x -- true", &together);
	assert_true(together.view.by_name && together.view.no_process_line);
	must_plan(&count_applet, "-P x -- true", &apart);
	assert_false(apart.view.by_name || apart.view.no_process_line);
	must_plan(&count_applet, "--no-children x -- true", &alone);
	assert_false(alone.view.by_name);
}

PLAN_TEST(duration_alone_means_one_report)
{
	must_plan(&count_applet, "-D 3 x", plan);
	assert_int_equal(plan->duration_ns, 3000000000);
	assert_int_equal(plan->interval_ns, 0);
}

TEST(count_header_shows_the_pattern_as_typed)
{
	expect_header(&count_applet, "-D 1 p::submit_bio",
		      "Tracing 1 functions for \"p::submit_bio\"... Hit Ctrl-C to end.");
	expect_header(&count_applet, "-l c malloc", "Tracing 1 functions for \"malloc\"... Hit Ctrl-C to end.");
	assert_string_equal(count_applet.footer, "Detaching...");
	assert_null(profile_applet.footer);
}

/* ---- the plan in words ---- */

static void expect_description(const struct applet *applet, const char *line, const char *text)
{
	_cleanup_(plan_done) struct plan plan = {};
	_cleanup_(buf_done) struct buf described = {};

	must_plan(applet, line, &plan);
	plan_describe(&plan, &described);
	assert_string_equal(buf_text(&described), text);
}

TEST(a_plan_is_described_line_by_line)
{
	expect_description(&profile_applet, "-p 1,2 0.25",
			   "applet: profile\n"
			   "probe: sample\n"
			   "event: cpu-cycles, or cpu-clock without a PMU\n"
			   "sample: 49 times a second\n"
			   "processes: 1 2\n"
			   "cpu: all\n"
			   "idle: excluded\n"
			   "key: process, command, kernel stack, user stack\n"
			   "duration: 0.25 s\n");
	expect_description(&count_applet, "-U -i 1 -c 3 --save x --strict -r u:/lib/x:prov:(?:a|b)",
			   "applet: count\n"
			   "probe: USDT probe\n"
			   "typed: u:/lib/x:prov:(?:a|b)\n"
			   "target: /lib/x\n"
			   "provider: prov\n"
			   "expression: (?:a|b)\n"
			   "processes: all\n"
			   "cpu: 3\n"
			   "key: user stack\n"
			   "duration: until interrupted\n"
			   "interval: 1 s\n"
			   "save: x\n"
			   "strict: yes\n");
}

PLAN_TEST(a_description_shows_control_characters_escaped)
{
	_cleanup_(buf_done) struct buf text = {};

	must_plan(&count_applet, "x\x1b[31m\ny", plan);
	plan_describe(plan, &text);
	assert_non_null(strstr(buf_text(&text), "typed: x\\x1b[31m\\x0ay\n"));
}

/* ---- wall ---- */

PLAN_TEST(wall_follows_the_threads_of_a_process)
{
	must_plan(&wall_applet, "-p 7,8 5", plan);
	assert_true(plan->wall && plan->want_kernel && plan->want_user && !plan->looks);
	assert_int_equal(plan->tgids.nr, 2);
	assert_int_equal(plan->mode, EVENTS_BY_STACK);
	assert_int_equal(plan->view.style, VIEW_WALL);
	assert_int_equal(plan->key_parts & KEY_TID, KEY_TID);
	assert_int_equal(plan->event, SAMPLE_CPU_CLOCK);
	assert_int_equal(plan->duration_ns, 5000000000ULL);
}

TEST(wall_takes_every_documented_line)
{
	must_plan_each(&wall_applet, &probe_wall,
		       "-p 185 5; -- sort words.txt; -f -p 185 5; -o five.html -p 185 5; --per-thread -p 185 5; "
		       "--save five.stk -p 185 5; -F 499 -p 185");
}

TEST(wall_refuses_what_it_has_no_use_for)
{
	must_refuse_each(&wall_applet, "; 5; -p 1 -- true; --state D -p 1; -i 1 -p 1; -F 0 -p 1; -U -p 1");
}

/* ---- lock ---- */

PLAN_TEST(lock_watches_waits_for_locks_and_their_holders)
{
	must_plan(&lock_applet, "-p 7 5", plan);
	assert_true(plan->off_cpu.locks && plan->off_cpu.unfinished && plan->off_cpu.by_duration);
	assert_int_equal(plan->off_cpu.measure, MEASURE_OFF_WAKE);
	assert_int_equal(plan->off_cpu.threads, THREADS_USER);
	assert_true(plan->want_user && !plan->want_kernel);
	assert_int_equal(plan->view.style, VIEW_LOCK);
}

TEST(lock_takes_every_documented_line)
{
	must_plan_each(&lock_applet, &probe_lock,
		       "-p 185 5; -- ./server; -m 1ms -p 185 5; -f -p 185 5; -o locks.html -p 185 5; "
		       "--save locks.stk -p 185 5; -a 5");
	must_refuse_each(&lock_applet, "; 5; -p 1 -- true; -a -p 1; --state D -p 1; -K -p 1");
}

/* ---- dump ---- */

PLAN_TEST(dump_looks_at_the_threads_of_a_process)
{
	must_plan(&dump_applet, "-p 7,8 --state DT", plan);
	assert_true(plan->looks && plan->want_kernel && plan->want_user);
	assert_int_equal(plan->tgids.nr, 2);
	assert_int_equal(plan->mode, EVENTS_EACH);
	assert_int_equal(plan->view.style, VIEW_DUMP);
	assert_int_equal(plan->key_parts & KEY_TID, KEY_TID);
	assert_int_equal(plan->event, SAMPLE_CPU_CLOCK);
	assert_int_equal(plan->off_cpu.state_filter, STATES_LETTERS);
	assert_int_equal(plan->off_cpu.states, 1 << ('D' - 'A') | 1 << ('T' - 'A'));
	assert_true(plan->view.modules && !plan->view.offsets);
}

TEST(dump_takes_every_documented_line)
{
	must_plan_each(&dump_applet, &probe_sample,
		       "-p 185; -a; -a --state D; -f -p 185; -o now.svg -p 185; --save now.stk -p 185; "
		       "--lines --inlines -p 185; -sA -p 185; --plain -p 185; --redact -p 185; --unwind fp -p 185");
}

TEST(dump_refuses_what_it_has_no_use_for)
{
	must_refuse_each(&dump_applet,
			 "; --state D; -a -p 1; -p 1 5; -p 1 -- true; --no-children -a; --state Q -a; -p 1 -i 1");
}

TEST(every_event_has_a_name_that_parses)
{
	size_t nr = 0;
	enum sample_event event;

	assert_null(sample_event_name(SAMPLE_DEFAULT));
	for (int i = 1; sample_event_name((enum sample_event)i); i++, nr++) {
		assert_int_equal(sample_event_parse(sample_event_name((enum sample_event)i), &event), 0);
		assert_int_equal(event, i);
	}
	assert_int_equal(nr, SAMPLE_CONTEXT_SWITCHES);
}

TEST(a_plan_is_empty_after_done)
{
	struct plan plan = {};

	must_plan(&profile_applet, "-p 1 --save x --cgroupmap y", &plan);
	plan_done(&plan);
	assert_null(plan.save_path);
	assert_int_equal(plan.tgids.nr, 0);
}
