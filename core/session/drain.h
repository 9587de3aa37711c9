/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draining: from the ring and the count maps into a profile, without losing a count.
 *
 * A swap flips the generation word, waits until every program that may have read the old one has finished, reads the
 * ring to its end and then the old count map, which nothing writes to any more. Records therefore are there before the
 * counts that name them, and numbers and statistics of an interval belong to the same events.
 */
#pragma once

#include "core/profile/profile.h"
#include "core/session/attachment.h"
#include "core/session/loaded.h"
#include "core/unwind/unwinding.h"

struct drain;

struct drain_target {
	struct profile *profile;
	struct spaces *spaces;
	struct unwinding *unwinding; /* NULL: the programs do not unwind by tables */
	struct profile_interval *interval; /* gets the rows, losses and numbers */
};

/*
 * Opens the ring for reading, before the first event, and takes over the first count map of what is loaded. All is borrowed.
 * 0 or a recorded failure.
 */
int drain_new(struct loaded *loaded, struct attachment *attachment, const struct plan *plan, struct drain **ret_drain);
void drain_free(struct drain *drain);

/* A descriptor for epoll that becomes readable when the kernel side asks for attention. */
int drain_fd(const struct drain *drain);

/*
 * Reads what is in the ring: new records go into the profile. True when the live count map is half full or the ring
 * has refused a record, and the generations should be swapped soon.
 */
bool drain_ring(struct drain *drain, const struct drain_target *target);

/* Swaps the generations and adds everything of the old one to the interval. 0 or a recorded failure. */
int drain_swap(struct drain *drain, const struct drain_target *target);

/*
 * For a run of days whose profile has become large: _begin before drain_swap(), _end when the interval has been
 * reported and its rows are gone. Records that no later event can name are forgotten, and everything that only they
 * used. 0 or a recorded failure.
 */
int drain_forget_begin(struct drain *drain);
void drain_forget_end(struct drain *drain, struct profile *profile);

/* For people who wait: over all intervals. */
struct drain_progress {
	/* Not of many probes that are counted each for itself: to add them up would be work without end. */
	bool has_events;
	/* Not of probes that are counted each for itself: what they have lost is known at the end only. */
	bool has_lost;
	uint64_t events; /* counted */
	uint64_t lost; /* events that are in no count, as far as the kernel side knows */
};

/* What has come until now. Drains nothing. */
void drain_progress(const struct drain *drain, struct drain_progress *ret_progress);

/*
 * After attachment_detach(): both generations, so that nothing that was ever counted stays behind. The interval then has
 * its final numbers.
 */
int drain_all(struct drain *drain, const struct drain_target *target);
