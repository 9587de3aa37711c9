/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that explain why a file was used or not (addr2sym --why). */
#pragma once

#include "core/base/buf.h"

/* Adds a line, escaped (escape.h). Does nothing if `why` is NULL. */
__attribute__((format(printf, 2, 3))) void why_add(struct buf *why, const char *format, ...);

/* Adds a line on opening a file. `fd`: the descriptor, or the negative errno. Returns `fd`. */
int why_opened(struct buf *why, const char *path, const char *where, int fd);
