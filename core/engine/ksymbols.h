/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that the kernel generates while we look: BPF programs, trampolines, out-of-line copies. The side-band tells of each when
 * it comes and when it goes, with its true bounds. /proc/kallsyms, read at the end, has only what is still there, and no ends.
 */
#pragma once

#include <stdint.h>

#include "core/engine/profile.h"

struct ksymbols;

struct ksymbols *ksymbols_new(void);
void ksymbols_free(struct ksymbols *ksymbols);

/* Code of this name is or was at [start, end). The newest counts; of what is too much to remember nothing is. */
void ksymbols_add(struct ksymbols *ksymbols, uint64_t start, uint64_t end, const char *name);

/*
 * Names the frames of the kernel that the list of symbols did not name, or named after something that lies before the code
 * they are in. Frames of which the host shows no addresses stay as they are.
 */
void ksymbols_name_frames(const struct ksymbols *ksymbols, struct profile *profile);
