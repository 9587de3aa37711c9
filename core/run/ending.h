/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends a run after signals, even while it is busy. A thread reads the signals:
 *
 * - The first one ends the run. If a step takes longer than a tenth of a second, a line on standard error names the step. 2.5 s after the
 * signal, without the time for detaching probes, names are no longer waited for (core/base/waiting.h).
 *
 * - The second one ends the waiting at once, also for a reader that does not read the report of an interval: the rest of the output is not
 * written.
 *
 * - The third one ends the program once all probes are detached. Earlier, breakpoints could remain in other processes.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct collector;
struct plan;

enum ending_step {
	ENDING_COLLECTING, /* the run has not noticed the signal yet: it reads events, or prints an interval */
	ENDING_DETACHING,
	ENDING_READING,
	ENDING_NAMING,
	ENDING_NR,
};

struct ending {
	pthread_t thread, main;
	bool running, is_quiet;
	int signal_fd, told_fd; /* the collector's descriptors; it waits for `told_fd` */
	int news_fd; /* eventfd from the run to the thread */
	size_t nr_probes;
	_Atomic int step;
	uint64_t step_ns; /* start of the step */
	_Atomic unsigned int nr_signals;
	_Atomic bool has_given_up; /* the output was given up: writes fail as if the reader had closed it */

	/* the thread's own */
	uint64_t last_ns; /* time of the last signal */
	int said; /* the last step that was printed; -1: none */
};

/* Takes over the collector's signals; without a thread, the collector reads them when the run is not busy. 0 or a recorded failure. */
int ending_begin(struct ending *ending, struct collector *collector, const struct plan *plan);

/* Sets the current step of the run. */
void ending_step(struct ending *ending, enum ending_step step, size_t nr_probes);

/* Counts a signal, or a key with the same meaning, that was read elsewhere. */
void ending_note_signal(struct ending *ending);

/* Stops the thread, if it runs. Call it when names are no longer looked up, before collector_free(). */
void ending_end(struct ending *ending);
