/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forgets what no later interval needs, so that a run of days does not keep every stack. Files keep their numbers, because other rooms
 * refer to them; images.h reuses the numbers of unused files.
 */
#include "core/profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"

struct forget {
	const struct profile *old;
	struct profile *fresh;
	uint32_t *frames; /* 1 + index in the fresh profile, for each frame of the old one; 0: not there */
};

static string_id keep_string(struct forget *forget, string_id id)
{
	return strtab_add(&forget->fresh->strings, strtab_get(&forget->old->strings, id));
}

static uint32_t keep_frame(struct forget *forget, uint32_t number)
{
	struct profile_frame frame = forget->old->frames.data[number];

	if (!forget->frames[number]) {
		frame.name = keep_string(forget, frame.name);
		frame.module = keep_string(forget, frame.module);
		frame.source = keep_string(forget, frame.source);
		forget->frames[number] = 1 + profile_add_frame(forget->fresh, &frame);
	}
	return forget->frames[number] - 1;
}

static void keep_one(struct forget *forget, uint32_t number)
{
	struct profile_record record = forget->old->records.data[number];
	size_t nr = (size_t)record.nr_kernel + record.nr_user;
	_cleanup_(freep) uint32_t *frames = xcalloc(nr, sizeof(*frames));

	for (size_t i = 0; i < nr; i++)
		frames[i] = keep_frame(forget, forget->old->stack_frames.data[record.first + i]);
	if (profile_has_cgroup(forget->old, record.cgroup_id))
		profile_add_cgroup(forget->fresh, record.cgroup_id,
				   profile_add_string(forget->fresh,
						      profile_cgroup_path(forget->old, record.cgroup_id)));
	record.comm = keep_string(forget, record.comm);
	record.probe = keep_string(forget, record.probe);
	record.pair = 0;
	profile_add_record(forget->fresh, &record, frames, forget->old->stack_addresses.data + record.first);
}

static const struct profile_id *id_of(const struct forget *forget, uint32_t record)
{
	return record == PROFILE_NONE ? NULL : &forget->old->records.data[record].id;
}

/* Keeps a record; for a pair, also its sleeper and waker. */
static void keep_record(struct forget *forget, uint32_t number)
{
	const struct profile_record *record = &forget->old->records.data[number];
	const struct profile_pair *pair = record->pair ? &forget->old->pairs.data[record->pair - 1] : NULL;
	uint32_t fresh;

	if (!pair) {
		keep_one(forget, number);
		return;
	}
	keep_one(forget, pair->sleeper);
	if (pair->waker != PROFILE_NONE)
		keep_one(forget, pair->waker);
	fresh = profile_add_pair(forget->fresh, record->id, *id_of(forget, pair->sleeper), id_of(forget, pair->waker),
				 (enum waker_reason)pair->reason);
	forget->fresh->records.data[fresh].time_ns = record->time_ns;
	forget->fresh->records.data[fresh].cpu = record->cpu;
}

static void keep_description(struct forget *forget)
{
	const struct profile *old = forget->old;
	struct profile *fresh = forget->fresh;

	fresh->view = old->view;
	fresh->presentation = old->presentation;
	fresh->utc_offset_s = old->utc_offset_s;
#define X(name) fresh->name = keep_string(forget, old->name);
	PROFILE_STRINGS(X)
#undef X
	fresh->clocks = old->clocks;
	fresh->host = old->host;
	fresh->host.machine = keep_string(forget, old->host.machine);
	fresh->host.kernel_version = keep_string(forget, old->host.kernel_version);
	fresh->host.kernel_build_id = keep_string(forget, old->host.kernel_build_id);
}

static void keep_files(struct forget *forget)
{
	for (size_t i = 0; i < forget->old->files.nr; i++) {
		struct profile_file file = forget->old->files.data[i];

		file.is_unused = true;
		file.path = keep_string(forget, file.path);
		file.build_id = keep_string(forget, file.build_id);
		file.missing_split = keep_string(forget, file.missing_split);
		vec_push(&forget->fresh->files, file);
	}
}

static bool has_frame_in(const struct profile *profile, string_id module)
{
	for (size_t i = 0; module && i < profile->frames.nr; i++)
		if (profile->frames.data[i].kind == FRAME_KERNEL && profile->frames.data[i].module == module)
			return true;
	return false;
}

