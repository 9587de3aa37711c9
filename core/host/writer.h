/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that creates, writes, renames and removes the files of a run (core/base/replace.h). So the process that reads other users'
 * files needs no right to write, and never waits for a file system that does not answer. The writer is forked before anything else is open.
 * It has only CAP_DAC_OVERRIDE (and CAP_CHOWN if files are given to another user), some thirty system calls, and the files that `fits`
 * allows. The content comes through a pipe. If the caller ends, the writer removes an unfinished file.
 *
 * A writer that does not answer is waited for without limit while the run goes on, and for `patience_ms` before it begins and after it
 * ends; but for three seconds if the user does not want to wait (waiting_is_unwanted()). Then the call fails with -ETIMEDOUT, and neither
 * that writer nor the directory of the file is used again.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	WRITERS =
		2, /* the second takes over if the first does not answer or was killed: the caller itself can create no file */
};

struct writer_options {
	bool (*fits)(const void *context,
		     const char *path); /* called in the writer: whether a path is a file of this run */
	const void *context;
	unsigned int patience_ms;
	void (*say_wait)(const char *path); /* called after a second of waiting; NULL: nothing is printed */
};

struct writer {
	struct writer_process {
		pid_t pid; /* 0: none */
		int socket, content; /* -1: none */
		bool hangs;
	} processes[WRITERS];
	size_t current;
	struct writer_options options;
	uint64_t end_ns; /* when the run ends or ended, CLOCK_MONOTONIC */
	char hung[PATH_MAX]; /* a file whose directory did not answer */
};

/*
 * From now on replace_begin() and replace_remove() use a writer. `writer` is zeroed and stays where it is until writer_stop(), which is
 * also called after a failure. 0 or a negative errno with a recorded cause.
 */
int writer_start(struct writer *writer, const struct writer_options *options);

/* Sets when the run ends or ended; unknown before. A deadline of core/base/waiting.h ends the run too. */
void writer_run_ends(struct writer *writer, uint64_t end_ns);

/* Ends the writers, when all files are finished. Waits for each for at most two seconds, and not for one that does not answer. */
void writer_stop(struct writer *writer);
