/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles from the text of other tools, and what their readers share: parts of text, frames by name, warnings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/profile/profile.h"

/*
 * Folded text: `frame;frame;leaf count` per line, root first. The first element is taken for the command, "-" for the border
 * between user and kernel stack, frames that end in `_[k]` for kernel frames. Printing the profile folded gives the lines back
 * (sorted, equal ones added up). Empty lines and lines that begin with '#' are skipped, other lines that are not a stack become a
 * line of `ret_notes`.
 *
 * Initialises `ret_profile`. `name` is what messages call the bytes. 0, or -EINVAL with a recorded cause when no line is a stack.
 */
int folded_decode(const char *text, size_t nr_bytes, const char *name, struct profile *ret_profile,
		  struct buf *ret_notes);

/* Whether the first line that is not a comment begins a sample of perf script. */
bool perf_script_is(const char *text, size_t nr_bytes);

/*
 * The text of `perf script`. A sample is a header line and then its frames, leaf first, up to an empty line
 * (tools/perf/builtin-script.c of Linux, perf-script(1)):
 *
 *     comm  PID/TID [cpu] seconds.fraction:  PERIOD event:
 *     	    ffffffff810001 symbol+0xoffset (dso)
 *
 * The command may hold spaces, and spaces may precede it; CPU, time, period and the process id before the slash may be missing.
 * A sample without call chain has its only frame after the event, on the same line. A sample weighs its period, as in stackcollapse-perf.pl.
 * Each becomes a record of its own with its time. Only samples of the first event are read.
 *
 * Initialises `ret_profile`; what is left out becomes lines of `ret_notes`. 0, or -EINVAL with a recorded cause when there is
 * no sample.
 */
int perf_script_decode(const char *text, size_t nr_bytes, const char *name, struct profile *ret_profile,
		       struct buf *ret_notes);

/* ---- for the readers ---- */

enum {
	TEXT_MAX_FRAMES = 8192, /* of a stack; deeper ones are cut at the root */
};

/* A part of a text, without a NUL at its end. */
struct slice {
	const char *text;
	size_t nr;
};

bool slice_is(struct slice slice, const char *word);
bool slice_ends_in(struct slice slice, const char *end);

/* Takes everything before the next `end` and drops that character, or takes all that is left. */
struct slice slice_take(struct slice *text, char end);
/* The same for a line: without the '\r' of "\r\n". */
struct slice slice_take_line(struct slice *text);

bool slice_take_char(struct slice *text, char c); /* if it is the first one */

/* Takes the digits at the start. False without any, and for a number of more than 64 bits. */
bool slice_take_number(struct slice *text, uint64_t *ret_number);

bool is_digit(char c);
bool is_space(char c); /* ' ' or '\t' */
int hex_digit(char c); /* lower case; -1 for none */

/* A frame of which only the name is known. */
uint32_t text_add_frame(struct profile *profile, struct slice name, bool is_kernel);

/* Adds a line "WARNING: NUMBER…", or nothing for 0. `words`: as for buf_add_counted(). */
void text_add_warning(struct buf *notes, uint64_t number, const char *words);
