/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/jit/perf_map.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/radix_sort.h"

enum {
	ENTRIES_MAX = 3 << 20,
	MAP_MAX_BYTES = 256 << 20,
	CHUNK_BYTES = 65536, /* longer lines are skipped */
	USUAL_BYTES = 512, /* usual limit of a name */
	COMPARED_MAX = 10000, /* names */
};

/* Reads up to `nr_bytes` of the file. Returns how many; 0 also on errors. */
static size_t read_at(int fd, void *bytes, size_t nr_bytes, uint64_t offset)
{
	ssize_t got;

	do
		got = pread(fd, bytes, nr_bytes, (off_t)offset);
	while (got < 0 && errno == EINTR);
	return got > 0 ? (size_t)got : 0;
}

/* Adds an entry, unless its range is invalid. If there is no room, the map is cut. Returns 0 or -ENOMEM. */
static int add_entry(struct perf_map *map, uint64_t start, uint64_t size, uint64_t name)
{
	if (!size || size > UINT32_MAX || start + size < start)
		return 0;
	if (name > UINT32_MAX || map->entries.nr >= ENTRIES_MAX) {
		map->is_cut = true;
		return 0;
	}
	return vec_try_push(&map->entries, (struct perf_map_entry){ start, (uint32_t)size, (uint32_t)name });
}

