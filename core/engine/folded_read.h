/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded text of any tool as a profile: `frame;frame;leaf count` per line, root first.
 *
 * The first element is taken for the command, "-" for the border between user and kernel stack, frames that end in
 * `_[k]` for kernel frames. Printing the profile folded gives the lines back (sorted, equal ones added up).
 */
#pragma once

#include <stddef.h>

#include "core/engine/profile.h"

/*
 * Reads folded text into `ret_profile`, which it initialises. `name` is what messages call the bytes. Empty lines and
 * lines that begin with '#' are skipped, other lines that are no stack are counted in *ret_nr_ignored. 0, or -EINVAL
 * with a recorded cause when no line is a stack.
 */
int folded_decode(const char *text, size_t nr_bytes, const char *name, struct profile *ret_profile,
		  size_t *ret_nr_ignored);

/*
 * Reads a profile of either kind: .stk or folded text; "-" is the standard input. 0 or a negative errno with a recorded
 * cause; ret_profile is initialised in both cases.
 */
int profile_read(const char *path, struct profile *ret_profile, size_t *ret_nr_ignored);
