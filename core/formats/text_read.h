/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles from the text of other tools, and helpers of their readers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/profile/profile.h"

/*
 * Folded text: `frame;frame;leaf count` per line, root first. The first element is the command, "-" separates user and kernel stack, and a
 * frame that ends in `_[k]` is a kernel frame. Printed as folded text, the profile gives the same lines (sorted, equal ones added up).
 * Skips empty lines and lines that begin with '#'; other lines that are not a stack are counted in a line of `ret_notes`.
 *
 * Initialises `ret_profile`. `name`: for messages. Returns 0, or -EINVAL with a recorded cause if the text is not folded stacks.
 */
int folded_decode(const char *text, size_t nr_bytes, const char *name, struct profile *ret_profile,
		  struct buf *ret_notes);

/* Whether the first line that is not a comment begins a sample of perf script. */
bool perf_script_is(const char *text, size_t nr_bytes);

/*
 * The text of `perf script`: a header line and the frames of a sample, leaf first, up to an empty line (tools/perf/builtin-script.c of
 * Linux, perf-script(1)):
 *
 *     comm  PID/TID [cpu] seconds.fraction:  PERIOD event:
 *     	    ffffffff810001 symbol+0xoffset (dso)
 *
 * The command may contain spaces, and spaces may precede it. CPU, time, period, and the process id before the slash are optional. A sample
 * without call chain has its only frame after the event. A sample weighs its period, as in stackcollapse-perf.pl, and becomes a record with
 * its time. Only samples of the first event are read.
 *
 * Initialises `ret_profile`; `ret_notes` gets a line for each kind of input that was skipped. Returns 0, or -EINVAL with a recorded cause
 * if there is no sample.
 */
int perf_script_decode(const char *text, size_t nr_bytes, const char *name, struct profile *ret_profile,
		       struct buf *ret_notes);

enum {
	TEXT_MAX_FRAMES = 8192, /* frames of a stack; the rest, at the root, is cut off */
};

/* A part of a text, not followed by a NUL. */
struct slice {
	const char *text;
	size_t nr;
};

bool slice_is(struct slice slice, const char *word);
bool slice_ends_in(struct slice slice, const char *end);

/* Takes the text before the next `end`, and drops that character; without one, takes all. */
struct slice slice_take(struct slice *text, char end);
/* Takes a line, without "\n" or "\r\n". */
struct slice slice_take_line(struct slice *text);

bool slice_take_char(struct slice *text, char c); /* only if it is the first one */

/* Takes the digits at the start. False without digits, or if the number needs more than 64 bits. */
bool slice_take_number(struct slice *text, uint64_t *ret_number);

bool is_digit(char c);
bool is_space(char c);
int hex_digit(char c); /* lower case; -1: no digit */

/* Adds a frame of which only the name is known. */
uint32_t text_add_frame(struct profile *profile, struct slice name, bool is_kernel);

/* Adds a line "WARNING: NUMBER…"; nothing for 0. `words` as for buf_add_counted(). */
void text_add_warning(struct buf *notes, uint64_t number, const char *words);
