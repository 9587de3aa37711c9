/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the life of a process, and the frame of an address: docs/internals/address-spaces.md. Everything has a time: a record that arrives
 * after its process has called exec() is still looked up in the program in which it was taken. Ended lives are kept until every record that
 * can belong to them has been read.
 */
#include "core/spaces/spaces.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/files/proc_maps.h"
#include "core/host/process.h"
#include "core/spaces/images.h"
#include "core/spaces/jit_maps.h"
#include "core/spaces/ksymbols.h"
#include "core/spaces/lives.h"
#include "core/spaces/mappings.h"
#include "core/spaces/roots.h"
#include "core/spaces/sideband.h"

#define SWEEP_NS NSEC_PER_SEC
#define GRACE_NS (2 * NSEC_PER_SEC) /* records can arrive so late */
#define SAME_MMAP_NS (NSEC_PER_SEC / 1000) /* limit between the records of a mapping and of its build id */
#define MAX_PARENTS 16
#define FIRST_MAPPABLE 4096 /* the first page is never mapped (vm.mmap_min_addr) */

struct unread {
	uint64_t nr;
	uint32_t tgid; /* of the first one */
};

struct spaces {
	struct spaces_options options;
	struct sideband *sideband; /* NULL: only maps are used */
	struct images *images;
	struct roots *roots;
	struct jit_maps *jit_maps;
	struct ksymbols *ksymbols;
	struct lives *lives;
	VEC(uint32_t) changed;     /* tgids, for spaces_next_changed() */
	size_t nr_taken; /* how many of `changed` were returned */
	uint64_t now_ns; /* the side-band was read up to this time */
	uint64_t swept_ns;         /* when ended lives were last freed */
	uint32_t nr_processes; /* so far, for `process` of struct life */
	struct unread denied, late; /* processes whose maps cannot be read for lack of permission, or took too long */
	char *why_no_sideband;
	struct buf note;
};

/* ---- lives and their mappings ---- */

static struct life *begin_life(struct spaces *spaces, uint32_t tgid, uint64_t start_ns)
{
	const struct life *before = lives_find(spaces->lives, tgid, UINT64_MAX);
	struct life *life = lives_begin(spaces->lives, tgid, start_ns);

	if (before)
		life_tell_end(spaces->options.profile, before);
	life->process = ++spaces->nr_processes;
	life->nr_lost = spaces_lost(spaces);
	/* without the side-band, later mappings are only found by reading maps again */
	life->reread_pause_ns = spaces->sideband ? NSEC_PER_SEC : NSEC_PER_SEC / 10;
	life->reread_ns = spaces->now_ns + life->reread_pause_ns;
	return life;
}

static struct life *find_or_begin_life(struct spaces *spaces, uint32_t tgid, uint64_t time_ns)
{
	struct life *life = lives_find(spaces->lives, tgid, time_ns);

	return life ? life : begin_life(spaces, tgid, 0);
}

/* Adds the life to the list of changes, unless it is there. */
static void note_change(struct spaces *spaces, struct life *life)
{
	if (!spaces->options.follows || !life->unwound || life->changed)
		return;
	life->changed = true;
	vec_push(&spaces->changed, life->tgid);
}

static void want_unwound(struct spaces *spaces, struct life *life)
{
	life->unwound = true;
	note_change(spaces, life);
}

/* Adds the mapping and returns its image. A JIT compiler maps its jitdump executable, so that tools find it. */
static uint32_t add_mapping(struct spaces *spaces, struct life *life, const struct proc_mapping *found,
			    uint64_t since_ns)
{
	const struct mapping mapping = {
		.start = found->start,
		.end = found->end,
		.file_offset = found->file_offset,
		.since_ns = since_ns,
		.image = images_add(spaces->images, found),
	};

	if (spaces->options.note_remap && found->kind == MAPPING_FILE &&
	    mappings_would_replace(life->mappings, &mapping))
		spaces->options.note_remap(spaces->options.remap_context, life->tgid);
	life_add_mapping(life, &mapping, !since_ns);
	note_change(spaces, life);
	if (found->kind == MAPPING_FILE)
		jit_maps_note_mapping(spaces->jit_maps, life->tgid, life->process, found);
	return mapping.image;
}

struct maps_reading {
	struct spaces *spaces;
	struct life *life;
};

static void add_from_maps(void *context, const struct proc_mapping *found)
{
	struct maps_reading *reading = context;

	add_mapping(reading->spaces, reading->life, found, 0);
}

