/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text for a file. It is collected in a struct buf and written in large pieces, so that memory does not grow with the report. */
#pragma once

#include <stdio.h>

#include "core/base/buf.h"

struct stream {
	struct buf text;
	FILE *out; /* NULL: all text stays in `text` */
	int err; /* negative errno of the first failed write; later text is dropped */
};

void stream_done(struct stream *stream); /* `out` stays open */

/* Writes the text if it has 256 KiB or more. Call it after each part of moderate size. */
void stream_turn(struct stream *stream);

/* Writes the rest. Returns 0, or the negative errno of the first failed write. */
int stream_finish(struct stream *stream);
