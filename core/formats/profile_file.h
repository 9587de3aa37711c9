/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saved profiles (.stk): everything a report needs, so that `report FILE.stk` prints the bytes of the live run, on
 * another machine and without root. docs/reference/formats.md has the layout.
 *
 * The writer is trusted, the file is not: it may come from anyone. Every number in it is checked before it is used, and
 * nothing is allocated that the bytes at hand do not account for.
 */
#pragma once

#include <stddef.h>

#include "core/base/buf.h"
#include "core/profile/profile.h"

/*
 * Writes the profile to `path`, if replace_file_check() allows it: into a new file beside it, which is synced and then
 * renamed, so that `path` always is a whole profile, readable by its owner only. An existing regular file is replaced;
 * anything else (device, FIFO, symbolic link) is refused. 0 or a negative errno with a recorded cause.
 */
int profile_save(const struct profile *profile, const char *path);

/*
 * Reads a profile of any kind: .stk, folded text, text of perf script. The content says which it is. `path` is a file, a FIFO,
 * or "-" for the standard input. `ret_notes` gets a line "WARNING: …" for each kind of input that was skipped. 0 or a
 * negative errno with a recorded cause; ret_profile is initialised in both cases.
 */
int profile_read(const char *path, struct profile *ret_profile, struct buf *ret_notes);

/* Between a profile and the bytes of a .stk file. `name` is what messages call the bytes. profile_encode cannot fail. */
void profile_encode(const struct profile *profile, struct buf *ret_bytes);
int profile_decode(const void *bytes, size_t nr_bytes, const char *name, struct profile *ret_profile);