static void drain(struct spaces *spaces);

/*
 * Reads the maps of a life that still runs. Meanwhile the process may exec, or its pid be reused: the side-band, which is read afterwards,
 * then has a newer life, and the result is dropped.
 */
static int read_life(struct spaces *spaces, struct life *life)
{
	struct mappings *before = mappings_share(life->mappings);
	struct maps_reading reading = { spaces, life };
	bool was_cut = life->is_cut;
	int nr = proc_maps_read_of(life->tgid, add_from_maps, &reading);

	if (nr > 0)
		drain(spaces);
	/* records lost meanwhile do not cause another reading, which would not help while records are lost all the time */
	life->nr_lost = spaces_lost(spaces);
	if (nr > 0 && lives_is_newest(spaces->lives, life)) {
		mappings_free(before);
		return 0;
	}
	mappings_free(life->mappings);
	life->mappings = before;
	life->is_cut = was_cut;
	return nr < 0 ? nr : -ESRCH;
}

/* For a forked process whose maps cannot be read: adds its own mappings, from the side-band, to those of its parent. */
static void inherit(struct life *life, const struct life *parent)
{
	struct mappings *own = life->mappings;

	life->mappings = mappings_share(parent->mappings);
	if (mappings_add_all(&life->mappings, own) || parent->is_cut)
		life->is_cut = true;
	mappings_free(own);
}

/* Whether the life's process may still run under this pid. */
static bool may_be_read(struct spaces *spaces, const struct life *life, uint64_t time_ns)
{
	uint64_t start_ns;

	if (!lives_is_newest(spaces->lives, life))
		return false;
	/* without the side-band, a pid can have been reused unnoticed */
	return spaces->sideband || process_start_time(life->tgid, &start_ns) || start_ns <= time_ns;
}

static void note_unread(struct unread *unread, const struct life *life)
{
	if (!unread->nr++)
		unread->tgid = life->tgid;
}

/* Whether to read maps again: a lock of the process or too many open files may have been temporary. */
static bool may_retry(const struct spaces *spaces, struct life *life)
{
	return life->state == LIFE_UNREADABLE && lives_is_newest(spaces->lives, life) &&
	       life_may_reread(life, spaces->now_ns, false);
}

/* Finds the mappings from before the side-band: in maps, or in those of its ancestors, up to `nr_parents` generations back. */
static enum life_state complete_life(struct spaces *spaces, struct life *life, uint64_t time_ns, int nr_parents)
{
	struct life *parent;
	int err = -ESRCH;

	if (life->state != LIFE_UNREAD && !may_retry(spaces, life))
		return life->state;
	if (may_be_read(spaces, life, time_ns))
		err = read_life(spaces, life);
	if (err == -ETIMEDOUT && life->state == LIFE_UNREAD)
		note_unread(&spaces->late, life);
	life->state = life_state_after(err);
	if (life->state == LIFE_DENIED)
		note_unread(&spaces->denied, life);
	if (!err || !life->parent_tgid || !nr_parents)
		return life->state;
	parent = find_or_begin_life(spaces, life->parent_tgid, life->start_ns);
	if (complete_life(spaces, parent, life->start_ns, nr_parents - 1) == LIFE_COMPLETE) {
		life->state = LIFE_COMPLETE;
		inherit(life, parent);
	}
	return life->state;
}

/*
 * Finds the root of the process or, if the process has ended, that of the life before. If the pid is reused meanwhile, the side-band, which
 * is read afterwards, has the new life. An unknown root counts as ours (roots.h).
 */
static void learn_root(struct spaces *spaces, struct life *life, uint64_t time_ns, int nr_origins)
{
	struct life *origin;
	uint32_t root;

	if (life->has_root)
		return;
	life->has_root = true;
	if (may_be_read(spaces, life, time_ns) && roots_of(spaces->roots, life->tgid, &root)) {
		drain(spaces);
		if (lives_is_newest(spaces->lives, life)) {
			life->root = root;
			return;
		}
	}
	origin = nr_origins ? lives_origin(spaces->lives, life) : NULL;
	if (!origin)
		return;
	learn_root(spaces, origin, life->start_ns, nr_origins - 1);
	life->root = origin->root;
}

/* ---- the side-band ---- */

