/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that the kernel generates: BPF programs, trampolines, out-of-line copies. The side-band reports when it appears and disappears, and
 * its bounds. /proc/kallsyms, which is read at the end, only has what still exists, without its size.
 */
#pragma once

#include <stdint.h>

#include "core/profile/profile.h"
#include "core/spaces/sideband_record.h"

struct ksymbols;

struct ksymbols *ksymbols_new(void);
void ksymbols_free(struct ksymbols *ksymbols);

/* Adds a SIDEBAND_KSYMBOL record, up to a limit. */
void ksymbols_add(struct ksymbols *ksymbols, const struct sideband_record *record);

/* 1 + the index of the code at this address at this time, for `generated` of a frame; 0: none. */
uint32_t ksymbols_at(const struct ksymbols *ksymbols, uint64_t address, uint64_t time_ns);

/*
 * Names kernel frames with such a number. Also names frames that /proc/kallsyms does not, if they are in code that was made before the
 * side-band was opened and removed afterwards. Frames whose addresses the host hides stay unnamed.
 */
void ksymbols_name_frames(const struct ksymbols *ksymbols, struct profile *profile);
