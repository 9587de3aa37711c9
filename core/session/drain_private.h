/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of what is drained. Only the files of this room that drain include it. */
#pragma once

#include "core/session/drain.h"
#include "core/session/load_private.h"

/* Events go into one of two; the live one is `control->generation & 1`. */
struct generation {
	int counts; /* its count map; -1: not made yet */
	uint32_t entries; /* of that */
};

struct drain {
	const struct plan *plan; /* all three borrowed */
	const struct loaded *loaded;
	struct attachment *attachment;
	struct ring_buffer *ring;
	bool poked; /* the kernel side wants the generations swapped */
	uint64_t bad_messages;

	/* drain_records.c */
	VEC(uint64_t) pending; /* struct st_stack, one after the other, each rounded up to words */
	VEC(struct st_pair) pairs;
	char *cgroup_root; /* where cgroup2 is mounted; NULL: nowhere, or groups are in no record */
	bool holds_live; /* EVENTS_EACH: events of the live generation wait, for the interval of its statistics */
	uint64_t nr_events; /* EVENTS_EACH: rows so far, which are their ids */
	uint32_t nr_dropped; /* EVENTS_EACH: low half of st_control.lost that is in rows */

	/* drain_generations.c */
	struct generation generations[ST_GENERATIONS];
	uint32_t wanted_entries; /* what the next map of the dead generation should hold */
	uint64_t inserted_before; /* control->inserted at the last swap */
	VEC(struct st_delta) deltas; /* that wait for their generation */

	/* drain_tallies.c */
	VEC(struct st_tally) tallies; /* of each place, what is in an interval already; only with EVENTS_BY_PROBE */

	/* drain_forget.c */
	uint64_t nr_received; /* records, since the cache of sent records was last cleared */
	bool forgetting; /* between drain_forget_begin() and _end() */
	VEC(struct profile_id) recent; /* records that must stay then */

	/* drain_account.c: what is in an interval already */
	struct st_stats reported[ST_GENERATIONS];
	uint64_t sample_period; /* 0: not constant */
	uint64_t reported_counter, reported_idle_ns;
	struct attachment_misses reported_misses;
	uint64_t reported_dropped_ms;
	uint64_t reported_sideband;
};

/* ---- drain_records.c ---- */

/* Keeps what the ring has brought, until drain_add_kept(). */
void drain_keep_record(struct drain *drain, const struct st_stack *stack, size_t bytes);
void drain_keep_pair(struct drain *drain, const struct st_pair *pair);

/* Puts it into the profile; the ring has been read to its end. */
void drain_add_kept(struct drain *drain, const struct drain_target *target);

/* Events that were dropped are a row of their own, without a stack. `lost`: low half of st_control.lost. */
void drain_add_dropped(struct drain *drain, const struct drain_target *target, uint32_t lost);

/* ---- drain_generations.c ---- */

/* The map that becomes live next: made when there is none, and made larger when the last one came near its limit. */
int drain_prepare_generation(struct drain *drain, uint32_t next);

/* So many ids were new in the last generation: the next one may need a larger map. */
void drain_note_pressure(struct drain *drain, uint32_t nr_entries);

/* Waits until no program uses this generation any more. 0 or a recorded failure. */
int drain_await_programs(struct drain *drain, uint32_t dead);

/* Deltas of the generation that is being drained are counted; those of the live one wait. */
void drain_count_deltas(struct drain *drain, const struct drain_target *target, uint32_t generation);

/*
 * Reads all of the count map of a generation that no program uses any more, and empties it for its next turn. 0 or a
 * recorded failure; what was read is counted in any case, and the map is given up: it would be counted again.
 */
int drain_dead_map(struct generation *dead, const struct drain_target *target);

/*
 * Reads a hash that has at most *nr entries; *nr is then how many were read, whatever is returned. `empties`: and deletes
 * these. `name` is for messages. 0 or a recorded failure.
 */
int drain_read_map(int fd, void *ret_keys, void *ret_values, uint32_t *nr, bool empties, const char *name);

/* ---- drain_tallies.c ---- */

/* Adds a row for each name of which events came since the last call. 0 or a recorded failure. */
int drain_tallies(struct drain *drain, const struct drain_target *target);

/* ---- drain_forget.c ---- */

/* Empties the cache of sent records: each will be sent once more. 0 or a recorded failure. */
int drain_clear_known(struct drain *drain);

/* Between drain_forget_begin() and _end(): this record must not be forgotten. */
void drain_note_recent(struct drain *drain, const struct st_id *id);

/* ---- drain_unfinished.c ---- */

/* The threads of st_tasks; none where threads are not followed. *ret_tasks is malloc()ed. 0 or a recorded failure. */
int drain_read_tasks(const struct loaded *loaded, struct st_task **ret_tasks, uint32_t *ret_nr);

/* Adds a row for each thread that is still off the CPU, marked as WAKER_UNFINISHED. 0 or a recorded failure. */
int drain_unfinished(const struct loaded *loaded, const struct off_cpu_plan *plan, const struct drain_target *target);

/* ---- drain_account.c ---- */

/* Adds what happened in a generation since the last call, and what was missed; its statistics are added to *sum too. */
void drain_account_generation(struct drain *drain, const struct drain_target *target, uint32_t generation,
			      struct st_stats *sum);

/* What samples are compared with, taken at the moment when a generation ends: waiting for its programs takes many more. */
struct sample_clock {
	uint64_t counter, idle_ns;
};

struct sample_clock drain_read_sample_clock(const struct drain *drain);

/*
 * What is missing from the expected samples, by cause: idle CPUs that got none, then late ones as the BPF side saw
 * them; what remains was skipped. The event's counter knows no generations: `fresh` is of all that are read at this
 * moment.
 */
void drain_account_samples(struct drain *drain, struct profile_interval *interval, const struct st_stats *fresh,
			   struct sample_clock end);
