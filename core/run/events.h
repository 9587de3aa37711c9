/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events as they come: printed in batches, up to a number, with a note when there are too many to read. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "core/plan/plan.h"
#include "core/profile/profile.h"

struct event_stream {
	const struct plan *plan;
	size_t nr_shown;     /* rows of the interval that have been shown */
	uint64_t nr_events;  /* in all */
	uint64_t second_ns;  /* when the second began that is being counted */
	uint32_t nr_in_second;
	bool warned;
	int64_t wall_offset_ns; /* of the time of day from the monotonic clock, when tracing began */
};

void event_stream_init(struct event_stream *stream, const struct plan *plan);

/* Sets the end of the interval to now, with the time of day as the stream has it. */
void event_stream_end(const struct event_stream *stream, struct profile_interval *interval, uint64_t now_ns);

/*
 * Takes the rows that have come since the last call: those beyond the wanted number are removed from the interval. With
 * `out` they are printed. 0 or the negative errno of a failed write.
 */
int event_stream_take(struct event_stream *stream, const struct profile *profile, struct profile_interval *interval,
		      FILE *out);

/* Whether as many events as wanted have been taken. */
bool event_stream_full(const struct event_stream *stream);

/* True once: when more than 1,000 events came within a second. */
bool event_stream_floods(struct event_stream *stream);

/* Forgets the events that were shown, and what only they needed. */
void event_stream_forget(struct event_stream *stream, struct profile *profile);
