/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/spaces/lives.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/host/process.h"
#include "core/profile/profile.h"
#include "core/spaces/images.h"

#define NR_BUCKETS 4096
#define NR_SLICES 16 /* of the buckets: each sweep checks one slice for lives whose exit was not reported */
#define MAX_EXEC_NS 1000000000u
#define TEAR_DOWN_NS (NSEC_PER_SEC / 20) /* between the end of the old memory and the mappings of the new program */
#define REREAD_PAUSE_MAX_NS (60 * NSEC_PER_SEC)
#define REREAD_PAUSE_MIN_NS (NSEC_PER_SEC / 10)
#define MANY_MAPPINGS 4096 /* per life, if there are too many in all; a quarter of it, if that is not enough */
#define FEW_MAPPINGS 64

/* Pids are assigned in sequence, so they are spread over the buckets. */
struct lives {
	struct life *buckets[NR_BUCKETS];
	size_t slice; /* the next one to check */
	uint32_t nr_sweeps; /* of images */
};

struct lives *lives_new(void)
{
	return xcalloc(1, sizeof(struct lives));
}

static void life_free(struct life *life)
{
	mappings_free(life->mappings);
	free(life);
}

static void ignore(void *context, const struct life *life)
{
	(void)context, (void)life;
}

void lives_free(struct lives *lives)
{
	if (lives)
		lives_forget(lives, ignore, NULL);
	free(lives);
}

struct life *lives_find(const struct lives *lives, uint32_t tgid, uint64_t time_ns)
{
	struct life *life = lives->buckets[tgid % NR_BUCKETS];

	while (life && (life->tgid != tgid || life->start_ns > time_ns))
		life = life->next;
	return life;
}

bool lives_is_newest(const struct lives *lives, const struct life *life)
{
	return lives_find(lives, life->tgid, UINT64_MAX) == life;
}

void lives_forget(struct lives *lives, void (*forgotten)(void *context, const struct life *life), void *context)
{
	for (size_t i = 0; i < NR_BUCKETS; i++) {
		for (const struct life *life = lives->buckets[i]; life; life = life->next)
			if (lives_is_newest(lives, life))
				forgotten(context, life);
		while (lives->buckets[i]) {
			struct life *life = lives->buckets[i];

			lives->buckets[i] = life->next;
			life_free(life);
		}
	}
}

const struct mapping *lives_mapping_before_exec(struct life **life, uint64_t address, uint64_t time_ns)
{
	bool may_be = (*life)->by_exec && time_ns - (*life)->start_ns < MAX_EXEC_NS;
	struct life *before = may_be ? (*life)->next : NULL;
	const struct mapping *mapping;

	while (before && before->tgid != (*life)->tgid)
		before = before->next;
	mapping = before ? mappings_find(before->mappings, address, (*life)->start_ns) : NULL;
	*life = mapping ? before : *life;
	return mapping;
}

bool lives_in_exec(const struct lives *lives, uint32_t tgid, uint64_t address, uint64_t time_ns, bool is_gone)
{
	struct life *life = lives_find(lives, tgid, time_ns), *later = lives_find(lives, tgid, time_ns + TEAR_DOWN_NS);

	if (!life)
		return false;
	if (is_gone && later != life && later->by_exec)
		return true;
	return !mappings_find(life->mappings, address, time_ns) && lives_mapping_before_exec(&life, address, time_ns);
}

/* Inserts the life before the older ones of its tgid. If there is a newer one, the life ends where that begins. */
static void insert(struct lives *lives, struct life *life)
{
	struct life **link = &lives->buckets[life->tgid % NR_BUCKETS], *before;

	while (*link && ((*link)->tgid != life->tgid || (*link)->start_ns > life->start_ns)) {
		if ((*link)->tgid == life->tgid)
			life->end_ns = (*link)->start_ns;
		link = &(*link)->next;
	}
	before = *link;
	if (before && before->end_ns > life->start_ns)
		before->end_ns = life->start_ns;
	life->next = before;
	*link = life;
}

struct life *lives_origin(const struct lives *lives, const struct life *life)
{
	if (life->by_exec)
		return lives_find(lives, life->tgid, life->start_ns - 1);
	return life->parent_tgid ? lives_find(lives, life->parent_tgid, life->start_ns) : NULL;
}

struct life *lives_begin(struct lives *lives, uint32_t tgid, uint64_t start_ns)
{
	struct life *life = xcalloc(1, sizeof(*life));

	life->tgid = tgid;
	life->start_ns = start_ns;
	life->end_ns = LIFE_RUNS;
	life->mappings = mappings_new();
	insert(lives, life);
	return life;
}

