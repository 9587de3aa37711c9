/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded text of any tool as a profile: `frame;frame;leaf count` per line, root first.
 *
 * The first element is taken for the command, "-" for the border between user and kernel stack, frames that end in
 * `_[k]` for kernel frames. Printing the profile folded gives the lines back (sorted, equal ones added up).
 */
#pragma once

#include <stddef.h>

#include "core/base/buf.h"
#include "core/profile/profile.h"

/*
 * Reads folded text into `ret_profile`, which it initialises. `name` is what messages call the bytes. Empty lines and
 * lines that begin with '#' are skipped, other lines that are no stack become a line of `ret_notes`. 0, or -EINVAL
 * with a recorded cause when no line is a stack.
 */
int folded_decode(const char *text, size_t nr_bytes, const char *name, struct profile *ret_profile,
		  struct buf *ret_notes);
