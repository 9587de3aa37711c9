// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The floor: what it costs to take both stacks of an event and to do nothing with them. The figures of the real programs
 * are given relative to this one.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define FRAMES 127

struct st_reference_scratch {
	__u64 frames[2 * FRAMES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct st_reference_scratch);
} st_reference_map SEC(".maps");

char LICENSE[] SEC("license") = "GPL";

static __always_inline int take_stacks(void *ctx)
{
	struct st_reference_scratch *scratch;
	__u32 zero = 0;

	scratch = bpf_map_lookup_elem(&st_reference_map, &zero);
	if (!scratch)
		return 0;
	bpf_get_stack(ctx, scratch->frames, FRAMES * 8, 0);
	bpf_get_stack(ctx, &scratch->frames[FRAMES], FRAMES * 8, BPF_F_USER_STACK);
	return 0;
}

SEC("tp/sched/sched_switch")
int st_reference(void *ctx)
{
	return take_stacks(ctx);
}

/* At a function of the kernel that is named when they are attached. */
SEC("?kprobe")
int st_kprobe(void *ctx)
{
	return take_stacks(ctx);
}

SEC("?kprobe.multi")
int st_multi(void *ctx)
{
	return take_stacks(ctx);
}

/* A probe that does nothing: what the kernel takes for having one. */
SEC("tp/task/task_rename")
int st_empty(void *ctx)
{
	return 0;
}
