/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of a look at threads, for the files of core/session only. */
#pragma once

#include "core/profile/profile.h"
#include "core/session/drain_private.h"
#include "core/session/look_walk.h"

/* What became of the user stack of a thread. */
enum look_stack {
	LOOK_STACK_NONE, /* the thread is on a CPU, or has no user stack, or only kernel stacks are wanted */
	LOOK_STACK_WALKED,
	LOOK_STACK_UNREADABLE, /* the memory could not be read, or not in time */
};

struct look_thread {
	struct st_look *look; /* with only the frames that it has */
	struct st_stack *stack; /* also with only its own frames; NULL: none */
	uint8_t user; /* enum look_stack */
	bool is_settled; /* two looks agree */
	uint32_t turn; /* the last one in which the thread was looked at */
	uint32_t sample; /* its last record of a timed sample; PROFILE_NONE: none */
	struct drain_insert *inserts; /* frames of an interpreter; NULL: none */
	size_t nr_inserts;
	bool lacks_frames; /* some of these could not be read */
};

/* Whether the record is a sample of this thread in the same program, taken at `since_ns` or later. */
static inline bool look_is_sample_of(const struct profile_record *record, const struct st_look *look, uint64_t since_ns)
{
	return record->program == PROGRAM_SAMPLE && record->tid == look->tid && record->time_ns >= since_ns &&
	       (!record->start_time_ns || record->start_time_ns == look->leader_start_time_ns) &&
	       (!record->exec_id || record->exec_id == look->exec_id);
}

/* ---- look_memory.c ---- */

struct look_memory;

struct look_memory *look_memory_new(void);
void look_memory_free(struct look_memory *memory);

/* A piece of a thread's memory to copy. */
struct look_request {
	uint32_t tgid, tid;
	uint64_t at;
	size_t room;
	long got; /* number of bytes up to the first hole, or a negative errno; -ETIMEDOUT: not in time */
	const uint8_t *bytes; /* valid until the next call */
};

#define LOOK_REQUESTS_MAX 32
#define LOOK_COPY_BYTES (64 << 10) /* limit of each request, unless it is the only one */
#define LOOK_COPY_MAX (1 << 20)

/* Copies them in a helper process, which is killed if it waits for memory too long. A process that made it wait is not tried again. */
void look_memory_copy(struct look_memory *memory, struct look_request *requests, size_t nr);
