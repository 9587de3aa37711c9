/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes on decisions, a line each, for users who ask why a file was used or not. */
#pragma once

#include "core/base/buf.h"

/* Adds a line, escaped (escape.h); nothing when `why` is NULL. */
__attribute__((format(printf, 2, 3))) void why_add(struct buf *why, const char *format, ...);

/* Adds a line on a file that was looked for: `fd` is what opening it returned, a descriptor or a negative errno. Returns `fd`. */
int why_opened(struct buf *why, const char *path, const char *where, int fd);
