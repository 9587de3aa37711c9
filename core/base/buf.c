/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"

void buf_done(struct buf *buf)
{
	free(buf->data);
	*buf = (struct buf){};
}

void buf_clear(struct buf *buf)
{
	buf->nr = 0;
	if (buf->data)
		buf->data[0] = '\0';
}

static char *room_for(struct buf *buf, size_t nr_bytes)
{
	vec_reserve(buf, buf->nr + nr_bytes + 1);
	return buf->data + buf->nr;
}

void buf_add(struct buf *buf, const void *bytes, size_t nr_bytes)
{
	char *end = room_for(buf, nr_bytes);

	if (nr_bytes)
		memcpy(end, bytes, nr_bytes);
	end[nr_bytes] = '\0';
	buf->nr += nr_bytes;
}

void buf_adds(struct buf *buf, const char *text)
{
	buf_add(buf, text, strlen(text));
}

void buf_addc(struct buf *buf, char c)
{
	buf_add(buf, &c, 1);
}

void buf_addu(struct buf *buf, uint64_t number)
{
	char text[20];
	size_t at = sizeof(text);

	do {
		text[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	buf_add(buf, text + at, sizeof(text) - at);
}

void buf_add_grouped(struct buf *buf, uint64_t number)
{
	if (number < 1000) {
		buf_addu(buf, number);
		return;
	}
	buf_add_grouped(buf, number / 1000);
	buf_addf(buf, ",%03u", (unsigned int)(number % 1000));
}

void buf_add_counted(struct buf *buf, uint64_t number, const char *words)
{
	while (*words) {
		size_t plain = strcspn(words, "{"), one, many;

		buf_add(buf, words, plain);
		words += plain;
		if (!*words)
			return;
		one = strcspn(++words, "|");
		many = strcspn(words + one + 1, "}");
		buf_add(buf, number == 1 ? words : words + one + 1, number == 1 ? one : many);
		words += one + 1 + many + 1;
	}
}

void buf_vaddf(struct buf *buf, const char *format, va_list arguments)
{
	va_list again;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length <= 0)
		return;
	vsnprintf(room_for(buf, (size_t)length), (size_t)length + 1, format, arguments);
	buf->nr += (size_t)length;
}

void buf_addf(struct buf *buf, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	buf_vaddf(buf, format, arguments);
	va_end(arguments);
}

const char *buf_text(const struct buf *buf)
{
	return buf->data ? buf->data : "";
}
