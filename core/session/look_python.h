/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Python frames of threads that are on no CPU, for look.c: reads the interpreter's list of frames from the process, and finds the
 * native frame of each by its address on the stack. docs/internals/python.md has the method.
 *
 * The process may have made up all data that is read. It can show wrong names in its own stacks, but nothing else.
 */
#pragma once

#include "core/base/buf.h"
#include "core/session/look_private.h"

struct look_pages;
struct look_python;

/* All arguments are borrowed. `unwinding` NULL: no Python frames. */
struct look_python *look_python_new(struct look_pages *pages, const struct unwinding *unwinding,
				    struct profile *profile);
void look_python_free(struct look_python *python);

/* Forgets all data about the process, because its threads have run since. */
void look_python_forget(struct look_python *python);

/*
 * Finds the Python frames of a thread whose native stack was just walked, and sets its `inserts` and `lacks_frames`. They are valid only if
 * the thread has not run since, which the caller checks.
 */
void look_python_walk(struct look_python *python, const struct look_walk *walk, struct look_thread *thread);

/* Adds a line with the reason for each process whose Python frames are not shown. */
void look_python_add_notes(const struct look_python *python, struct buf *notes);
