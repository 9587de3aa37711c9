/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sections that not every file has: pairs, control groups, the host and its clocks, processes and their mappings, sources. */
#include "core/engine/profile_decode_private.h"

/* A pair's parts are records that are no pairs themselves. */
static bool is_part(const struct decoder *decoder, uint32_t record)
{
	return record < decoder->profile->records.nr && !decoder->profile->records.data[record].pair;
}

static int decode_pair(struct decoder *decoder, const unsigned char *at, size_t i)
{
	struct profile_pair pair = {
		.record = get32(at),
		.sleeper = get32(at + 4),
		.waker = get32(at + 8),
		.reason = at[12],
	};

	if (pair.reason >= WAKER_NR_REASONS || at[13] || at[14] || at[15])
		return malformed(decoder, "pair %zu is of an unknown kind", i);
	if (!is_part(decoder, pair.record) || pair.record == pair.sleeper || pair.record == pair.waker ||
	    !is_part(decoder, pair.sleeper) || (pair.waker != PROFILE_NONE && !is_part(decoder, pair.waker)))
		return malformed(decoder, "no such record in pair %zu", i);
	profile_set_pair(decoder->profile, &pair);
	return 0;
}

static int decode_cgroup(struct decoder *decoder, const unsigned char *at, size_t i)
{
	struct profile_cgroup cgroup = { .id = get64(at), .path = get32(at + 8) };

	if (!is_string(decoder, cgroup.path) || get32(at + 12))
		return malformed(decoder, "no such string in control group %zu", i);
	if (!profile_append_cgroup(decoder->profile, &cgroup))
		return malformed(decoder, "control group %zu is there twice", i);
	return 0;
}

/* ---- the host ---- */

/* *ret_at is NULL where the section is not there. Later versions may put more behind what is known here. */
static int find_fixed(const struct decoder *decoder, enum section section, const char *name, size_t nr_bytes,
		      const unsigned char **ret_at)
{
	const struct payload *payload = &decoder->sections[section];

	*ret_at = NULL;
	if (!payload->found)
		return 0;
	if (payload->nr_bytes < nr_bytes)
		return malformed(decoder, "section %s is too short", name);
	*ret_at = payload->bytes;
	return 0;
}

static int decode_host(struct decoder *decoder)
{
	struct profile_host *host = &decoder->profile->host;
	const unsigned char *at;
	int err = find_fixed(decoder, SECTION_HOST, "HOST", HOST_BYTES, &at);

	if (err || !at)
		return err;
	*host = (struct profile_host){ get32(at), get32(at + 4), get32(at + 8), get32(at + 12) };
	if (!is_string(decoder, host->machine) || !is_string(decoder, host->kernel_version) ||
	    !is_string(decoder, host->kernel_build_id))
		return malformed(decoder, "no such string in section HOST");
	return 0;
}

static int decode_clocks(struct decoder *decoder)
{
	const unsigned char *at;
	int err = find_fixed(decoder, SECTION_CLKS, "CLKS", CLKS_BYTES, &at);

	if (err || !at)
		return err;
	decoder->profile->clocks = (struct profile_clocks){
		.monotonic_ns = get64(at),
		.boot_ns = get64(at + 8),
		.real_ns = get64(at + 16),
		.period = get64(at + 24),
		.period_is_time = get64(at + 32) & CLOCKS_PERIOD_IS_TIME,
	};
	return 0;
}

/* ---- processes ---- */

static int decode_life(struct decoder *decoder, const unsigned char *at, size_t i)
{
	const struct profile_life life = {
		.tgid = get32(at),
		.parent = get32(at + 4),
		.begin_ns = get64(at + 8),
		.end_ns = get64(at + 16),
	};

	if (profile_add_life(decoder->profile, &life) != i)
		return malformed(decoder, "process %zu is there twice", i);
	return 0;
}

static int decode_mapping(struct decoder *decoder, const unsigned char *at, size_t i)
{
	const struct profile_mapping mapping = {
		.life = get32(at),
		.file = get32(at + 4),
		.start = get64(at + 8),
		.end = get64(at + 16),
		.file_offset = get64(at + 24),
		.since_ns = get64(at + 32),
	};

	if (mapping.life >= decoder->profile->lives.nr)
		return malformed(decoder, "no such process in mapping %zu", i);
	if (mapping.file != PROFILE_NONE && mapping.file >= decoder->profile->files.nr)
		return malformed(decoder, "no such file in mapping %zu", i);
	if (mapping.start >= mapping.end)
		return malformed(decoder, "mapping %zu ends before it starts", i);
	if (profile_add_mapping(decoder->profile, &mapping) != i)
		return malformed(decoder, "mapping %zu is there twice", i);
	return 0;
}

/* ---- sources ---- */

/* The source of a frame, which has been read. */
static int decode_line(struct decoder *decoder, const unsigned char *at, size_t i)
{
	struct profile *profile = decoder->profile;
	uint32_t frame = get32(at), source = get32(at + 4);

	if (frame >= profile->frames.nr || !source || !is_string(decoder, source))
		return malformed(decoder, "no such frame or string in line %zu", i);
	if (profile->frames.data[frame].source)
		return malformed(decoder, "line %zu is there twice", i);
	profile->frames.data[frame].source = source;
	profile->frames.data[frame].line = get32(at + 8);
	return 0;
}

int decode_beside(struct decoder *decoder)
{
	int err = decode_array(decoder, SECTION_PAIR, PAIR_BYTES, decode_pair);

	if (!err)
		err = decode_array(decoder, SECTION_CGRP, CGRP_BYTES, decode_cgroup);
	if (!err)
		err = decode_host(decoder);
	if (!err)
		err = decode_clocks(decoder);
	if (!err)
		err = decode_array(decoder, SECTION_LIFE, LIFE_BYTES, decode_life);
	if (!err)
		err = decode_array(decoder, SECTION_MAPS, MAPS_BYTES, decode_mapping);
	return err ? err : decode_array(decoder, SECTION_LINE, LINE_BYTES, decode_line);
}
