/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cause of a failure: one line, recorded where it happens and printed where it is not handled.
 *
 * Functions return 0 or a negative errno. `return fail(-ENOENT, "event '%s': no such tracepoint", name);` records the line and returns the
 * code. Each new cause replaces the one before. A caller that has nothing to add returns its callee's code unchanged. After a function has
 * returned 0, the cause means nothing. -EMFILE and -ENFILE are always of kind ERR_HOST and have a hint.
 *
 * A text that is too long is cut in its middle ("...").
 *
 * A message is `<object>: <what>: <reason>`, user text in single quotes, lower case, no full stop. The kind decides the exit status;
 * docs/reference/exit-status.md has the table.
 */
#pragma once

#include <errno.h>

/* For functions whose failure no caller may ignore. */
#define _must_check_ __attribute__((warn_unused_result))

enum err_kind {
	ERR_NONE,
	ERR_FAILED,   /* exit 1 */
	ERR_USAGE,    /* exit 2 */
	ERR_HOST, /* exit 3: a kernel feature or privilege is missing, or a limit is too low; the cause names it */
	ERR_NO_MATCH, /* exit 5: nothing has the name, or matches the pattern, that the user gave */
};

/* Record the formatted cause and return `code`, a negative errno. */
__attribute__((format(printf, 2, 3))) int fail(int code, const char *format, ...);
__attribute__((format(printf, 3, 4))) int fail_as(enum err_kind kind, int code, const char *format, ...);
#define fail_host(code, ...) fail_as(ERR_HOST, code, __VA_ARGS__)
#define fail_usage(...) fail_as(ERR_USAGE, -EINVAL, __VA_ARGS__)
#define fail_no_match(...) fail_as(ERR_NO_MATCH, -ENOENT, __VA_ARGS__)

/* fail_host() for a process or thread that cannot be started; adds a hint for -EAGAIN. */
int fail_start(int code, const char *what);

/* fail() for an output that cannot be written; adds a hint for -EFBIG if RLIMIT_FSIZE is the reason. */
int fail_write(int code, const char *what);

/* Adds a second line, the remedy, to the recorded cause. Does nothing without a cause, or if there is a hint already. */
__attribute__((format(printf, 1, 2))) void hint(const char *format, ...);

/* The recorded cause and its hint (each "" if there is none), and the kind. Valid until the next failure or err_clear(). */
const char *err_cause(void);
const char *err_hint(void);
enum err_kind err_kind(void);

void err_clear(void);

/*
 * Saves the cause around steps whose failure does not matter, also while another failure is being returned:
 *
 * 	_cleanup_(err_restore) struct err_saved before = err_save();
 */
struct err_saved {
	enum err_kind kind;
	char cause[1024];
	char hint[512];
};

struct err_saved err_save(void);
void err_restore(const struct err_saved *saved);

/*
 * Combines a failure `err`, whose cause is in `first`, with `second`, the result of a later step (0: no failure), whose cause is recorded.
 * Returns `err`.
 */
int err_join(int err, const struct err_saved *first, int second);
