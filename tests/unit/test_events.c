/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single events over a run of weeks (stacksnoop): what was shown is forgotten, with what only it needed. */
#include "core/run/events.h"

#include "tests/harness.h"

#define RUN 300000

static void add_event(struct profile *profile, uint32_t number)
{
	struct profile_frame frame = { .kind = FRAME_USER_RAW, .tgid = number, .where = 7 };
	struct profile_record record = { .id = { number, 1 }, .tgid = number, .nr_user = 1 };
	const struct profile_life life = { .tgid = number, .begin_ns = 1, .end_ns = 2 };
	const struct profile_mapping mapping = { .life = profile_add_life(profile, &life), .start = 1, .end = 2 };
	char name[32];
	uint32_t added;

	snprintf(name, sizeof(name), "comm-%u", number);
	record.comm = frame.name = profile_add_string(profile, name);
	added = profile_add_frame(profile, &frame);
	profile_add_record(profile, &record, &added, &frame.where);
	profile_add_mapping(profile, &mapping);
	profile_count(profile, &profile->intervals.data[0], record.id, 1, 0);
}

TEST(events_that_were_shown_do_not_accumulate)
{
	const struct plan plan = {};
	struct event_stream stream;
	struct profile profile;
	unsigned int nr_forgotten = 0;

	profile_init(&profile);
	event_stream_init(&stream, &plan);
	vec_push(&profile.intervals, (struct profile_interval){});
	for (uint32_t i = 1; i <= RUN; i++) {
		add_event(&profile, i);
		if (i % 100)
			continue;
		assert_int_equal(event_stream_take(&stream, &profile, &profile.intervals.data[0], NULL), 0);
		nr_forgotten += event_stream_forget(&stream, &profile);
		assert_int_equal(profile.records.nr, 0);
		assert_int_equal(profile.intervals.data[0].rows.nr, 0);
		assert_in_range(profile.frames.nr, 0, 70000);
		assert_in_range(profile.strings.offsets.nr, 0, 70000);
		assert_in_range(profile.lives.nr, 0, 70000);
		assert_in_range(profile.mappings.nr, 0, 70000);
	}
	assert_int_equal(stream.nr_events, RUN);
	assert_in_range(nr_forgotten, 3, 10);
	profile_done(&profile);
}
