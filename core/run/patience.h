/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A message while a step of the run lasts: hundreds of probes may take the kernel a minute, in one system call. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct attachment;
struct ending;
struct plan;
struct spaces;

struct patience {
	pthread_t thread;
	int over_fd; /* an eventfd */
	bool running;
	char line[160];
};

/* Begins to wait for a step: when patience_end() has not come after a second, `line` is printed on standard error. */
void patience_begin(struct patience *patience, const char *line);
void patience_end(struct patience *patience);

/*
 * attachment_attach() and attachment_detach() with such a line: "stacktool APPLET: attaching 146 probes …"; none with -q. Meanwhile the
 * side-band is read.
 */
int attach_patiently(struct attachment *attachment, struct spaces *spaces, const struct plan *plan, size_t nr_places);
void detach_patiently(struct attachment *attachment, struct spaces *spaces, const struct plan *plan,
		      struct ending *ending);

/*
 * The collector must keep up with the ring while every CPU is busy with what is being traced; it uses little time, but
 * it has to get that at once, and its calls on maps must not be interrupted (core/host/unpreempted.h). Without the
 * privilege things work as long as there is time to spare.
 */
void ask_for_priority(void);
