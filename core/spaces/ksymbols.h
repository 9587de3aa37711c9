/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that the kernel generates: BPF programs, trampolines, out-of-line copies. The side-band reports when each comes
 * and goes, and its bounds. /proc/kallsyms, which is read at the end, has only what is still there, without its end.
 */
#pragma once

#include <stdint.h>

#include "core/profile/profile.h"
#include "core/spaces/sideband_record.h"

struct ksymbols;

struct ksymbols *ksymbols_new(void);
void ksymbols_free(struct ksymbols *ksymbols);

/* Remembers a SIDEBAND_KSYMBOL record, up to a limit. */
void ksymbols_add(struct ksymbols *ksymbols, const struct sideband_record *record);

/*
 * 1 + the number of the code that was at this address at this time, which its frame keeps as `generated`; 0 for none
 * that was reported yet.
 */
uint32_t ksymbols_at(const struct ksymbols *ksymbols, uint64_t address, uint64_t time_ns);

/*
 * Names the kernel frames that have such a number, and those that /proc/kallsyms does not name and that lie in code
 * which was there before we looked and has gone since. Frames whose addresses the host hides stay as they are.
 */
void ksymbols_name_frames(const struct ksymbols *ksymbols, struct profile *profile);
