/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Identities: two lanes of 64 bits over some words, seeded per run so that a process cannot craft a clash.
 *
 * A lane takes a word in, folds its high half down and then multiplies. The order matters: multiplying first lets the
 * highest bit of a word reach no other bit, and two frames that differ there collide for every seed.
 */
#pragma once

#include "bpf/abi.h"

static __always_inline void st_mix_two(struct st_id *id, __u64 lo, __u64 hi)
{
	id->lo ^= lo;
	id->lo ^= id->lo >> 32;
	id->lo *= 0x9e3779b97f4a7c15ULL;
	id->hi += hi;
	id->hi ^= id->hi >> 29;
	id->hi *= 0xc2b2ae3d27d4eb4fULL;
}

static __always_inline void st_mix(struct st_id *id, __u64 word)
{
	st_mix_two(id, word, word);
}
