/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which processes the profile's frames were found in, and in which of their mappings. */
#include "core/profile/profile.h"

static bool same_life(const void *context, uint32_t position, const void *key)
{
	const struct profile *profile = context;
	const struct profile_life *known = &profile->lives.data[position], *wanted = key;

	return known->tgid == wanted->tgid && known->begin_ns == wanted->begin_ns;
}

static uint64_t hash_life(const struct profile_life *life)
{
	const uint64_t key[] = { life->tgid, life->begin_ns };

	return hash_bytes(key, sizeof(key));
}

uint32_t profile_add_life(struct profile *profile, const struct profile_life *life)
{
	uint64_t hash = hash_life(life);
	uint32_t position = hashidx_find(&profile->life_index, hash, same_life, profile, life);

	if (position != HASHIDX_NONE)
		return position;
	position = (uint32_t)profile->lives.nr;
	hashidx_add(&profile->life_index, hash, position);
	vec_push(&profile->lives, *life);
	return position;
}

void profile_end_life(struct profile *profile, uint32_t tgid, uint64_t begin_ns, uint64_t end_ns)
{
	const struct profile_life life = { .tgid = tgid, .begin_ns = begin_ns };
	uint32_t position = hashidx_find(&profile->life_index, hash_life(&life), same_life, profile, &life);

	if (position != HASHIDX_NONE)
		profile->lives.data[position].end_ns = end_ns;
}

static bool same_mapping(const void *context, uint32_t position, const void *key)
{
	const struct profile *profile = context;
	const struct profile_mapping *known = &profile->mappings.data[position], *wanted = key;

	return known->life == wanted->life && known->file == wanted->file && known->start == wanted->start &&
	       known->end == wanted->end && known->file_offset == wanted->file_offset &&
	       known->since_ns == wanted->since_ns;
}

uint32_t profile_add_mapping(struct profile *profile, const struct profile_mapping *mapping)
{
	const uint64_t key[] = { mapping->life, mapping->file,        mapping->start,
				 mapping->end,  mapping->file_offset, mapping->since_ns };
	uint64_t hash = hash_bytes(key, sizeof(key));
	uint32_t position = hashidx_find(&profile->mapping_index, hash, same_mapping, profile, mapping);

	if (position != HASHIDX_NONE)
		return position;
	position = (uint32_t)profile->mappings.nr;
	hashidx_add(&profile->mapping_index, hash, position);
	vec_push(&profile->mappings, *mapping);
	return position;
}
