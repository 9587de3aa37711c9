/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What depends on the architecture, and nothing else does. */
#pragma once

#include "bpf/kernel.h"

/*
 * At the first instruction of a function: where the return address is, and where a frame pointer walk finds the next
 * one. On x86 the call has pushed it; on arm64 it is still in the link register.
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

/* The return address in the frame that the frame pointer points to: both architectures keep it behind the saved one. */
static __always_inline int st_frame_caller(struct pt_regs *regs, __u64 *ret_caller)
{
	return bpf_probe_read_user(ret_caller, sizeof(*ret_caller), (void *)PT_REGS_FP(regs) + 8);
}
