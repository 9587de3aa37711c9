/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wakes when a program of this host maps code, forks or ends, through an event per CPU with a ring of its own, whose
 * content is not used. The rings of the side-band have one watermark for all of their records, which is far too high
 * for that.
 *
 * A program that starts maps a dozen files within a millisecond, each of which should be known at once; but a build
 * starts hundreds of programs a second. So there is one wakeup in each WAKEUPS_MUTE_NS on average, and up to
 * WAKEUPS_BURST of them are saved up. When those are used, the events are muted for that time after each wakeup, and
 * wake at its end if anything has come. So a mapping is known after that time at the latest.
 */
#pragma once

#define WAKEUPS_MUTE_NS 1000000
#define WAKEUPS_BURST 50

struct wakeups;

/* `epoll_fd`, which is borrowed, is readable when something has happened. NULL where the kernel refuses. */
struct wakeups *wakeups_new(int epoll_fd);
void wakeups_free(struct wakeups *wakeups);

/* A CPU where the kernel refuses the event stays without one. */
void wakeups_add_cpu(struct wakeups *wakeups, int cpu);
void wakeups_remove_cpu(struct wakeups *wakeups, int cpu);

/* Call this before each reading of the side-band. */
void wakeups_acknowledge(struct wakeups *wakeups);
