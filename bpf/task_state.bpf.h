/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "bpf/kernel.h"

#include "bpf/kinds.h"

/* From include/linux/sched.h; unchanged since v4.14 unless a version is given. */
enum {
	ST_TASK_INTERRUPTIBLE = 0x1,
	ST_TASK_UNINTERRUPTIBLE = 0x2,
	ST_TASK_STOPPED = 0x4,
	ST_TASK_TRACED = 0x8,
	ST_TASK_PARKED = 0x40,
	ST_TASK_DEAD = 0x80,
	ST_TASK_WAKING = 0x200,
	ST_TASK_NOLOAD = 0x400,
	ST_TASK_NEW = 0x800,
	ST_TASK_RTLOCK_WAIT = 0x1000, /* v5.15 */
	ST_TASK_FROZEN = 0x8000, /* v6.1 */
	ST_PF_KTHREAD = 0x00200000,
	ST_FIRST_FAIR_PRIO = 100, /* MAX_RT_PRIO */
};

/* The enum thread_state of a thread that is not on the run queue. With TASK_WAKING it is unknown, because that replaces the state. */
static __always_inline __u32 st_wall_state(__u32 state)
{
	if (state & ST_TASK_WAKING)
		return THREAD_UNKNOWN;
	if (state & (ST_TASK_STOPPED | ST_TASK_TRACED | ST_TASK_FROZEN))
		return THREAD_STOPPED;
	if (state & ST_TASK_UNINTERRUPTIBLE)
		return state & ST_TASK_NOLOAD ? THREAD_SLEEPS : THREAD_BLOCKED;
	if (state & ST_TASK_INTERRUPTIBLE)
		return THREAD_SLEEPS;
	return state & ST_TASK_RTLOCK_WAIT ? THREAD_BLOCKED : THREAD_UNKNOWN;
}
