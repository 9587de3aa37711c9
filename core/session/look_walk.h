/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of a user stack in a copy of the thread's memory, by the tables and the step of bpf/unwind.bpf.c. For look*.c only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/abi.h"
#include "core/unwind/unwinding.h"

#define LOOK_PIECES_MAX 24
#define LOOK_STACK_BYTES (8 << 20) /* of the largest stack by default */

/* A piece of the thread's memory: whole pages, as the walk reads up to the end of a page. */
struct look_piece {
	uint64_t at;
	size_t nr;
	const uint8_t *bytes; /* borrowed */
};

struct look_walk {
	struct unwinding *unwinding; /* whose tables are used; NULL: none. Borrowed */
	bool follows_frames; /* goes on by frame pointers where code has no rule; false: the walk ends there */
	struct look_piece pieces[LOOK_PIECES_MAX];
	size_t nr_pieces;
	uint64_t missing; /* an address that the walk needed and no piece has; 0: none */
	/* The stack pointer of each frame, in the order of the walk; after the last one, that of its caller. Frames beyond are missing. */
	uint64_t stack_pointers[ST_DEEPEST + 2];
	size_t nr_steps; /* frames of the walk, also those that the record has no room for */
	struct st_slot slot; /* slot.stack gets the user frames, after its kernel frames */
};

/*
 * Walks from the registers of `look` on; `space` is that of its process (struct st_unwind_process), 0: unknown. Sets the user frames of
 * walk->slot.stack and what its head says about them. The head must have its kernel frames.
 */
void look_walk(struct look_walk *walk, const struct st_look *look, uint64_t space);

/* Copies bytes of the pieces; false: no piece has them all. */
bool look_walk_read(const struct look_walk *walk, uint64_t at, void *to, size_t nr);

/* The stack pointer of a thread with registers; 0: it has none of user mode. */
uint64_t look_stack_pointer(const struct st_look *look);
