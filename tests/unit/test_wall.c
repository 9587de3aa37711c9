/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of `wall`: what the kernel has counted, as states with stacks. */

#include "core/profile/wall.h"

#include "core/profile/wait_reasons.h"
#include "tests/golden/hand_made.h"
#include "tests/harness.h"

struct made {
	struct profile profile;
	struct profile_interval *interval;
	wall_interval_list open;
	struct u32_list looks;
	uint64_t nr;
};

static void make(struct made *made)
{
	*made = (struct made){};
	profile_init(&made->profile);
	made->profile.view.style = VIEW_WALL;
	made->profile.view.want_kernel = made->profile.view.want_user = true;
	vec_push(&made->profile.intervals, (struct profile_interval){});
	made->interval = &made->profile.intervals.data[0];
}

static void made_done(struct made *made)
{
	vec_done(&made->open);
	vec_done(&made->looks);
	profile_done(&made->profile);
}

/* A record of thread `tid`; `function`: its only user frame, called by nobody; NULL: none. */
static struct profile_id record(struct made *made, uint32_t tid, enum program_kind program, const char *function)
{
	struct profile_record record = { .id = { ++made->nr, 1 },
					 .tgid = 7,
					 .tid = tid,
					 .program = program,
					 .time_ns = 100,
					 .user_status = function ? STACK_OK : STACK_NOT_ASKED,
					 .nr_user = function != NULL };
	struct place place = { .address = 0x1000 + 0x100 * made->nr, .name = function };
	uint32_t frame = function ? hand_frame(&made->profile, &place, 1) : 0;
	uint64_t address = place.address;

	profile_add_record(&made->profile, &record, &frame, &address);
	return record.id;
}

/* An interval that the kernel has counted. */
static void count(struct made *made, struct profile_id of, enum thread_state state, bool is_first, uint64_t ns)
{
	struct profile_id id = { ++made->nr, 2 };
	uint32_t pair = profile_add_pair(&made->profile, id, of, NULL, (enum waker_reason)WALL_REASON(state, is_first));

	made->profile.records.data[pair].time_ns = 200; /* its end */
	profile_count(&made->profile, made->interval, id, 1, ns);
}

/* The time of the rows in this state with this frame; NULL: any. */
static uint64_t sum_of(const struct made *made, enum thread_state state, const char *function)
{
	const struct profile *profile = &made->profile;
	uint64_t sum = 0;

	for (size_t i = 0; i < made->interval->rows.nr; i++) {
		const struct profile_row *row = &made->interval->rows.data[i];
		const struct profile_record *of = &profile->records.data[row->record];
		bool is_there = !function;

		for (size_t at = of->first; at < record_end(of); at++)
			is_there |= function &&
				    !strcmp(profile_string(profile,
							   profile->frames.data[profile->stack_frames.data[at]].name),
					    function);
		sum += is_there && wall_state_of(profile, of) == state ? row->sum : 0;
	}
	return sum;
}

static uint64_t settle(struct made *made)
{
	return wall_settle(&made->profile, made->interval, &made->open, &made->looks);
}

TEST(samples_share_the_time_of_their_thread_to_the_nanosecond)
{
	struct made made;
	struct profile_id of_one, often, seldom;

	make(&made);
	of_one = record(&made, 1, PROGRAM_RAW_TRACEPOINT, NULL);
	often = record(&made, 1, PROGRAM_SAMPLE, "often");
	seldom = record(&made, 1, PROGRAM_SAMPLE, "seldom");
	count(&made, of_one, THREAD_ON_CPU, false, 1000);
	profile_count(&made.profile, made.interval, often, 2, 0);
	profile_count(&made.profile, made.interval, seldom, 1, 0);
	assert_int_equal(settle(&made), 1000);
	assert_int_equal(sum_of(&made, THREAD_ON_CPU, NULL), 1000);
	assert_in_range(sum_of(&made, THREAD_ON_CPU, "often"), 666, 667);
	assert_in_range(sum_of(&made, THREAD_ON_CPU, "seldom"), 333, 334);
	assert_int_equal(made.profile.pairs.nr, 0);
	made_done(&made);
}

