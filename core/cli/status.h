/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All exit statuses: main.c returns them, and every man page lists them. With -- COMMAND the message begins with the status's word, which
 * --status-file has too: docs/reference/exit-status.md.
 */
#pragma once

#define EXIT_STATUSES(X)                                                                                      \
	X(DONE, 0, "done", "success, also after Ctrl-C or SIGTERM")                                           \
	X(FAILED, 1, "failed", "failed")                                                                      \
	X(USAGE, 2, "usage", "usage error")                                                                   \
	X(HOST, 3, "host",                                                                                    \
	  "a kernel feature or a privilege is missing, or a resource limit is too low; the message names it") \
	X(LOST, 4, "lost", "data was lost, with --strict")                                                    \
	X(NO_MATCH, 5, "no-match", "the pattern matched nothing")                                             \
	X(CUT, 6, "cut", "the run was ended early because its probes cost too much (--max-overhead)")         \
	X(OWN, 125, "own",                                                                                    \
	  "with -- COMMAND: stacktool failed, for any of these reasons; otherwise the command's status")

enum exit_status {
#define X(name, status, word, text) STATUS_##name = status,
	EXIT_STATUSES(X)
#undef X
};

/* "done", "no-match". */
const char *status_word(int status);
