// SPDX-License-Identifier: GPL-2.0-or-later
/* Entry points of probes. Each says which kind of program took the stack: that decides whether frame 0 is exact. */
#include "bpf/probe.bpf.h"
#include "bpf/returns.h"

SEC("?tp")
int on_tracepoint(void *ctx)
{
	st_probe_event(ctx, PROGRAM_TRACEPOINT, st_probe_of(ctx));
	return ST_RETURN_TRACEPOINT;
}

/*
 * Keeps a program on the stack of the thread that runs it, by a tail call that is never made.
 *
 * From 6.13 on the JIT gives programs with more than 64 bytes of stack a private one per CPU (commit 7d1cd70d4b16 ("bpf,
 * x86: Support private stack in jit")). That is right where a program cannot be interrupted by itself, but a uprobe
 * program can be preempted, and the next thread on the CPU would run the same program on the same private stack: 7.2 then
 * dies in our program. The verifier gives none to a program with a tail call, made or not.
 */
static __always_inline void st_no_private_stack(void *ctx)
{
	if (!st_config.ring_wake_bytes)
		bpf_tail_call(ctx, &st_nowhere, 0);
}

SEC("?uprobe")
int on_uprobe(void *ctx)
{
	st_no_private_stack(ctx);
	st_probe_event(ctx, PROGRAM_UPROBE, st_probe_of(ctx));
	return ST_RETURN_UPROBE;
}

SEC("?uprobe.multi")
int on_uprobe_multi(void *ctx)
{
	st_no_private_stack(ctx);
	st_probe_event(ctx, PROGRAM_UPROBE, st_probe_of(ctx));
	return ST_RETURN_UPROBE_MULTI;
}

SEC("?kprobe")
int on_kprobe(void *ctx)
{
	st_probe_event(ctx, PROGRAM_KPROBE, st_probe_of(ctx));
	return ST_RETURN_KPROBE;
}

SEC("?kprobe.multi")
int on_kprobe_multi(void *ctx)
{
	st_probe_event(ctx, PROGRAM_KPROBE, st_probe_of(ctx));
	return ST_RETURN_KPROBE_MULTI;
}

SEC("?fentry")
int on_fentry(void *ctx)
{
	st_probe_event(ctx, PROGRAM_FENTRY, st_config.probe);
	return ST_RETURN_FENTRY;
}

SEC("?raw_tp")
int on_raw_tracepoint(void *ctx)
{
	st_probe_event(ctx, PROGRAM_RAW_TRACEPOINT, st_config.probe);
	return ST_RETURN_RAW_TRACEPOINT;
}

/*
 * t:syscalls:sys_enter_NAME and sys_exit_NAME with their kernel stacks: the classic tracepoints hand over the user's registers
 * before 6.12 (so there is no kernel stack), the raw ones do not. The system calls that are asked for are in st_syscalls.
 * Those of 32-bit code have numbers of their own and are none of these events.
 */
static __always_inline void st_system_call(void *ctx, __u64 key)
{
	__u32 *probe = bpf_map_lookup_elem(&st_syscalls, &key);

	if (probe && !st_is_32bit_call())
		st_probe_event(ctx, PROGRAM_RAW_TRACEPOINT, *probe);
}

SEC("?raw_tp")
int on_sys_enter(struct bpf_raw_tracepoint_args *ctx)
{
	st_system_call(ctx, (__u32)ctx->args[1]);
	return ST_RETURN_RAW_TRACEPOINT;
}

SEC("?raw_tp")
int on_sys_exit(struct bpf_raw_tracepoint_args *ctx)
{
	st_system_call(ctx, ST_SYSCALL_EXIT | st_ended_call((void *)ctx->args[0]));
	return ST_RETURN_RAW_TRACEPOINT;
}

/* For bpf_prog_test_run: the same path without a probe. */
SEC("?raw_tp")
int on_test(void *ctx)
{
	st_probe_event(ctx, PROGRAM_TEST, 0);
	return ST_RETURN_RAW_TRACEPOINT;
}
