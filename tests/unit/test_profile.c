/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/profile/profile.h"

#include "core/profile/tracer.h"
#include "tests/unit/profile_text.h"
#include "tests/harness.h"

#define PROFILE_TEST(name) TEST_WITH(struct profile, profile, name, profile_init, profile_done)

static struct profile_record record_of(uint64_t id, uint16_t nr_kernel, uint16_t nr_user)
{
	return (struct profile_record){ .id = { id, id }, .nr_kernel = nr_kernel, .nr_user = nr_user };
}

PROFILE_TEST(equal_places_are_one_frame)
{
	struct profile_frame frame = { .kind = FRAME_USER_FILE, .file = 1, .where = 0x1000 };
	struct profile_frame other = frame;
	uint32_t first;

	first = profile_add_frame(profile, &frame);
	other.name = 7;
	other.reason = REASON_EXITED;
	assert_int_equal(profile_add_frame(profile, &other), first);
	other = frame;
	other.exact = true;
	assert_int_not_equal(profile_add_frame(profile, &other), first);
	other = frame;
	other.file = 2;
	assert_int_not_equal(profile_add_frame(profile, &other), first);
	other = frame;
	other.kind = FRAME_USER_RAW;
	assert_int_not_equal(profile_add_frame(profile, &other), first);
	other.tgid = 3;
	assert_int_not_equal(profile_add_frame(profile, &other), first);
	assert_int_equal(profile->frames.nr, 5);
}

PROFILE_TEST(a_record_is_added_once)
{
	struct profile_record record = record_of(1, 1, 1), again = record_of(1, 0, 0);
	uint32_t frames[] = { 0, 1 };
	uint64_t addresses[] = { 10, 11 };

	assert_int_equal(profile_find_record(profile, record.id), PROFILE_NONE);
	assert_int_equal(profile_add_record(profile, &record, frames, addresses), 0);
	assert_int_equal(profile_add_record(profile, &again, NULL, NULL), 0);
	assert_int_equal(profile->records.nr, 1);
	assert_int_equal(profile->records.data[0].nr_user, 1);
	assert_int_equal(profile->stack_addresses.data[profile->records.data[0].first + 1], 11);
}

PROFILE_TEST(a_late_record_replaces_the_lost_one)
{
	_cleanup_(profile_interval_done) struct profile_interval interval = {};
	struct profile_record record = record_of(1, 0, 2);
	uint32_t frames[] = { 0, 1 };
	uint64_t addresses[] = { 10, 11 };

	profile_count(profile, &interval, record.id, 5, 50);
	assert_true(profile->records.data[0].stack_lost);
	assert_int_equal(profile_add_record(profile, &record, frames, addresses), 0);
	assert_false(profile->records.data[0].stack_lost);
	assert_int_equal(profile->records.nr, 1);
	profile_count(profile, &interval, record.id, 2, 20);
	assert_int_equal(interval.rows.nr, 1);
	assert_int_equal(interval.rows.data[0].count, 7);
	assert_int_equal(interval.rows.data[0].sum, 70);
}

PROFILE_TEST(spilled_counts_of_an_id_stay_one_row)
{
	_cleanup_(profile_interval_done) struct profile_interval interval = {};
	uint64_t total = 0;

	for (uint64_t i = 0; i < 100000; i++)
		profile_count(profile, &interval, (struct profile_id){ i % 97, 1 }, 1, 0);
	for (size_t i = 0; i < interval.rows.nr; i++)
		total += interval.rows.data[i].count;
	assert_int_equal(interval.rows.nr, 97);
	assert_int_equal(total, 100000);
}

PROFILE_TEST(counts_without_a_record_are_lost_stacks)
{
	_cleanup_(profile_interval_done) struct profile_interval interval = {};
	struct profile_record record = record_of(1, 0, 0);

	profile_add_record(profile, &record, NULL, NULL);
	profile_count(profile, &interval, record.id, 5, 0);
	profile_count(profile, &interval, (struct profile_id){ 2, 2 }, 3, 0);
	profile_count(profile, &interval, (struct profile_id){ 3, 3 }, 4, 0);
	profile_count_lost_stacks(profile, &interval);
	assert_int_equal(interval.losses[loss_number("STACK_LOST")], 7);
	assert_int_equal(profile_lost(&interval), 7);
}

PROFILE_TEST(clearing_intervals_keeps_records)
{
	struct profile_interval interval = {};

	profile_count(profile, &interval, (struct profile_id){ 1, 1 }, 1, 0);
	vec_push(&profile->intervals, interval);
	profile_clear_intervals(profile);
	assert_int_equal(profile->intervals.nr, 0);
	assert_int_equal(profile->records.nr, 1);
}

