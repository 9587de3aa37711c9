/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a message if a step takes long: hundreds of probes can take the kernel a minute, in one system call. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct attachment;
struct ending;
struct plan;
struct spaces;

struct slow_step {
	pthread_t thread;
	int over_fd; /* an eventfd: the step is over */
	bool running;
	char line[160];
};

/* Starts a step: if slow_step_end() is not called within a second, prints `line` to standard error. */
void slow_step_begin(struct slow_step *slow, const char *line);
void slow_step_end(struct slow_step *slow);

/* attachment_attach() and _detach() with a message ("attaching 146 probes …"; not with -q). Reads the side-band meanwhile. */
int attach_as_slow_step(struct attachment *attachment, struct spaces *spaces, const struct plan *plan,
			size_t nr_places);
void detach_as_slow_step(struct attachment *attachment, struct spaces *spaces, const struct plan *plan,
			 struct ending *ending);

/*
 * Raises our priority: the collector must keep up with the ring buffer while the traced programs use every CPU. It needs little CPU time,
 * but promptly, and its calls on maps must not be preempted (core/host/unpreempted.h). Without the privilege it keeps up unless all CPUs
 * are busy.
 */
void ask_for_priority(void);
