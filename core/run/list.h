/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list's findings as text: a pure function, for run_list() and tests. */
#pragma once

#include "core/base/buf.h"
#include "core/resolve/resolve.h"

/* Adds a line for each place, aligned: kind, name, and module ("kernel": the kernel itself) or file. Tracepoints have two columns. */
void list_text(const struct probe_kind *kind, const struct attach_plan *attach, struct buf *ret_text);
