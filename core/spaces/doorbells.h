/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wakes when a program of this host maps code, forks or ends: an event per CPU with a ring of its own, which is never read. The
 * rings of the side-band have one watermark for all of their records, which is far too high for that.
 *
 * A program that starts maps a dozen files within a millisecond, each of which should be known at once; but a build starts
 * hundreds of programs a second. So there may be one look in each DOORBELLS_REST_NS on average, and DOORBELLS_BURST of them
 * may be saved up. When those are spent, the bells are muted for that long after each ring, and ring at its end if anything has
 * come: what a program maps is known that late, and never later.
 */
#pragma once

#define DOORBELLS_REST_NS 1000000
#define DOORBELLS_BURST 50

struct doorbells;

/* NULL where the kernel refuses. */
struct doorbells *doorbells_new(void);
void doorbells_free(struct doorbells *doorbells);

/* Readable (epoll) when it has rung. */
int doorbells_fd(const struct doorbells *doorbells);

/* A CPU where the kernel refuses its bell stays without one. */
void doorbells_add_cpu(struct doorbells *doorbells, int cpu);
void doorbells_remove_cpu(struct doorbells *doorbells, int cpu);

/* To be called before each look at what may have happened. */
void doorbells_answer(struct doorbells *doorbells);
