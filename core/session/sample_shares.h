/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why timed samples are missing. */
#pragma once

#include <stdint.h>

/* The samples between two drains. */
struct sample_counts {
	uint64_t expected, taken;
	uint64_t idle_expected, idle_taken; /* on idle CPUs, by /proc/stat */
	uint64_t late; /* that the BPF programs saw as late */
	uint64_t nr_cpus;
	uint64_t nr_in_idle_step; /* samples in one step of /proc/stat */
};

struct sample_shares {
	/* the part of the expected samples that this drain accounts for: taken + idle + late + skipped, unless more came */
	uint64_t expected;
	uint64_t idle, late, skipped;
};

/*
 * Divides the missing samples by cause: idle CPUs first, then late samples; the rest was skipped. A small rest may be rounding: up to one
 * sample for each CPU, plus one step of /proc/stat for each CPU if idle time explains some. It is not yet a loss: *remainder, which begins
 * with 0, carries the rest or a surplus to the next drain, which expects that many more or fewer.
 */
void share_missing_samples(const struct sample_counts *counts, int64_t *remainder, struct sample_shares *ret_shares);
