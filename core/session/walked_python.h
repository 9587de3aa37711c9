/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Python frames that bpf/python.bpf.c has walked, of all processes. Tells the programs where each interpreter keeps its frames,
 * and names the code objects of their records while these live. docs/internals/python.md has the method.
 */
#pragma once

#include "core/base/buf.h"
#include "core/session/drain_private.h"

struct walked_python;

/* All is borrowed. */
struct walked_python *walked_python_new(const struct drain *drain, const struct drain_target *target);
void walked_python_free(struct walked_python *walked); /* NULL is allowed */

/* Tells the programs of the processes whose layout is known by now. NULL: does nothing. */
void walked_python_update(struct walked_python *walked);

/* Reads the names of code objects of these records (struct st_stack, one after the other) that are not known. NULL: does nothing. */
void walked_python_read(struct walked_python *walked, const uint64_t *records, size_t nr_words);

/*
 * The Python frames of a record, at most ST_MAX_FRAMES, after walked_python_read() of it. Returns their number. *ret_lacks: some could
 * not be read or have no name.
 */
size_t walked_python_inserts(struct walked_python *walked, const struct st_stack *stack,
			     struct drain_insert inserts[ST_MAX_FRAMES], bool *ret_lacks);

/* Forgets all names: strings of the profile are about to be removed. NULL: does nothing. */
void walked_python_forget(struct walked_python *walked);

/* Adds a line for each process of which no Python frames are shown, with the reason. NULL: does nothing. */
void walked_python_add_notes(const struct walked_python *walked, struct buf *notes);