/* Value of a hexadecimal digit + 1; 0: not a digit. */
static const unsigned char digits[256] = {
	['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* Reads a hexadecimal number of up to 16 digits and the space after it; otherwise NULL. */
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

/* Adds the entry of a line at `position` in the file; `end` is its newline. Returns 0 or -ENOMEM. */
static int take_line(struct perf_map *map, const char *line, const char *end, uint64_t position)
{
	uint64_t start, size;
	const char *text = take_number(line, end, &start);

	text = text ? take_number(text, end, &size) : NULL;
	if (!text || text == end)
		return 0;
	return add_entry(map, start, size, position + (uint64_t)(text - line));
}

/* Adds the complete lines of a chunk. Returns their bytes. *err: 0 or -ENOMEM. */
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
	_cleanup_(freep) char *chunk = malloc(CHUNK_BYTES);
	int err = chunk ? 0 : -ENOMEM;

	while (!err && !map->is_cut) {
		size_t got = read_at(map->fd, chunk, CHUNK_BYTES, map->done);
		size_t taken = take_lines(map, chunk, got, &err);

		if (!taken && got < CHUNK_BYTES)
			break;
		map->in_long_line |= !taken;
		map->done += taken ? taken : CHUNK_BYTES;
		map->is_cut |= map->done >= MAP_MAX_BYTES;
	}
	return err;
}

#define MAGIC 0x4a695444u
#define DUMP_MAX_BYTES UINT32_MAX /* positions in entries have 32 bits; most of a dump is copies of code */

enum {
	HEADER_MAX_BYTES = 4096,
	WINDOW_BYTES = 16384,
	CODE_LOAD = 0,
	CODE_MOVE = 1,
};

struct file_header {
	uint32_t magic, version, size, machine, unused, pid;
	uint64_t time, flags;
};

struct record_header {
	uint32_t kind, size;
	uint64_t time;
};

/* The name and a copy of the code follow. */
struct code_load {
	struct record_header header;
	uint32_t pid, tid;
	uint64_t unused, address, size, code;
};

struct code_move {
	struct record_header header;
	uint32_t pid, tid;
	uint64_t unused, from, to, size, code;
};

/* The part of the file that was read last. */
struct window {
	int fd;
	uint64_t start;
	size_t nr;
	unsigned char bytes[WINDOW_BYTES];
};

/* Copies `nr_bytes` at a file offset. False if the file is shorter. */
static bool take(struct window *window, uint64_t offset, void *ret_bytes, size_t nr_bytes)
{
	if (offset < window->start || offset + nr_bytes > window->start + window->nr) {
		window->start = offset;
		window->nr = read_at(window->fd, window->bytes, WINDOW_BYTES, offset);
		if (window->nr < nr_bytes)
			return false;
	}
	memcpy(ret_bytes, window->bytes + (offset - window->start), nr_bytes);
	return true;
}

/* Whether the file begins like a jitdump, in this machine's byte order. */
static bool is_jitdump(int fd)
{
	uint32_t magic;

	return read_at(fd, &magic, sizeof(magic), 0) == sizeof(magic) && magic == MAGIC;
}

static int add_load(struct perf_map *map, struct window *window, uint64_t position)
{
	struct code_load load;
	size_t nr = map->entries.nr;
	int err;

	if (!take(window, position, &load, sizeof(load)) || load.header.size <= sizeof(load))
		return 0;
	err = add_entry(map, load.address, load.size, position + sizeof(load));
	if (err || map->entries.nr == nr || (map->codes.nr && vec_last(&map->codes).code >= load.code))
		return err;
	return vec_try_push(&map->codes, (struct perf_map_code){ load.code, (uint32_t)nr });
}

/* Finds the moved code by its number. add_load() keeps only ascending numbers, as compilers write them. */
static int add_move(struct perf_map *map, struct window *window, uint64_t position)
{
	struct code_move move;
	size_t nr;

	if (!take(window, position, &move, sizeof(move)) || move.header.size < sizeof(move))
		return 0;
	nr = vec_nr_first(&map->codes, code, code->code <= move.code);
	if (!nr || map->codes.data[nr - 1].code != move.code)
		return 0;
	return add_entry(map, move.to, move.size, map->entries.data[map->codes.data[nr - 1].entry].name);
}

static int read_records(struct perf_map *map, struct window *window, uint64_t end)
{
	struct record_header header;
	int err = 0;

	while (!err && !map->is_cut && take(window, map->done, &header, sizeof(header))) {
		if (header.size < sizeof(header) || header.size > end - map->done)
			break; /* malformed or incomplete */
		if (header.kind == CODE_LOAD)
			err = add_load(map, window, map->done);
		else if (header.kind == CODE_MOVE)
			err = add_move(map, window, map->done);
		map->done += header.size;
	}
	return err;
}

/* Reads new complete records. After a record shorter than its header, no more are read. Returns 0 or -ENOMEM. */
static int read_dump(struct perf_map *map)
{
	_cleanup_(freep) struct window *window = calloc(1, sizeof(*window));
	off_t size = lseek(map->fd, 0, SEEK_END);
	uint64_t end = size > 0 ? (uint64_t)size : 0;
	struct file_header header;

	if (!window)
		return -ENOMEM;
	window->fd = map->fd;
	map->is_cut |= end > DUMP_MAX_BYTES;
	if (!map->done && take(window, 0, &header, sizeof(header)) && header.magic == MAGIC &&
	    header.size >= sizeof(header) && header.size <= HEADER_MAX_BYTES)
		map->done = header.size;
	return map->done && map->done <= end ? read_records(map, window, end) : 0;
}

/* Reads a name of at most `room` bytes, which ends at a NUL or, in a perf map, with its line. Returns its length. */
static size_t read_name(const struct perf_map *map, const struct perf_map_entry *entry, char *scratch, size_t room)
{
	size_t got = read_at(map->fd, scratch, room, entry->name);
	const char *end = memchr(scratch, map->is_dump ? '\0' : '\n', got);

	return strnlen(scratch, end ? (size_t)(end - scratch) : got);
}

/* The range of an entry: 16 bytes, for radix_sort(). */
struct stretch {
	uint64_t start;
	uint32_t size, entry;
};

/* An entry that starts before the current position of the walk. */
struct claim {
	uint64_t end;
	uint32_t entry;
};

/* A heap, with the latest entry of the map first. An entry that has ended stays until it is first. */
typedef VEC(struct claim) claim_heap;

static int claims_add(claim_heap *claims, struct claim claim)
{
	int err = vec_try_push(claims, claim);
	struct claim *heap = claims->data;
	size_t i = claims->nr - 1;

	if (err)
		return err;
	for (; i && heap[(i - 1) / 2].entry < claim.entry; i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = claim;
	return 0;
}

static void claims_drop_first(claim_heap *claims)
{
	struct claim *heap = claims->data, last = heap[--claims->nr];
	size_t i = 0;

	for (size_t child; (child = 2 * i + 1) < claims->nr; i = child) {
		if (child + 1 < claims->nr && heap[child + 1].entry > heap[child].entry)
			child++;
		if (last.entry > heap[child].entry)
			break;
		heap[i] = heap[child];
	}
	heap[i] = last;
}

/* From `from` to the next bound, addresses belong to `owner`: 1 + an entry's index; 0: none. */
static int add_bound(struct perf_map *map, uint64_t from, uint32_t owner)
{
	int err = 0;

	if (map->owners.nr ? vec_last(&map->owners) == owner : !owner)
		return 0;
	err = vec_try_push(&map->bounds, from);
	return err ?: vec_try_push(&map->owners, owner);
}

/* The two highest ends of the entries that start before the current position. Below `second`, two entries overlap. */
struct ends {
	uint64_t first, second;
};

static void ends_add(struct ends *ends, uint64_t end)
{
	if (end > ends->first) {
		ends->second = ends->first;
		ends->first = end;
	} else if (end > ends->second) {
		ends->second = end;
	}
}

/* Sets the owners in [from, to), where no entry begins. */
static int share_between(struct perf_map *map, claim_heap *claims, const struct ends *ends, uint64_t from, uint64_t to)
{
	int err = 0;

	while (!err && from < to && claims->nr) {
		struct claim first = claims->data[0];
		bool again = from < ends->second;
		uint64_t until = first.end < to ? first.end : to;

		if (first.end <= from) {
			claims_drop_first(claims);
			continue;
		}
		err = add_bound(map, from, (first.entry + 1) | (again ? PERF_MAP_LISTED_AGAIN : 0));
		from = again && ends->second < until ? ends->second : until;
	}
	return err || from == to ? err : add_bound(map, from, 0);
}

/* Whether two entries list the same function. Compares at most `*left` names, and none of more than USUAL_BYTES. */
static bool is_same(const struct perf_map *map, const struct stretch *a, const struct stretch *b, size_t *left)
{
	char name[USUAL_BYTES], other[USUAL_BYTES];
	size_t nr;

	if (a->start != b->start || a->size != b->size || !*left)
		return false;
	--*left;
	nr = read_name(map, &map->entries.data[a->entry], name, sizeof(name));
	return nr < sizeof(name) && read_name(map, &map->entries.data[b->entry], other, sizeof(other)) == nr &&
	       !memcmp(name, other, nr);
}

static int share_sorted(struct perf_map *map, const struct stretch *stretches, size_t nr)
{
	size_t left = COMPARED_MAX;
	claim_heap claims = {};
	struct ends ends = {};
	uint64_t at = 0;
	int err = 0;

	for (size_t i = 0; !err && i < nr; at = stretches[i++].start) {
		const struct stretch *stretch = &stretches[i];

		err = share_between(map, &claims, &ends, at, stretch->start);
		err = err ?: claims_add(&claims, (struct claim){ stretch->start + stretch->size, stretch->entry });
		if (!i || !is_same(map, stretch - 1, stretch, &left))
			ends_add(&ends, stretch->start + stretch->size);
	}
	err = err ?: share_between(map, &claims, &ends, at, UINT64_MAX);
	vec_done(&claims);
	return err;
}

/* Walks the entries by start address: of those that cover an address, the latest of the file owns it. */
static int share_out(struct perf_map *map)
{
	size_t nr = map->entries.nr;
	_cleanup_(freep) struct stretch *stretches = reallocarray(NULL, nr + 1, sizeof(*stretches));
	int err = stretches ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < nr; i++)
		stretches[i] = (struct stretch){ map->entries.data[i].start, map->entries.data[i].size, (uint32_t)i };
	err = err ?: radix_sort(stretches, nr, start);
	map->bounds.nr = map->owners.nr = 0;
	return err ?: share_sorted(map, stretches, nr);
}

/* Drops all entries of a cut map: the unread part may replace any of them. */
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
		map->is_dump = is_jitdump(map->fd);
		nr = SIZE_MAX;
	}
	if (!map->is_cut)
		err = map->is_dump ? read_dump(map) : read_lines(map);
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
	map->is_dump = is_jitdump(map->fd);
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

