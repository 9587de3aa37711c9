/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Naming: gives every frame of a profile its name, module and reason, through the symbol worker. */
#pragma once

#include <stdbool.h>

#include "core/engine/profile.h"
#include "core/engine/spaces.h"
#include "symbolize/symbolize.h"

/*
 * Starts the symbol worker as every run uses it: separate debug files are looked for by build id; files of frames are opened
 * again, when a worker was lost, by what is in *spaces then (NULL, also `spaces` itself: they are not). 0 or a recorded
 * failure.
 */
int naming_start(bool no_demangle, struct spaces *const *spaces, struct symbolizer **ret_symbolizer);

/*
 * Names the frames that have not been tried yet, one request per file and one for the kernel. A frame that stays without a
 * name carries a reason; that is no failure.
 */
void name_frames(struct profile *profile, struct symbolizer *symbolizer);
