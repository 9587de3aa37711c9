/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles of every kind that is read: .stk, folded text, text of perf script. The content says which it is. */
#pragma once

#include "core/base/buf.h"
#include "core/profile/profile.h"

/*
 * Reads a file, a FIFO, or with "-" the standard input. What had to be left out becomes lines "WARNING: …" of `ret_notes`. 0
 * or a negative errno with a recorded cause; ret_profile is initialised in both cases.
 */
int profile_read(const char *path, struct profile *ret_profile, struct buf *ret_notes);