static uint32_t owner_of(const struct perf_map *map, uint64_t address)
{
	size_t nr = map->owners.nr ? vec_nr_first(&map->bounds, bound, *bound <= address) : 0;

	return nr && address != UINT64_MAX ? map->owners.data[nr - 1] : 0;
}

const struct perf_map_entry *perf_map_lookup(const struct perf_map *map, uint64_t address)
{
	uint32_t owner = owner_of(map, address) & ~PERF_MAP_LISTED_AGAIN;

	return owner ? &map->entries.data[owner - 1] : NULL;
}

bool perf_map_is_listed_again(const struct perf_map *map, uint64_t address)
{
	return owner_of(map, address) & PERF_MAP_LISTED_AGAIN;
}

struct name perf_map_name(const struct perf_map *map, const struct perf_map_entry *entry, char scratch[NAME_MAX_BYTES])
{
	size_t room = NAME_MAX_BYTES, usual, nr;
	struct code_load load;

	if (map->is_dump) {
		if (read_at(map->fd, &load, sizeof(load), entry->name - sizeof(load)) != sizeof(load) ||
		    load.header.size <= sizeof(load))
			return (struct name){ scratch, 0 };
		nr = load.header.size - sizeof(load);
		room = nr < room ? nr : room;
	}
	usual = room < USUAL_BYTES ? room : USUAL_BYTES;
	nr = read_name(map, entry, scratch, usual);
	return (struct name){ scratch, nr < usual ? nr : read_name(map, entry, scratch, room) };
}
