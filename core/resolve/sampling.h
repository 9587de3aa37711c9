/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timed samples: one perf event per CPU with the program attached, and the account of what they should have delivered.
 *
 * The kernel skips a perf_event program without any counter while another BPF program runs on the CPU, so the only way to
 * know what is missing is to compare with the counter of the event itself: expected = counter / period.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/plan/plan.h"

struct sampling;

/* What was chosen; `why` says why it is not the first choice ("" when it is). */
struct sampling_choice {
	enum sample_event event;
	const char *name;    /* "cpu-clock" */
	bool is_clock;       /* counts nanoseconds of a clock, with a constant period */
	uint64_t period;     /* events (nanoseconds for clocks) per sample; 0: the kernel adapts it to frequency_hz */
	uint64_t frequency_hz;
	/*
	 * Whether the event's counter tells how many samples there should be. Not for a software event with an adapted period:
	 * the periods of its samples do not add up to its counter.
	 */
	bool tells_expected;
	char why[160];
};

/* Chooses the event by trying to open it. 0, or a recorded failure (no such event here, frequency too high). */
int sampling_choose(const struct plan *plan, struct sampling_choice *ret_choice);

/* Opens the events of all online CPUs (or the plan's one) and attaches the program. 0 or a recorded failure. */
int sampling_new(const struct plan *plan, const struct sampling_choice *choice, int program_fd,
		 struct sampling **ret_sampling);
void sampling_free(struct sampling *sampling);

/* Starts all events; nothing is sampled before. */
int sampling_start(struct sampling *sampling);
void sampling_stop(struct sampling *sampling);

/* Samples CPUs that came online since the last call, and drops those that went away. Call it about once a second. */
void sampling_follow_cpus(struct sampling *sampling);

/*
 * Time since the last call in which CPUs were online and not sampled, the sum over all CPUs, in nanoseconds: a CPU is found some
 * time after it came online (all the time since CPUs were last followed counts), and the kernel may refuse an event for it. The
 * number of missing samples does not follow from it: the event may count something else than time, and an idle CPU may have none.
 */
uint64_t sampling_unsampled_ns(struct sampling *sampling);

/*
 * Sum of the counters over all CPUs so far. With a constant period, counter / period samples are expected; where the kernel
 * adapts the period, the counter is compared with the sum of the periods.
 */
uint64_t sampling_counter(struct sampling *sampling);

/*
 * Time that CPUs have been idle while they were sampled, in nanoseconds (/proc/stat, so in steps of 10 ms). Some kernels deliver no
 * clock samples to an idle CPU although the counter goes on (seen on 6.18 in a virtual machine): those samples are a loss only if
 * idle stacks were asked for.
 */
uint64_t sampling_idle_ns(struct sampling *sampling);

/* Number of CPUs that are sampled. */
size_t sampling_nr_cpus(const struct sampling *sampling);
