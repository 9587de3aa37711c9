/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a task does what is being recorded, or an interrupt that hit it.
 *
 * BPF has no helper for it, but the preemption count says it, and BTF says where that is: a per-CPU variable on x86
 * (__preempt_count, pcpu_hot.preempt_count from 6.2 to 6.14), a field of the task on arm64. Both are plain memory
 * of the kernel, readable under lockdown too. A kernel without CONFIG_KALLSYMS_ALL has them in BTF but refuses programs
 * that name them, so user space asks first (host_tells_interrupts()), and puts the variable in its place.
 */
#pragma once

#include "bpf/maps.bpf.h"

/* include/linux/preempt.h: eight bits of preemption, eight of softirq, four of hardirq, four of NMI. */
enum {
	ST_PREEMPT_SOFTIRQ = 1 << 8, /* serving one; twice this is added where they are only held off */
	ST_PREEMPT_HARDIRQ = 0xf << 16,
	ST_PREEMPT_NMI = 0xf << 20,
};

#define ST_STRING_OF(x) #x
#define ST_STRING(x) ST_STRING_OF(x)

static __always_inline const void *st_preempt_count_variable(void)
{
	const void *variable;

	asm volatile("%0 = " ST_STRING(ST_PREEMPT_COUNT_MARK) " ll" : "=r"(variable));
	return variable;
}

static __always_inline __u32 st_preempt_count(void)
{
	if (bpf_core_field_exists(((struct thread_info *)0)->preempt_count)) {
		if (st_config.task_access == TASK_ACCESS_PROBE_READ)
			return BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), thread_info.preempt_count);
		if (st_config.task_access == TASK_ACCESS_BTF)
			return ((struct task_struct *)bpf_get_current_task_btf())->thread_info.preempt_count;
		return 0;
	}
	if (bpf_core_field_exists(((struct pcpu_hot *)0)->preempt_count))
		return ((const struct pcpu_hot *)bpf_this_cpu_ptr(st_preempt_count_variable()))->preempt_count;
	return *(const int *)bpf_this_cpu_ptr(st_preempt_count_variable());
}

/* The flags of a record that is taken here; 0 in a task. */
static __always_inline __u8 st_context(void)
{
	__u32 count = st_preempt_count();

	if (count & ST_PREEMPT_NMI)
		return ST_STACK_IN_NMI;
	if (count & ST_PREEMPT_HARDIRQ)
		return ST_STACK_IN_IRQ;
	return count & ST_PREEMPT_SOFTIRQ ? ST_STACK_IN_SOFTIRQ : 0;
}
