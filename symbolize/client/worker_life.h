/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts and ends workers: losses, pauses, slots, and the state of files. A part of worker_link.h, for worker_link.c only. */
#pragma once

#include "symbolize/client/worker_link.h"

int64_t link_now_ms(void);

/* Makes the file unusable. */
void link_refuse(struct handed_file *file, enum symbol_status why);

/* The first sent file without acknowledgement, or NULL. */
struct handed_file *link_first_sent(const struct worker_link *link);

/* Gives up the worker; returns why. The culprit is the file or table that was sent first, else `asked` (may be NULL). */
enum symbol_status link_lose_worker(struct worker_link *link, enum symbol_status why, struct handed_file *asked);

/* Replaces a worker that has too little room; not a loss. */
void link_replace_worker(struct worker_link *link);

/* Whether a new worker would have more room than this one. */
bool link_may_be_relieved(const struct worker_link *link);
