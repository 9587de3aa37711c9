/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/profile/profile.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/escape.h"

void profile_init(struct profile *profile)
{
	*profile = (struct profile){ .view = { .want_kernel = true, .want_user = true } };
}

void profile_interval_done(struct profile_interval *interval)
{
	vec_done(&interval->rows);
	hashidx_done(&interval->row_index);
}

void profile_clear_intervals(struct profile *profile)
{
	for (size_t i = 0; i < profile->intervals.nr; i++)
		profile_interval_done(&profile->intervals.data[i]);
	profile->intervals.nr = 0;
}

void profile_forget_records(struct profile *profile)
{
	for (size_t i = 0; i < profile->intervals.nr; i++) {
		profile->intervals.data[i].rows.nr = 0;
		hashidx_done(&profile->intervals.data[i].row_index);
	}
	profile->records.nr = 0;
	profile->pairs.nr = 0;
	profile->stack_frames.nr = 0;
	profile->stack_addresses.nr = 0;
	hashidx_done(&profile->record_index);
	profile->rows_are_gone = true;
}

void profile_done(struct profile *profile)
{
	profile_clear_intervals(profile);
	vec_done(&profile->intervals);
	strtab_done(&profile->strings);
	vec_done(&profile->files);
	vec_done(&profile->frames);
	vec_done(&profile->records);
	vec_done(&profile->pairs);
	vec_done(&profile->cgroups);
	vec_done(&profile->modules);
	vec_done(&profile->lives);
	vec_done(&profile->mappings);
	vec_done(&profile->stack_frames);
	vec_done(&profile->stack_addresses);
	hashidx_done(&profile->frame_index);
	hashidx_done(&profile->record_index);
	hashidx_done(&profile->cgroup_index);
	hashidx_done(&profile->life_index);
	hashidx_done(&profile->mapping_index);
}

const char *profile_string(const struct profile *profile, string_id id)
{
	return strtab_get(&profile->strings, id);
}

string_id profile_add_string(struct profile *profile, const char *text)
{
	return strtab_add(&profile->strings, text);
}

static uint64_t hash_frame(const struct profile_frame *frame)
{
	uint64_t key[] = { frame->where, (uint64_t)frame->file << 32 | frame->space,
			   (uint64_t)frame->level << 16 | (uint64_t)frame->kind << 2 | (uint64_t)frame->guessed << 1 |
				   frame->exact };

	return hash_bytes(key, sizeof(key));
}

static bool same_frame(const void *context, uint32_t position, const void *key)
{
	const struct profile_frame *stored = &((const struct profile *)context)->frames.data[position];
	const struct profile_frame *wanted = key;

	return stored->where == wanted->where && stored->file == wanted->file && stored->space == wanted->space &&
	       stored->kind == wanted->kind && stored->exact == wanted->exact && stored->guessed == wanted->guessed &&
	       stored->level == wanted->level;
}

uint32_t profile_find_inlined(const struct profile *profile, uint32_t frame, uint16_t level)
{
	struct profile_frame wanted = profile->frames.data[frame];

	wanted.level = level;
	return hashidx_find(&profile->frame_index, hash_frame(&wanted), same_frame, profile, &wanted);
}

uint32_t profile_add_frame(struct profile *profile, const struct profile_frame *frame)
{
	uint32_t position = hashidx_find_or_add(&profile->frame_index, hash_frame(frame), same_frame, profile, frame,
						profile->frames.nr);

	if (position == profile->frames.nr)
		vec_push(&profile->frames, *frame);
	return position;
}

/* Ids are hashes, but those in a file may have been chosen to collide. */
static uint64_t hash_id(struct profile_id id)
{
	return hash_bytes(&id, sizeof(id));
}

static bool same_id(const void *context, uint32_t position, const void *key)
{
	const struct profile *profile = context;

	return !memcmp(&profile->records.data[position].id, key, sizeof(struct profile_id));
}

uint32_t profile_find_record(const struct profile *profile, struct profile_id id)
{
	return hashidx_find(&profile->record_index, hash_id(id), same_id, profile, &id);
}

void profile_expect_record(const struct profile *profile, struct profile_id id)
{
	hashidx_prefetch(&profile->record_index, hash_id(id));
}

/* Appends the frames of a record. Positions have 32 bits: a stack beyond that counts as lost. */
static void store_stack(struct profile *profile, struct profile_record *record, const uint32_t *frames,
			const uint64_t *addresses)
{
	size_t nr = (size_t)record->nr_kernel + record->nr_user, at = profile->stack_frames.nr;

	record->first = (uint32_t)at;
	if (!nr)
		return;
	if (at + nr > UINT32_MAX) {
		record->stack_lost = true;
		record->nr_kernel = record->nr_user = 0;
		record->first = 0;
		return;
	}
	vec_reserve(&profile->stack_frames, at + nr);
	vec_reserve(&profile->stack_addresses, at + nr);
	memcpy(profile->stack_frames.data + at, frames, nr * sizeof(*frames));
	memcpy(profile->stack_addresses.data + at, addresses, nr * sizeof(*addresses));
	profile->stack_frames.nr = profile->stack_addresses.nr = at + nr;
}

