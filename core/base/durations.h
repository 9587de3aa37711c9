/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A histogram of durations, from numbers and sums of durations that are nearly equal.
 *
 * The class of a duration is its microseconds without all but the three highest bits (0, 1, … 7, 8, 10, 12, 14, 16, 20, … us: four
 * classes for each power of two). Where durations of different classes are counted apart, as the kernel side does for
 * --histogram, the class of a count is that of its mean, and nobody has to name it. Nothing of a single duration is kept:
 * what is said of the shortest and the longest one are bounds, which are never wider than their class and meet where the
 * class has one duration, or where each duration of the class was added by itself (--timestamps).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DURATION_POWERS 55 /* 2^64 ns are less than 2^55 us */

/* The class of a duration, by its first microsecond; bpf/abi.h has the same for the kernel side. */
uint64_t duration_class(uint64_t ns);

/* Durations of one class, or none. least_ns and most_ns: of the means that were added; of the durations unless `joined`. */
struct duration_part {
	uint64_t class_us, nr, sum_ns;
	uint64_t least_ns, most_ns;
	bool joined; /* several came as one number and sum */
};

/* Zero-initialised: no durations. */
struct durations {
	uint64_t powers[DURATION_POWERS]; /* how many had 2^i to 2^(i+1) - 1 us; the first one has 0 us too */
	uint64_t nr, sum_ns;
	struct duration_part shortest, longest; /* those of the lowest and of the highest class */
};

/* Adds `nr` durations of one class, `sum_ns` together. */
void durations_add(struct durations *durations, uint64_t nr, uint64_t sum_ns);

/* Microseconds, whole ones as everywhere; both inclusive. */
struct duration_range {
	uint64_t first_us, last_us;
};

/* What 2^power stands for in a histogram. */
struct duration_range duration_power(unsigned int power);

/* Where the shortest and the longest duration lie; only when there are any. */
struct duration_range durations_shortest(const struct durations *durations);
struct duration_range durations_longest(const struct durations *durations);
