/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wakes us when a program of this host maps code, forks or ends: an event for each CPU with a ring, whose records are
 * not used. The rings of the side-band have one watermark for all of their records, which is far too high for that.
 *
 * A program that starts maps a dozen files within a millisecond, and each should be known at once; but a build starts
 * hundreds of programs a second. So there is one wakeup in each WAKEUPS_MUTE_NS on average, and up to WAKEUPS_BURST can
 * be saved up. When these are used up, the events are muted for that time after each wakeup. If anything came
 * meanwhile, the next wakeup is at the end of that time. So a mapping is known after that time at the latest.
 */
#pragma once

#define WAKEUPS_MUTE_NS 1000000
#define WAKEUPS_BURST 50

struct wakeups;

/* `epoll_fd`, which is borrowed, becomes readable when something has happened. NULL if the kernel refuses. */
struct wakeups *wakeups_new(int epoll_fd);
void wakeups_free(struct wakeups *wakeups);

/* Adds a CPU. If the kernel refuses the event, the CPU has none. */
void wakeups_add_cpu(struct wakeups *wakeups, int cpu);
void wakeups_remove_cpu(struct wakeups *wakeups, int cpu);

/* Call this before each reading of the side-band. */
void wakeups_acknowledge(struct wakeups *wakeups);