/* The index of the record with this id. If it is the number of records, the id is new, and the caller must append its record. */
static uint32_t position_of(struct profile *profile, struct profile_id id)
{
	return hashidx_find_or_add(&profile->record_index, hash_id(id), same_id, profile, &id, profile->records.nr);
}

bool profile_append_record(struct profile *profile, const struct profile_record *record)
{
	if (position_of(profile, record->id) != profile->records.nr)
		return false;
	vec_push(&profile->records, *record);
	return true;
}

uint32_t profile_add_record(struct profile *profile, const struct profile_record *record, const uint32_t *frames,
			    const uint64_t *addresses)
{
	uint32_t position = position_of(profile, record->id);
	struct profile_record stored = *record;
	bool is_new = position == profile->records.nr;

	if (!is_new && !profile->records.data[position].stack_lost)
		return position;
	store_stack(profile, &stored, frames, addresses);
	if (is_new)
		vec_push(&profile->records, stored);
	else
		profile->records.data[position] = stored;
	return position;
}

void profile_set_pair(struct profile *profile, const struct profile_pair *pair)
{
	struct profile_record *record = &profile->records.data[pair->record];

	if (record->pair)
		return;
	vec_push(&profile->pairs, *pair);
	record->pair = (uint32_t)profile->pairs.nr;
	record->stack_lost = false;
}

static uint32_t record_or_lost(struct profile *profile, struct profile_id id)
{
	uint32_t record = position_of(profile, id);

	if (record == profile->records.nr)
		vec_push(&profile->records, (struct profile_record){ .id = id, .stack_lost = true });
	return record;
}

uint32_t profile_add_pair(struct profile *profile, struct profile_id id, struct profile_id sleeper,
			  const struct profile_id *waker, enum waker_reason reason)
{
	struct profile_pair pair = {
		.sleeper = record_or_lost(profile, sleeper),
		.waker = waker ? record_or_lost(profile, *waker) : PROFILE_NONE,
		.reason = (uint8_t)reason,
	};

	pair.record = record_or_lost(profile, id);
	profile_set_pair(profile, &pair);
	return pair.record;
}

size_t profile_parts(const struct profile *profile, uint32_t record, uint32_t ret_parts[2])
{
	uint32_t position = profile->records.data[record].pair;
	const struct profile_pair *pair;

	ret_parts[0] = record;
	if (!position)
		return 1;
	pair = &profile->pairs.data[position - 1];
	ret_parts[0] = pair->sleeper;
	ret_parts[1] = pair->waker;
	return pair->waker == PROFILE_NONE ? 1 : 2;
}

static bool same_cgroup(const void *context, uint32_t position, const void *key)
{
	const struct profile *profile = context;

	return profile->cgroups.data[position].id == *(const uint64_t *)key;
}

static uint32_t find_cgroup(const struct profile *profile, uint64_t id)
{
	return hashidx_find(&profile->cgroup_index, hash_bytes(&id, sizeof(id)), same_cgroup, profile, &id);
}

bool profile_has_cgroup(const struct profile *profile, uint64_t id)
{
	return find_cgroup(profile, id) != HASHIDX_NONE;
}

const char *profile_cgroup_path(const struct profile *profile, uint64_t id)
{
	uint32_t position = find_cgroup(profile, id);

	return position == HASHIDX_NONE ? "" : profile_string(profile, profile->cgroups.data[position].path);
}

bool profile_add_cgroup(struct profile *profile, uint64_t id, string_id path)
{
	size_t nr = profile->cgroups.nr;

	if (hashidx_find_or_add(&profile->cgroup_index, hash_bytes(&id, sizeof(id)), same_cgroup, profile, &id, nr) !=
	    nr)
		return false;
	vec_push(&profile->cgroups, (struct profile_cgroup){ id, path });
	return true;
}

const struct profile_module *profile_find_module(const struct profile *profile, string_id name)
{
	for (size_t i = 0; i < profile->modules.nr; i++)
		if (profile->modules.data[i].name == name)
			return &profile->modules.data[i];
	return NULL;
}

bool profile_add_module(struct profile *profile, const struct profile_module *module)
{
	if (profile_find_module(profile, module->name))
		return false;
	vec_push(&profile->modules, *module);
	return true;
}

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
	uint32_t position =
		hashidx_find_or_add(&profile->life_index, hash_life(life), same_life, profile, life, profile->lives.nr);

	if (position == profile->lives.nr)
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

/* The structure has no padding, so its bytes can be compared. */
static bool same_mapping(const void *context, uint32_t position, const void *key)
{
	const struct profile *profile = context;

	return !memcmp(&profile->mappings.data[position], key, sizeof(struct profile_mapping));
}

uint32_t profile_add_mapping(struct profile *profile, const struct profile_mapping *mapping)
{
	uint32_t position = hashidx_find_or_add(&profile->mapping_index, hash_bytes(mapping, sizeof(*mapping)),
						same_mapping, profile, mapping, profile->mappings.nr);

	if (position == profile->mappings.nr)
		vec_push(&profile->mappings, *mapping);
	return position;
}