static void note_mmap(struct spaces *spaces, const struct sideband_record *record)
{
	_cleanup_(freep) char *path = xstrdup(record->path);
	struct proc_mapping found = {
		.start = record->start,
		.end = record->end,
		.file_offset = record->file_offset,
		.device = record->device,
		.inode = record->inode,
		.path = path,
	};
	uint32_t image;

	found.kind = mapping_classify(path, record->inode, &found.deleted);
	image = add_mapping(spaces, find_or_begin_life(spaces, record->tgid, record->time_ns), &found, record->time_ns);
	if (record->build_id_bytes)
		images_set_build_id(spaces->images, image, record->build_id, record->build_id_bytes);
}

/* Adds the build id to the mapping just before it. */
static void note_build_id(struct spaces *spaces, const struct sideband_record *record)
{
	struct life *life = lives_find(spaces->lives, record->tgid, record->time_ns);
	const struct mapping *mapping = life ? mappings_find(life->mappings, record->start, record->time_ns) : NULL;

	if (mapping && mapping->start == record->start && mapping->end == record->end &&
	    record->time_ns - mapping->since_ns < SAME_MMAP_NS)
		images_set_build_id(spaces->images, mapping->image, record->build_id, record->build_id_bytes);
}

static struct life *begin_program(struct spaces *spaces, uint32_t tgid, uint64_t time_ns)
{
	const struct life *before = lives_find(spaces->lives, tgid, time_ns);
	bool goes_on = before && before->end_ns == LIFE_RUNS;
	struct life *life = begin_life(spaces, tgid, time_ns);

	life->state = LIFE_COMPLETE;
	life->by_exec = true;
	if (goes_on)
		life->process = before->process;
	life->exec_id = before && before->exec_id ? before->exec_id + 1 : 0;
	if (before && before->unwound)
		want_unwound(spaces, life);
	return life;
}

static void note_fork(struct spaces *spaces, const struct sideband_record *record)
{
	struct life *parent, *life;

	if (record->tgid == record->parent_tgid)
		return; /* a thread */
	parent = lives_find(spaces->lives, record->parent_tgid, record->time_ns);
	life = begin_life(spaces, record->tgid, record->time_ns);
	life->parent_tgid = record->parent_tgid;
	jit_maps_note_fork(spaces->jit_maps, record->tgid);
	if (!parent)
		return;
	mappings_free(life->mappings);
	life->mappings = mappings_share(parent->mappings);
	life->nr_lost = parent->nr_lost;
	life->is_cut = parent->is_cut;
	life->exec_id = parent->exec_id;
	if (parent->state == LIFE_COMPLETE)
		life->state = LIFE_COMPLETE;
	if (parent->unwound)
		want_unwound(spaces, life);
}

/* The process has ended when its leader has; threads that end later move the end. */
static void note_exit(struct spaces *spaces, const struct sideband_record *record)
{
	struct life *life = lives_find(spaces->lives, record->tgid, record->time_ns);

	if (life && (record->tid == record->tgid || life->end_ns != LIFE_RUNS) && lives_is_newest(spaces->lives, life))
		life->end_ns = record->time_ns;
	if (!life || life->end_ns != record->time_ns)
		return;
	life_tell_end(spaces->options.profile, life);
	note_change(spaces, life);
}

static void apply(struct spaces *spaces, const struct sideband_record *record)
{
	const uint32_t tgid = record->tgid, only = spaces->options.only_tgid;

	if (record->kind == SIDEBAND_KSYMBOL)
		ksymbols_add(spaces->ksymbols, record);
	else if (!tgid || tgid == UINT32_MAX || (only && tgid != only))
		return; /* outside our pid namespace, already ended, or not followed */
	else if (record->kind == SIDEBAND_MMAP)
		note_mmap(spaces, record);
	else if (record->kind == SIDEBAND_BUILD_ID)
		note_build_id(spaces, record);
	else if (record->kind == SIDEBAND_EXEC)
		begin_program(spaces, tgid, record->time_ns);
	else if (record->kind == SIDEBAND_FORK)
		note_fork(spaces, record);
	else if (record->kind == SIDEBAND_EXIT)
		note_exit(spaces, record);
}

static void drain(struct spaces *spaces)
{
	const struct sideband_record *record;

	if (!spaces->sideband) {
		spaces->now_ns = clock_monotonic_ns();
		return;
	}
	spaces->now_ns = sideband_begin(spaces->sideband);
	while ((record = sideband_next(spaces->sideband)))
		apply(spaces, record);
}

static void note_sweep_change(void *context, struct life *life)
{
	struct spaces *spaces = context;

	life_tell_end(spaces->options.profile, life);
	note_change(spaces, life);
}

