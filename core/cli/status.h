/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All exit statuses: main.c ends with them, and every man page lists them. docs/reference/exit-status.md has more. */
#pragma once

#define EXIT_STATUSES(X)                                                                                               \
	X(DONE, 0, "success, also after Ctrl-C or SIGTERM")                                                            \
	X(FAILED, 1, "failed")                                                                                         \
	X(USAGE, 2, "usage error")                                                                                     \
	X(HOST, 3, "a kernel feature or a privilege is missing, or a resource limit is too low; the message names it") \
	X(LOST, 4, "data was lost, with --strict")                                                                     \
	X(NO_MATCH, 5, "the pattern matched nothing")

enum exit_status {
#define X(name, status, text) STATUS_##name = status,
	EXIT_STATUSES(X)
#undef X
};
