/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The walk of a user stack in a copy, with the tables and the step of bpf/unwind.bpf.c. For the files of core/session only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/abi.h"
#include "core/unwind/unwinding.h"

#define LOOK_PIECES_MAX 24
#define LOOK_STACK_BYTES (8 << 20) /* the largest default stack */

/* A piece of the thread's memory, in whole pages, because the walk reads up to the end of a page. */
struct look_piece {
	uint64_t at;
	size_t nr;
	const uint8_t *bytes; /* borrowed */
};

struct look_walk {
	struct unwinding *unwinding; /* provides the tables; NULL: none. Borrowed */
	bool follows_frames; /* continues by frame pointers if code has no rule; false: ends the walk there */
	struct look_piece pieces[LOOK_PIECES_MAX];
	size_t nr_pieces;
	uint64_t missing; /* an address that the walk needed and that no piece contains; 0: none */
	/* The stack pointer of each frame in the order of the walk, then that of the last one's caller. Outer frames are missing. */
	uint64_t stack_pointers[ST_DEEPEST + 2];
	size_t nr_steps; /* frames of the walk, including those that do not fit into the record */
	struct st_slot slot; /* slot.stack gets the user frames, after its kernel frames */
};

/*
 * Walks from the registers of `look` on. `space` is the space of the process (struct st_unwind_process), 0: unknown. Sets the user frames
 * of walk->slot.stack and the fields of its head about them. The kernel frames must already be in it.
 */
void look_walk(struct look_walk *walk, const struct st_look *look, uint64_t space);

/* Copies bytes of the pieces. False: no piece contains all of them. */
bool look_walk_read(const struct look_walk *walk, uint64_t at, void *to, size_t nr);

/* The stack pointer of a thread with registers. 0: it has no registers of user mode. */
uint64_t look_stack_pointer(const struct st_look *look);
