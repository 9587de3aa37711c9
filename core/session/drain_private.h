/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of draining. */
#pragma once

#include "bpf/abi.h"
#include "core/session/drain.h"

/* Adds a row for each thread that is still off the CPU, marked as WAKER_UNFINISHED. 0 or a recorded failure. */
int drain_unfinished(struct session *session, const struct drain_target *target);

/* Empties the cache of sent records: each will be sent once more. 0 or a recorded failure. */
int drain_clear_known(struct session *session);

/* Between drain_forget_begin() and _end(): this record must not be forgotten. */
void drain_note_recent(struct session *session, const struct st_id *id);

/* Adds what the kernel missed since the last call to the losses of the interval. */
void drain_misses(struct session *session, struct profile_interval *interval);

/* What the kernel missed until now, while probes were attached, is part of no interval. */
void drain_begin_misses(struct session *session);

/* Reads what the kernel missed, for the last time before the links go and take their numbers with them. */
void drain_end_misses(struct session *session);

/* Keeps what a link counts that is about to go while the others stay. */
void drain_forget_link(struct session *session, int link);

/* Adds the time in which a place was detached by session_drop(), since the last call. */
void drain_missing_time(struct session *session, struct profile_interval *interval);

/* The statistics of a generation, over all CPUs since the start; zeros where they cannot be read. */
void drain_sum_stats(const struct session *session, uint32_t generation, struct st_stats *ret_sum);

/*
 * Reads all of the count map of a generation that no program uses any more, and empties it for its next turn. 0 or a
 * recorded failure; what was read is counted in any case.
 */
int drain_dead_map(struct session *session, const struct drain_target *target, uint32_t generation);

/* Adds a row for each name of which events came since the last call. 0 or a recorded failure. */
int drain_tallies(struct session *session, const struct drain_target *target);
