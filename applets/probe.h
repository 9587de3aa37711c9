/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "applets/common.h"

#define PATTERN_HELP                                                                                    \
	"the events: FUNCTION, LIB:FUNCTION, /path:FUNCTION, t:CATEGORY:EVENT or u:LIB:PROBE; several " \
	"patterns of one kind (funclatency and slow: one); @FILE has one in each line"

/* Filters by process. The CPU is not here, because not all of bcc's tools have it. */
extern const struct option_spec watch_table[];

/* Contains the operand PATTERN, so it must come before other operands. */
extern const struct option_spec probe_table[];

/* Parses the patterns. Returns 0 or a usage error. */
_must_check_ int probe_plan(struct run_options *options);

/*
 * For applets that time calls: one pattern, or two USDT probes, at which calls begin and end. After probe_plan(). 0, or a usage error.
 */
_must_check_ int probe_plan_calls(struct plan *plan);

/* "Tracing 3 functions for …". */
void probe_header(const struct plan *plan, size_t nr_attached, struct buf *line);
