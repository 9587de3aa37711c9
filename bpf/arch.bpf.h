/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that depends on the architecture. */
#pragma once

#include "bpf/kernel.h"

#include "bpf/abi.h"
#include "bpf/registers.h"

/*
 * Reads the return address at the first instruction of a function: x86 pushed it, arm64 has it in the link register. Returns 0 or negative.
 */
static __always_inline int st_entry_caller(struct pt_regs *regs, __u64 *ret_caller)
{
#if defined(__TARGET_ARCH_x86)
	return bpf_probe_read_user(ret_caller, sizeof(*ret_caller), (void *)PT_REGS_SP(regs));
#elif defined(__TARGET_ARCH_arm64)
	*ret_caller = PT_REGS_RET(regs);
	return 0;
#else
#error "architecture without a rule for the return address at function entry"
#endif
}

/* A return address from memory. On arm64, removes the signature (PAC) above the 48 address bits. */
static __always_inline __u64 st_plain_address(__u64 address)
{
#if defined(__TARGET_ARCH_arm64)
	return address & ((1ULL << 48) - 1);
#else
	return address;
#endif
}

/* Reads the return address after the saved frame pointer, where the frame pointer points. Returns 0 or negative. */
static __always_inline int st_frame_caller(struct pt_regs *regs, __u64 *ret_caller)
{
	int err = bpf_probe_read_user(ret_caller, sizeof(*ret_caller), (void *)PT_REGS_FP(regs) + 8);

	*ret_caller = st_plain_address(*ret_caller);
	return err;
}

/*
 * Takes the kernel stack of a kprobe at the entry of a function; arguments and result are those of bpf_get_stack(). On arm64 the function
 * has no frame yet and only the link register has its caller, which the kernel's walk misses.
 */
static __always_inline long st_kernel_stack_at_entry(struct pt_regs *regs, __u64 *frames, __u32 bytes)
{
#if defined(__TARGET_ARCH_arm64)
	long taken = bpf_get_stack(regs, frames + 1, bytes - sizeof(*frames), 0);

	if (taken <= 0)
		return taken;
	frames[0] = frames[1];
	frames[1] = PT_REGS_RET(regs);
	return taken + (long)sizeof(*frames);
#else
	return bpf_get_stack(regs, frames, bytes, 0);
#endif
}

#if defined(__TARGET_ARCH_x86)

/*
 * Whether a perf_event or uprobe program has interrupted user mode. If so, st_task_registers() has the registers of the context, and one
 * helper call reads them all; each load from the context would become several instructions. Loads 8 bytes, as the verifier requires for
 * perf_event programs.
 */
static __always_inline __u8 st_is_in_user_mode(void *ctx)
{
	const volatile __u64 *words = ctx;

	return (words[ST_PT_CS] & 3) != 0;
}

/* User registers of a task before 5.15: at the end of its kernel stack, which has 16 KiB (THREAD_SIZE). */
static __always_inline void *st_registers_on_stack(void *stack)
{
	return stack + 16384 - 8 * ST_NR_REGISTERS;
}

/* Kernel address of the user registers of the current task. */
static __always_inline void *st_task_registers(struct task_struct *task)
{
	if (bpf_core_enum_value_exists(enum bpf_func_id___of_registers, BPF_FUNC_task_pt_regs___of_registers))
		return (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	return st_registers_on_stack(BPF_CORE_READ(task, stack));
}

#else

/* Only the walks of user stacks use it, and these exist for x86_64 only. */
static __always_inline __u8 st_is_in_user_mode(void *ctx)
{
	return 0;
}

#endif
