/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kind of probe: all that is different between kernel functions, tracepoints, USDT probes and the others, as one constant.
 * Each kind is a file, core/resolve/probe_NAME.c, and a line of core/resolve/probe_kinds.h.
 */
#pragma once

#include <stdbool.h>

#include "core/base/buf.h"

struct attach_plan;
struct plan;
struct probe_place;
struct spelling;
struct symbolizer;

struct probe_kind {
	const char *name; /* "user function": in messages */

	/* How a pattern spells it; a kind without a letter is chosen by an applet. */
	char letter; /* as in "t:CATEGORY:EVENT" */
	bool target_is_pattern; /* and not a file */
	int (*split)(struct spelling *spelling); /* core/resolve/spelling.h. 0 or a usage error */

	/* What its events are. */
	bool is_timer;     /* a clock or a counter, at a rate that the user has chosen */
	bool counts_time;  /* of threads, on a CPU or off it */
	bool in_user_code;
	const char *nothing; /* "no sample found it on a CPU": why there may be no event of a process; NULL if unknown */

	/* The plan in words: lines "key: value". NULL: the parts of the pattern. */
	void (*describe)(const struct plan *plan, struct buf *text);

	/*
	 * Finds the places and chooses the mechanism, by asking the host. 0; a usage error; ERR_NO_MATCH; ERR_HOST when this host
	 * cannot.
	 */
	int (*resolve)(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach);

	/* A place as `list` prints it: what can be typed as a probe, and where it is. NULL: by name and file. */
	const char *(*list_name)(const struct probe_place *place);
	const char *(*list_home)(const struct probe_place *place);
};
