/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts and ends workers, a part of worker_link.h: losses and pauses, slots, and the state of files. For worker_link.c alone. */
#pragma once

#include "symbolize/client/worker_link.h"

int64_t link_now_ms(void);

/* Gives the file up. */
void link_refuse(struct handed_file *file, enum symbol_status why);

/* The first sent file without an acknowledgement, or NULL. */
struct handed_file *link_first_sent(const struct worker_link *link);

/* Gives up the worker, and returns why. The culprit is the file or table that was sent first, else `asked` (may be NULL). */
enum symbol_status link_lose_worker(struct worker_link *link, enum symbol_status why, struct handed_file *asked);

/* Replaces a worker that has too little room left; that does not count as a loss. */
void link_replace_worker(struct worker_link *link);

/* Whether another worker would have more room than this one. */
bool link_may_be_relieved(const struct worker_link *link);
