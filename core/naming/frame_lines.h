/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and inlined calls for the frames of a profile, if its view requests them (view.lines, view.inlines).
 *
 * Reading the debug information of one file can take seconds, and there may be many files. So all searches of a run have a common time
 * limit; after it, frames have no lines, with LINES_LATE as the reason. Names must not depend on it: look them up first.
 */
#pragma once

#include "core/naming/module_debug.h"
#include "core/profile/profile.h"
#include "symbolize/symbolize.h"

/* For all searches of a run together, in ns. */
#define FRAME_LINES_NS 40000000000ull

struct frame_lines {
	uint64_t left_ns; /* initially FRAME_LINES_NS */
	VEC(uint32_t) late; /* files that took too long and are not searched again */
	struct kernel_debug kernel; /* where to search */
	struct module_debug modules;
};

void frame_lines_done(struct frame_lines *lines);

/*
 * Looks up the frames that were not tried yet, for at most `max_ns`, and inserts the inlined calls into the stacks with profile_expand().
 * `numbers`: the symbolizer's number of each file of the profile, or PROFILE_NONE; NULL: they are the same. Does nothing if the view
 * requests neither lines nor inlined calls.
 */
void frame_lines_find(struct frame_lines *lines, struct profile *profile, struct symbolizer *symbolizer,
		      const uint32_t *numbers, uint64_t max_ns);

/* Whether a frame of a file or of the kernel was not looked up yet. */
bool frame_lines_waits(const struct profile *profile, const struct profile_frame *frame);
