/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of a drain, for the files of core/session only. */
#pragma once

#include "core/session/drain.h"
#include "core/session/load_private.h"

/* Each event goes into one of two generations. The live one is `control->generation & 1`. */
struct generation {
	int counts; /* descriptor of its count map; -1: no map yet */
	uint32_t entries; /* size of the map; 0: no map yet */
};

struct drain {
	const struct plan *plan; /* borrowed, like the next two */
	const struct loaded *loaded;
	struct attachment *attachment;
	struct ring_buffer *ring;
	bool woken; /* a BPF program requested a swap of the generations */
	uint64_t bad_messages;

	struct walked_python *python; /* NULL: Python frames are not walked */

	/* drain_records.c */
	VEC(uint64_t) pending; /* records that wait: struct st_stack, one after the other */
	VEC(struct st_pair) pairs; /* that wait */
	char *cgroup_root; /* where cgroup2 is mounted; NULL: nowhere, or records have no cgroup */
	bool holds_live; /* EVENTS_EACH: events of the live generation wait for the interval that gets its statistics */
	struct data_places *locks; /* NULL: locks are not watched */
	bool has_depths; /* there was a record with elided frames */
	uint64_t nr_events; /* EVENTS_EACH: number of the last row, which is its id */
	uint32_t nr_dropped; /* EVENTS_EACH: the low half of st_control.lost up to the last row */

	struct copies *copies; /* drain_copies.c; NULL: none are taken */

	/* drain_generations.c */
	struct generation generations[ST_GENERATIONS];
	uint32_t wanted_entries; /* size that the next live map should have */
	uint64_t inserted_before; /* control->inserted at the last swap */
	VEC(struct st_delta) deltas; /* that wait until their generation is drained */

	/* drain_tallies.c */
	VEC(struct st_tally) tallies; /* EVENTS_BY_PROBE: of each place, as last reported */

	/* drain_forget.c */
	uint64_t nr_received; /* records since the cache of sent records was last emptied */
	bool forgetting; /* between drain_forget_begin() and drain_forget_end() */
	VEC(struct profile_id) recent; /* records that must not be forgotten */

	/* drain_account.c: numbers as last reported */
	struct st_stats reported[ST_GENERATIONS];
	uint64_t sample_period; /* 0: not constant */
	uint64_t reported_counter, reported_idle_ns;
	int64_t samples_remainder; /* share_missing_samples() */
	struct attachment_misses reported_misses;
	uint64_t reported_dropped_ms;
	uint64_t reported_sideband;
};

/* ---- drain_records.c ---- */

size_t drain_words_of(const struct st_stack *stack);

/* Keeps a message of the ring until drain_add_kept(). Its kind and size have been checked. */
void drain_keep_record(struct drain *drain, const struct st_stack *stack, size_t bytes);
void drain_keep_pair(struct drain *drain, const struct st_pair *pair);

/* Adds the kept messages to the profile, once the ring has been read to its end. */
void drain_add_kept(struct drain *drain, const struct drain_target *target);

/* Sets elided_least and elided_most of all records of deep stacks, as far as the programs know them. Returns 0 or a recorded failure. */
int drain_read_depths(const struct drain *drain, struct profile *profile);

/* Adds a row without a stack for events that were dropped since the last call. `lost`: low half of st_control.lost. */
void drain_add_dropped(struct drain *drain, const struct drain_target *target, uint32_t lost);

/* Why the row of a thread has a text instead of its user stack. */
enum look_label {
	LOOK_LABEL_NONE,
	LOOK_LABEL_MOVED,
	LOOK_LABEL_UNREADABLE,
	LOOK_LABEL_NOT_SAMPLED,
};

/* A frame of an interpreter, to insert into the user frames of a record in the profile. */
struct drain_insert {
	uint16_t place; /* index of the user frame that it precedes */
	bool replaces; /* it replaces that user frame, which is the interpreter's own */
	uint32_t frame; /* in the profile */
};

#define DRAIN_INSERTS_MAX 1024

struct drain_look {
	char letter; /* the state of the thread as ps shows it */
	uint64_t waited_ns; /* since the thread last got a CPU; 0: unknown */
	enum look_label label;
	const struct drain_insert *inserts; /* in the order of `place` */
	size_t nr_inserts;
	bool lacks_frames; /* some frames of an interpreter could not be read */
	enum st_loss lack; /* the loss that this is */
};

