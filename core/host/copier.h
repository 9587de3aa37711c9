/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Standard output that is a file on a network file system or on FUSE: a process of its own writes it, and ours is a pipe to that process. A
 * task that waits for such a file system cannot be killed, not even when it closes a file there.
 */
#pragma once

#include <sys/types.h>

struct copier {
	pid_t pid; /* 0: none */
	unsigned int patience_ms;
	void (*say_wait)(void); /* after a second of that */
};

/* Starts the process where standard output needs it. If that is not possible, nothing changes. */
void copier_start(struct copier *copier);

/*
 * Closes the pipe and waits until everything is written: `patience_ms`, or three seconds if the user wants no wait (waiting_is_unwanted()).
 * Then the process is left alone: -ETIMEDOUT. 0 or a negative errno with a recorded cause: also that of a write that failed.
 */
int copier_end(struct copier *copier);
