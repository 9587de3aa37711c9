/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "bpf/record.bpf.h"
#include "bpf/returns.h"

/* Whether events of probes are not counted now: all probes begin and end at the same moment. */
static __always_inline int st_is_shut(const struct st_control *control)
{
	return *(volatile __u64 *)&control->paused != 0;
}

/*
 * The number of the probe: from 5.15 on in the attach cookie (commit 7adfc6c9b315 ("bpf: Add bpf_get_attach_cookie() BPF helper to access
 * bpf_cookie value")). On older kernels each probe has a copy of the program, with the number in st_config.
 */
static __always_inline __u64 st_probe_of(void *ctx)
{
	return st_config.has_cookie ? bpf_get_attach_cookie(ctx) : st_config.probe;
}

/*
 * Prevents a private stack, by a tail call that is never made.
 *
 * From 6.13 on, the JIT gives a program with more than 64 bytes of stack a private stack per CPU (commit 7d1cd70d4b16 ("bpf, x86: Support
 * private stack in jit")). But uprobe programs can be preempted, and the next thread on the CPU would run the same program on the same
 * private stack: 7.2 crashes. Programs with a tail call get no private stack.
 */
static __always_inline void st_no_private_stack(void *ctx)
{
	if (!st_config.ring_wake_bytes)
		bpf_tail_call(ctx, &st_nowhere, 0);
}
