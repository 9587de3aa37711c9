/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decisions told one by one, for whoever asks why something was taken and something else was not. */
#pragma once

#include "core/base/buf.h"

/* Adds a line, escaped (escape.h); nothing when `why` is NULL: nobody asks. */
__attribute__((format(printf, 2, 3))) void why_add(struct buf *why, const char *format, ...);

/*
 * The same about a file that was looked for: what an open that gave this descriptor or negative errno says. Returns
 * that.
 */
int why_opened(struct buf *why, const char *path, const char *where, int fd);
