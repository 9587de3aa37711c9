/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/stream.h"

#include <errno.h>

enum {
	MUCH_BYTES = 256 * 1024,
};

void stream_done(struct stream *stream)
{
	buf_done(&stream->text);
}

int stream_finish(struct stream *stream)
{
	struct buf *text = &stream->text;

	if (!stream->out)
		return stream->err;
	errno = 0;
	if (!stream->err && text->nr && fwrite(text->data, 1, text->nr, stream->out) != text->nr)
		stream->err = errno ? -errno : -EIO;
	buf_clear(text);
	return stream->err;
}

void stream_turn(struct stream *stream)
{
	if (stream->text.nr >= MUCH_BYTES)
		stream_finish(stream);
}
