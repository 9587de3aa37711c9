/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines on decisions, for users who ask why a file was used or not (addr2sym --why). */
#pragma once

#include "core/base/buf.h"

/* Adds a line, escaped (escape.h); nothing when `why` is NULL. */
__attribute__((format(printf, 2, 3))) void why_add(struct buf *why, const char *format, ...);

/* Adds a line on a file: `fd` is the descriptor or the negative errno that opening it returned. Returns `fd`. */
int why_opened(struct buf *why, const char *path, const char *where, int fd);
