/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbol worker: reads the files that it is handed and answers questions about them, one message at a time.
 *
 * It runs confined (sandbox.h), never opens anything, and knows files by the caller's numbers. A separate debug file is
 * asked for when the first question about a stripped file comes, because only then is the caller there to answer.
 */
#pragma once

#include <stdbool.h>

struct worker_options {
	bool no_demangle;
	bool ask_debug; /* the caller can open debug files */
	bool identify_only; /* read the build ids of files, nothing else */
	bool lines; /* there will be questions about source lines */
	unsigned int cpu_seconds; /* of CPU time until more is granted: sandbox_confine() */
	int max_lines_fd; /* files are kept open for them up to this descriptor; set by the supervisor */
};

/* Serves the socket until its other end closes. */
_Noreturn void worker_run(int socket, const struct worker_options *options);
