/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How workers start and end, a part of worker_link.h: losses and pauses, slots, what becomes of files. For worker_link.c alone. */
#pragma once

#include "symbolize/client/worker_link.h"

int64_t link_now_ms(void);

/* Gives the file up. */
void link_refuse(struct handed_file *file, enum symbol_status why);

/* The file that was sent first of those that are not acknowledged, or NULL. */
struct handed_file *link_first_sent(const struct worker_link *link);

/* The worker is of no use any more: returns why. What was sent first is to blame, a file or a table, else `asked` (or NULL). */
enum symbol_status link_lose_worker(struct worker_link *link, enum symbol_status why, struct handed_file *asked);

/* Another worker takes the place of one that has too little room left; that is no loss. */
void link_replace_worker(struct worker_link *link);

/* Whether another worker would have more room than this one. */
bool link_may_be_relieved(const struct worker_link *link);