TEST(time_of_a_thread_without_sample_stays_with_it)
{
	struct made made;
	struct profile_id of_one, of_two, sample;

	make(&made);
	of_one = record(&made, 1, PROGRAM_RAW_TRACEPOINT, NULL);
	of_two = record(&made, 2, PROGRAM_RAW_TRACEPOINT, NULL);
	sample = record(&made, 2, PROGRAM_SAMPLE, "busy");
	count(&made, of_one, THREAD_ON_CPU, false, 30);
	count(&made, of_two, THREAD_ON_CPU, false, 70);
	profile_count(&made.profile, made.interval, sample, 5, 0);
	assert_int_equal(settle(&made), 100);
	assert_int_equal(sum_of(&made, THREAD_ON_CPU, "[on CPU, not sampled]"), 30);
	assert_int_equal(sum_of(&made, THREAD_ON_CPU, "busy"), 70);
	made_done(&made);
}

/* `slow`: rows of calls are no time of threads. */
TEST(calls_stay_and_are_no_state)
{
	struct made made;
	struct profile_id of_one, sample, calls;
	uint32_t first;

	make(&made);
	made.profile.view.slow = true;
	of_one = record(&made, 1, PROGRAM_RAW_TRACEPOINT, NULL);
	sample = record(&made, 1, PROGRAM_SAMPLE, "busy");
	count(&made, of_one, THREAD_ON_CPU, false, 70);
	calls = record(&made, 1, PROGRAM_CALL, "handle");
	profile_count(&made.profile, made.interval, calls, 3, 90);
	profile_count(&made.profile, made.interval, sample, 1, 0);
	assert_int_equal(settle(&made), 70);
	assert_int_equal(sum_of(&made, THREAD_ON_CPU, "busy"), 70);
	assert_int_equal(made.interval->rows.nr, 2);
	first = made.interval->rows.data[0].record; /* renderers skip them there */
	assert_int_equal(made.profile.records.data[first].program, PROGRAM_CALL);
	assert_int_equal(made.interval->rows.data[0].count, 3);
	assert_int_equal(made.interval->rows.data[0].sum, 90);
	made_done(&made);
}

/* Two threads of the process ran: the time of one took the process half. The sum of threads' time is what it was. */
TEST(latency_divides_time_by_the_threads_that_ran)
{
	struct made made;
	struct profile_id of_one, sample;

	make(&made);
	made.profile.view.latency = true;
	of_one = record(&made, 1, PROGRAM_RAW_TRACEPOINT, NULL);
	sample = record(&made, 1, PROGRAM_SAMPLE, "busy");
	made.profile.records.data[made.profile.records.nr - 1].probe = 2;
	count(&made, of_one, THREAD_ON_CPU, false, 500);
	count(&made, of_one, THREAD_SLEEPS, false, 30);
	profile_count(&made.profile, made.interval, sample, 1, 0);
	assert_int_equal(settle(&made), 530);
	assert_int_equal(sum_of(&made, THREAD_ON_CPU, "busy"), 250);
	assert_int_equal(sum_of(&made, THREAD_SLEEPS, NULL), 30);
	made_done(&made);
}

TEST(a_sample_without_time_gives_no_row)
{
	struct made made;

	make(&made);
	profile_count(&made.profile, made.interval, record(&made, 3, PROGRAM_SAMPLE, "late"), 1, 0);
	assert_int_equal(settle(&made), 0);
	assert_int_equal(made.interval->rows.nr, 0);
	made_done(&made);
}

