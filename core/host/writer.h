/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that makes, renames and removes the files of a run (core/base/replace.h), so that the process that reads files of others
 * needs no right to. It is forked before anything else is open and has only CAP_DAC_OVERRIDE, some thirty system calls, and
 * the files that `fits` allows. The caller writes the content into the descriptor.
 *
 * If the caller ends or is killed, the writer removes a file that is not finished. A writer that hangs in a file system is waited for until
 * the user stops that (waiting_is_unwanted()).
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

enum {
	WRITERS = 2, /* the second takes over if somebody kills the first: the caller itself can make no file */
};

struct writer {
	struct writer_process {
		pid_t pid; /* 0: none */
		int socket;
	} processes[WRITERS];
	size_t current;
};

/*
 * From now on replace_begin() and replace_remove() go to a process of their own. `fits` is called in that process, and says whether
 * a path is one of this run. `writer` is zeroed and stays where it is until writer_stop(), which is also called after a failure.
 * 0 or a negative errno with a recorded cause.
 */
int writer_start(struct writer *writer, bool (*fits)(const void *context, const char *path), const void *context);

/* Ends the processes, when all files are finished. Waits for two seconds each at most. */
void writer_stop(struct writer *writer);
