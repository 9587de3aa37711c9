/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What golden files do not show: merging at size, order, failed writes, and the notes beside a report. */
#include "core/render/render.h"

#include "core/base/alloc.h"
#include "core/profile/wait_reasons.h"
#include "core/render/merge.h"
#include "tests/golden/hand_made.h"
#include "tests/unit/profile_text.h"
#include "tests/harness.h"

static const struct place here = { .address = 0xffffffff81000010, .name = "here", .module = "kernel", .kernel = true };
static const struct place program = {
	.address = 0xffffffffc0001000, .name = "bpf_prog", .module = "bpf", .kernel = true, .tracer = true
};
static const struct place there = { .address = 0x1000, .name = "there", .module = "app" };
static const struct place twin = { .address = 0x1004, .name = "there", .module = "app" };
static const struct place gone = { .address = 0x2000, .reason = REASON_EXITED };
static const struct place stripped = { .address = 0x3000, .module = "stripped", .reason = REASON_NO_SYMBOLS };

#define PLACES(...) ((const struct place *const[]){ __VA_ARGS__, NULL })
#define TAKEN(...) { .status = STACK_OK, .places = PLACES(__VA_ARGS__) }

#define EVENTS(...) ((const struct event[]){ __VA_ARGS__, {} })
#define NO_EVENTS EVENTS({})

static void build(struct profile *profile, const struct event *events)
{
	profile_init(profile);
	profile->view = (struct profile_view){ .style = VIEW_STACKCOUNT, .want_kernel = true, .want_user = true };
	hand_interval(profile, events, 0);
}

/* How events are shown. */
enum {
	BY_NAME = 1,
	DELIMITED = 2,
	PER_PROCESS = 4,
};

static void expect_cut(const struct event *events, unsigned int how, unsigned int max_depth, const char *expected)
{
	_cleanup_(profile_done) struct profile profile;

	build(&profile, events);
	profile.view.folded = true;
	profile.view.by_name = how & BY_NAME;
	profile.view.delimited = how & DELIMITED;
	profile.view.per_process = how & PER_PROCESS;
	profile.presentation.max_depth = max_depth;
	expect_report(&profile, expected);
}

static void expect_folded(const struct event *events, unsigned int how, const char *expected)
{
	expect_cut(events, how, 0, expected);
}

TEST(sampled_tracing_code_is_shown)
{
	const struct event events[] = {
		{ .id = 1, .program = PROGRAM_SAMPLE, .kernel = TAKEN(&program, &here), .count = 1 },
		{ .id = 2, .program = PROGRAM_RAW_TRACEPOINT, .kernel = TAKEN(&program, &here), .count = 2 },
		{},
	};

	expect_folded(events, 0, ";here;bpf_prog 1\n;here 2\n");
}

TEST(tracer_frames_inside_a_stack_stay)
{
	const struct event events[] = {
		{ .id = 1, .program = PROGRAM_FENTRY, .kernel = TAKEN(&program, &here, &program), .count = 1 },
		{},
	};

	expect_folded(events, 0, ";bpf_prog;here 1\n");
}

TEST(real_recursion_is_not_a_doubled_leaf)
{
	const struct event events[] = {
		{ .id = 1, .program = PROGRAM_KPROBE, .kernel = TAKEN(&here, &here), .count = 1 },
		{ .id = 2, .program = PROGRAM_SAMPLE, .kernel = TAKEN(&here, &here), .count = 2 },
		{ .id = 3, .program = PROGRAM_RAW_TRACEPOINT, .kernel = TAKEN(&program, &here, &here), .count = 3 },
		{ .id = 4, .program = PROGRAM_TRACEPOINT, .kernel = TAKEN(&here, &here), .count = 4 },
		{},
	};

	expect_folded(events, 0, ";here 4\n;here;here 6\n");
}

TEST(ties_keep_the_order_of_first_occurrence)
{
	const struct event events[] = {
		{ .id = 1, .user = TAKEN(&there), .time_ns = 30, .count = 1 },
		{ .id = 2, .user = TAKEN(&twin, &there), .time_ns = 20, .count = 1 },
		{ .id = 3, .user = TAKEN(&twin, &twin), .time_ns = 10, .count = 1 },
		{},
	};
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(merged_done) struct merged merged = {};

	build(&profile, events);
	merge_interval(&profile, &profile.intervals.data[0], &profile.view, 0, &merged);
	assert_int_equal(merged.rows.nr, 3);
	assert_int_equal(merged.rows.data[0].record, 2);
	assert_int_equal(merged.rows.data[1].record, 1);
	assert_int_equal(merged.rows.data[2].record, 0);
}

