/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds inlined calls to stacks. Stacks are slices of two tables, so both are written anew, unless no frame of the new records has inlined
 * calls. Each record is expanded once.
 */
#include "core/profile/profile.h"

#include <string.h>

enum {
	CALLS_MAX = 1 << 26, /* inlined calls in all stacks: 800 MB */
};

struct stacks {
	struct profile *profile;
	VEC(uint32_t) frames;
	VEC(uint64_t) addresses;
	size_t nr_calls;
};

static void add(struct stacks *stacks, uint32_t frame, uint64_t address)
{
	vec_push(&stacks->frames, frame);
	vec_push(&stacks->addresses, address);
	stacks->nr_calls += stacks->profile->frames.data[frame].level > 0;
}

/* Adds at most `room` inlined calls at position `at`, innermost first, and then the function. */
static void add_place(struct stacks *stacks, size_t at, size_t room)
{
	const struct profile *profile = stacks->profile;
	uint32_t function = profile->stack_frames.data[at], call;
	uint64_t address = profile->stack_addresses.data[at];

	for (uint32_t level = 1; profile->frames.data[function].has_inlined && level <= room; level++) {
		call = profile_find_inlined(profile, function, (uint16_t)level);
		if (call == PROFILE_NONE || stacks->nr_calls >= CALLS_MAX)
			break;
		add(stacks, call, address);
	}
	add(stacks, function, address);
}

/* Returns the new number of frames, at most UINT16_MAX: outer inlined calls beyond that are left out. */
static uint16_t add_stack(struct stacks *stacks, size_t first, uint16_t nr, bool is_expanded)
{
	size_t start = stacks->frames.nr;

	for (size_t i = 0; i < nr; i++)
		add_place(stacks, first + i, is_expanded ? 0 : UINT16_MAX - (stacks->frames.nr - start) - (nr - i));
	return (uint16_t)(stacks->frames.nr - start);
}

static void expand_record(struct stacks *stacks, struct profile_record *record)
{
	size_t kernel = record->first, user = kernel + record->nr_kernel;

	record->first = (uint32_t)stacks->frames.nr;
	record->nr_kernel = add_stack(stacks, kernel, record->nr_kernel, record->expanded);
	record->nr_user = add_stack(stacks, user, record->nr_user, record->expanded);
	record->expanded = true;
}

static bool needs_expansion(const struct profile *profile, const struct profile_record *record)
{
	for (size_t at = record->first; at < record_end(record) && !record->expanded; at++)
		if (profile->frames.data[profile->stack_frames.data[at]].has_inlined)
			return true;
	return false;
}

static void expand_all(struct profile *profile)
{
	struct stacks stacks = { .profile = profile };

	vec_reserve(&stacks.frames, profile->stack_frames.nr);
	vec_reserve(&stacks.addresses, profile->stack_frames.nr);
	for (size_t i = 0; i < profile->records.nr; i++)
		expand_record(&stacks, &profile->records.data[i]);
	vec_done(&profile->stack_frames);
	vec_done(&profile->stack_addresses);
	memcpy(&profile->stack_frames, &stacks.frames, sizeof(stacks.frames));
	memcpy(&profile->stack_addresses, &stacks.addresses, sizeof(stacks.addresses));
}

void profile_expand(struct profile *profile)
{
	for (size_t i = 0; i < profile->records.nr; i++)
		if (needs_expansion(profile, &profile->records.data[i])) {
			expand_all(profile);
			return;
		}
}
