/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Python frames that bpf/python.bpf.c has walked, of all processes: tells the programs where each interpreter keeps its frames, and
 * names the code objects in their records while the objects exist. docs/internals/python.md has the method.
 */
#pragma once

#include "bpf/interpreter_abi.h"
#include "core/base/buf.h"
#include "core/session/drain_private.h"

struct walked_python;

/* All arguments are borrowed. */
struct walked_python *walked_python_new(const struct drain *drain, const struct drain_target *target);
void walked_python_free(struct walked_python *walked); /* NULL is allowed */

/* Gives the programs the processes whose layout is known by now. NULL: does nothing. */
void walked_python_update(struct walked_python *walked);

/* Keeps the name of a function of PHP. NULL: does nothing. */
void walked_python_add_function(struct walked_python *walked, const struct st_function *function);

/* Reads the names of code objects of these records (struct st_stack, one after the other) that are not known. NULL: does nothing. */
void walked_python_read(struct walked_python *walked, const uint64_t *records, size_t nr_words);

/* The Python frames of a record after walked_python_read(). Returns their number. *ret_lacks: some are unreadable or have no name. */
size_t walked_python_inserts(struct walked_python *walked, const struct st_stack *stack,
			     struct drain_insert inserts[ST_MAX_FRAMES], bool *ret_lacks);

/* Forgets functions of PHP if they are too many, or that the programs have told of them; to be called while no records wait. NULL: does nothing. */
void walked_python_make_room(struct walked_python *walked);

/* Forgets all names, before strings of the profile are removed. NULL: does nothing. */
void walked_python_forget(struct walked_python *walked);

/* Adds a line with the reason for each process whose Python frames are not shown. NULL: does nothing. */
void walked_python_add_notes(const struct walked_python *walked, struct buf *notes);