TEST(rows_are_unique_by_address_and_by_name_on_request)
{
	const struct event events[] = {
		{ .id = 1, .user = TAKEN(&there), .count = 1 },
		{ .id = 2, .user = TAKEN(&twin), .count = 2 },
		{},
	};

	expect_folded(events, 0, ";there 1\n;there 2\n");
	expect_folded(events, BY_NAME, ";there 3\n");
}

TEST(by_name_ignores_an_unseen_border)
{
	const struct event events[] = {
		{ .id = 1, .kernel = TAKEN(&gone, &gone), .user = TAKEN(&gone), .count = 1 },
		{ .id = 2, .kernel = TAKEN(&gone), .user = TAKEN(&gone, &gone), .count = 2 },
		{},
	};

	expect_folded(events, BY_NAME, ";[unknown];[unknown];[unknown] 3\n");
	expect_folded(events, BY_NAME | DELIMITED,
		      ";[unknown];-;[unknown];[unknown] 1\n;[unknown];[unknown];-;[unknown] 2\n");
}

static const struct place elided = { .name = FRAME_ELIDED, .label = true };

/* Rows that differ in nothing but the number of elided frames are one, which has the least and the most. */
TEST(elided_frames_have_their_number)
{
	const struct event events[] = {
		{ .id = 1,
		  .user = TAKEN(&there, &elided, &gone),
		  .count = 1,
		  .elided_least = 1200,
		  .elided_most = 1300 },
		{ .id = 2, .user = TAKEN(&twin, &elided, &gone), .count = 2, .elided_least = 7, .elided_most = 9 },
		{ .id = 3, .user = TAKEN(&there, &elided), .count = 4, .elided_least = 1, .elided_most = 1 },
		{},
	};
	_cleanup_(profile_done) struct profile profile;

	build(&profile, events);
	profile.view.by_name = true;
	expect_report(&profile, "\n  there\n  [... 7 to 1,300 frames ...]\n  [unknown]\n    3\n\n"
				"  there\n  [... 1 frame ...]\n    4\n\n");
	profile.view.by_name = false;
	expect_report(&profile, "\n  there\n  [... 1,200 to 1,300 frames ...]\n  [unknown]\n    1\n\n"
				"  there\n  [... 7 to 9 frames ...]\n  [unknown]\n    2\n\n"
				"  there\n  [... 1 frame ...]\n    4\n\n");
	profile.view.folded = true;
	expect_report(&profile, ";[unknown];[... frames ...];there 1\n;[unknown];[... frames ...];there 2\n"
				";[... frames ...];there 4\n");
}

TEST(stacks_are_cut_at_the_root_and_rows_stay_exact)
{
	const struct event events[] = {
		{ .id = 1, .program = PROGRAM_SAMPLE, .kernel = TAKEN(&here), .user = TAKEN(&there, &gone), .count = 1 },
		{ .id = 2,
		  .program = PROGRAM_SAMPLE,
		  .kernel = TAKEN(&here),
		  .user = TAKEN(&there, &stripped, &gone),
		  .count = 2 },
		{ .id = 3, .program = PROGRAM_SAMPLE, .kernel = TAKEN(&here), .user = TAKEN(&there), .count = 4 },
		{ .id = 4,
		  .program = PROGRAM_SAMPLE,
		  .kernel = TAKEN(&here),
		  .user = { .status = STACK_TRUNCATED, .places = PLACES(&there, &gone) },
		  .count = 8 },
		{},
	};

	expect_cut(events, 0, 1, ";there;here 4\n;[truncated by --max-depth];there;here 11\n");
	expect_cut(events, BY_NAME | DELIMITED, 1, ";there;-;here 4\n;[truncated by --max-depth];there;-;here 11\n");
	expect_cut(events, 0, 2,
		   ";[unknown];there;here 1\n;[truncated by --max-depth];[unknown];there;here 2\n"
		   ";there;here 4\n;[truncated];[unknown];there;here 8\n");
}

