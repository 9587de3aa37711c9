/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timed samples: a perf event per CPU, with the program attached, and how many samples to expect.
 *
 * While another BPF program runs on the CPU, the kernel skips a perf_event program without counting it. So missing samples are only found
 * by comparing with the event's counter: expected = counter / period.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/plan/plan.h"

struct sampling;

struct sampling_choice {
	enum sample_event event;
	const char *name;    /* "cpu-clock" */
	bool is_clock; /* counts nanoseconds, with a fixed period */
	uint64_t period; /* events, or nanoseconds of a clock, per sample; 0: the kernel adapts it to frequency_hz */
	uint64_t frequency_hz;
	/* Whether the counter gives the expected samples: not for software events with an adapted period. */
	bool tells_expected;
	char why[160]; /* why it is not the default event; "": it is, or the user chose it */
};

/* Chooses the event, and opens it once as a test. 0 or a recorded failure: no such event, or the frequency is too high. */
int sampling_choose(const struct plan *plan, struct sampling_choice *ret_choice);

/* Opens the events on all online CPUs (or on the plan's) and attaches the program. 0 or a recorded failure. */
int sampling_new(const struct plan *plan, const struct sampling_choice *choice, int program_fd,
		 struct sampling **ret_sampling);
void sampling_free(struct sampling *sampling);

/* Starts all events. 0 or a recorded failure. */
int sampling_start(struct sampling *sampling);
void sampling_stop(struct sampling *sampling);

/* Starts to sample CPUs that came online since the last call, and drops those that went offline. Call it about once a second. */
void sampling_follow_cpus(struct sampling *sampling);

/*
 * Time since the last call for which CPUs were online but not sampled, in ns, summed over all CPUs. A CPU that came online counts from the
 * last sampling_follow_cpus() on; a CPU also counts while the kernel refuses an event for it. The number of missing samples does not follow
 * from this: the event may not count time, and an idle CPU may have no samples.
 */
uint64_t sampling_unsampled_ns(struct sampling *sampling);

/*
 * Sum of the events' counters over all CPUs since the start. With a fixed period, counter / period samples are expected. With an adapted
 * period, the counter is compared with the sum of the samples' periods.
 */
uint64_t sampling_counter(struct sampling *sampling);

/*
 * Time since the start for which CPUs were idle while they were sampled, in ns, from /proc/stat in steps of 10 ms. Some kernels deliver no
 * clock samples on idle CPUs although the counter runs (seen on 6.18 in a virtual machine). Those samples are a loss only with -I.
 */
uint64_t sampling_idle_ns(struct sampling *sampling);

size_t sampling_nr_cpus(const struct sampling *sampling);
