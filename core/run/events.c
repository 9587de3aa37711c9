/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/events.h"

#include <errno.h>
#include <time.h>

#include "core/base/clock.h"
#include "core/render/render.h"

#define MANY_PER_SECOND 1000

void event_stream_init(struct event_stream *stream, const struct plan *plan)
{
	*stream = (struct event_stream){
		.plan = plan,
		.wall_offset_ns = (int64_t)(clock_now_ns(CLOCK_REALTIME) - clock_monotonic_ns()),
	};
}

void event_stream_end(const struct event_stream *stream, struct profile_interval *interval, uint64_t now_ns)
{
	interval->end_ns = now_ns;
	interval->wall_end_ns = now_ns + (uint64_t)stream->wall_offset_ns;
}

bool event_stream_full(const struct event_stream *stream)
{
	return stream->plan->max_events && stream->nr_events >= stream->plan->max_events;
}

bool event_stream_floods(struct event_stream *stream)
{
	if (stream->warned || stream->nr_in_second <= MANY_PER_SECOND)
		return false;
	stream->warned = true;
	return true;
}

/* Uses the times of events, because batches are read late on a busy host. */
static void count_in_second(struct event_stream *stream, uint64_t time_ns)
{
	if (stream->nr_in_second > MANY_PER_SECOND)
		return;
	if (time_ns - stream->second_ns >= NSEC_PER_SEC) {
		stream->second_ns = time_ns;
		stream->nr_in_second = 0;
	}
	stream->nr_in_second++;
}

/* Limits the number of events. Rows of lost events do not count. */
static void limit(struct event_stream *stream, const struct profile *profile, struct profile_interval *interval)
{
	for (size_t i = stream->nr_shown; i < interval->rows.nr; i++) {
		const struct profile_record *record = &profile->records.data[interval->rows.data[i].record];

		if (event_stream_full(stream)) {
			interval->rows.nr = i;
			return;
		}
		if (record->stack_lost)
			continue;
		stream->nr_events++;
		count_in_second(stream, record->time_ns);
	}
}

int event_stream_take(struct event_stream *stream, const struct profile *profile, struct profile_interval *interval,
		      FILE *out)
{
	int err = 0;

	limit(stream, profile, interval);
	if (out)
		err = render_events(profile, interval, stream->nr_shown, &profile->view, out);
	if (!err && out && fflush(out))
		err = -errno;
	stream->nr_shown = interval->rows.nr;
	return err;
}

bool event_stream_forget(struct event_stream *stream, struct profile *profile)
{
	bool is_large;

	profile_forget_records(profile);
	is_large = profile_is_large(profile);
	if (is_large) /* no record has frames or names now */
		profile_keep_only(profile, NULL, 0);
	stream->nr_shown = 0;
	return is_large;
}