TEST(the_state_of_a_thread_is_no_frame_to_be_cut)
{
	static const struct place futex_state = { .address = WAIT_STATE_PLACE('S'),
						  .name = "[S futex]",
						  .label = true };
	const struct event *events = EVENTS({ .id = 1,
					      .comm = "a",
					      .tgid = 7,
					      .program = PROGRAM_LOOK,
					      .kernel = TAKEN(&futex_state, &here, &program),
					      .user = TAKEN(&there, &twin),
					      .count = 1 });
	_cleanup_(profile_done) struct profile profile;

	build(&profile, events);
	profile.view.style = VIEW_DUMP;
	profile.view.per_process = true;
	profile.presentation.max_depth = 1;
	expect_report(&profile, "1 thread of 1 process\n"
				"\n"
				"PROCESS 7 a: 1 thread\n"
				"\n"
				"thread 7 a: S futex\n"
				"    here\n"
				"    [truncated by --max-depth]\n"
				"    --\n"
				"    there\n"
				"    [truncated by --max-depth]\n");
	profile.view.folded = true;
	expect_report(&profile, "a;[truncated by --max-depth];there;[truncated by --max-depth];here;[S futex] 1\n");
	profile.presentation.max_depth = 2;
	expect_report(&profile, "a;there;there;bpf_prog;here;[S futex] 1\n");
}

TEST(rows_that_show_nothing_are_one_row)
{
	const struct event events[] = {
		{ .id = 1, .tgid = 1, .count = 1 },
		{ .id = 2, .tgid = 2, .count = 2 },
		{},
	};

	expect_folded(events, BY_NAME, " 3\n");
}

TEST(processes_with_one_pid_and_comm_are_one_row)
{
	const struct event events[] = {
		{ .id = 1, .tgid = 7, .comm = "a", .user = TAKEN(&there), .count = 1 },
		{ .id = 2, .tgid = 7, .comm = "a", .user = TAKEN(&there), .count = 2 },
		{ .id = 3, .tgid = 8, .comm = "a", .user = TAKEN(&there), .count = 4 },
		{ .id = 4, .tgid = 7, .comm = "b", .user = TAKEN(&there), .count = 8 },
		{},
	};

	expect_folded(events, PER_PROCESS, "a;there 3\na;there 4\nb;there 8\n");
	expect_folded(events, 0, ";there 15\n");
}

TEST(a_failed_write_is_reported)
{
	const struct event events[] = { { .id = 1, .user = TAKEN(&there), .count = 1 }, {} };
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(fclosep) FILE *full = fopen("/dev/full", "w");

	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	build(&profile, events);
	profile.header = profile_add_string(&profile, "header");
	profile.footer = profile_add_string(&profile, "footer");
	assert_int_equal(render_header(&profile, &profile.view, full), -ENOSPC);
	assert_int_equal(render_report(&profile, &profile.intervals.data[0], &profile.view, full), -ENOSPC);
	assert_int_equal(render_footer(&profile, &profile.view, full), -ENOSPC);
	profile.intervals.data[0].losses[0] = 1;
	assert_int_equal(render_notes(&profile, &profile.intervals.data[0], full), -ENOSPC);
}

/* One long name, and a stack of nothing else: a kilobyte of a saved profile, whose row has no end. */
TEST(a_row_of_gigabytes_is_refused)
{
	enum {
		NR = 300,
		NAME_BYTES = 1 << 20
	};
	_cleanup_(freep) char *name = xcalloc(NAME_BYTES + 1, 1);
	struct profile_frame frame = { .kind = FRAME_TEXT };
	struct profile_record record = { .id = { 1, 1 }, .nr_user = NR };
	FILE *out = fopen("/dev/null", "w");
	struct profile_interval interval = {};
	uint32_t frames[NR] = {};
	uint64_t addresses[NR] = {};
	struct profile profile;

	profile_init(&profile);
	memset(name, 'x', NAME_BYTES);
	frame.name = profile_add_string(&profile, name);
	profile_add_frame(&profile, &frame);
	profile_add_record(&profile, &record, frames, addresses);
	profile_count(&profile, &interval, record.id, 1, 0);
	vec_push(&profile.intervals, interval);
	assert_int_equal(render_report(&profile, &profile.intervals.data[0], &profile.view, out), -EFBIG);
	profile.view.folded = true;
	assert_int_equal(render_report(&profile, &profile.intervals.data[0], &profile.view, out), -EFBIG);
	fclose(out);
	profile_done(&profile);
}

TEST(an_empty_interval_is_an_empty_line)
{
	_cleanup_(profile_done) struct profile profile;

	build(&profile, NO_EVENTS);
	expect_report(&profile, "\n");
	expect_folded(NO_EVENTS, 0, "");
}

TEST(times_are_those_of_the_recording_host)
{
	_cleanup_(profile_done) struct profile profile;

	build(&profile, NO_EVENTS);
	profile.view.timestamps = true;
	profile.intervals.data[0].wall_end_ns = 3600000000000; /* 01:00:00 UTC */
	profile.utc_offset_s = (uint32_t)-7200;
	expect_report(&profile, "\n23:00:00\n");
}

