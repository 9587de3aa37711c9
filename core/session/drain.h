/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draining: moves the contents of the ring and the count maps into a profile, without losing a count.
 *
 * A swap flips the generation word, waits until all programs that may have read the old word have finished, reads the ring to its
 * end, and then reads the old count map, which no program writes any more. So a record arrives before its counts, and the counts
 * and statistics of an interval belong to the same events.
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
	struct unwinding *unwinding; /* NULL: the programs do not unwind with tables */
	struct profile_interval *interval; /* gets the rows, losses and numbers */
};

/*
 * Opens the ring for reading, before the first event. Takes the first count map from `loaded`; everything is borrowed. 0 or a recorded
 * failure.
 */
int drain_new(struct loaded *loaded, struct attachment *attachment, const struct plan *plan, struct drain **ret_drain);
void drain_free(struct drain *drain);

/*
 * If Python frames are walked: tells the programs of the processes of -p, as far as the tables of their files are there. To be called
 * before the first event.
 */
void drain_begin_python(struct drain *drain, const struct drain_target *target);

/* Adds a line for each process whose Python frames are not shown, with the reason. */
void drain_add_python_notes(const struct drain *drain, struct buf *notes);

/* The ring's descriptor for epoll: it is readable when the BPF programs ask to be drained. */
int drain_fd(const struct drain *drain);

/*
 * Reads the ring and adds new records to the profile. True: the generations should be swapped soon, because the live count map is
 * half full, the ring refused a record, or many deltas wait.
 */
bool drain_ring(struct drain *drain, const struct drain_target *target);

/* Reads the ring and throws single events away: those before what is to be drained. */
void drain_discard(struct drain *drain);

/* Swaps the generations and adds everything of the old one to the interval, which ends at that moment. 0 or a recorded failure. */
int drain_swap(struct drain *drain, const struct drain_target *target);

/*
 * Makes a large profile of a long run smaller. Call _begin before drain_swap(), and _end when the interval has been reported and its
 * rows are freed. It removes the records that no later event can refer to, and everything that only they used. 0 or a recorded failure.
 */
int drain_forget_begin(struct drain *drain);
void drain_forget_end(struct drain *drain, struct profile *profile);

/* Numbers of the run so far, to be shown while it goes on. */
struct drain_progress {
	bool has_events; /* false for EVENTS_BY_PROBE with many probes: to add up their counts would take too long */
	bool has_lost; /* false for EVENTS_BY_PROBE: losses are known only at the end */
	uint64_t events; /* counted */
	uint64_t lost; /* events that are in no count, as far as the BPF programs know */
};

/* Reads these numbers and drains nothing. */
void drain_progress(const struct drain *drain, struct drain_progress *ret_progress);

/* After attachment_detach(): drains both generations. The interval then has its final numbers. 0 or a recorded failure. */
int drain_all(struct drain *drain, const struct drain_target *target);
