/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/spaces/mappings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/vec.h"

#define PAST_MAX 512
#define PAST_KEPT_NS 10000000000ULL

/* A mapping, or a piece of one, that a newer mapping has replaced. */
struct past_mapping {
	struct mapping mapping;
	uint64_t until_ns;
};

struct mappings {
	unsigned int nr_holders;
	uint32_t sweep; /* the last one, for mappings_mark() */
	VEC(struct mapping) now; /* sorted by address */
	VEC(struct past_mapping) past; /* oldest first */
};

static size_t nr_in_all; /* of all tables */

struct mappings *mappings_new(void)
{
	struct mappings *mappings = xcalloc(1, sizeof(*mappings));

	mappings->nr_holders = 1;
	return mappings;
}

struct mappings *mappings_share(struct mappings *mappings)
{
	mappings->nr_holders++;
	return mappings;
}

void mappings_free(struct mappings *mappings)
{
	if (!mappings || --mappings->nr_holders)
		return;
	nr_in_all -= mappings_count(mappings);
	vec_done(&mappings->now);
	vec_done(&mappings->past);
	free(mappings);
}

size_t mappings_count(const struct mappings *mappings)
{
	return mappings->now.nr + mappings->past.nr;
}

size_t mappings_count_all(void)
{
	return nr_in_all;
}

void mappings_mark(struct mappings *mappings, uint32_t sweep, void (*mark)(void *context, uint32_t image),
		   void *context)
{
	if (mappings->sweep == sweep)
		return;
	mappings->sweep = sweep;
	for (size_t i = 0; i < mappings->now.nr; i++)
		mark(context, mappings->now.data[i].image);
	for (size_t i = 0; i < mappings->past.nr; i++)
		mark(context, mappings->past.data[i].mapping.image);
}

const struct mapping *mappings_now(const struct mappings *mappings, size_t *ret_nr)
{
	*ret_nr = mappings->now.nr;
	return mappings->now.data;
}

/* Copies the table if it is shared. */
static struct mappings *make_own(struct mappings **mappings)
{
	struct mappings *shared = *mappings, *own;

	if (shared->nr_holders == 1)
		return shared;
	own = mappings_new();
	vec_reserve(&own->now, shared->now.nr + 2);
	for (size_t i = 0; i < shared->now.nr; i++)
		vec_push(&own->now, shared->now.data[i]);
	for (size_t i = 0; i < shared->past.nr; i++)
		vec_push(&own->past, shared->past.data[i]);
	nr_in_all += mappings_count(own);
	mappings_free(shared);
	*mappings = own;
	return own;
}

/* The first mapping that ends above `address`. */
static size_t first_above(const struct mappings *mappings, uint64_t address)
{
	return vec_nr_first(&mappings->now, mapping, mapping->end <= address);
}

/* Whether `b` maps the same content as `a`, or as `a` would if it were longer. */
static bool is_continued_by(const struct mapping *a, const struct mapping *b)
{
	return a->image == b->image &&
	       (a->image == IMAGE_ANONYMOUS || a->file_offset + (b->start - a->start) == b->file_offset);
}

/* JIT compilers change the protection of parts of an area all the time: they become one mapping. */
static bool grow_anonymous(struct mappings *mappings, size_t i, size_t nr_covered, const struct mapping *mapping)
{
	struct mapping *left = i ? &mappings->now.data[i - 1] : NULL;

	if (mapping->image != IMAGE_ANONYMOUS || nr_covered || !left || left->end != mapping->start ||
	    left->image != IMAGE_ANONYMOUS)
		return false;
	left->end = mapping->end;
	return true;
}

/* If too many pieces are kept, drops the old ones, or half of them if none is old. */
static void forget_past(struct mappings *mappings, uint64_t now_ns)
{
	size_t nr_gone = 0;

	if (mappings->past.nr < PAST_MAX)
		return;
	while (nr_gone < mappings->past.nr && mappings->past.data[nr_gone].until_ns + PAST_KEPT_NS < now_ns)
		nr_gone++;
	if (!nr_gone)
		nr_gone = PAST_MAX / 2;
	mappings->past.nr -= nr_gone;
	memmove(mappings->past.data, mappings->past.data + nr_gone, mappings->past.nr * sizeof(*mappings->past.data));
}

