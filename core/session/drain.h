/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draining: moves the contents of the ring and the count maps into a profile without losing a count.
 *
 * A swap changes the generation, waits until no program uses the old generation any more, reads the ring to its end, and then reads the old
 * count map. So a record arrives before its counts, and the counts and statistics of an interval belong to the same events.
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

/* Opens the ring, before the first event. Takes the first count map from `loaded`. All is borrowed. 0 or a recorded failure. */
int drain_new(struct loaded *loaded, struct attachment *attachment, const struct plan *plan, struct drain **ret_drain);
void drain_free(struct drain *drain);

/* Prepares the walk of Python frames for the processes of -p whose tables exist. To be called before the first event. */
void drain_begin_python(struct drain *drain, const struct drain_target *target);

/* Adds a line with the reason for each process whose Python frames are not shown. */
void drain_add_python_notes(const struct drain *drain, struct buf *notes);

/* The ring's descriptor for epoll. It is readable when the BPF programs request a drain. */
int drain_fd(const struct drain *drain);

/*
 * Reads the ring and adds new records to the profile. True: the generations should be swapped soon, because the live count map is half
 * full, the ring refused a record, or many deltas wait.
 */
bool drain_ring(struct drain *drain, const struct drain_target *target);

/*
 * Reads the copied stacks (drain_copies.c), and adds those whose tables are ready; with `all` also the others, for which it waits
 * `timeout_ms` at most. To be called when mappings or tables have come. drain_ring() does it too.
 */
void drain_copies_walk(struct drain *drain, const struct drain_target *target, bool all, int timeout_ms);

/* EVENTS_EACH: reads the ring and discards the events in it, so that only later ones are drained. */
void drain_discard(struct drain *drain);

/* Swaps the generations and adds the old one to the interval, which ends at that moment. Returns 0 or a recorded failure. */
int drain_swap(struct drain *drain, const struct drain_target *target);

/*
 * Reduces a large profile of a long run: removes the records that no later event can refer to, and everything that only they used. Call
 * _begin before drain_swap(), and _end when the interval has been reported and its rows are freed. Returns 0 or a recorded failure.
 */
int drain_forget_begin(struct drain *drain);
void drain_forget_end(struct drain *drain, struct profile *profile);

/* Numbers of the run so far, to show while it continues. */
struct drain_progress {
	bool has_events; /* false for EVENTS_BY_PROBE with many probes, whose counts would take too long to add */
	bool has_lost; /* false for EVENTS_BY_PROBE, whose losses are known only at the end */
	uint64_t events; /* that were counted */
	uint64_t lost; /* that are in no count, as far as the BPF programs know */
};

/* Reads these numbers and drains nothing. */
void drain_progress(const struct drain *drain, struct drain_progress *ret_progress);

/* data_places_settle() for locks, if the plan has them. */
void drain_settle_locks(const struct drain *drain, struct profile *profile);

/* Drains both generations after attachment_detach(). The interval then has its final numbers. Returns 0 or a recorded failure. */
int drain_all(struct drain *drain, const struct drain_target *target);
