/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wakes the caller when a program of this host maps code, forks or ends: an extra event per CPU with a ring, whose records are not used.
 * The rings of the side-band have one watermark for all records, which is far too high for that.
 *
 * A starting program maps a dozen files within a millisecond, and each should be known at once; but a build starts hundreds of programs a
 * second. So on average there is one wakeup per WAKEUPS_MUTE_NS, and up to WAKEUPS_BURST can be saved up. When these are used up, the
 * events are muted for WAKEUPS_MUTE_NS after each wakeup; if there were events meanwhile, the next wakeup is at the end of that time. So no
 * mapping stays unknown for longer.
 */
#pragma once

#define WAKEUPS_MUTE_NS 1000000
#define WAKEUPS_BURST 50

struct wakeups;

/* `epoll_fd`, which is borrowed, becomes readable when something happened. NULL: not possible. */
struct wakeups *wakeups_new(int epoll_fd);
void wakeups_free(struct wakeups *wakeups);

/* Adds a CPU. If the kernel refuses the event, the CPU has none. */
void wakeups_add_cpu(struct wakeups *wakeups, int cpu);
void wakeups_remove_cpu(struct wakeups *wakeups, int cpu);

/* Call this before each reading of the side-band. */
void wakeups_acknowledge(struct wakeups *wakeups);
