/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of a thread's process, page by page, for look_python.c. Pages are copied once for a thread: each copy costs a process
 * (look_private.h), so pages beside the one that is needed are copied with it.
 */
#pragma once

#include "core/session/look_private.h"

struct look_pages;

/* `memory` is borrowed. When is_over() is true, nothing more is copied until look_pages_begin(). */
struct look_pages *look_pages_new(struct look_memory *memory, bool (*is_over)(void *context), void *context);
void look_pages_free(struct look_pages *pages);

/* Forgets all pages: those of this thread follow, at most `max`. */
void look_pages_begin(struct look_pages *pages, const struct st_look *look, size_t max);

/* Copies the pages of these addresses together, unless they are there. */
void look_pages_expect(struct look_pages *pages, const uint64_t *addresses, size_t nr);

/* Copies bytes; false: some of them cannot be read. */
bool look_pages_read(struct look_pages *pages, uint64_t at, void *to, size_t nr);
