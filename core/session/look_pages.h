/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of a thread's process in pages, for the readers of Python frames. Each copy costs a process (look_private.h), so a page is
 * copied only once for a thread, together with pages next to it.
 */
#pragma once

#include "core/session/look_private.h"

struct look_pages;

/* `memory` is borrowed. Once is_over() returns true, nothing is copied until look_pages_begin(). */
struct look_pages *look_pages_new(struct look_memory *memory, bool (*is_over)(void *context), void *context);
void look_pages_free(struct look_pages *pages);

/* Forgets all pages and begins with this thread, for which at most `max` pages are copied. */
void look_pages_begin(struct look_pages *pages, const struct st_look *look, size_t max);

/* Copies the pages of these addresses together, unless they are already there. */
void look_pages_expect(struct look_pages *pages, const uint64_t *addresses, size_t nr);

/* Copies `nr` bytes. False: some of them cannot be read. */
bool look_pages_read(struct look_pages *pages, uint64_t at, void *to, size_t nr);
