/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timed samples: a perf event per CPU, with the program attached, and the number of samples that they should have delivered.
 *
 * While another BPF program runs on the CPU, the kernel skips a perf_event program without counting it. So missing samples are found
 * only by comparing with the counter of the event: expected = counter / period.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/plan/plan.h"

struct sampling;

struct sampling_choice {
	enum sample_event event;
	const char *name;    /* "cpu-clock" */
	bool is_clock;       /* counts nanoseconds, with a constant period */
	uint64_t period; /* events, or nanoseconds of a clock, per sample; 0: the kernel adapts it to frequency_hz */
	uint64_t frequency_hz;
	/*
	 * Whether the expected number of samples follows from the event's counter. It does not for a software event with an adapted
	 * period: the periods of its samples do not add up to the counter.
	 */
	bool tells_expected;
	char why[160]; /* why it is not the default event; "" if it is, or if the user chose it */
};

/* Chooses the event, and opens it once to try it. 0 or a recorded failure: no such event here, or too high a frequency. */
int sampling_choose(const struct plan *plan, struct sampling_choice *ret_choice);

/* Opens the events of all online CPUs (or the plan's one) and attaches the program. 0 or a recorded failure. */
int sampling_new(const struct plan *plan, const struct sampling_choice *choice, int program_fd,
		 struct sampling **ret_sampling);
void sampling_free(struct sampling *sampling);

/* Starts all events. 0 or a recorded failure. */
int sampling_start(struct sampling *sampling);
void sampling_stop(struct sampling *sampling);

/* Samples CPUs that came online since the last call, and drops those that went offline. Call it about once a second. */
void sampling_follow_cpus(struct sampling *sampling);

/*
 * Time since the last call in which CPUs were online and not sampled, in nanoseconds, summed over all CPUs. A CPU that came online
 * counts from the last sampling_follow_cpus() on. A CPU also counts while the kernel refuses an event for it. The number of missing
 * samples does not follow from this time: the event may count something other than time, and an idle CPU may have no samples.
 */
uint64_t sampling_unsampled_ns(struct sampling *sampling);

/*
 * Sum of the events' counters over all CPUs, since the start. With a constant period, counter / period samples are expected; with an
 * adapted period, the counter is compared with the sum of the samples' periods.
 */
uint64_t sampling_counter(struct sampling *sampling);

/*
 * Time since the start that CPUs were idle while they were sampled, in nanoseconds, from /proc/stat in steps of 10 ms. Some kernels
 * deliver no clock samples to an idle CPU, though the counter runs (seen on 6.18 in a virtual machine). Those samples are a loss
 * only with
 * -I.
 */
uint64_t sampling_idle_ns(struct sampling *sampling);

/* Number of CPUs that are sampled. */
size_t sampling_nr_cpus(const struct sampling *sampling);