/* Record `number` has one frame of its own, one that all share, and a comm of its own. */
static void add_numbered(struct profile *profile, uint32_t number)
{
	char comm[16];
	struct profile_frame own = { .kind = FRAME_USER_RAW, .tgid = number, .where = 7 };
	struct profile_frame shared = { .kind = FRAME_USER_FILE, .where = 1 };
	struct profile_record record = record_of(number, 0, 2);
	uint32_t frames[2];
	const uint64_t addresses[2] = { number, 1 };

	snprintf(comm, sizeof(comm), "comm-%u", number);
	record.comm = profile_add_string(profile, comm);
	own.name = profile_add_string(profile, "own");
	shared.name = profile_add_string(profile, "shared");
	frames[0] = profile_add_frame(profile, &own);
	frames[1] = profile_add_frame(profile, &shared);
	profile_add_record(profile, &record, frames, addresses);
}

PROFILE_TEST(what_is_kept_stays_whole_and_the_rest_is_forgotten)
{
	const struct profile_id wanted[] = { record_of(500, 0, 0).id, record_of(501, 0, 0).id, { 9999, 9999 } };
	const struct profile_id waker = record_of(3, 0, 0).id;
	const struct profile_record *record;
	struct profile_file file = {};
	uint32_t number;

	profile->event = profile_add_string(profile, "the event");
	file.path = profile_add_string(profile, "/file");
	file.missing_split = profile_add_string(profile, "/file.dwo");
	vec_push(&profile->files, file);
	for (uint32_t i = 1; i <= 1000; i++)
		add_numbered(profile, i);
	profile_add_pair(profile, wanted[1], record_of(2, 0, 0).id, &waker, WAKER_SEEN);
	profile_keep_only(profile, wanted, 3);
	assert_int_equal(profile->records.nr, 4);
	assert_int_equal(profile->frames.nr, 4);
	assert_int_equal(profile->pairs.nr, 1);
	assert_string_equal(profile_string(profile, profile->event), "the event");
	assert_string_equal(profile_string(profile, profile->files.data[0].path), "/file");
	assert_string_equal(profile_string(profile, profile->files.data[0].missing_split), "/file.dwo");
	number = profile_find_record(profile, wanted[0]);
	assert_int_not_equal(number, PROFILE_NONE);
	record = &profile->records.data[number];
	assert_string_equal(profile_string(profile, record->comm), "comm-500");
	assert_int_equal(profile->stack_addresses.data[record->first], 500);
	number = profile->stack_frames.data[record->first + 1];
	assert_string_equal(profile_string(profile, profile->frames.data[number].name), "shared");
}

/* Few names, but long ones: up to 16 MB beyond twice what was kept. */
PROFILE_TEST(long_names_make_a_profile_large)
{
	enum {
		NR = 1700
	};
	_cleanup_(freep) char *name = calloc(1, 10001);

	memset(name, 'x', 10000);
	for (int i = 0; i < NR; i++) {
		assert_int_equal(profile_is_large(profile), i * 10001 > 256 * 65536);
		snprintf(name, 12, "%07u", (unsigned int)i % 10000000);
		name[7] = 'x';
		profile_add_string(profile, name);
	}
	assert_true(profile_is_large(profile));
	profile->event = NR; /* the last one */
	profile_keep_only(profile, NULL, 0);
	assert_false(profile_is_large(profile));
	assert_int_equal(profile->nr_kept_bytes, 10001);
}

PROFILE_TEST(modules_stay_with_their_frames)
{
	for (uint32_t i = 1; i <= 2; i++) {
		struct profile_frame frame = { .kind = FRAME_KERNEL, .where = i };
		struct profile_record record = record_of(i, 1, 0);
		struct profile_module module = {};
		char name[16], build_id[16];
		uint32_t number;

		snprintf(name, sizeof(name), "module-%u", i);
		snprintf(build_id, sizeof(build_id), "abc%u", i);
		frame.module = module.name = profile_add_string(profile, name);
		module.build_id = profile_add_string(profile, build_id);
		profile_add_module(profile, &module);
		number = profile_add_frame(profile, &frame);
		profile_add_record(profile, &record, &number, &frame.where);
	}
	profile_keep_only(profile, &(struct profile_id){ 2, 2 }, 1);
	assert_int_equal(profile->modules.nr, 1);
	assert_string_equal(profile_string(profile, profile->modules.data[0].name), "module-2");
	assert_string_equal(profile_string(profile, profile->modules.data[0].build_id), "abc2");
	profile_keep_only(profile, NULL, 0);
	assert_int_equal(profile->modules.nr, 0);
}

