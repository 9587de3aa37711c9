// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The identity of a record: two lanes of 64 bits over its words, seeded per run so that a process cannot craft a clash.
 *
 * A lane takes a word in, folds its high half down and then multiplies. The order matters: multiplying first lets the
 * highest bit of a word reach no other bit, and two frames that differ there collide for every seed.
 */
#include "bpf/record.bpf.h"

static __always_inline void st_mix(struct st_id *id, __u64 word)
{
	id->lo ^= word;
	id->lo ^= id->lo >> 32;
	id->lo *= 0x9e3779b97f4a7c15ULL;
	id->hi += word;
	id->hi ^= id->hi >> 29;
	id->hi *= 0xc2b2ae3d27d4eb4fULL;
}

__attribute__((noinline)) int st_hash(__u32 slot_index, __u32 nr_words)
{
	struct st_slot *slot = bpf_map_lookup_elem(&st_scratch, &slot_index);
	struct st_id id = { st_config.seed[0], st_config.seed[1] };
	const __u64 *words;

	if (!slot)
		return 0;
	words = (const __u64 *)&slot->stack;
	for (__u32 i = ST_KEY_FIRST_WORD; i < ST_HEAD_WORDS + 2 * ST_MAX_FRAMES; i++) {
		if (i >= nr_words)
			break;
		st_mix(&id, words[i]);
	}
	st_mix(&id, nr_words);
	id.lo ^= id.lo >> 31;
	id.hi ^= id.hi >> 31;
	slot->stack.head.id = id;
	return 0;
}
