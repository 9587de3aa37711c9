/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocation that cannot fail: without memory, these functions print one line and end the program. symbolize/ reads hostile files and
 * returns -ENOMEM instead (vec_try_push(), malloc()).
 */
#pragma once

#include <stddef.h>

/* Returns the pointer, or ends the program if it is NULL. For libraries that return NULL without memory. */
void *xcheck(void *pointer);

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
__attribute__((format(printf, 1, 2))) char *xasprintf(const char *format, ...);