/* Adds a row for a thread in its present state (look.c). */
void drain_add_look(struct drain *drain, const struct drain_target *target, const struct st_stack *stack,
		    const struct drain_look *look);

/* Adds an event with its record, which may have another id from now on. */
void drain_add_counted(struct drain *drain, const struct drain_target *target, const struct st_stack *stack);

/* What of a record spaces.h needs. */
struct profile_record drain_process_of(const struct st_stack_head *head);

/* ---- drain_copies.c ---- */

/*
 * Opens the rings of st_copies. A CPU without one counts its samples in the kernel. NULL: the programs send no copies, or no ring can be
 * opened.
 */
struct copies *drain_copies_new(const struct drain *drain);
void drain_copies_free(struct copies *copies);

/* ---- drain_generations.c ---- */

/* Makes the map of the next live generation if there is none, or if it should be larger. Returns 0 or a recorded failure. */
int drain_prepare_generation(struct drain *drain, uint32_t next);

/* Decides by the number of new ids in the last generation whether the next map should be larger. */
void drain_note_pressure(struct drain *drain, uint32_t nr_entries);

/* Waits until no program uses this generation any more. Returns 0 or a recorded failure. */
int drain_await_programs(struct drain *drain, uint32_t dead);

/* Counts the deltas of the generation that is drained. Deltas of the other one wait. */
void drain_count_deltas(struct drain *drain, const struct drain_target *target, uint32_t generation);

/*
 * Reads the count map of a generation that no program uses any more, and empties it. Returns 0 or a recorded failure. After a failure, the
 * entries that were read are in the profile, and the map is closed so that they are not counted twice.
 */
int drain_dead_map(struct generation *dead, const struct drain_target *target);

/* Reads up to *nr entries of a hash; `empties` deletes them. Sets *nr to the number read. `name`: for messages. 0 or a recorded failure. */
int drain_read_map(int fd, void *ret_keys, void *ret_values, uint32_t *nr, bool empties, const char *name);

/* ---- drain_tallies.c ---- */

/* Adds a row for each name with events since the last call. Returns 0 or a recorded failure. */
int drain_tallies(struct drain *drain, const struct drain_target *target);

/* EVENTS_BY_LENGTH: adds the records of the interval's rows, which the programs do not send. */
void drain_name_calls(const struct drain *drain, const struct drain_target *target);

/* EVENTS_BY_LENGTH, at the end: counts the calls that have not ended. Returns 0 or a recorded failure. */
int drain_open_calls(const struct drain *drain, const struct drain_target *target);

/* ---- drain_forget.c ---- */

/* Empties the cache of sent records, so that the programs send each record again. Returns 0 or a recorded failure. */
int drain_clear_known(struct drain *drain);

/* Between drain_forget_begin() and drain_forget_end(): keeps this record. Otherwise does nothing. */
void drain_note_recent(struct drain *drain, const struct st_id *id);

/* ---- drain_unfinished.c ---- */

/* The threads of st_tasks, malloc()ed; none if threads are not followed. Returns 0 or a recorded failure. */
int drain_read_tasks(const struct loaded *loaded, struct st_task **ret_tasks, uint32_t *ret_nr);

/* Adds a row, marked as WAKER_UNFINISHED, for each thread that is still off the CPU. Returns 0 or a recorded failure. */
int drain_unfinished(const struct loaded *loaded, const struct off_cpu_plan *plan, const struct drain_target *target);

/* ---- drain_account.c ---- */

/* Adds the statistics of a generation since the last call, and all misses, to the interval. Also adds the statistics to *sum. */
void drain_account_generation(struct drain *drain, const struct drain_target *target, uint32_t generation,
			      struct st_stats *sum);

/* Clocks that determine the expected number of samples. They are read when a generation ends, before the wait for its programs. */
struct sample_clock {
	uint64_t counter; /* of the perf events of all CPUs */
	uint64_t idle_ns; /* of all CPUs */
};

/* Zeros if there are no timed samples. */
struct sample_clock drain_read_sample_clock(const struct drain *drain);

/* Counts missing samples by cause (sample_shares.h). `fresh`: the statistics of all generations that are drained now. */
void drain_account_samples(struct drain *drain, struct profile_interval *interval, const struct st_stats *fresh,
			   struct sample_clock end);