/* A life and its images stay until the sweep after the next one: by then, the caller has read all records that can belong to it. */
void spaces_update(struct spaces *spaces)
{
	uint64_t before_ns = spaces->swept_ns > GRACE_NS ? spaces->swept_ns - GRACE_NS : 0;

	drain(spaces);
	if (spaces->now_ns - spaces->swept_ns < SWEEP_NS)
		return;
	spaces->swept_ns = spaces->now_ns;
	lives_sweep(spaces->lives, before_ns, spaces->now_ns, note_sweep_change, spaces);
	if (!images_want_sweep(spaces->images))
		return;
	images_sweep_begin(spaces->images);
	lives_mark_images(spaces->lives, spaces->images);
	images_sweep_end(spaces->images);
}

void spaces_update_held(struct spaces *spaces, uint32_t tgid, uint64_t program_ns)
{
	struct life *life;

	spaces_update(spaces);
	life = lives_find(spaces->lives, tgid, UINT64_MAX);
	if (!life || !spaces_lost(spaces) || (life->nr_lost == spaces_lost(spaces) && life->start_ns >= program_ns))
		return;
	if (life->start_ns < program_ns)
		life = begin_program(spaces, tgid, program_ns);
	if (!read_life(spaces, life))
		note_change(spaces, life);
}

/* ---- changed processes ---- */

bool spaces_next_changed(struct spaces *spaces, struct spaces_process *ret_process)
{
	struct life *life;

	if (spaces->nr_taken == spaces->changed.nr) {
		spaces->nr_taken = spaces->changed.nr = 0;
		return false;
	}
	*ret_process = (struct spaces_process){ .tgid = spaces->changed.data[spaces->nr_taken++] };
	life = lives_find(spaces->lives, ret_process->tgid, UINT64_MAX);
	if (!life)
		return true;
	life->changed = false;
	ret_process->start_time_ns = life->start_time_ns;
	ret_process->exec_id = life->exec_id;
	if (life->end_ns == LIFE_RUNS && complete_life(spaces, life, spaces->now_ns, MAX_PARENTS) == LIFE_COMPLETE)
		ret_process->mappings = life->mappings;
	return true;
}

/* ---- the life of a record ---- */

/* If the side-band is missing or has lost records, only the record itself shows an exec. */
static bool is_another_program(const struct spaces *spaces, const struct life *life,
			       const struct profile_record *record)
{
	if (spaces->sideband && !spaces_lost(spaces))
		return false;
	return (life->start_time_ns && record->start_time_ns && life->start_time_ns != record->start_time_ns) ||
	       (life->exec_id && record->exec_id && life->exec_id != record->exec_id);
}

static struct life *life_of_record(struct spaces *spaces, const struct profile_record *record, uint64_t time_ns)
{
	struct life *life = find_or_begin_life(spaces, record->tgid, time_ns);

	if (is_another_program(spaces, life, record))
		life = begin_life(spaces, record->tgid, time_ns);
	if (!life->start_time_ns) {
		life->start_time_ns = record->start_time_ns;
		life->exec_id = record->exec_id;
	}
	complete_life(spaces, life, time_ns, MAX_PARENTS);
	learn_root(spaces, life, time_ns, MAX_PARENTS);
	if (!life->unwound)
		want_unwound(spaces, life);
	return life;
}

/*
 * An address without a mapping can be a reason to read maps again: side-band records were lost or there is no side-band, the mapping was
 * moved (mremap() is not reported), or there were too many images. Most are no code, but found by frame pointers, so the pauses grow.
 */
static const struct mapping *find_mapping(struct spaces *spaces, struct life *life, uint64_t address, uint64_t time_ns)
{
	const struct mapping *mapping = mappings_find(life->mappings, address, time_ns);

	if ((mapping && mapping->image != IMAGE_NONE) || life->state != LIFE_COMPLETE || address < FIRST_MAPPABLE ||
	    address > INT64_MAX || !lives_is_newest(spaces->lives, life) ||
	    !life_may_reread(life, spaces->now_ns, spaces_lost(spaces) != life->nr_lost) || read_life(spaces, life))
		return mapping;
	return mappings_find(life->mappings, address, time_ns);
}

/* ---- frames ---- */

/* Fills in a raw frame from its mapping. */
static void place_in_image(struct spaces *spaces, const struct life *life, const struct mapping *mapping,
			   struct profile_frame *frame)
{
	enum mapping_kind kind = images_kind(spaces->images, mapping->image);
	struct image_place place = { life->tgid, mapping->start, mapping->end, life->root };
	uint32_t file = PROFILE_NONE;

