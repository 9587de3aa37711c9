/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event whose stack is that of the context: its record is counted, or, where events are not counted (EVENTS_EACH),
 * goes through the ring by itself, with its time. The record is built in one place for both: a second one would be
 * half of a program, which the kernel removes at each start.
 */
#pragma once

#include "bpf/record.bpf.h"

/* ---- events that are not counted ---- */

/* An event that is not sent is noted in those that come after it, so that it is missed where it happened. */
static __always_inline void st_drop(const struct st_way *way, __u32 loss)
{
	ST_NOTE(way->stats->losses[loss], 1);
	if (st_config.mode == EVENTS_EACH)
		ST_ADD(way->control->lost, 1);
}

static __always_inline void st_send_event(const struct st_way *way, struct st_stack *stack, __u64 now)
{
	__u32 bytes = sizeof(stack->head) + 8 * (stack->head.nr_kernel + stack->head.nr_user);

	stack->head.kind = ST_MESSAGE_EVENT;
	stack->head.time_ns = now;
	stack->head.cpu = bpf_get_smp_processor_id();
	stack->head.generation = way->generation;
	stack->head.lost = *(volatile __u64 *)&way->control->lost;
	if (bytes > sizeof(*stack))
		return;
	if ((int)bpf_ringbuf_output(&st_ring, stack, bytes, st_wake_flag(stack->head.tgid))) {
		st_drop(way, ST_LOSS_EVENT_DROPPED);
		return;
	}
	ST_NOTE(way->stats->sent, 1);
	ST_NOTE(way->stats->recorded, 1);
}

/* ---- both ---- */

static __always_inline void st_count_event(const struct st_way *way, struct st_stack *stack)
{
	if (!st_count(way, &stack->head.id, 0))
		return;
	/* not part of the identity, so only a record that may be sent needs them */
	stack->head.time_ns = bpf_ktime_get_ns();
	stack->head.cpu = bpf_get_smp_processor_id();
	st_send_record(way, stack);
}

static __always_inline void st_event(void *ctx, const struct st_way *way, const struct st_who *who, __u8 program,
				     __u64 probe)
{
	__u64 now = st_config.mode == EVENTS_EACH ? bpf_ktime_get_ns() : 0;
	struct st_slot *slot;
	__u32 index = 0;

	slot = st_slot_claim(&index);
	if (!slot) {
		st_drop(way, ST_LOSS_NO_SLOT);
		return;
	}
	st_build(ctx, way->stats, slot, index, who, program, probe);
	if (st_config.mode == EVENTS_EACH)
		st_send_event(way, &slot->stack, now);
	else
		st_count_event(way, &slot->stack);
	st_slot_release(slot);
}
