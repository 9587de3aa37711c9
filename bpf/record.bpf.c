// SPDX-License-Identifier: GPL-2.0-or-later
/* Global functions on the path of an event: the verifier follows each once, not for each path to a call. */
#include "bpf/record.bpf.h"

/* Tries to claim a slot. Returns 1 if it did. */
__noinline int st_slot_try(__u32 index)
{
	struct st_slot *slot = st_slot_at(index);

	if (!slot)
		return 0;
	__sync_fetch_and_add(&slot->claims, 1);
	if (*(volatile __u32 *)&slot->claims == 1)
		return 1;
	__sync_fetch_and_add(&slot->claims, -1);
	return 0;
}

__noinline int st_slot_take(void)
{
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < ST_MAX_SLOTS; i++)
		if (st_slot_try(i))
			return (int)i;
	return -1;
}

__noinline __u64 st_cost_start(__u64 turn)
{
	return st_cost_begin(turn, ST_COST_BITS);
}

__noinline int st_cost_stop(__u64 turn, __u64 begun, __u32 probe, __u32 wanted)
{
	st_cost_end(turn, ST_COST_BITS, begun, probe, (int)wanted);
	return 0;
}

/* Hashes a word into a lane; st_mix() explains the order. */
static __always_inline __u64 st_step(__u64 lane, __u64 word)
{
	lane ^= word;
	lane ^= lane >> 32;
	return lane * 0x9e3779b97f4a7c15ULL;
}

/*
 * Hashes one part of the record, up to word `nr_words`, into its id. The verifier follows 20 words instead of all.
 *
 * Each of four lanes takes every fourth word, so that the CPU works on four chains of multiplications at once. A single difference between
 * two records always changes a lane. But two differences can cancel out in a lane, some of them with any seed, because a multiplication
 * leaves the highest bit in place. So each state of the lanes is also hashed into `sum`, with each lane shifted differently. At the end,
 * the lanes and `sum` are hashed into the id by invertible steps.
 */
__noinline int st_hash_part(__u32 slot_index, __u32 first, __u32 nr_words)
{
	struct st_slot *slot = st_slot_at(slot_index);
	__u64 a, b, c, d, sum = 0;
	const __u64 *words;
	struct st_id id = {};

	if (!slot || first > ST_HASHED_WORDS - ST_PART_WORDS)
		return 0;
	words = (const __u64 *)&slot->stack + first;
	id = slot->stack.head.id;
	a = id.lo;
	b = id.hi;
	c = ~id.lo;
	d = ~id.hi;
	for (__u32 i = 0; i < ST_PART_WORDS; i += ST_HASH_LANES) {
		if (first + i >= nr_words)
			break;
		a = st_step(a, words[i]);
		b = st_step(b, words[i + 1]);
		c = st_step(c, words[i + 2]);
		d = st_step(d, words[i + 3]);
		sum += a ^ b >> 16 ^ c >> 32 ^ d >> 48;
		sum ^= sum >> 29;
		sum *= 0xc2b2ae3d27d4eb4fULL;
	}
	id.lo = a;
	id.hi = sum;
	st_mix(&id, b);
	st_mix(&id, c);
	st_mix(&id, d);
	slot->stack.head.id = id;
	return 0;
}

__noinline int st_hash(__u32 slot_index, __u32 nr_words)
{
	struct st_slot *slot = st_slot_at(slot_index);
	struct st_id id = { st_config.seed[0], st_config.seed[1] };

	if (!slot || nr_words > ST_RECORD_WORDS)
		return 0;
	slot->stack.head.id = id;
#pragma unroll
	for (int i = 0; i < ST_HASH_LANES - 1; i++) /* the last turn of the lanes may read these words */
		((__u64 *)&slot->stack + nr_words)[i] = 0;
	for (__u32 first = ST_KEY_FIRST_WORD; first < ST_RECORD_WORDS; first += ST_PART_WORDS) {
		if (first >= nr_words)
			break;
		st_hash_part(slot_index, first, nr_words);
	}
	return 0;
}

__noinline int st_send_event(__u32 slot_index, __u32 generation, __u64 now)
{
	struct st_slot *slot = st_slot_at(slot_index);
	struct st_stack_head *head;
	struct st_way way = {};
	__u32 bytes;

	if (!slot || st_way_of(&way, generation))
		return 0;
	head = &slot->stack.head;
	head->kind = ST_MESSAGE_EVENT;
	head->generation = generation;
	head->lost = *(volatile __u64 *)&way.control->lost;
	st_stamp(head, now);
	bytes = st_record_bytes(head);
	if (bytes > sizeof(slot->stack))
		return 0;
	if ((int)bpf_ringbuf_output(&st_ring, &slot->stack, bytes, st_wake_for(head))) {
		st_drop(&way, ST_LOSS_EVENT_DROPPED);
		return 0;
	}
	ST_NOTE(way.stats->sent, 1);
	ST_NOTE(way.stats->recorded, 1);
	return 0;
}

/* Wakes the reader once when the live map is half full; the reader swaps and sets `wake_at` again. */
__noinline int st_note_insert(void)
{
	struct st_delta wake = { .kind = ST_MESSAGE_WAKE };
	struct st_control *control;
	__u32 zero = 0;

	control = bpf_map_lookup_elem(&st_control, &zero);
	if (!control)
		return 0;
	ST_ADD(control->inserted, 1);
	if (*(volatile __u64 *)&control->inserted < *(volatile __u64 *)&control->wake_at)
		return 0;
	control->wake_at = ~0ULL;
	if ((int)bpf_ringbuf_output(&st_ring, &wake, sizeof(wake), BPF_RB_FORCE_WAKEUP))
		control->wake_at = 0; /* the next insert tries again */
	return 0;
}
