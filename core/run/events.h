/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single events: printed in batches, up to a limit. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "core/plan/plan.h"
#include "core/profile/profile.h"

struct event_stream {
	const struct plan *plan;
	size_t nr_shown; /* rows of the interval that were printed */
	uint64_t nr_events; /* in all */
	uint64_t second_ns; /* start of the second that is being counted */
	uint32_t nr_in_second;
	bool warned;
	int64_t wall_offset_ns; /* time of day minus CLOCK_MONOTONIC, at the start */
};

void event_stream_init(struct event_stream *stream, const struct plan *plan);

/* Sets the end of the interval; the time of day is computed with wall_offset_ns. */
void event_stream_end(const struct event_stream *stream, struct profile_interval *interval, uint64_t now_ns);

/*
 * Takes the rows that were added since the last call, and removes those over the limit from the interval. Prints them to `out`, which may
 * be NULL. 0 or the negative errno of a failed write.
 */
int event_stream_take(struct event_stream *stream, const struct profile *profile, struct profile_interval *interval,
		      FILE *out);

bool event_stream_full(const struct event_stream *stream);

/* True once, if more than 1,000 events came within a second. */
bool event_stream_floods(struct event_stream *stream);

/* Forgets the printed events and all that only they used. Returns whether the profile also forgot names. */
bool event_stream_forget(struct event_stream *stream, struct profile *profile);
