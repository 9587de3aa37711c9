/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/jit/jitdump.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MAGIC 0x4a695444u
#define FILE_MAX_BYTES UINT32_MAX /* copies of code are most of it; entries tell positions in 32 bits */

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

/* Its name follows, and then a copy of the code. */
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

/* A piece of the file. */
struct window {
	const struct perf_map *map;
	uint64_t start;
	size_t nr;
	unsigned char bytes[WINDOW_BYTES];
};

static size_t read_at(int fd, void *bytes, size_t nr_bytes, uint64_t offset)
{
	ssize_t got;

	do
		got = pread(fd, bytes, nr_bytes, (off_t)offset);
	while (got < 0 && errno == EINTR);
	return got > 0 ? (size_t)got : 0;
}

/* Copies what is at an offset; false when the file does not have as much. */
static bool take(struct window *window, uint64_t offset, void *ret_bytes, size_t nr_bytes)
{
	if (offset < window->start || offset + nr_bytes > window->start + window->nr) {
		window->start = offset;
		window->nr = read_at(window->map->fd, window->bytes, WINDOW_BYTES, offset);
		if (window->nr < nr_bytes)
			return false;
	}
	memcpy(ret_bytes, window->bytes + (offset - window->start), nr_bytes);
	return true;
}

bool jitdump_is(int fd)
{
	uint32_t magic;

	return read_at(fd, &magic, sizeof(magic), 0) == sizeof(magic) && magic == MAGIC;
}

/* ---- records ---- */

static int add_load(struct perf_map *map, struct window *window, uint64_t position)
{
	struct code_load load;
	size_t nr = map->entries.nr;
	int err;

	if (!take(window, position, &load, sizeof(load)) || load.header.size <= sizeof(load))
		return 0;
	err = perf_map_add(map, load.address, load.size, position + sizeof(load));
	if (err || map->entries.nr == nr || (map->codes.nr && vec_last(&map->codes).code >= load.code))
		return err;
	return vec_try_push(&map->codes, (struct perf_map_code){ load.code, (uint32_t)nr });
}

/* Compilers count their codes: the numbers of loads ascend, and one that does not is not found. */
static int add_move(struct perf_map *map, struct window *window, uint64_t position)
{
	struct code_move move;
	size_t nr;

	if (!take(window, position, &move, sizeof(move)) || move.header.size < sizeof(move))
		return 0;
	nr = vec_nr_first(&map->codes, code, code->code <= move.code);
	if (!nr || map->codes.data[nr - 1].code != move.code)
		return 0;
	return perf_map_add(map, move.to, move.size, map->entries.data[map->codes.data[nr - 1].entry].name);
}

static int add_record(struct perf_map *map, struct window *window, uint64_t position, uint32_t kind)
{
	if (kind == CODE_LOAD)
		return add_load(map, window, position);
	return kind == CODE_MOVE ? add_move(map, window, position) : 0;
}

static bool skip_header(struct perf_map *map, struct window *window)
{
	struct file_header header;

	if (map->done)
		return true;
	if (!take(window, 0, &header, sizeof(header)) || header.magic != MAGIC || header.size < sizeof(header) ||
	    header.size > HEADER_MAX_BYTES)
		return false;
	map->done = header.size;
	return true;
}

static int read_records(struct perf_map *map, struct window *window, uint64_t end)
{
	struct record_header header;
	int err = 0;

	while (!err && !map->is_cut && take(window, map->done, &header, sizeof(header))) {
		if (header.size < sizeof(header) || header.size > end - map->done)
			break; /* nonsense, or not complete yet */
		err = add_record(map, window, map->done, header.kind);
		map->done += header.size;
	}
	return err;
}

int jitdump_read(struct perf_map *map)
{
	struct window *window = malloc(sizeof(*window));
	off_t size = lseek(map->fd, 0, SEEK_END);
	uint64_t end = size > 0 ? (uint64_t)size : 0;
	int err = 0;

	if (!window)
		return -ENOMEM;
	window->map = map;
	window->nr = 0;
	window->start = 0;
	if (end > FILE_MAX_BYTES) {
		end = FILE_MAX_BYTES;
		map->is_cut = true;
	}
	if (skip_header(map, window) && map->done <= end)
		err = read_records(map, window, end);
	free(window);
	return err;
}

size_t jitdump_name_room(const struct perf_map *map, const struct perf_map_entry *entry)
{
	struct code_load load;

	if (read_at(map->fd, &load, sizeof(load), entry->name - sizeof(load)) != sizeof(load) ||
	    load.header.size <= sizeof(load))
		return 0;
	return load.header.size - sizeof(load);
}
