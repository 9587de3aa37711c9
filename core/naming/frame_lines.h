/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and inlined calls of the frames of a profile, as its view asks for them (view.lines, view.inlines).
 *
 * Reading debug information can take seconds for a file, and there may be many files: all searches together have a time
 * limit, after which frames stay without lines, with that as the reason. Names do not depend on it: ask for them first.
 */
#pragma once

#include "core/naming/module_debug.h"
#include "core/profile/profile.h"
#include "symbolize/symbolize.h"

/* For all searches of a run: less than the CPU time that a worker may use in its life, which includes names. */
#define FRAME_LINES_NS 40000000000ull

struct frame_lines {
	uint64_t left_ns; /* of FRAME_LINES_NS, to begin with */
	VEC(uint32_t) late; /* files that took too long: they are not asked about again */
	struct kernel_debug kernel; /* with where to look for it */
	struct module_debug modules;
};

void frame_lines_done(struct frame_lines *lines);

/*
 * Looks up the frames that have not been tried, at most `max_ns` long, and puts the inlined calls into the stacks:
 * profile_expand(). `numbers` says under which number the symbolizer has each file of the profile, PROFILE_NONE for those
 * that it does not have; NULL: under its own. Nothing happens when the view asks for neither.
 */
void frame_lines_find(struct frame_lines *lines, struct profile *profile, struct symbolizer *symbolizer,
		      const uint32_t *numbers, uint64_t max_ns);

/* Whether a frame, of a file or of the kernel, waits to be looked up. */
bool frame_lines_waits(const struct profile *profile, const struct profile_frame *frame);
