/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What applets that watch probes have in common: which events, and how functions are probed. */
#pragma once

#include "applets/common.h"

/* The forms that every kind of probe has. */
#define PATTERN_HELP "the event or events: FUNCTION, LIB:FUNCTION, /path:FUNCTION, t:CATEGORY:EVENT or u:LIB:PROBE"

struct probe_options {
	const char *pattern;
	const char *library;
	bool regex;
	enum attach_mode attach_mode;
	uint32_t max_probes;
	bool force;
	bool forever;
	struct guard_options guard;
};

/* Whose events, and on which CPU. Put WATCH_DEFAULTS into the defaults. */
struct watch_options {
	struct u32_list tgids, tids;
	int cpu; /* an option of each applet: bcc's tools do not all have it */
	char *const *command;
};

#define WATCH_DEFAULTS { .cpu = -1 }

extern const struct option_spec watch_table[];
void watch_plan(const struct watch_options *options, struct plan *plan);

/* With the operand PATTERN: it comes before other operands of the applet. */
extern const struct option_spec probe_table[];

/* 0, or a usage error about the pattern. */
_must_check_ int probe_plan(const struct probe_options *options, struct plan *plan);

/* "Tracing 3 functions for …": the header of what counts. */
void probe_header(const struct plan *plan, size_t nr_attached, struct buf *line);
