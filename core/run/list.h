/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats list's findings: a pure function, for run_list() and tests. */
#pragma once

#include "core/base/buf.h"
#include "core/resolve/resolve.h"

/*
 * A line per place in aligned columns: kind, name, and the module ("kernel" for the kernel itself) or file; tracepoints
 * have no third column.
 */
void list_text(const struct probe_kind *kind, const struct attach_plan *attach, struct buf *ret_text);
