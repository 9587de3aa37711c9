/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory for a tool: these end the program with one line when memory is gone, so callers need no error path.
 * symbolize/ does not use them: it reads hostile files and answers -ENOMEM instead (vec_try_push and malloc).
 */
#pragma once

#include <stddef.h>

/* The pointer, which a library returned; NULL ends the program as the functions below do. */
void *xcheck(void *pointer);

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xreallocarray(void *pointer, size_t count, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
__attribute__((format(printf, 1, 2))) char *xasprintf(const char *format, ...);
