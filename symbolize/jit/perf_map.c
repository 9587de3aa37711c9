/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/jit/perf_map.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/base/radix_sort.h"
#include "core/base/vec_trim.h"
#include "symbolize/jit/jitdump.h"

enum {
	FILE_MAX_BYTES = 256 << 20,
	ENTRIES_MAX = 3 << 20,
	CHUNK_BYTES = 65536, /* longer lines are passed over */
};

int perf_map_add(struct perf_map *map, uint64_t start, uint64_t size, uint64_t name)
{
	if (!size || size > UINT32_MAX || start + size < start)
		return 0;
	if (name > UINT32_MAX || map->entries.nr >= ENTRIES_MAX) {
		map->is_cut = true;
		return 0;
	}
	return vec_try_push(&map->entries, (struct perf_map_entry){ start, (uint32_t)size, (uint32_t)name });
}

/* ---- lines ---- */

/* The value of a hexadecimal digit + 1; 0 for everything else. */
static const unsigned char digits[256] = {
	['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* A hexadecimal number and the space behind it; NULL when there is none, or it has more than 64 bits. */
static const char *take_number(const char *text, const char *end, uint64_t *ret_number)
{
	const char *first;
	unsigned char digit;

	if (end - text > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	*ret_number = 0;
	for (first = text; text < end && (digit = digits[(unsigned char)*text]); text++)
		*ret_number = *ret_number << 4 | (uint64_t)(digit - 1);
	if (text == first || text - first > 16 || text == end || *text != ' ')
		return NULL;
	return text + 1;
}

/* A line without its newline, which is at this position of the file. */
static int take_line(struct perf_map *map, const char *line, const char *end, uint64_t position)
{
	uint64_t start, size;
	const char *text = take_number(line, end, &start);

	text = text ? take_number(text, end, &size) : NULL;
	if (!text || text == end)
		return 0;
	return perf_map_add(map, start, size, position + (uint64_t)(text - line));
}

static ssize_t read_at(int fd, char *bytes, size_t nr_bytes, uint64_t offset)
{
	ssize_t got;

	do
		got = pread(fd, bytes, nr_bytes, (off_t)offset);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Takes the whole lines of a chunk. Returns how many bytes they have, 0 when there is none. */
static size_t take_lines(struct perf_map *map, const char *chunk, size_t nr, int *err)
{
	const char *line = chunk, *end = chunk + nr, *newline;

	while (!*err && (newline = memchr(line, '\n', (size_t)(end - line)))) {
		if (!map->in_long_line)
			*err = take_line(map, line, newline, map->done + (uint64_t)(line - chunk));
		map->in_long_line = false;
		line = newline + 1;
	}
	return (size_t)(line - chunk);
}

static int read_lines(struct perf_map *map)
{
	char *chunk = malloc(CHUNK_BYTES);
	int err = chunk ? 0 : -ENOMEM;

	while (!err && !map->is_cut) {
		ssize_t got = read_at(map->fd, chunk, CHUNK_BYTES, map->done);
		size_t taken = got > 0 ? take_lines(map, chunk, (size_t)got, &err) : 0;

		if (!taken && got < CHUNK_BYTES)
			break;
		map->in_long_line |= !taken;
		map->done += taken ? taken : CHUNK_BYTES;
		map->is_cut |= map->done >= FILE_MAX_BYTES;
	}
	free(chunk);
	return err;
}

/* ---- which entry counts ---- */

/* An entry, as radix_sort() wants it. */
struct stretch {
	uint64_t start;
	uint32_t size, entry;
};

/* An entry that has begun. */
struct claim {
	uint64_t end;
	uint32_t entry;
};

/* A heap: the latest entry is the first, those that have ended stay until they are that. */
struct claims {
	VEC(struct claim) heap;
};

static void swap(struct claim *a, struct claim *b)
{
	struct claim kept = *a;

	*a = *b;
	*b = kept;
}

static int claims_add(struct claims *claims, struct claim claim)
{
	int err = vec_try_push(&claims->heap, claim);
	struct claim *heap = claims->heap.data;

	for (size_t i = claims->heap.nr - 1; !err && i && heap[(i - 1) / 2].entry < heap[i].entry; i = (i - 1) / 2)
		swap(&heap[i], &heap[(i - 1) / 2]);
	return err;
}

static void claims_drop_first(struct claims *claims)
{
	struct claim *heap = claims->heap.data;
	size_t nr = --claims->heap.nr, i = 0, child;

	heap[0] = heap[nr];
	while ((child = 2 * i + 1) < nr) {
		if (child + 1 < nr && heap[child + 1].entry > heap[child].entry)
			child++;
		if (heap[i].entry > heap[child].entry)
			break;
		swap(&heap[i], &heap[child]);
		i = child;
	}
}

/* From `from` on, up to the next bound, everything is the owner's: 1 + an entry, or 0. */
static int add_bound(struct perf_map *map, uint64_t from, uint32_t owner)
{
	int err = 0;

	if (map->owners.nr ? vec_last(&map->owners) == owner : !owner)
		return 0;
	err = vec_try_push(&map->bounds, from);
	return err ?: vec_try_push(&map->owners, owner);
}

/* Shares out [from, to), in which no entry begins. */
static int share_between(struct perf_map *map, struct claims *claims, uint64_t from, uint64_t to)
{
	int err = 0;

	while (!err && from < to && claims->heap.nr) {
		struct claim first = claims->heap.data[0];

		if (first.end <= from) {
			claims_drop_first(claims);
			continue;
		}
		err = add_bound(map, from, first.entry + 1);
		from = first.end < to ? first.end : to;
	}
	return err || from == to ? err : add_bound(map, from, 0);
}

static int share_sorted(struct perf_map *map, const struct stretch *stretches, size_t nr)
{
	struct claims claims = {};
	uint64_t at = 0;
	int err = 0;

	for (size_t i = 0; !err && i < nr; at = stretches[i++].start) {
		const struct stretch *stretch = &stretches[i];

		err = share_between(map, &claims, at, stretch->start);
		err = err ?: claims_add(&claims, (struct claim){ stretch->start + stretch->size, stretch->entry });
	}
	err = err ?: share_between(map, &claims, at, UINT64_MAX);
	vec_done(&claims.heap);
	return err;
}

/*
 * One walk through the entries in the order of their starts; each place gets the latest of those that have begun there.
 */
static int share_out(struct perf_map *map)
{
	size_t nr = map->entries.nr;
	struct stretch *stretches = reallocarray(NULL, nr + 1, sizeof(*stretches));
	int err = stretches ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < nr; i++)
		stretches[i] = (struct stretch){ map->entries.data[i].start, map->entries.data[i].size, (uint32_t)i };
	err = err ?: radix_sort(stretches, nr, start);
	map->bounds.nr = map->owners.nr = 0;
	err = err ?: share_sorted(map, stretches, nr);
	free(stretches);
	return err;
}

/* ---- the map ---- */

/* No name of a map that is cut is sure, so none is kept. */
static void forget_entries(struct perf_map *map)
{
	vec_done(&map->entries);
	vec_done(&map->codes);
	vec_done(&map->bounds);
	vec_done(&map->owners);
}

int perf_map_update(struct perf_map *map)
{
	off_t size = lseek(map->fd, 0, SEEK_END);
	size_t nr = map->entries.nr;
	int err = 0;

	if (size >= 0 && (uint64_t)size < map->done) {
		map->done = 0;
		map->is_cut = map->in_long_line = false;
		map->entries.nr = map->codes.nr = 0;
		map->is_dump = jitdump_is(map->fd);
		nr = SIZE_MAX;
	}
	if (!map->is_cut)
		err = map->is_dump ? jitdump_read(map) : read_lines(map);
	if (map->is_cut)
		forget_entries(map);
	return err || map->entries.nr == nr ? err : share_out(map);
}

int perf_map_open(struct perf_map *map, int fd)
{
	int err;

	*map = (struct perf_map){ .fd = dup(fd) };
	if (map->fd < 0)
		return -EMFILE;
	map->is_dump = jitdump_is(map->fd);
	err = perf_map_update(map);
	if (err)
		perf_map_done(map);
	return err;
}

void perf_map_done(struct perf_map *map)
{
	forget_entries(map);
	close(map->fd);
	map->fd = -1;
}

const struct perf_map_entry *perf_map_lookup(const struct perf_map *map, uint64_t address)
{
	size_t nr = map->owners.nr ? vec_nr_first(&map->bounds, bound, *bound <= address) : 0;
	uint32_t owner = nr ? map->owners.data[nr - 1] : 0;

	return owner && address != UINT64_MAX ? &map->entries.data[owner - 1] : NULL;
}

/* The name ends at the end of its line, in a jitdump at that of its record, and always at a NUL. */
static size_t name_room(const struct perf_map *map, const struct perf_map_entry *entry)
{
	size_t room = map->is_dump ? jitdump_name_room(map, entry) : NAME_MAX_BYTES;

	return room < NAME_MAX_BYTES ? room : NAME_MAX_BYTES;
}

static const char *end_of_name(const struct perf_map *map, const char *text, size_t nr)
{
	return memchr(text, map->is_dump ? '\0' : '\n', nr);
}

struct name perf_map_name(const struct perf_map *map, const struct perf_map_entry *entry, char scratch[NAME_MAX_BYTES])
{
	enum {
		USUAL_BYTES = 512
	};
	size_t room = name_room(map, entry), usual = room < USUAL_BYTES ? room : USUAL_BYTES;
	ssize_t got = read_at(map->fd, scratch, usual, entry->name);
	const char *end = got > 0 ? end_of_name(map, scratch, (size_t)got) : NULL;

	if (got == USUAL_BYTES && !end) {
		got = read_at(map->fd, scratch, room, entry->name);
		end = got > 0 ? end_of_name(map, scratch, (size_t)got) : NULL;
	}
	if (!end)
		end = scratch + (got > 0 ? got : 0);
	return (struct name){ scratch, strnlen(scratch, (size_t)(end - scratch)) };
}
