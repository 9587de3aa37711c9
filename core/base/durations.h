/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A histogram of durations, made from counts and sums of durations of one class.
 *
 * The class of a duration is its number of microseconds with only the three highest bits kept (0, 1, … 7, 8, 10, 12, 14, 16, 20, …:
 * four classes for each power of two). The BPF programs count each class separately for --histogram, so the mean of a count
 * determines its class. Single durations are not kept. The shortest and the longest one are therefore known only within bounds, which lie
 * in their class and are equal if the class has one duration, or if each of its durations was added alone (--timestamps).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DURATION_POWERS 55 /* 2^64 ns are less than 2^55 us */

/* The first microsecond of the class of a duration; bpf/abi.h has the same for the BPF programs. */
uint64_t duration_class(uint64_t ns);

/* Durations of one class, or none. least_ns and most_ns are those of the durations, or if `joined` of the means that were added. */
struct duration_part {
	uint64_t class_us, nr, sum_ns;
	uint64_t least_ns, most_ns;
	bool joined; /* a count of several durations was added */
};

/* Zero-initialised: no durations. */
struct durations {
	uint64_t powers[DURATION_POWERS]; /* how many lasted 2^i to 2^(i+1) - 1 us; those of 0 us are in the first */
	uint64_t nr, sum_ns;
	struct duration_part shortest, longest; /* those of the lowest and of the highest class */
};

/* Adds `nr` durations of one class, `sum_ns` together. */
void durations_add(struct durations *durations, uint64_t nr, uint64_t sum_ns);

/* Whole microseconds; both inclusive. */
struct duration_range {
	uint64_t first_us, last_us;
};

/* The durations of powers[power]. */
struct duration_range duration_power(unsigned int power);

/* Bounds of the shortest and of the longest duration. There must be at least one. */
struct duration_range durations_shortest(const struct durations *durations);
struct duration_range durations_longest(const struct durations *durations);
