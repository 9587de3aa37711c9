/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that the kernel generates: BPF programs, trampolines, out-of-line copies. The side-band reports when such code
 * appears and disappears, and its bounds. /proc/kallsyms is read at the end, and has only what is still there, without
 * its end.
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

/*
 * 1 + the number of the code that was at this address at this time, for `generated` of the frame; 0: none was reported.
 */
uint32_t ksymbols_at(const struct ksymbols *ksymbols, uint64_t address, uint64_t time_ns);

/*
 * Names the kernel frames with such a number. Also names frames that /proc/kallsyms does not name, if they are in code
 * that existed before the side-band was read and was removed since. Frames whose addresses the host hides stay as they
 * are.
 */
void ksymbols_name_frames(const struct ksymbols *ksymbols, struct profile *profile);
