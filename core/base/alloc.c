/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *xcheck(void *pointer)
{
	if (!pointer) {
		fputs("stacktool: out of memory\n", stderr);
		_Exit(1);
	}
	return pointer;
}

void *xmalloc(size_t size)
{
	return xcheck(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return xcheck(calloc(count ? count : 1, size ? size : 1));
}

char *xstrdup(const char *text)
{
	return xcheck(strdup(text));
}

char *xstrndup(const char *text, size_t length)
{
	return xcheck(strndup(text, length));
}

char *xasprintf(const char *format, ...)
{
	char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	return xcheck(text);
}