TEST(waits_have_their_state_at_the_root_and_their_reason_at_the_leaf)
{
	struct made made;
	struct profile_id sleeper;
	const struct profile_record *row;

	make(&made);
	sleeper = record(&made, 1, PROGRAM_RAW_TRACEPOINT, "waits");
	count(&made, sleeper, THREAD_SLEEPS, false, 5);
	count(&made, sleeper, THREAD_RUNNABLE, false, 3);
	count(&made, sleeper, THREAD_UNKNOWN, false, 2);
	assert_int_equal(settle(&made), 10);
	wait_reasons_settle(&made.profile);
	assert_int_equal(sum_of(&made, THREAD_SLEEPS, "waits"), 5);
	assert_int_equal(sum_of(&made, THREAD_SLEEPS, "[other]"), 5);
	assert_int_equal(sum_of(&made, THREAD_RUNNABLE, "[run queue]"), 3);
	assert_int_equal(sum_of(&made, THREAD_UNKNOWN, "waits"), 2);
	row = &made.profile.records.data[made.interval->rows.data[0].record];
	assert_int_equal(row->nr_user, 2);
	made_done(&made);
}

TEST(the_first_wait_has_the_stack_of_a_look_that_was_made_in_it)
{
	struct made made;
	struct profile_id of_one, of_two, look;
	uint32_t late;

	make(&made);
	of_one = record(&made, 1, PROGRAM_RAW_TRACEPOINT, NULL);
	of_two = record(&made, 2, PROGRAM_RAW_TRACEPOINT, NULL);
	look = record(&made, 1, PROGRAM_LOOK, "asleep");
	vec_push(&made.looks, profile_find_record(&made.profile, look));
	late = profile_find_record(&made.profile, record(&made, 2, PROGRAM_LOOK, "later"));
	made.profile.records.data[late].time_ns = 300; /* after the end of the wait */
	vec_push(&made.looks, late);
	count(&made, of_one, THREAD_SLEEPS, true, 40);
	count(&made, of_two, THREAD_SLEEPS, true, 60);
	assert_int_equal(settle(&made), 100);
	assert_int_equal(sum_of(&made, THREAD_SLEEPS, "asleep"), 40);
	assert_int_equal(sum_of(&made, THREAD_SLEEPS, "[moved while being read]"), 60);
	assert_int_equal(sum_of(&made, THREAD_SLEEPS, "later"), 0);
	made_done(&made);
}

TEST(the_first_wait_of_a_thread_that_nothing_has_read_says_so)
{
	struct made made;

	make(&made);
	count(&made, record(&made, 1, PROGRAM_RAW_TRACEPOINT, NULL), THREAD_SLEEPS, true, 40);
	assert_int_equal(settle(&made), 40);
	assert_int_equal(sum_of(&made, THREAD_SLEEPS, "[stack not read]"), 40);
	made_done(&made);
}

TEST(time_whose_record_was_lost_is_unknown)
{
	struct made made;

	make(&made);
	profile_count(&made.profile, made.interval, (struct profile_id){ 99, 2 }, 3, 70);
	assert_int_equal(settle(&made), 70);
	assert_int_equal(sum_of(&made, THREAD_UNKNOWN, "[stack lost: ring full]"), 70);
	made_done(&made);
}

TEST(what_has_not_ended_is_there)
{
	struct made made;
	struct profile_id runner, sample;

	make(&made);
	runner = record(&made, 1, PROGRAM_RAW_TRACEPOINT, NULL);
	sample = record(&made, 1, PROGRAM_SAMPLE, "spins");
	profile_count(&made.profile, made.interval, sample, 9, 0);
	vec_push(&made.open, (struct wall_interval){ profile_find_record(&made.profile, runner), THREAD_ON_CPU,
						     BY_RECORD, 500, 0, 200 });
	vec_push(&made.open, (struct wall_interval){ profile_find_record(&made.profile, runner), THREAD_BLOCKED,
						     BY_RECORD, 0, 0, 200 });
	assert_int_equal(settle(&made), 500);
	assert_int_equal(sum_of(&made, THREAD_ON_CPU, "spins"), 500);
	assert_int_equal(made.interval->rows.nr, 1);
	made_done(&made);
}
