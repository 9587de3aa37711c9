/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls on maps that no other thread interrupts (docs/design.md, "Draining is not preempted").
 *
 * While a thread of user space is inside a call on a map, the kernel runs no program of a classic tracepoint, perf kprobe or
 * perf event on that CPU (bpf_disable_instrumentation() in kernel/bpf/syscall.c, v5.7). Where the kernel can be preempted,
 * another thread can run there in the middle of the call, and its events are missed. A thread of the real-time class is not
 * preempted by ordinary ones.
 */
#pragma once

#include <stdbool.h>

/* A thread that already has a real-time class is not changed. */
struct unpreempted {
	bool is_raised;
};

/*
 * Permits the lowest real-time priority for the time after privilege_drop(). To be called before that, and after the user's command
 * was forked, which would inherit the permission. Does nothing without the privilege.
 */
void unpreempted_permit(void);

/*
 * Puts the calling thread into the real-time class until unpreempted_end(). Only for the few calls that read a map, not for work on
 * the result. Does nothing if that is not allowed (no privilege, a cgroup without real-time share).
 */
struct unpreempted unpreempted_begin(void);
void unpreempted_end(struct unpreempted *unpreempted);