	if (kind == MAPPING_FILE || kind == MAPPING_VDSO)
		file = images_file(spaces->images, mapping->image, &place);
	life_tell_mapping(spaces->options.profile, life, mapping, file);
	if (file != PROFILE_NONE) {
		frame->kind = FRAME_USER_FILE;
		frame->reason = REASON_NOT_TRIED;
		frame->tgid = 0;
		frame->file = file;
		frame->where = frame->where - mapping->start + mapping->file_offset;
		return;
	}
	frame->reason = mapping->image == IMAGE_NONE ? REASON_TOO_MANY_FILES : REASON_ANONYMOUS;
	if (mapping->image != IMAGE_ANONYMOUS) {
		frame->module =
			strtab_add(&spaces->options.profile->strings, images_path(spaces->images, mapping->image));
		return;
	}
	frame->process = life->process;
	if (lives_find(spaces->lives, life->tgid, UINT64_MAX)->process == life->process)
		jit_maps_note(spaces->jit_maps, life->tgid, life->process, life->root, spaces->now_ns);
}

static uint32_t add_frame(struct spaces *spaces, struct life *life, const struct profile_record *record,
			  uint64_t address, uint64_t time_ns, bool exact)
{
	struct profile_frame frame = {
		.kind = FRAME_USER_RAW,
		.reason = (uint8_t)(record->foreign ? REASON_FOREIGN : life_reason_unmapped(life)),
		.exact = exact,
		.tgid = record->tgid,
		.where = address,
	};
	const struct mapping *mapping = NULL;

	/* a call can be the last instruction of a mapping, so the address before the return address counts */
	if (life)
		mapping = find_mapping(spaces, life, exact || !address ? address : address - 1, time_ns);
	if (!mapping && exact && life && !spaces_lost(spaces))
		mapping = lives_mapping_before_exec(&life, address, time_ns);
	if (mapping)
		place_in_image(spaces, life, mapping, &frame);
	else if (frame.reason == REASON_UNMAPPED && life && life->state == LIFE_COMPLETE)
		frame.where = frame.tgid = 0; /* not code: the walk took another value for a return address */
	return profile_add_frame(spaces->options.profile, &frame);
}

void spaces_add_frames(struct spaces *spaces, const struct profile_record *record, const uint64_t *addresses, size_t nr,
		       bool leaf_exact, uint32_t *ret_frames)
{
	uint64_t time_ns = record->time_ns ? record->time_ns : UINT64_MAX;
	struct life *life = NULL;

	if (nr && record->tgid && !record->foreign)
		life = life_of_record(spaces, record, time_ns);
	for (size_t i = 0; i < nr; i++)
		ret_frames[i] = add_frame(spaces, life, record, addresses[i], time_ns, leaf_exact && !i);
}

struct mappings *spaces_mappings_of(struct spaces *spaces, const struct profile_record *record)
{
	const struct life *life = life_of_record(spaces, record, record->time_ns);

	return life->state == LIFE_COMPLETE ? mappings_share(life->mappings) : NULL;
}

bool spaces_in_exec(const struct spaces *spaces, const struct profile_record *record, uint64_t address, bool is_gone)
{
	return lives_in_exec(spaces->lives, record->tgid, address, record->time_ns, is_gone);
}

uint32_t spaces_generated_code(const struct spaces *spaces, uint64_t address, uint64_t time_ns)
{
	return ksymbols_at(spaces->ksymbols, address, time_ns ? time_ns : spaces->now_ns);
}

static struct life *complete_now(struct spaces *spaces, uint32_t tgid)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct life *life = find_or_begin_life(spaces, tgid, now_ns);

	complete_life(spaces, life, now_ns, MAX_PARENTS);
	return life;
}

void spaces_prime(struct spaces *spaces, uint32_t tgid)
{
	want_unwound(spaces, complete_now(spaces, tgid));
}

/* The current mappings are not reported as changes: exec will replace them. */
bool spaces_expect(struct spaces *spaces, uint32_t tgid)
{
	if (!spaces->sideband)
		return false; /* its maps are read at the first record */
	complete_now(spaces, tgid)->unwound = true;
	sideband_ring(spaces->sideband);
	return true;
}

/* ---- start and end ---- */

