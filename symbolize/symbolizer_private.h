/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the caller's side share: symbolizer.c (the rest) and symbolizer_lines.c. */
#pragma once

#include "symbolize/worker_link.h"

struct symbolizer {
	struct worker_link link; /* first: tests put a worker of their own into it */
};

/* -ETIMEDOUT or -EPIPE for a worker that broke, else 0. */
int symbolizer_errno_of(enum symbol_status status);
