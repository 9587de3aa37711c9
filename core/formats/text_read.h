/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the readers of text (folded_read.h, perf_script_read.h) share: parts of it, frames by name, and warnings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/profile/profile.h"

enum {
	TEXT_MAX_FRAMES = 8192, /* of a stack; deeper ones are cut at the root */
};

/* A part of a text, which ends nowhere but by its length. */
struct slice {
	const char *text;
	size_t nr;
};

bool slice_is(struct slice slice, const char *word);
bool slice_ends_in(struct slice slice, const char *end);

/* Takes what stands before the next `end`, or all of it, and that character. */
struct slice slice_take(struct slice *text, char end);
/* The same for a line: without the '\r' of "\r\n". */
struct slice slice_take_line(struct slice *text);

/* Takes the digits at the start, which may be none. False for a number of more than 64 bits. */
bool slice_take_number(struct slice *text, uint64_t *ret_number);

bool is_digit(char c);
int hex_digit(char c); /* lower case; -1 for none */

/* A frame of which only the name is known. */
uint32_t text_add_frame(struct profile *profile, struct slice name, bool is_kernel);

/* Adds a line "WARNING: …" about so many things, unless there are none. `words`: as for buf_add_counted(). */
void text_add_warning(struct buf *notes, uint64_t number, const char *words);
