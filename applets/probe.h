/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What applets that watch probes have in common: which events, and how functions are probed. */
#pragma once

#include "applets/common.h"

/* The forms that every kind of probe has. */
#define PATTERN_HELP "the event or events: FUNCTION, LIB:FUNCTION, /path:FUNCTION, t:CATEGORY:EVENT or u:LIB:PROBE"

/* Whose events. The CPU is an option of each applet: bcc's tools do not all have it. */
extern const struct option_spec watch_table[];

/* With the operand PATTERN: it comes before other operands of the applet. */
extern const struct option_spec probe_table[];

/* Reads the pattern. 0, or a usage error. */
_must_check_ int probe_plan(struct run_options *options);

/* "Tracing 3 functions for …": the header of what counts. */
void probe_header(const struct plan *plan, size_t nr_attached, struct buf *line);
