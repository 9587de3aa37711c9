/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cause is kept like errno: one per thread, written on failure only. */
#include "core/base/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/base/descriptors.h"

static _Thread_local struct err_saved last;

/* Adds the hint which limit of open files to raise, and to what. */
static void hint_open_files(int code)
{
	struct rlimit limit = {};
	rlim_t wanted = descriptors_wanted();

	getrlimit(RLIMIT_NOFILE, &limit);
	if (wanted <= limit.rlim_cur) /* descriptors that were not counted */
		wanted = 2 * limit.rlim_cur;
	if (code == -ENFILE)
		hint("the host has too many open files: raise fs.file-max (sysctl)");
	else
		hint("the limit is %llu open files: raise it to at least %llu ('ulimit -n' as root, LimitNOFILE= "
		     "of a service, --ulimit nofile= of a container)",
		     (unsigned long long)limit.rlim_cur, (unsigned long long)wanted);
}

/* The first byte of the UTF-8 character that contains `at`. */
static const char *character(const char *at)
{
	for (int i = 0; i < 3 && ((unsigned char)*at & 0xc0) == 0x80; i++)
		at--;
	return at;
}

#define CUT_HEAD 200
#define CUT_TAIL 300

/* Cuts a text that is too long in its middle, because the reason is at its end. Without memory, cuts the end instead. */
static void format_cut(char *text, size_t room, const char *format, va_list arguments)
{
	char *whole;
	va_list again;
	int nr;

	va_copy(again, arguments);
	nr = vsnprintf(text, room, format, arguments);
	if (nr >= 0 && (size_t)nr >= room && vasprintf(&whole, format, again) >= 0) {
		snprintf(text, room, "%.*s...%s", (int)(character(whole + CUT_HEAD) - whole), whole,
			 character(whole + nr - CUT_TAIL));
		free(whole);
	}
	va_end(again);
}

static void record(enum err_kind kind, int code, const char *format, va_list arguments)
{
	bool is_limit = code == -EMFILE || code == -ENFILE;

	last.kind = is_limit ? ERR_HOST : kind;
	last.hint[0] = '\0';
	format_cut(last.cause, sizeof(last.cause), format, arguments);
	if (is_limit)
		hint_open_files(code);
}

int fail(int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	record(ERR_FAILED, code, format, arguments);
	va_end(arguments);
	return code;
}

int fail_as(enum err_kind kind, int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	record(kind, code, format, arguments);
	va_end(arguments);
	return code;
}

int fail_start(int code, const char *what)
{
	fail_host(code, "%s: cannot be started: %s", what, strerror(-code));
	if (code == -EAGAIN)
		hint("the limit of processes is reached: raise 'ulimit -u', or pids.max of the cgroup (TasksMax= "
		     "of a service, --pids-limit of a container), by at least 8");
	return code;
}

int fail_write(int code, const char *what)
{
	struct rlimit limit;

	fail(code, "%s: cannot be written: %s", what, strerror(-code));
	if (code == -EFBIG && !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY)
		hint("the limit is %llu bytes per file: raise 'ulimit -f'", (unsigned long long)limit.rlim_cur);
	return code;
}

void hint(const char *format, ...)
{
	va_list arguments;

	if (last.kind == ERR_NONE || last.hint[0])
		return;
	va_start(arguments, format);
	format_cut(last.hint, sizeof(last.hint), format, arguments);
	va_end(arguments);
}

const char *err_cause(void)
{
	return last.kind == ERR_NONE ? "" : last.cause;
}

const char *err_hint(void)
{
	return last.kind == ERR_NONE ? "" : last.hint;
}

enum err_kind err_kind(void)
{
	return last.kind;
}

void err_clear(void)
{
	last.kind = ERR_NONE;
}

struct err_saved err_save(void)
{
	return last;
}

void err_restore(const struct err_saved *saved)
{
	last = *saved;
}

int err_join(int err, const struct err_saved *first, int second)
{
	const struct err_saved next = last;

	err_restore(first);
	if (!second)
		return err;
	fail(err, "%s; %s", first->cause, next.cause);
	if (first->hint[0])
		hint("%s", first->hint);
	return err;
}
