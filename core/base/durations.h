/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A histogram of durations, made from counts and sums of durations.
 *
 * The class of a duration is its number of microseconds, rounded down to the three highest bits (0, 1, … 7, 8, 10, 12, 14, 16, 20, …: four
 * classes for each power of two). The BPF programs count each class separately for --histogram, so the mean of a count determines its
 * class. Single durations are not kept, so the shortest and the longest one are known only within bounds. The bounds are in one class; they
 * are equal if it has one duration, or if each of its durations was added alone (--timestamps).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DURATION_POWERS 55 /* 2^64 ns are less than 2^55 us */

/* The class of a duration: its first microsecond. st_span_class() of bpf/abi.h computes the same. */
uint64_t duration_class(uint64_t ns);

/* Durations of one class, or none. least_ns and most_ns are exact; if `joined`, they are those of the means that were added. */
struct duration_part {
	uint64_t class_us, nr, sum_ns;
	uint64_t least_ns, most_ns;
	bool joined; /* a mean of several durations was added */
};

struct durations {
	uint64_t powers[DURATION_POWERS]; /* number of durations from 2^i to 2^(i+1) - 1 us; 0 us is in the first */
	uint64_t nr, sum_ns;
	struct duration_part shortest, longest;
};

/* Adds `nr` durations of one class, whose sum is `sum_ns`. */
void durations_add(struct durations *durations, uint64_t nr, uint64_t sum_ns);

/* In microseconds; both inclusive. */
struct duration_range {
	uint64_t first_us, last_us;
};

/* The range of powers[power]. */
struct duration_range duration_power(unsigned int power);

/* Bounds of the shortest and of the longest duration. There must be at least one duration. */
struct duration_range durations_shortest(const struct durations *durations);
struct duration_range durations_longest(const struct durations *durations);
