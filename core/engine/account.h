/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every event is accounted for: the identities of a run, checked by the program itself.
 *
 *   seen    = filtered + in_map + spilled + events lost inside our programs
 *   counted = in_map + spilled   (at most that, when messages or map entries could not be read, which is a loss)
 *   fired   = seen + recursion misses + link misses, where the kernel counts `fired`
 */
#pragma once

#include <stdint.h>

#include "core/base/buf.h"
#include "core/engine/profile.h"

/*
 * Appends one line "ERROR: accounting does not add up: …" for every identity of the interval that does not hold; a
 * number that this kernel cannot tell leaves its identity out. Returns how many failed.
 */
unsigned int profile_check(const struct profile_interval *interval, struct buf *ret_lines);

/*
 * How timed samples compare with the counter: expected = taken + late + skipped + gone + unexplained. `unexplained` is
 * zero when the rest is within rounding: one sample per CPU, or 1 percent, for the counter and the samples are not read
 * in the same instant.
 */
struct sample_account {
	uint64_t expected, taken, late, skipped, gone;
	int64_t unexplained;
};

/* False when the interval is not one of timed samples, or this kernel cannot tell what was expected. */
bool profile_sample_account(const struct profile_interval *interval, struct sample_account *ret_account);