/* Keeps the kernel modules that have frames. A module that is loaded again may have another build id. */
static void keep_modules(struct forget *forget)
{
	for (size_t i = 0; i < forget->old->modules.nr; i++) {
		struct profile_module module = forget->old->modules.data[i];

		module.name = strtab_find(&forget->fresh->strings, strtab_get(&forget->old->strings, module.name));
		if (!has_frame_in(forget->fresh, module.name))
			continue;
		module.build_id = keep_string(forget, module.build_id);
		profile_add_module(forget->fresh, &module);
	}
}

static int compare_tgids(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Keeps the mappings of all lives of the processes that still have records. */
static void keep_mappings(struct forget *forget)
{
	const struct profile *old = forget->old;
	size_t nr = forget->fresh->records.nr;
	_cleanup_(freep) uint32_t *tgids = xcalloc(nr, sizeof(*tgids));

	for (size_t i = 0; i < nr; i++)
		tgids[i] = forget->fresh->records.data[i].tgid;
	if (nr)
		qsort(tgids, nr, sizeof(*tgids), compare_tgids);
	for (size_t i = 0; nr && i < old->mappings.nr; i++) {
		struct profile_mapping mapping = old->mappings.data[i];
		const struct profile_life *life = &old->lives.data[mapping.life];

		if (!bsearch(&life->tgid, tgids, nr, sizeof(*tgids), compare_tgids))
			continue;
		mapping.life = profile_add_life(forget->fresh, life);
		profile_add_mapping(forget->fresh, &mapping);
	}
}

static void mark_files(struct profile *fresh)
{
	for (size_t i = 0; i < fresh->frames.nr; i++)
		if (fresh->frames.data[i].kind == FRAME_USER_FILE && fresh->frames.data[i].file < fresh->files.nr)
			fresh->files.data[fresh->frames.data[i].file].is_unused = false;
	for (size_t i = 0; i < fresh->mappings.nr; i++)
		if (fresh->mappings.data[i].file < fresh->files.nr)
			fresh->files.data[fresh->mappings.data[i].file].is_unused = false;
	fresh->has_unused_files = true;
}

/* Limit of records, frames and strings each. A test variant raises it, so that nothing is forgotten. */
#ifndef PROFILE_LARGE
#define PROFILE_LARGE 65536
#endif
#define PROFILE_MANY_FILES (PROFILE_LARGE / 64) /* new ones */
#define PROFILE_MANY_BYTES (256ull * PROFILE_LARGE) /* of strings, in addition to twice the bytes that were kept last */

bool profile_is_large(const struct profile *profile)
{
	return profile->records.nr > PROFILE_LARGE || profile->frames.nr > PROFILE_LARGE ||
	       profile->strings.offsets.nr > PROFILE_LARGE || profile->mappings.nr > PROFILE_LARGE ||
	       profile->stack_frames.nr > 32ULL * PROFILE_LARGE || profile->nr_new_files > PROFILE_MANY_FILES ||
	       profile->strings.bytes.nr > 2 * profile->nr_kept_bytes + PROFILE_MANY_BYTES;
}

void profile_keep_only(struct profile *profile, const struct profile_id *ids, size_t nr)
{
	struct profile fresh;
	struct forget forget = {
		.old = profile,
		.fresh = &fresh,
		.frames = xcalloc(profile->frames.nr, sizeof(*forget.frames)),
	};

	profile_init(&fresh);
	keep_description(&forget);
	keep_files(&forget);
	for (size_t i = 0; i < nr; i++) {
		uint32_t record = profile_find_record(profile, ids[i]);

		if (record != PROFILE_NONE)
			keep_record(&forget, record);
	}
	keep_modules(&forget);
	keep_mappings(&forget);
	mark_files(&fresh);
	fresh.nr_kept_bytes = fresh.strings.bytes.nr;
	fresh.rows_are_gone = profile->rows_are_gone;
	memcpy(&fresh.intervals, &profile->intervals, sizeof(fresh.intervals));
	memset(&profile->intervals, 0, sizeof(profile->intervals));
	free(forget.frames);
	profile_done(profile);
	*profile = fresh;
}