static bool same_row(const void *context, uint32_t position, const void *key)
{
	const struct profile_interval *interval = context;

	return interval->rows.data[position].record == *(const uint32_t *)key;
}

void profile_count(struct profile *profile, struct profile_interval *interval, struct profile_id id, uint64_t count,
		   uint64_t sum)
{
	uint32_t record = record_or_lost(profile, id);
	uint32_t position = hashidx_find_or_add(&interval->row_index, hash_bytes(&record, sizeof(record)), same_row,
						interval, &record, interval->rows.nr);

	if (position == interval->rows.nr)
		vec_push(&interval->rows, (struct profile_row){ .record = record });
	interval->rows.data[position].count += count;
	interval->rows.data[position].sum += sum;
}

const char *frame_reason_text(enum frame_reason reason)
{
	static const char *const texts[REASON_NR] = {
		[REASON_NAMED] = "it has a name",
		[REASON_NOT_TRIED] = "not looked up",
		[REASON_UNMAPPED] = "no code was mapped there",
		[REASON_EXITED] = "the process had exited",
		[REASON_ANONYMOUS] = "code in anonymous memory",
		[REASON_NO_FILE] = "the mapped file could not be opened",
		[REASON_NOT_ELF] = "the mapped file is not an ELF file",
		[REASON_MALFORMED] = "the ELF file is malformed",
		[REASON_NO_SYMBOLS] = "the file has no symbol table",
		[REASON_NO_SYMBOL] = "no symbol covers the address",
		[REASON_KERNEL_HIDDEN] = "/proc/kallsyms hides addresses",
		[REASON_KERNEL_UNKNOWN] = "no kernel symbol covers the address",
		[REASON_TIMEOUT] = "reading the symbols took too long",
		[REASON_WORKER_DIED] = "the symbol worker died",
		[REASON_FOREIGN] = "the process is outside of our pid namespace",
		[REASON_NO_MEMORY] = "not enough memory for the file's symbols",
		[REASON_NO_DESCRIPTORS] = "too many open files",
		[REASON_NO_WORKER] = "the symbol worker could not be started",
		[REASON_KERNEL_UNREADABLE] = "/proc/kallsyms could not be read",
		[REASON_UNREAD] = "the mappings of the process could not be read",
		[REASON_TOO_MANY_FILES] = "too many mapped files",
		[REASON_MAP_REFUSED] = "code in anonymous memory; its perf map is not trusted",
		[REASON_MAP_CUT] = "code in anonymous memory; its perf map is too large",
		[REASON_TOO_MANY_MAPS] = "code in anonymous memory; too many processes have perf maps",
		[REASON_LATE] = "the run was stopped before the name was found",
		[REASON_PAUSED] = "not read: files of its owner broke the symbol worker too often",
		[REASON_TOO_MANY_MAPPINGS] = "the process has too many mappings",
	};

	return (size_t)reason < REASON_NR ? texts[reason] : "unknown reason";
}

const char *line_reason_text(enum line_reason reason)
{
	static const char *const texts[LINES_NR] = {
		[LINES_NOT_TRIED] = "not looked up",
		[LINES_FOUND] = "it has one",
		[LINES_NO_FILE] = "the mapped file could not be read",
		[LINES_NO_DEBUG] = "neither the file nor its debug file has debug information",
		[LINES_NO_LINE] = "the debug information does not cover the address",
		[LINES_LATE] = "reading the debug information took too long",
		[LINES_WORKER_DIED] = "the symbol worker died",
		[LINES_NO_WORKER] = "the symbol worker could not be started",
		[LINES_PAUSED] = "not read: files of its owner broke the symbol worker too often",
		[LINES_NO_CODE] = "code in anonymous memory",
		[LINES_NO_MEMORY] = "too large for the symbol worker",
		[LINES_MODULE] = "generated kernel code, or a module whose debug information was not found",
		[LINES_KERNEL] = "the kernel's debug information was not found",
	};

	return (size_t)reason < LINES_NR ? texts[reason] : "unknown reason";
}

void profile_add_missing_split(struct buf *text, const char *path, const char *split, uint32_t nr)
{
	buf_addc(text, '\'');
	escape_add(text, path, ESCAPE_NAME);
	buf_addf(text, "': the inlined calls of %" PRIu32 " source file%s are not known: they are in '", nr,
		 nr == 1 ? "" : "s");
	escape_add(text, split, ESCAPE_NAME);
	buf_addf(text, "'%s, which %s not found; a .dwp file of this build was not found either",
		 nr == 1 ? "" : " and others", nr == 1 ? "was" : "were");
}

const struct profile_loss profile_losses[ST_NR_LOSSES] = {
#define X(id, class_id, text) { .name = #id, .sentence = text, .class = LOSS_##class_id },
	ST_LOSSES(X)
#undef X
};

uint64_t profile_lost(const struct profile_interval *interval)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < ST_NR_LOSSES; i++)
		if (profile_losses[i].class != LOSS_NOTE)
			lost += interval->losses[i];
	return lost;
}
