/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why timed samples are missing. */
#pragma once

#include <stdint.h>

/* The samples between two drains. */
struct sample_counts {
	uint64_t expected, taken;
	uint64_t idle_expected, idle_taken; /* on idle CPUs, by /proc/stat */
	uint64_t late; /* that the BPF side saw come late */
	uint64_t nr_cpus;
	uint64_t nr_in_idle_step; /* samples in one step of /proc/stat */
};

struct sample_shares {
	uint64_t expected; /* what of the expected samples this drain accounts for: taken + idle + late + skipped, unless more came */
	uint64_t idle, late, skipped;
};

/*
 * Divides the missing samples by cause: first idle CPUs, then samples that came late, and the rest was skipped. But a small rest may be
 * rounding: at most one sample for each CPU, and also those of one step of /proc/stat for each CPU if idle time explains some. Such a
 * rest is not a loss yet: *remainder carries it, or a surplus, to the next drain, where it is expected. *remainder begins with 0.
 */
void share_missing_samples(const struct sample_counts *counts, int64_t *remainder, struct sample_shares *ret_shares);