PROFILE_TEST(mappings_stay_with_their_records)
{
	const struct profile_record records[] = { { .id = { 1, 1 }, .tgid = 7 }, { .id = { 2, 1 }, .tgid = 8 } };

	for (uint32_t i = 0; i < 2; i++) {
		const struct profile_life life = { .tgid = records[i].tgid, .begin_ns = 5, .end_ns = UINT64_MAX };

		profile_add_record(profile, &records[i], NULL, NULL);
		assert_int_equal(profile_add_life(profile, &life), i);
		assert_int_equal(profile_add_life(profile, &life), i);
		profile_add_mapping(profile, &(struct profile_mapping){ .life = i, .start = 1, .end = 2 });
		profile_add_mapping(profile, &(struct profile_mapping){ .life = i, .start = 1, .end = 2 });
	}
	assert_int_equal(profile->mappings.nr, 2);
	profile_end_life(profile, 8, 5, 99);
	profile_end_life(profile, 8, 6, 77);
	profile_keep_only(profile, &records[1].id, 1);
	assert_int_equal(profile->mappings.nr, 1);
	assert_int_equal(profile->lives.nr, 1);
	assert_int_equal(profile->lives.data[0].tgid, 8);
	assert_int_equal(profile->lives.data[0].end_ns, 99);
	profile_keep_only(profile, NULL, 0);
	assert_int_equal(profile->mappings.nr, 0);
}

TEST(every_reason_and_loss_has_words)
{
	for (int reason = 0; reason < REASON_NR; reason++)
		assert_non_null(frame_reason_text((enum frame_reason)reason));
	assert_string_equal(frame_reason_text(REASON_NR), "unknown reason");
	for (size_t i = 0; i < ST_NR_LOSSES; i++)
		assert_true(profile_losses[i].name[0]);
	assert_int_equal(profile_losses[loss_number("RING_FULL")].class, LOSS_NOTE);
}

static void expect_sentence(const char *name, uint64_t number, const char *wanted)
{
	_cleanup_(buf_done) struct buf text = {};

	buf_add_counted(&text, number, profile_losses[loss_number(name)].sentence);
	assert_string_equal(buf_text(&text), wanted);
}

TEST(a_loss_of_one_is_said_as_of_one)
{
	expect_sentence("USER_ROOT", 1, "user stack complete");
	expect_sentence("USER_ROOT", 2, "user stacks complete");
	expect_sentence("STACK_LOST", 1, "event was counted but its stack was lost: the ring was full");
	expect_sentence("STACK_LOST", 0, "events were counted but their stack was lost: the ring was full");
	for (size_t i = 0; i < ST_NR_LOSSES; i++) {
		_cleanup_(buf_done) struct buf one = {}, many = {};

		buf_add_counted(&one, 1, profile_losses[i].sentence);
		buf_add_counted(&many, 2, profile_losses[i].sentence);
		assert_string_not_equal(buf_text(&one), buf_text(&many));
		assert_null(strpbrk(buf_text(&one), "{|}"));
		assert_null(strpbrk(buf_text(&many), "{|}"));
	}
}

TEST(whatever_is_lost_counts_but_notes_do_not)
{
	struct profile_interval interval = {};

	interval.losses[loss_number("NO_SLOT")] = 1;
	interval.losses[loss_number("SAMPLE_SKIPPED")] = 2;
	interval.losses[loss_number("USER_STACK")] = 4;
	interval.losses[loss_number("SPILLED")] = 8;
	assert_int_equal(profile_lost(&interval), 7);
	assert_false(profile_is_exact(&interval));
	interval = (struct profile_interval){ .account = { .seen = 8, .recorded = 8, .counted = 8 } };
	interval.losses[loss_number("RING_FULL")] = 8;
	assert_true(profile_is_exact(&interval));
	interval.account.counted = 7;
	assert_false(profile_is_exact(&interval));
}

/* ---- accounting ---- */

static unsigned int check(const struct profile_interval *interval)
{
	struct buf lines = {};
	unsigned int failures = profile_check(interval, &lines);
	unsigned int nr_lines = 0;

	for (const char *at = buf_text(&lines); *at; at++)
		nr_lines += *at == '\n';
	assert_int_equal(nr_lines, failures);
	if (failures)
		assert_non_null(strstr(buf_text(&lines), "ERROR: accounting does not add up: "));
	buf_done(&lines);
	return failures;
}

static struct profile_interval sound_interval(void)
{
	struct profile_interval interval = {
		.account = { .seen = 1013, .filtered = 10, .recorded = 990, .spilled = 10, .counted = 1000, .missed = 7 },
	};

	interval.losses[loss_number("NO_SLOT")] = 2;
	interval.losses[loss_number("COUNT_REFUSED")] = 1;
	interval.losses[loss_number("SPILLED")] = 10;
	interval.losses[loss_number("RECURSION")] = 4;
	interval.losses[loss_number("LINK_MISSED")] = 3;
	return interval;
}

