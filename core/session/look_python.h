/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Python frames of threads that stand still, for look.c: reads the interpreter's own list of frames from the process, and finds the
 * native frame that each belongs to by its address on the stack. docs/internals/python.md has the method.
 *
 * What is read comes from the process, which may have made all of it up: it can show wrong names in its own stacks, nothing else.
 */
#pragma once

#include "core/base/buf.h"
#include "core/session/look_private.h"

struct look_pages;
struct look_python;

/* All is borrowed; `unwinding` may be NULL: then there are no Python frames. */
struct look_python *look_python_new(struct look_pages *pages, const struct unwinding *unwinding,
				    struct profile *profile);
void look_python_free(struct look_python *python);

/* What is known of a process is forgotten: its threads have run since. */
void look_python_forget(struct look_python *python);

/*
 * Finds the Python frames of a thread whose native stack was walked just now: sets its `inserts` and `lacks_frames`. They are valid only
 * if the thread has not run meanwhile: the caller checks that before it uses them.
 */
void look_python_walk(struct look_python *python, const struct look_walk *walk, struct look_thread *thread);

/* Adds a line for each process of which no Python frames are shown, with the reason. */
void look_python_add_notes(const struct look_python *python, struct buf *notes);
