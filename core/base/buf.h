/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing string of bytes, always followed by a NUL that is not counted: `_cleanup_(buf_done) struct buf text = {};`. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	char *data; /* NULL while empty; use buf_text() for a string */
	size_t nr, room;
};

void buf_done(struct buf *buf);
void buf_clear(struct buf *buf);
void buf_add(struct buf *buf, const void *bytes, size_t nr_bytes);
void buf_adds(struct buf *buf, const char *text);
void buf_addc(struct buf *buf, char c);
void buf_addu(struct buf *buf, uint64_t number); /* in decimal; many times faster than buf_addf() */
void buf_add_grouped(struct buf *buf, uint64_t number); /* with separators: 1,234,567 */
/* Adds `words`, without the number. "{line is|lines are}" stands for its first part if `number` is 1, else for the second. */
void buf_add_counted(struct buf *buf, uint64_t number, const char *words);
__attribute__((format(printf, 2, 3))) void buf_addf(struct buf *buf, const char *format, ...);
void buf_vaddf(struct buf *buf, const char *format, va_list arguments);

/* The bytes as a string; valid until the next change. */
const char *buf_text(const struct buf *buf);
