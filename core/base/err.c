/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cause is kept like errno: one per thread, written on failure only. It is the one piece of hidden state outside
 * the BPF skeleton, and it buys failures that are reported in a single expression.
 */
#include "core/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static _Thread_local struct {
	enum err_kind kind;
	char cause[1024];
	char hint[512];
} last;

static void record(enum err_kind kind, const char *format, va_list arguments)
{
	if (last.kind != ERR_NONE)
		return;
	last.kind = kind;
	last.hint[0] = '\0';
	vsnprintf(last.cause, sizeof(last.cause), format, arguments);
}

int fail(int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	record(ERR_FAILED, format, arguments);
	va_end(arguments);
	return code;
}

int fail_host(int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	record(ERR_HOST, format, arguments);
	va_end(arguments);
	return code;
}

int fail_usage(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	record(ERR_USAGE, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

int fail_no_match(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	record(ERR_NO_MATCH, format, arguments);
	va_end(arguments);
	return -ENOENT;
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
