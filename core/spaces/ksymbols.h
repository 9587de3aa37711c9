/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that the kernel generates while we look: BPF programs, trampolines, out-of-line copies. The side-band tells of
 * each when it comes and when it goes, with its true bounds. /proc/kallsyms, read at the end, has only what is still
 * there, and no ends.
 */
#pragma once

#include <stdint.h>

#include "core/profile/profile.h"
#include "core/spaces/sideband_record.h"

struct ksymbols;

struct ksymbols *ksymbols_new(void);
void ksymbols_free(struct ksymbols *ksymbols);

/* Takes note of a SIDEBAND_KSYMBOL record; of what is too much to remember nothing is. */
void ksymbols_add(struct ksymbols *ksymbols, const struct sideband_record *record);

/*
 * 1 + the number of the code that was at an address then, which its frame keeps as `generated`; 0 for none that was told of
 * yet.
 */
uint32_t ksymbols_at(const struct ksymbols *ksymbols, uint64_t address, uint64_t time_ns);

/*
 * Names the frames of the kernel that have such a number, and those that the list of symbols does not know and that
 * were in code which was there before we looked and has gone since. Frames of which the host shows no addresses stay as
 * they are.
 */
void ksymbols_name_frames(const struct ksymbols *ksymbols, struct profile *profile);
