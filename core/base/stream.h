/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text for a file. It is collected in a buffer, to which every function that takes a struct buf can add, and written in large
 * pieces, so that the memory does not grow with the length of a report.
 */
#pragma once

#include <stdio.h>

#include "core/base/buf.h"

struct stream {
	struct buf text;
	FILE *out; /* NULL: all text stays in `text` */
	int err; /* negative errno of the first write that failed; later text is dropped */
};

void stream_done(struct stream *stream); /* `out` stays open */

/* Writes the text if it has 256 KiB or more. To be called after each part of moderate size. */
void stream_turn(struct stream *stream);

/* Writes the rest. 0, or the negative errno of the first write that failed. */
int stream_finish(struct stream *stream);