/* Keeps the mappings that a new one replaces, unless the new one is older than the side-band (time 0). */
static void remember(struct mappings *mappings, size_t first, size_t nr, uint64_t until_ns)
{
	if (!until_ns)
		return;
	for (size_t i = first; i < first + nr; i++) {
		forget_past(mappings, until_ns);
		vec_push(&mappings->past, (struct past_mapping){ mappings->now.data[i], until_ns });
	}
}

/* Splits: the new mapping, and the rest of the covered ones on either side. Returns the number of pieces. */
static size_t cut(const struct mapping *covered, size_t nr_covered, const struct mapping *mapping,
		  struct mapping pieces[3])
{
	size_t nr = 0;

	if (nr_covered && covered[0].start < mapping->start) {
		pieces[nr] = covered[0];
		pieces[nr++].end = mapping->start;
	}
	pieces[nr++] = *mapping;
	if (nr_covered && covered[nr_covered - 1].end > mapping->end) {
		pieces[nr] = covered[nr_covered - 1];
		pieces[nr].file_offset += mapping->end - pieces[nr].start;
		pieces[nr++].start = mapping->end;
	}
	return nr;
}

int mappings_add(struct mappings **mappings, const struct mapping *mapping)
{
	size_t first = first_above(*mappings, mapping->start), after = first, nr_pieces, nr_behind;
	const struct mapping *known = (*mappings)->now.data;
	size_t nr_copied = (*mappings)->nr_holders > 1 ? mappings_count(*mappings) : 0;
	struct mapping pieces[3], *at;
	struct mappings *own;

	while (after < (*mappings)->now.nr && known[after].start < mapping->end)
		after++;
	if (after > first && known[first].start <= mapping->start && known[first].end >= mapping->end &&
	    is_continued_by(&known[first], mapping))
		return 0;
	if ((*mappings)->now.nr + 2 > MAPPINGS_MAX || nr_in_all + nr_copied + after - first + 2 > MAPPINGS_MAX_IN_ALL)
		return -ENOSPC;
	own = make_own(mappings);
	if (grow_anonymous(own, first, after - first, mapping))
		return 0;
	nr_in_all -= mappings_count(own);
	remember(own, first, after - first, mapping->since_ns);
	vec_reserve(&own->now, own->now.nr + 2);
	at = own->now.data + first;
	nr_behind = own->now.nr - after;
	nr_pieces = cut(at, after - first, mapping, pieces);
	memmove(at + nr_pieces, own->now.data + after, nr_behind * sizeof(*at));
	memcpy(at, pieces, nr_pieces * sizeof(*at));
	own->now.nr = first + nr_pieces + nr_behind;
	nr_in_all += mappings_count(own);
	return 0;
}

bool mappings_would_replace(const struct mappings *mappings, const struct mapping *mapping)
{
	const struct mapping *known = mappings->now.data, *end = known + mappings->now.nr;

	if (mapping->image == IMAGE_ANONYMOUS)
		return false;
	for (known += first_above(mappings, mapping->start); known < end && known->start < mapping->end; known++)
		if (known->image != IMAGE_ANONYMOUS && !is_continued_by(known, mapping))
			return true;
	return false;
}

int mappings_add_all(struct mappings **mappings, const struct mappings *from)
{
	int err = 0;

	for (size_t i = 0; !err && i < from->now.nr; i++)
		err = mappings_add(mappings, &from->now.data[i]);
	return err;
}

static bool covers(const struct mapping *mapping, uint64_t address, uint64_t time_ns)
{
	return mapping->start <= address && address < mapping->end && mapping->since_ns <= time_ns;
}

const struct mapping *mappings_find(const struct mappings *mappings, uint64_t address, uint64_t time_ns)
{
	size_t i = first_above(mappings, address);

	if (i < mappings->now.nr && covers(&mappings->now.data[i], address, time_ns))
		return &mappings->now.data[i];
	for (i = mappings->past.nr; i-- > 0;)
		if (time_ns < mappings->past.data[i].until_ns &&
		    covers(&mappings->past.data[i].mapping, address, time_ns))
			return &mappings->past.data[i].mapping;
	return NULL;
}
