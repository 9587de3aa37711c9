/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends a run after signals, even while it is busy. A thread reads the signals:
 *
 * - The first ends the run. If a step takes longer than a tenth of a second, a line on standard error names it. Two and
 * a half seconds after the signal, not counting the time in which probes are detached, names are no longer waited for
 * (core/base/waiting.h).
 *
 * - The second ends the waiting at once, also for a reader who does not take the report of an interval: the rest of the
 * output is not written.
 *
 * - The third ends the program when all probes are detached. If it ended earlier, breakpoints could remain in other
 * processes.
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
	ENDING_COLLECTING, /* the run has not noticed the signal: it reads, or prints an interval */
	ENDING_DETACHING,
	ENDING_READING,
	ENDING_NAMING,
	ENDING_NR,
};

struct ending {
	pthread_t thread, main;
	bool running, is_quiet;
	int signal_fd, told_fd; /* the collector's, which waits for `told_fd` */
	int news_fd; /* an eventfd from the run to the thread */
	size_t nr_probes;
	_Atomic int step;
	uint64_t step_ns; /* when it began */
	_Atomic unsigned int nr_signals;
	_Atomic bool has_given_up; /* the output: writes to it fail as if the reader had closed it */

	/* the thread's own */
	uint64_t last_ns; /* when the last signal came */
	int said; /* the step that was last printed; -1: none */
};

/*
 * Takes over the collector's signals. If no thread can be started, the collector still reads them, and a signal waits
 * for the run. 0 or a recorded failure.
 */
int ending_begin(struct ending *ending, struct collector *collector, const struct plan *plan);

/* Sets the current step of the run. */
void ending_step(struct ending *ending, enum ending_step step, size_t nr_probes);

/* Counts a signal, or a key with the same meaning, that was read elsewhere. */
void ending_note_signal(struct ending *ending);

/* All names are found: stops the thread. Call it before collector_free(). Does nothing if the thread does not run. */
void ending_end(struct ending *ending);
