/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end that a signal asks for, while the run is busy with something else. A thread takes the signals:
 *
 * - the first ends the run. What is still being finished after a tenth of a second gets a line on standard error, and after two and a
 *   half seconds, without those in which probes are detached, nothing waits for names any more (core/base/waiting.h);
 * - the second ends the waiting at once;
 * - the third ends the program, once all probes are detached: a program that is killed before may leave breakpoints in other
 *   processes.
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
	ENDING_COLLECTING, /* the run has not noticed yet: it reads, or prints an interval */
	ENDING_DETACHING,
	ENDING_READING,
	ENDING_NAMING,
	ENDING_NR,
};

struct ending {
	pthread_t thread;
	bool running, is_quiet;
	int signal_fd, told_fd; /* the collector's; it looks at the second one */
	int news_fd; /* an eventfd: what the run tells the thread */
	const char *applet;
	size_t nr_probes;
	_Atomic int step;
	uint64_t step_ns; /* when it began */
	_Atomic unsigned int nr_signals;

	/* the thread's own */
	uint64_t last_ns; /* when the last signal came */
	int said; /* the step that a line was printed about; -1: none */
};

/*
 * Begins to take the collector's signals, in its place. Where no thread can be started, the collector goes on to read them: a signal then
 * waits for the run. 0 or a recorded failure.
 */
int ending_begin(struct ending *ending, struct collector *collector, const struct plan *plan);

/* What the run does now. */
void ending_step(struct ending *ending, enum ending_step step, size_t nr_probes);

/* A signal, or a key that means the same, was read elsewhere. */
void ending_note_signal(struct ending *ending);

/* The names are there: the thread takes no further signals. Call it before collector_free(). Nothing when it has not begun. */
void ending_end(struct ending *ending);
