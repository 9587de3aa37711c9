/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ways to attach: a row for each mechanism of core/resolve/attach_plan.h, way_NAME in the file that has its functions. A
 * mechanism without a row does not link.
 */
#pragma once

#include "core/session/attach_private.h"

struct attach_way {
	/* Attaches one place after the other; 0 or a negative errno, and the other places go on. Or all of them; 0 or a recorded failure. */
	int (*one)(struct attachment *attachment, size_t index);
	int (*all)(struct attachment *attachment, const struct plan *plan);

	/* Dropping a place. NULL: it has a link of its own, which ends. */
	void (*again)(struct attachment *attachment, size_t first, size_t nr); /* attaches what else was in its link */
	int (*drop)(struct attachment *attachment, size_t place); /* its link stays. 0 or a recorded failure */

	bool has_no_places; /* its programs cannot tell by which place they came */
	bool counts_from_start; /* and not from the moment at which everything is attached */
	bool detaches_together; /* links at the same time, for each takes the kernel long */
	uint64_t trap_ns; /* what an event costs outside the program */
};

#define DECLARE_WAY(number, row, name, program) extern const struct attach_way way_##row;
MECHANISMS(DECLARE_WAY)
#undef DECLARE_WAY
