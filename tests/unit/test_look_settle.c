/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which samples are the rows of threads that run, and what remains of the rest. */
#include "core/session/look.h"
#include "core/session/look_private.h"
#include "tests/harness.h"

static struct profile_record sample_of(const struct st_look *look, uint64_t time_ns)
{
	return (struct profile_record){ .program = PROGRAM_SAMPLE,
					.tgid = look->tgid,
					.tid = look->tid,
					.start_time_ns = look->leader_start_time_ns,
					.exec_id = look->exec_id,
					.time_ns = time_ns };
}

TEST(a_sample_is_of_the_same_run_of_the_thread)
{
	const struct st_look look = { .tgid = 5, .tid = 6, .leader_start_time_ns = 70, .exec_id = 3 };
	const struct profile_record good = sample_of(&look, 1000);
	struct profile_record other = good;

	assert_true(look_is_sample_of(&good, &look, 1000));
	assert_false(look_is_sample_of(&good, &look, 1001)); /* before the last turn */
	other.tid = 7;
	assert_false(look_is_sample_of(&other, &look, 1000));
	other = good;
	other.start_time_ns = 71;
	assert_false(look_is_sample_of(&other, &look, 1000));
	other = good;
	other.exec_id = 4;
	assert_false(look_is_sample_of(&other, &look, 1000));
	other = good;
	other.program = PROGRAM_LOOK;
	assert_false(look_is_sample_of(&other, &look, 1000));
	other = good;
	other.start_time_ns = other.exec_id = 0; /* unknown */
	assert_true(look_is_sample_of(&other, &look, 1000));
}

/* Records 0 to 3: two samples, a thread that was looked at, and a sample. */
TEST(one_sample_of_a_thread_stays_and_losses_that_are_no_events)
{
	_cleanup_(profile_done) struct profile profile = {};
	_cleanup_(profile_interval_done) struct profile_interval interval = {};
	const struct drain_target target = { .profile = &profile, .interval = &interval };
	uint32_t numbers[] = { 1 };
	const struct u32_list sampled = { numbers, 1, 1 };

	profile_init(&profile);
	for (uint64_t i = 0; i < 4; i++) {
		struct profile_record record = { .id = { i + 1, 1 },
						 .program = i == 2 ? PROGRAM_LOOK : PROGRAM_SAMPLE,
						 .tid = 6 };

		assert_int_equal(profile_add_record(&profile, &record, NULL, NULL), i);
		profile_count(&profile, &interval, record.id, 1, 0);
	}
	interval.losses[ST_LOSS_SIDEBAND] = 2;
	interval.losses[ST_LOSS_BAD_MESSAGE] = 3;
	interval.losses[ST_LOSS_NO_SLOT] = 4;
	interval.account.seen = 900;
	look_settle(&target, &sampled);
	assert_int_equal(interval.rows.nr, 2);
	assert_int_equal(interval.rows.data[0].record, 1);
	assert_int_equal(interval.rows.data[1].record, 2);
	assert_int_equal(interval.losses[ST_LOSS_SIDEBAND], 2);
	assert_int_equal(interval.losses[ST_LOSS_BAD_MESSAGE], 3);
	assert_int_equal(interval.losses[ST_LOSS_NO_SLOT], 0);
	assert_int_equal(interval.account.seen, 2);
}