TEST(sound_accounts_pass)
{
	struct profile_interval interval = sound_interval();

	assert_int_equal(check(&interval), 0);
	assert_int_equal(check(&(struct profile_interval){}), 0);
}

TEST(each_identity_is_checked)
{
	struct profile_interval interval = sound_interval();

	interval.losses[loss_number("NO_SLOT")]++;
	assert_int_equal(check(&interval), 1);
	interval = sound_interval();
	interval.account.counted--;
	assert_int_equal(check(&interval), 1);
	interval = sound_interval();
	interval.losses[loss_number("DRAIN_FAILED")] = 5;
	assert_int_equal(check(&interval), 1);
	interval.account.counted -= 5;
	assert_int_equal(check(&interval), 0);
	interval = sound_interval();
	interval.account.recorded++;
	assert_int_equal(check(&interval), 2);
	interval = sound_interval();
	interval.account.seen++;
	assert_int_equal(check(&interval), 1);
}

TEST(unknown_numbers_are_left_out)
{
	struct profile_interval interval = sound_interval();

	interval.account.missed = UINT64_MAX;
	assert_int_equal(check(&interval), 0);
	interval.account.seen = UINT64_MAX;
	assert_int_equal(check(&interval), 0);
	interval.account.counted = UINT64_MAX;
	assert_int_equal(check(&interval), 0);
	interval.account.counted = 1;
	interval.account.recorded = UINT64_MAX;
	assert_int_equal(check(&interval), 0);
}

TEST(malformed_messages_explain_missing_counts_but_no_surplus)
{
	struct profile_interval interval = sound_interval();

	interval.losses[loss_number("BAD_MESSAGE")] = 1;
	interval.account.counted -= 100;
	assert_int_equal(check(&interval), 0);
	interval.account.counted += 101;
	assert_int_equal(check(&interval), 1);
}

TEST(samples_are_compared_with_the_counter)
{
	struct profile_interval interval = { .account = { .expected = 490, .taken = 480, .nr_cpus = 2 } };
	struct sample_account samples;

	interval.losses[loss_number("SAMPLE_SKIPPED")] = 4;
	interval.losses[loss_number("SAMPLE_LATE")] = 3;
	assert_true(profile_sample_account(&interval, &samples));
	assert_int_equal(samples.lost, 7);
	assert_int_equal(samples.unexplained, 0); /* 3 of 490 are rounding */
	interval.account.taken = 300;
	assert_true(profile_sample_account(&interval, &samples));
	assert_int_equal(samples.unexplained, 183);
	interval.account.taken = 600;
	assert_true(profile_sample_account(&interval, &samples));
	assert_int_equal(samples.unexplained, -117);
	interval.account.expected = UINT64_MAX;
	assert_false(profile_sample_account(&interval, &samples));
	interval.account.expected = 0;
	assert_false(profile_sample_account(&interval, &samples));
}

/* ---- tracer frames ---- */

TEST(tracing_machinery_is_known_by_name)
{
	static const char *const tracer[] = {
		"bpf_prog_0123456789abcdef_on_switch",
		"bpf_prog_0123456789abcdef",
		"bpf_trace_run4",
		"bpf_trace_run12",
		"__bpf_trace_sched_switch",
		"__traceiter_sched_switch",
		"bpf_trampoline_6442536467",
		"perf_trace_run_bpf_submit",
		"perf_trace_sched_switch",
		"perf_syscall_enter",
		"perf_syscall_exit",
		"trace_call_bpf",
		"kprobe_ftrace_handler",
		"arch_ftrace_ops_list_func",
		"fprobe_handler",
		"kprobe_multi_link_prog_run.isra.0",
		"kprobe_multi_link_prog_run",
		"ftrace_regs_caller",
		"bpf_dispatcher_xdp_func",
	};
	static const char *const traced[] = {
		"bpf_prog_put",
		"bpf_prog_load",
		"bpf_prog_array_copy",
		"bpf_trampoline_link_prog",
		"perf_trace_init",
		"perf_trace_destroy",
		"__schedule",
		"schedule",
		"syscall_trace_enter",
		"trace_init",
		"bpf_trace_printk",
		"perf_event_open",
		"fprobe_handler_of_mine",
		"fprobe_handle",
		"",
		"kprobe",
	};

	for (size_t i = 0; i < sizeof(tracer) / sizeof(tracer[0]); i++)
		if (!frame_is_tracer(tracer[i], "kernel"))
			fail_msg("%s is taken for traced code", tracer[i]);
	for (size_t i = 0; i < sizeof(traced) / sizeof(traced[0]); i++)
		if (frame_is_tracer(traced[i], "kernel"))
			fail_msg("%s is taken for tracing code", traced[i]);
	assert_true(frame_is_tracer("anything", "__builtin__ftrace"));
	assert_false(frame_is_tracer(NULL, NULL));
}
