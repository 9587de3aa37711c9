/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What applets that watch probes have in common: which events, and how functions are probed. */
#pragma once

#include "applets/common.h"

struct probe_options {
	const char *pattern;
	const char *library;
	bool regex;
	enum attach_mode attach_mode;
	uint32_t max_probes;
	bool force;
};

/* With the operand PATTERN: it comes before other operands of the applet. */
extern const struct option_spec probe_table[];

/* 0, or a usage error about the pattern. */
_must_check_ int probe_plan(const struct probe_options *options, struct plan *plan);
