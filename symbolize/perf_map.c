/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/perf_map.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "symbolize/radix_sort.h"
#include "symbolize/vec_trim.h"

enum {
	FILE_MAX_BYTES = 256 << 20,
	ENTRIES_MAX = 3 << 20,
	CHUNK_BYTES = 65536, /* longer lines are passed over */
};

/* As radix_sort() wants it. */
struct bound {
	uint64_t address, unused;
};

/* ---- lines ---- */

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A hexadecimal number and the space behind it; NULL when there is none, or it has more than 64 bits. */
static const char *take_number(const char *text, const char *end, uint64_t *ret_number)
{
	const char *first;

	if (end - text > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	*ret_number = 0;
	for (first = text; text < end && digit_of(*text) >= 0; text++)
		*ret_number = *ret_number << 4 | (uint64_t)digit_of(*text);
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
	if (!text || text == end || !size || size > UINT32_MAX || start + size < start ||
	    map->entries.nr >= ENTRIES_MAX)
		return 0;
	return vec_try_push(&map->entries,
			    (struct perf_map_entry){ .start = start,
						     .size = (uint32_t)size,
						     .name = (uint32_t)(position + (uint64_t)(text - line)) });
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
		*err = take_line(map, line, newline, map->done + (uint64_t)(line - chunk));
		line = newline + 1;
	}
	return (size_t)(line - chunk);
}

static int read_lines(struct perf_map *map)
{
	char *chunk = malloc(CHUNK_BYTES);
	int err = chunk ? 0 : -ENOMEM;

	while (!err && map->done < FILE_MAX_BYTES) {
		ssize_t got = read_at(map->fd, chunk, CHUNK_BYTES, map->done);
		size_t taken = got > 0 ? take_lines(map, chunk, (size_t)got, &err) : 0;

		if (!taken && got < CHUNK_BYTES)
			break;
		map->done += taken ? taken : CHUNK_BYTES; /* a line that is too long: its rest is no entry */
	}
	free(chunk);
	return err;
}

/* ---- which entry counts ---- */

static uint64_t address_of(const void *bound)
{
	return ((const struct bound *)bound)->address;
}

static int find_bounds(struct perf_map *map)
{
	VEC(struct bound) all = {};
	int err = vec_grow((void **)&all.data, &all.room, 2 * map->entries.nr + 1, sizeof(struct bound));

	for (size_t i = 0; !err && i < map->entries.nr; i++) {
		const struct perf_map_entry *entry = &map->entries.data[i];

		all.data[all.nr++] = (struct bound){ .address = entry->start };
		all.data[all.nr++] = (struct bound){ .address = entry->start + entry->size };
	}
	err = err ?: radix_sort(all.data, all.nr, address_of);
	map->bounds.nr = 0;
	err = err ?: vec_grow((void **)&map->bounds.data, &map->bounds.room, all.nr + 1, sizeof(uint64_t));
	for (size_t i = 0; !err && i < all.nr; i++)
		if (!map->bounds.nr || vec_last(&map->bounds) != all.data[i].address)
			map->bounds.data[map->bounds.nr++] = all.data[i].address;
	vec_done(&all);
	return err;
}

/* The last bound at or before an address, + 1; 0 when there is none. */
static size_t nr_bounds_to(const struct perf_map *map, uint64_t address)
{
	return vec_nr_first(&map->bounds, bound, *bound <= address);
}

/* The first range from `i` on that has no owner; `next` leads there in few steps, and gets shorter on the way. */
static uint32_t first_free(uint32_t *next, uint32_t i)
{
	uint32_t free_one = i;

	while (next[free_one] != free_one)
		free_one = next[free_one];
	while (next[i] != free_one) {
		uint32_t following = next[i];

		next[i] = free_one;
		i = following;
	}
	return free_one;
}

/* From the last entry to the first, each gets what is free of its range. */
static int share_out(struct perf_map *map)
{
	uint32_t nr = (uint32_t)map->bounds.nr;
	uint32_t *next = malloc((nr + 1) * sizeof(*next));
	int err = next ? vec_grow((void **)&map->owners.data, &map->owners.room, nr + 1, sizeof(uint32_t)) : -ENOMEM;

	for (uint32_t i = 0; !err && i <= nr; i++) {
		next[i] = i;
		map->owners.data[i] = 0;
	}
	map->owners.nr = err ? 0 : nr;
	for (size_t i = err ? 0 : map->entries.nr; i-- > 0;) {
		const struct perf_map_entry *entry = &map->entries.data[i];
		uint32_t at = (uint32_t)nr_bounds_to(map, entry->start) - 1;

		for (at = first_free(next, at); at < nr && map->bounds.data[at] < entry->start + entry->size;
		     at = first_free(next, at)) {
			map->owners.data[at] = (uint32_t)i + 1;
			next[at] = at + 1;
		}
	}
	free(next);
	return err;
}

/* ---- the map ---- */

int perf_map_update(struct perf_map *map)
{
	off_t size = lseek(map->fd, 0, SEEK_END);
	size_t nr = map->entries.nr;
	int err;

	if (size >= 0 && (uint64_t)size < map->done) {
		map->done = 0;
		map->entries.nr = 0;
		nr = SIZE_MAX;
	}
	err = read_lines(map);
	if (err || map->entries.nr == nr)
		return err;
	err = find_bounds(map);
	return err ?: share_out(map);
}

int perf_map_open(struct perf_map *map, int fd)
{
	int err;

	*map = (struct perf_map){ .fd = dup(fd) };
	if (map->fd < 0)
		return -EMFILE;
	err = perf_map_update(map);
	if (err)
		perf_map_done(map);
	return err;
}

void perf_map_done(struct perf_map *map)
{
	vec_done(&map->entries);
	vec_done(&map->bounds);
	vec_done(&map->owners);
	close(map->fd);
	map->fd = -1;
}

const struct perf_map_entry *perf_map_lookup(const struct perf_map *map, uint64_t address)
{
	size_t nr = map->owners.nr ? nr_bounds_to(map, address) : 0;
	uint32_t owner = nr ? map->owners.data[nr - 1] : 0;

	return owner ? &map->entries.data[owner - 1] : NULL;
}

struct name perf_map_name(const struct perf_map *map, const struct perf_map_entry *entry, char scratch[NAME_MAX_BYTES])
{
	enum {
		USUAL_BYTES = 512
	};
	ssize_t got = read_at(map->fd, scratch, USUAL_BYTES, entry->name);
	const char *end = got > 0 ? memchr(scratch, '\n', (size_t)got) : NULL;

	if (got == USUAL_BYTES && !end) {
		got = read_at(map->fd, scratch, NAME_MAX_BYTES, entry->name);
		end = got > 0 ? memchr(scratch, '\n', (size_t)got) : NULL;
	}
	if (!end)
		end = scratch + (got > 0 ? got : 0);
	return (struct name){ scratch, strnlen(scratch, (size_t)(end - scratch)) };
}
