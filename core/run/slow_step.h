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
	int over_fd; /* an eventfd */
	bool running;
	char line[160];
};

/* Begins a step. If slow_step_end() is not called within a second, prints `line` to standard error. */
void slow_step_begin(struct slow_step *slow, const char *line);
void slow_step_end(struct slow_step *slow);

/*
 * attachment_attach() and attachment_detach(), with a line such as "stacktool APPLET: attaching 146 probes …", unless
 * -q. They read the side-band meanwhile.
 */
int attach_as_slow_step(struct attachment *attachment, struct spaces *spaces, const struct plan *plan,
			size_t nr_places);
void detach_as_slow_step(struct attachment *attachment, struct spaces *spaces, const struct plan *plan,
			 struct ending *ending);

/*
 * Raises our priority. The collector must keep up with the ring while the traced programs use every CPU. It needs
 * little time, but at once, and its calls on maps must not be interrupted (core/host/unpreempted.h). Without the
 * privilege it works as long as the CPUs are not fully used.
 */
void ask_for_priority(void);
