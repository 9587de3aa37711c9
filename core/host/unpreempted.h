/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls on maps that no thread interrupts.
 *
 * While a thread of user space is inside a call on a map, the kernel runs no program of a classic tracepoint, perf kprobe or
 * perf event on that CPU (bpf_disable_instrumentation() in kernel/bpf/syscall.c: "bpf: Replace open coded recursion
 * prevention in sys_bpf()", v5.7; before a program runs, bpf_prog_active is looked at). The thread stays on its CPU, but
 * where the kernel can be preempted (preempt=full) another one can run there in the middle of the call, and none of its
 * events is counted until the call goes on: 389 and 730 of 100,000 events in a guest of one CPU that was drained every
 * 5 ms. The kernel counts them as missed, so they are no secret; but they need not be. A thread of the real-time class is
 * not preempted by those that are measured.
 */
#pragma once

/* What the thread was before; one that was of a real-time class already stays what it is. */
struct unpreempted {
	int policy; /* SCHED_*, with SCHED_RESET_ON_FORK; -1: nothing was changed */
};

/*
 * Lets this process use the lowest real-time priority after its privileges are gone; to be called before, and after
 * children of the user are started, who would inherit it. Without the privilege nothing changes.
 */
void unpreempted_permit(void);

/*
 * The calling thread is of the real-time class until unpreempted_end(); for the few calls of one reading, never for work on
 * what was read. Where it may not be (no privilege, a control group without real-time share), things work as before.
 */
struct unpreempted unpreempted_begin(void);
void unpreempted_end(struct unpreempted *before);