enum life_state life_state_after(int err)
{
	if (!err)
		return LIFE_COMPLETE;
	if (err == -EACCES || err == -EPERM)
		return LIFE_DENIED;
	return err == -ESRCH || err == -ENOENT ? LIFE_GONE : LIFE_UNREADABLE;
}

int life_reason_unmapped(const struct life *life)
{
	if (!life)
		return REASON_UNMAPPED;
	if (life->state == LIFE_DENIED || life->state == LIFE_UNREADABLE)
		return REASON_UNREAD;
	return life->state == LIFE_GONE ? REASON_EXITED : life->is_cut ? REASON_TOO_MANY_MAPPINGS : REASON_UNMAPPED;
}

bool life_may_reread(struct life *life, uint64_t now_ns, bool has_lost)
{
	if (has_lost ? life->looked_ns && now_ns - life->looked_ns < REREAD_PAUSE_MIN_NS : now_ns < life->reread_ns)
		return false;
	life->looked_ns = now_ns;
	life->reread_ns = now_ns + life->reread_pause_ns;
	life->reread_pause_ns *= 2;
	if (life->reread_pause_ns > REREAD_PAUSE_MAX_NS)
		life->reread_pause_ns = REREAD_PAUSE_MAX_NS;
	return true;
}

/* Forgets the mappings, so that they are read again. */
static void life_forget_mappings(struct life *life)
{
	mappings_free(life->mappings);
	life->mappings = mappings_new();
	life->state = LIFE_UNREAD;
	life->is_cut = false;
}

void life_add_mapping(struct life *life, const struct mapping *mapping, bool is_read)
{
	if (!mappings_add(&life->mappings, mapping))
		return;
	if (is_read || life->is_cut)
		life->is_cut = true;
	else
		life_forget_mappings(life);
}

void life_tell_mapping(struct profile *profile, const struct life *life, const struct mapping *mapping, uint32_t file)
{
	const struct profile_life told = {
		.tgid = life->tgid,
		.parent = life->parent_tgid,
		.begin_ns = life->start_ns,
		.end_ns = life->end_ns,
	};

	profile_add_mapping(profile, &(struct profile_mapping){
					     .life = profile_add_life(profile, &told),
					     .file = file,
					     .start = mapping->start,
					     .end = mapping->end,
					     .file_offset = mapping->file_offset,
					     .since_ns = mapping->since_ns,
				     });
}

void life_tell_end(struct profile *profile, const struct life *life)
{
	if (life->end_ns != LIFE_RUNS)
		profile_end_life(profile, life->tgid, life->start_ns, life->end_ns);
}

void lives_mark_images(struct lives *lives, struct images *images)
{
	lives->nr_sweeps++;
	for (size_t i = 0; i < NR_BUCKETS; i++)
		for (struct life *life = lives->buckets[i]; life; life = life->next)
			mappings_mark(life->mappings, lives->nr_sweeps, images_mark, images);
}

/* Whether the process has ended without a record: the record was lost, or there is no side-band. */
static bool has_gone_silently(const struct life *life, uint64_t now_ns)
{
	return life->end_ns == LIFE_RUNS && life->start_ns < now_ns && process_has_ended(life->tgid);
}

void lives_sweep(struct lives *lives, uint64_t time_ns, uint64_t now_ns,
		 void (*changed)(void *context, struct life *life), void *context)
{
	lives->slice = (lives->slice + 1) % NR_SLICES;
	for (size_t i = 0; i < NR_BUCKETS; i++) {
		struct life **link = &lives->buckets[i], *life;

		while ((life = *link)) {
			/* the leader has ended, but other threads may still run: /proc shows them */
			if (life->end_ns < time_ns &&
			    (!lives_is_newest(lives, life) || process_has_ended(life->tgid))) {
				*link = life->next;
				life_free(life);
				continue;
			}
			if (i % NR_SLICES == lives->slice && has_gone_silently(life, now_ns)) {
				life->end_ns = now_ns;
				changed(context, life);
			}
			link = &life->next;
		}
	}
	for (size_t many = MANY_MAPPINGS; many >= FEW_MAPPINGS && mappings_count_all() > MAPPINGS_MAX_IN_ALL / 4 * 3;
	     many /= 4)
		for (size_t i = 0; i < NR_BUCKETS; i++)
			for (struct life *life = lives->buckets[i]; life; life = life->next) {
				if (mappings_count(life->mappings) <= many)
					continue;
				life_forget_mappings(life);
				life->state = LIFE_COMPLETE; /* so maps are read again only after a pause */
				life->is_cut = true;
				changed(context, life);
			}
}
