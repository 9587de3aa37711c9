/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls on maps that no other thread preempts (docs/design.md, "Draining is not preempted").
 *
 * While a user thread is inside a call on a map, the kernel runs no program of a classic tracepoint, perf kprobe or perf event on that CPU
 * (bpf_disable_instrumentation() in kernel/bpf/syscall.c, v5.7). On a preemptible kernel another thread can run there in the middle of the
 * call, and its events are missed. Ordinary threads do not preempt a thread of a real-time class.
 */
#pragma once

#include <stdbool.h>

/* Threads that already have a real-time class are not changed. */
struct unpreempted {
	bool is_raised;
};

/*
 * Permits the lowest real-time priority, to be used after privilege_drop(). Call it before that, and after the user's command was forked,
 * which would inherit the permission. Does nothing without the privilege.
 */
void unpreempted_permit(void);

/*
 * Puts the calling thread into a real-time class until unpreempted_end(). Only around calls that read a map, not for processing the result.
 * Does nothing if that is not permitted (no privilege, a cgroup without real-time share).
 */
struct unpreempted unpreempted_begin(void);
void unpreempted_end(struct unpreempted *unpreempted);
