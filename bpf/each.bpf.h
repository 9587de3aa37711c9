/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that are not counted: each goes through the ring by itself, with its time. */
#pragma once

#include "bpf/record.bpf.h"

/* An event that is not sent is noted in those that come after it, so that it is missed where it happened. */
static __always_inline void st_drop(const struct st_way *way, __u32 loss)
{
	ST_NOTE(way->stats->losses[loss], 1);
	ST_ADD(way->control->lost, 1);
}

static __always_inline void st_send_event(const struct st_way *way, struct st_stack *stack)
{
	__u32 bytes = sizeof(stack->head) + 8 * (stack->head.nr_kernel + stack->head.nr_user);

	if (bytes > sizeof(*stack))
		return;
	if ((int)bpf_ringbuf_output(&st_ring, stack, bytes, st_wake_flag(stack->head.tgid))) {
		st_drop(way, ST_LOSS_EVENT_DROPPED);
		return;
	}
	ST_NOTE(way->stats->sent, 1);
	ST_NOTE(way->stats->in_map, 1);
}

static __always_inline void st_each(void *ctx, const struct st_way *way, const struct st_who *who, __u8 program,
				    __u64 probe)
{
	__u64 now = bpf_ktime_get_ns();
	struct st_slot *slot;
	__u32 index = 0;

	slot = st_slot_claim(&index);
	if (!slot) {
		st_drop(way, ST_LOSS_NO_SLOT);
		return;
	}
	st_build(ctx, way->stats, slot, index, who, program, probe);
	slot->stack.head.kind = ST_MESSAGE_EVENT;
	slot->stack.head.time_ns = now;
	slot->stack.head.cpu = bpf_get_smp_processor_id();
	slot->stack.head.generation = way->generation;
	slot->stack.head.lost = *(volatile __u64 *)&way->control->lost;
	st_send_event(way, &slot->stack);
	st_slot_release(slot);
}