/* ---- notes ---- */

TEST(a_clean_interval_has_no_notes)
{
	const struct event events[] = { { .id = 1, .user = TAKEN(&there), .count = 1 }, {} };
	_cleanup_(profile_done) struct profile profile;

	build(&profile, events);
	profile.intervals.data[0].account = (struct profile_account){ .seen = 1, .recorded = 1, .counted = 1 };
	expect_notes(&profile, "");
}

TEST(each_loss_is_one_line)
{
	_cleanup_(profile_done) struct profile profile;

	build(&profile, NO_EVENTS);
	profile.intervals.data[0].losses[loss_number("RECURSION")] = 1234567;
	profile.intervals.data[0].losses[loss_number("SPILLED")] = 12;
	profile.intervals.data[0].account.missed = UINT64_MAX;
	expect_notes(&profile, "WARNING: 1,234,567 events missed: our program was already running on the CPU\n");
	profile.view.verbose = true;
	expect_notes(&profile, "NOTE: 12 events counted through the ring: the count map was full or busy\n"
			       "WARNING: 1,234,567 events missed: our program was already running on the CPU\n");
	profile.presentation.quiet = true;
	expect_notes(&profile, "WARNING: 1,234,567 events missed: our program was already running on the CPU\n");
}

TEST(unnamed_frames_are_counted_by_reason)
{
	const struct event events[] = {
		{ .id = 1,
		  .tgid = 1,
		  .kernel = TAKEN(&here),
		  .user = TAKEN(&there, &gone, &gone, &stripped),
		  .count = 1 },
		{ .id = 2, .tgid = 2, .user = TAKEN(&there, &gone), .count = 1 },
		{},
	};
	_cleanup_(profile_done) struct profile profile;

	build(&profile, events);
	profile.intervals.data[0].account = (struct profile_account){ .seen = 2, .recorded = 2, .counted = 2 };
	expect_notes(&profile,
		     "NOTE: 3 of 5 frames have no name: 2 (the process had exited), 1 (the file has no symbol "
		     "table)\n");
}

/* bcc's folded lines say no more than "[unknown]". */
TEST(a_folded_place_without_a_name_shows_its_file)
{
	const struct event events[] = {
		{ .id = 1, .tgid = 1, .kernel = TAKEN(&here), .user = TAKEN(&there, &gone, &stripped), .count = 1 },
		{},
	};
	_cleanup_(profile_done) struct profile profile;

	build(&profile, events);
	profile.view.folded = true;
	expect_report(&profile, ";[unknown];[unknown];there;here 1\n");
	profile.presentation.shows_files = true;
	expect_report(&profile, ";stripped![unknown];[unknown];there;here 1\n");
}

TEST(samples_are_accounted_for)
{
	_cleanup_(profile_done) struct profile profile;
	struct profile_interval *interval;

	build(&profile, NO_EVENTS);
	interval = &profile.intervals.data[0];
	interval->account = (struct profile_account){ .expected = 1000, .taken = 999, .nr_cpus = 2 };
	expect_notes(&profile, "");
	profile.view.verbose = true;
	expect_notes(&profile, "NOTE: 999 of 1,000 samples of all processes taken\n");
	profile.view.verbose = false;
	interval->account.taken = 900;
	expect_notes(&profile,
		     "WARNING: 900 of 1,000 samples of all processes taken, 100 missing for an unknown reason\n");
	interval->account.taken = 1100;
	expect_notes(&profile,
		     "WARNING: 1,100 of 1,000 samples of all processes taken, 100 more than the counter explains\n");
	interval->account.taken = 990;
	interval->losses[loss_number("SAMPLE_SKIPPED")] = 10;
	expect_notes(&profile, "WARNING: 990 of 1,000 samples of all processes taken, "
			       "10 skipped (another BPF program was running on the CPU)\n");
	interval->account.expected = UINT64_MAX;
	expect_notes(&profile, "WARNING: 10 samples skipped: another BPF program was running on the CPU\n");
}

TEST(accounting_that_does_not_add_up_is_an_error)
{
	_cleanup_(profile_done) struct profile profile;

	build(&profile, NO_EVENTS);
	profile.intervals.data[0].account = (struct profile_account){ .seen = 3, .recorded = 2, .counted = 2 };
	expect_notes(&profile, "ERROR: accounting does not add up: 3 events seen, but 0 filtered + 2 recorded + 0 "
			       "spilled + 0 lost = 2\n");
}
