/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that is always there: without memory these functions print one line and end the program, so callers need no error
 * path. symbolize/ reads hostile files and returns -ENOMEM instead (vec_try_push() and malloc()).
 */
#pragma once

#include <stddef.h>

/* Returns the pointer. NULL, as libraries return it without memory, ends the program. */
void *xcheck(void *pointer);

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
__attribute__((format(printf, 1, 2))) char *xasprintf(const char *format, ...);
