/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saved profiles (.stk): `report FILE.stk` prints the bytes of the live run, on another machine and without root. docs/reference/formats.md
 * has the layout.
 *
 * The file may come from anyone. Every number in it is checked before use, and memory is allocated only for bytes that are there.
 */
#pragma once

#include <stddef.h>

#include "core/base/buf.h"
#include "core/profile/profile.h"

/*
 * Writes the profile to `path` as replace.h does, or if the disk fails, to another directory (replace_or_keep()). Returns 0 or a negative
 * errno with a recorded cause.
 */
int profile_save(const struct profile *profile, const char *path);

/*
 * Reads a profile: .stk, folded text, or text of perf script; the content decides. `path`: a file, a FIFO, or "-" for the standard input.
 * `ret_notes` gets a line "WARNING: …" for each kind of input that was skipped. Returns 0 or a negative errno with a recorded cause;
 * ret_profile is initialised in both cases.
 */
int profile_read(const char *path, struct profile *ret_profile, struct buf *ret_notes);

/* Convert between a profile and the bytes of a .stk file. `name`: for messages. profile_encode() cannot fail. */
void profile_encode(const struct profile *profile, struct buf *ret_bytes);
int profile_decode(const void *bytes, size_t nr_bytes, const char *name, struct profile *ret_profile);
