/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --status-file: how a run ended, as JSON, for scripts that cannot tell stacktool's status from that of the command. */
#pragma once

#include "core/base/err.h"

/* The contents of the file. The texts are borrowed. */
struct run_end {
	const char *applet;
	int status;
	int own_status; /* what it would be without a command */
	const char *reason; /* of own_status: "done", "usage", … */
	const char *message; /* the error; NULL: none */
	int command_status; /* -1: no command ended */
};

/* The FILE of --status-file in the words before "--", even if they cannot be parsed; NULL: none. */
const char *status_file_find(int argc, char **argv);

/*
 * Creates the file with the state "running"; call it before privileges are dropped. If a signal other than SIGKILL ends the process, the
 * file says so. Returns a descriptor for status_file_end(), or a negative errno with a recorded cause.
 */
int status_file_begin(const char *path, const char *applet);

/* Writes the end, and closes the file. Signals must be blocked (signals_hold()). Returns 0 or a negative errno. */
_must_check_ int status_file_end(int fd, const struct run_end *end);
