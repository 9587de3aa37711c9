/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cause is kept like errno: one for each thread, written only on failure. So a failure is reported in one expression.
 */
#include "core/base/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "core/base/descriptors.h"

static _Thread_local struct err_saved last;

/* Which limit of open files to raise, and to what. */
static void hint_open_files(int code)
{
	struct rlimit limit = {};
	rlim_t wanted = descriptors_wanted();

	getrlimit(RLIMIT_NOFILE, &limit);
	if (wanted <= limit.rlim_cur) /* something else took the descriptors */
		wanted = 2 * limit.rlim_cur;
	if (code == -ENFILE)
		hint("the host has too many open files: raise fs.file-max (sysctl)");
	else
		hint("the limit is %llu open files: raise it to at least %llu ('ulimit -n' as root, LimitNOFILE= "
		     "of a service, --ulimit nofile= of a container)",
		     (unsigned long long)limit.rlim_cur, (unsigned long long)wanted);
}

static void record(enum err_kind kind, int code, const char *format, va_list arguments)
{
	bool is_limit = code == -EMFILE || code == -ENFILE;

	last.kind = is_limit ? ERR_HOST : kind;
	last.hint[0] = '\0';
	vsnprintf(last.cause, sizeof(last.cause), format, arguments);
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
	vsnprintf(last.hint, sizeof(last.hint), format, arguments);
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
