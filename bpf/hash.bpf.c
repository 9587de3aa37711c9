// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The identity of a record: 128 bits over its words, seeded per run so that a process cannot craft a clash. In parts, each a
 * global function too: the verifier looks at 40 words instead of at all 270, which were most of the instructions of a program.
 */
#include "bpf/mix.bpf.h"
#include "bpf/offcpu.bpf.h"

/* A lane takes a word in, folds its high half down and then multiplies, for the reason given in bpf/mix.bpf.h. */
static __always_inline __u64 st_step(__u64 lane, __u64 word)
{
	lane ^= word;
	lane ^= lane >> 32;
	return lane * 0x9e3779b97f4a7c15ULL;
}

/*
 * Mixes the words of one part, up to `nr_words` of the record, into its id. Four lanes take every fourth word, so that the CPU
 * works on four chains of multiplications at once. A lane never forgets one difference; after two it can be as if there had
 * been none, for some even with any seed (the highest bit, which a multiplication leaves where it is). So what the lanes go
 * through also goes into `sum`, which is a chain of its own and has the highest bit of each lane in another place. What they
 * all end with goes into the id by steps that can be undone.
 */
__attribute__((noinline)) int st_hash_part(__u32 slot_index, __u32 first, __u32 nr_words)
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

/* The words up to the end of the last turn of the lanes are 0. How many belong to the record is told by its head. */
static __always_inline void st_pad(struct st_slot *slot, __u32 nr_words)
{
	__u64 *behind = (__u64 *)&slot->stack + nr_words;

#pragma unroll
	for (int i = 0; i < ST_HASH_LANES - 1; i++)
		behind[i] = 0;
}

__attribute__((noinline)) int st_hash(__u32 slot_index, __u32 nr_words)
{
	struct st_slot *slot = st_slot_at(slot_index);
	struct st_id id = { st_config.seed[0], st_config.seed[1] };

	if (!slot || nr_words > ST_RECORD_WORDS)
		return 0;
	slot->stack.head.id = id;
	st_pad(slot, nr_words);
	for (__u32 first = ST_KEY_FIRST_WORD; first < ST_RECORD_WORDS; first += ST_PART_WORDS) {
		if (first >= nr_words)
			break;
		st_hash_part(slot_index, first, nr_words);
	}
	return 0;
}

/* An interval can end in two dozen ways, each of which the verifier would follow through it. */
__attribute__((noinline)) __u64 st_class_of(__u64 span_ns)
{
	return st_span_class(span_ns);
}

__attribute__((noinline)) __u64 st_woken_at(__u64 state, __u64 woken_ns, __u64 out_ns, __u64 came_ns, __u64 now)
{
	if (!state || (woken_ns < out_ns && woken_ns > came_ns))
		return out_ns;
	return woken_ns < out_ns || woken_ns > now ? now : woken_ns;
}

__attribute__((noinline)) int st_waker_reason(__u64 state, __u64 has_waker, __u64 woken_ns, __u64 came_ns)
{
	if (!state)
		return WAKER_PREEMPTED;
	if (has_waker)
		return WAKER_SEEN;
	return woken_ns > came_ns ? WAKER_BEFORE_SLEEP : WAKER_NOT_SEEN;
}