/* If the side-band cannot be opened, that is no failure: the cause becomes a note. */
static void note_sideband(struct spaces *spaces, int err)
{
	if (!err)
		return;
	spaces->why_no_sideband = xasprintf("%s%s%s", err_cause(), err_hint()[0] ? ": " : "", err_hint());
	err_clear();
}

static void add_followed(void *followed, const struct life *life)
{
	if (life->unwound)
		vec_push((struct u32_list *)followed, life->tgid);
}

void spaces_start_over(struct spaces *spaces)
{
	struct u32_list followed = {};

	spaces_update(spaces);
	if (!spaces->sideband || sideband_is_whole(spaces->sideband))
		return;
	note_sideband(spaces, sideband_open_again(&spaces->sideband));
	lives_forget(spaces->lives, add_followed, &followed);
	for (size_t i = 0; i < followed.nr; i++)
		spaces_prime(spaces, followed.data[i]);
	vec_done(&followed);
}

struct spaces *spaces_new(const struct spaces_options *options)
{
	struct spaces *spaces = xcalloc(1, sizeof(*spaces));

	spaces->options = *options;
	spaces->lives = lives_new();
	spaces->ksymbols = ksymbols_new();
	spaces->jit_maps = jit_maps_new(options->profile, options->symbolizer, options->host_root, options->why);
	spaces->roots = roots_new();
	spaces->images =
		images_new(options->profile, options->symbolizer, spaces->roots, options->host_root, options->why);
	if (!options->no_frames)
		note_sideband(spaces, sideband_new(&spaces->sideband));
	if (spaces->sideband && (options->follows || (options->only_tgid && options->note_remap)))
		sideband_ring(spaces->sideband);
	spaces->now_ns = spaces->swept_ns = clock_monotonic_ns();
	return spaces;
}

void spaces_free(struct spaces *spaces)
{
	if (!spaces)
		return;
	vec_done(&spaces->changed);
	lives_free(spaces->lives);
	sideband_free(spaces->sideband);
	images_free(spaces->images);
	roots_free(spaces->roots);
	jit_maps_free(spaces->jit_maps);
	ksymbols_free(spaces->ksymbols);
	free(spaces->why_no_sideband);
	buf_done(&spaces->note);
	free(spaces);
}

int spaces_fd(const struct spaces *spaces)
{
	return spaces->sideband ? sideband_fd(spaces->sideband) : -1;
}

struct images *spaces_images(const struct spaces *spaces)
{
	return spaces->images;
}

uint64_t spaces_lost(const struct spaces *spaces)
{
	return spaces->sideband ? sideband_lost(spaces->sideband) : 0;
}

static void add_unread(struct buf *note, const struct unread *unread, const char *why)
{
	if (unread->nr && note->nr)
		buf_adds(note, "; ");
	if (unread->nr == 1)
		buf_addf(note, "maps of process %" PRIu32 ": %s", unread->tgid, why);
	else if (unread->nr)
		buf_addf(note, "maps of %" PRIu64 " processes, such as %" PRIu32 ": %s", unread->nr, unread->tgid, why);
}

const char *spaces_note(struct spaces *spaces)
{
	size_t nr_unwatched = spaces->sideband ? sideband_nr_unwatched(spaces->sideband) : 0;

	buf_clear(&spaces->note);
	if (spaces->why_no_sideband)
		buf_addf(&spaces->note, "%s; frames of processes that end early have no names",
			 spaces->why_no_sideband);
	if (nr_unwatched)
		buf_addf(&spaces->note,
			 nr_unwatched == 1 ? "side-band: %zu CPU came online during the run and is not watched"
					   : "side-band: %zu CPUs came online during the run and are not watched",
			 nr_unwatched);
	add_unread(&spaces->note, &spaces->denied, "permission denied");
	add_unread(&spaces->note, &spaces->late, "not read: locked for too long");
	return spaces->note.nr ? buf_text(&spaces->note) : NULL;
}

void spaces_name_generated(struct spaces *spaces)
{
	jit_maps_name_frames(spaces->jit_maps);
	ksymbols_name_frames(spaces->ksymbols, spaces->options.profile);
}

void spaces_add_maps_note(const struct spaces *spaces, struct buf *text)
{
	jit_maps_add_note(spaces->jit_maps, text);
}

int spaces_open_again(const struct spaces *spaces, uint32_t file)
{
	if (file >= JIT_MAP_FIRST && file != PROFILE_NONE)
		return jit_maps_open_again(spaces->jit_maps, file);
	return images_open_again(spaces->images, file);
}
