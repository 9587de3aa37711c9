/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --status-file: how a run ended, as JSON, for scripts that cannot tell our status from that of a command. */
#pragma once

#include "core/base/err.h"

/* What the file says. The texts are borrowed. */
struct run_end {
	const char *applet;
	int status;         /* of the process */
	int own_status;     /* what it would be without a command */
	const char *reason; /* of own_status: "done", "usage", … */
	const char *message; /* of the error; NULL: none */
	int command_status; /* -1: no command ended */
};

/* The FILE of --status-file among the words before "--", also of a line that does not parse; NULL: none. */
const char *status_file_find(int argc, char **argv);

/*
 * Makes the file with the state "running", before privileges are dropped. If a signal other than SIGKILL ends the process, the file
 * has that end. A descriptor for status_file_end(), or a negative errno with a recorded cause.
 */
int status_file_begin(const char *path, const char *applet);

/* Writes the end into the file, and closes it. Signals are blocked (signals_hold()). 0 or a negative errno. */
_must_check_ int status_file_end(int fd, const struct run_end *end);
