// SPDX-License-Identifier: GPL-2.0-or-later
/* The identity of a record: see bpf/mix.bpf.h. */
#include "bpf/mix.bpf.h"
#include "bpf/record.bpf.h"

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
