// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The identity of a record: see bpf/mix.bpf.h. In parts, each a global function too: the verifier looks at 38 words instead of
 * at all 270, which were most of the instructions of a program.
 */
#include "bpf/mix.bpf.h"
#include "bpf/record.bpf.h"

#define ST_RECORD_WORDS (ST_HEAD_WORDS + 2 * ST_MAX_FRAMES)
#define ST_PART_WORDS 38
_Static_assert((ST_RECORD_WORDS - ST_KEY_FIRST_WORD) % ST_PART_WORDS == 0 && ST_PART_WORDS % 2 == 0,
	       "whole parts only");

/*
 * Mixes the words of one part, up to `nr_words` of the record, into its id. Every other word goes through a second pair of
 * lanes, so that the CPU works on four chains of multiplications instead of two; a lane of the pair ends in the same lane of
 * the id, by a step that can be undone, so that nothing that either has told apart becomes equal.
 */
__attribute__((noinline)) int st_hash_part(__u32 slot_index, __u32 first, __u32 nr_words)
{
	struct st_slot *slot = st_slot_at(slot_index);
	const __u64 *words;
	struct st_id id = {}, odd;

	if (!slot || first > ST_RECORD_WORDS - ST_PART_WORDS)
		return 0;
	words = (const __u64 *)&slot->stack + first;
	id = slot->stack.head.id;
	odd = (struct st_id){ id.hi, id.lo };
	for (__u32 i = 0; i < ST_PART_WORDS; i += 2) {
		if (first + i >= nr_words)
			break;
		st_mix(&id, words[i]);
		if (first + i + 1 >= nr_words)
			break;
		st_mix(&odd, words[i + 1]);
	}
	st_mix_two(&id, odd.lo, odd.hi);
	slot->stack.head.id = id;
	return 0;
}

__attribute__((noinline)) int st_hash(__u32 slot_index, __u32 nr_words)
{
	struct st_slot *slot = st_slot_at(slot_index);
	struct st_id id = { st_config.seed[0], st_config.seed[1] };

	if (!slot)
		return 0;
	slot->stack.head.id = id;
	for (__u32 first = ST_KEY_FIRST_WORD; first < ST_RECORD_WORDS; first += ST_PART_WORDS) {
		if (first >= nr_words)
			break;
		st_hash_part(slot_index, first, nr_words);
	}
	id = slot->stack.head.id;
	st_mix(&id, nr_words);
	id.lo ^= id.lo >> 31;
	id.hi ^= id.hi >> 31;
	slot->stack.head.id = id;
	return 0;
}
