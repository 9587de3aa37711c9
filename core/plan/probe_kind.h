/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kind of probe, such as kernel functions or tracepoints: one constant with all that differs between kinds. A kind has a file,
 * core/resolve/probe_NAME.c, and a line in core/resolve/probe_kinds.h.
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
	const char *name; /* for messages, such as "user function" */

	/* The syntax of a pattern. */
	char letter; /* as in "t:CATEGORY:EVENT"; 0: none */
	bool target_is_pattern; /* and not a file */
	int (*split)(struct spelling *spelling); /* finds the parts (core/resolve/spelling.h). 0 or a usage error */

	/* Its events. */
	bool is_timer; /* they come from a clock or counter, at the user's rate */
	bool counts_time; /* they are time of threads, on or off the CPU */
	bool in_user_code;
	const char *nothing; /* why a process may have no events: "it was never on a CPU"; NULL: unknown */

	/* Adds a description of the plan as lines "key: value". NULL: the parts of the pattern are listed. */
	void (*describe)(const struct plan *plan, struct buf *text);

	/* Finds the places and chooses the mechanism. 0, a usage error, ERR_NO_MATCH, or ERR_HOST if the host lacks something. */
	int (*resolve)(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach);

	/* The columns of `list` for a place: what can be typed as a probe, and where it is. NULL: name and file of the place. */
	const char *(*list_name)(const struct probe_place *place);
	const char *(*list_home)(const struct probe_place *place);
};
