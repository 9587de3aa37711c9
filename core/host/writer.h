/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that makes, writes, renames and removes the files of a run (core/base/replace.h), so that the process that reads files of others
 * needs no right to, and never waits in a file system that does not answer. It is forked before anything else is open and has only
 * CAP_DAC_OVERRIDE, some thirty system calls, and the files that `fits` allows. The content comes through a pipe.
 *
 * If the caller ends or is killed, the writer removes a file that is not finished.
 *
 * A writer that does not answer is waited for while the run goes on, and `patience_ms` before it begins and after its end; three seconds
 * if the user wants no wait (waiting_is_unwanted()). Then it is left alone, and so is the directory of that file: -ETIMEDOUT.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	WRITERS =
		2, /* the second takes over if the first does not answer or somebody kills it: the caller itself can make no file */
};

struct writer_options {
	bool (*fits)(const void *context,
		     const char *path); /* called in the writer: whether a path is one of this run */
	const void *context;
	unsigned int patience_ms;
	void (*say_wait)(const char *path); /* after a second of that; NULL: nothing is printed */
};

struct writer {
	struct writer_process {
		pid_t pid; /* 0: none */
		int socket, content; /* -1: none */
		bool hangs;
	} processes[WRITERS];
	size_t current;
	struct writer_options options;
	uint64_t end_ns; /* when the run ends or has ended, CLOCK_MONOTONIC */
	char hung[PATH_MAX]; /* a file whose directory does not answer */
};

/*
 * From now on replace_begin() and replace_remove() go to a process of their own. `writer` is zeroed and stays where it is until
 * writer_stop(), which is also called after a failure. 0 or a negative errno with a recorded cause.
 */
int writer_start(struct writer *writer, const struct writer_options *options);

/* When the run ends, or that it has ended. Unknown until this is called. A deadline of core/base/waiting.h ends it too. */
void writer_run_ends(struct writer *writer, uint64_t end_ns);

/* Ends the processes, when all files are finished. Waits for two seconds each at most, and not for one that does not answer. */
void writer_stop(struct writer *writer);
