/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text on its way to a file. It gathers in a buffer, to which anything that takes a struct buf can add, and is written in
 * large pieces, so that a report needs no memory in proportion to its length.
 */
#pragma once

#include <stdio.h>

#include "core/base/buf.h"

struct stream {
	struct buf text;
	FILE *out; /* NULL: all of it stays in `text` */
	int err; /* negative errno of the first write that failed; later text is dropped */
};

void stream_done(struct stream *stream); /* `out` stays open */

/* Writes what has gathered, if it is much: to be called after each part of moderate size. */
void stream_turn(struct stream *stream);

/* Writes the rest. 0, or the negative errno of the first write that failed. */
int stream_finish(struct stream *stream);
