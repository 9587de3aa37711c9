/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/jit_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/vec.h"
#include "core/base/why.h"
#include "core/engine/opener.h"
#include "core/engine/process.h"

enum {
	MAPS_MAX = 128,                /* open at once, here and in the worker */
	PROCESSES_MAX = 4096,
	DUMPS_MAX = 4,                 /* of one process, one after the other */
	RETRY_NS = 500 * 1000 * 1000,  /* a JIT compiler makes code before it opens its map */
};

struct jit_map {
	uint32_t tgid; /* 0: the place is free */
	int fd; /* -1: there is none yet */
	bool has_ended; /* its process: the tgid may be that of another one now */
	uint64_t noted; /* the newer the more */
	uint64_t tried_ns;
	struct opener_request mapping; /* of a jitdump; of a perf map `path` is NULL, otherwise ours */
};

struct jit_maps {
	struct profile *profile;
	struct symbolizer *symbolizer;
	struct buf *why;
	const char *host_root;
	VEC(struct jit_map) maps; /* the position is the number */
	size_t nr_open;
	uint64_t nr_noted;
};

struct jit_maps *jit_maps_new(struct profile *profile, struct symbolizer *symbolizer)
{
	struct jit_maps *maps = xcalloc(1, sizeof(*maps));

	maps->profile = profile;
	maps->symbolizer = symbolizer;
	return maps;
}

void jit_maps_tell(struct jit_maps *maps, struct buf *why)
{
	maps->why = why;
}

void jit_maps_set_host_root(struct jit_maps *maps, const char *host_root)
{
	maps->host_root = host_root;
}

void jit_maps_free(struct jit_maps *maps)
{
	if (!maps)
		return;
	for (size_t i = 0; i < maps->maps.nr; i++) {
		closep(&maps->maps.data[i].fd);
		free((void *)maps->maps.data[i].mapping.path);
	}
	vec_done(&maps->maps);
	free(maps);
}

/* ---- opening ---- */

static bool is_trusted(int fd, uint32_t user, struct buf *why)
{
	struct stat status;
	bool is_right = !fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_nlink <= 1 &&
			(status.st_uid == user || !status.st_uid) && !(status.st_mode & S_IWOTH);

	if (!is_right)
		why_add(why,
			"not believed: owned by neither root nor user %" PRIu32
			", writable for everyone, or with a second name",
			user);
	return is_right;
}

/* Below a root that is the caller's to give; `where` says which one it is. */
static int open_below(int root_fd, const char *where, uint32_t pid, uint32_t user, struct buf *why)
{
	_cleanup_(closep) int root = root_fd, fd = -1;
	char path[64];

	if (root < 0)
		return root;
	snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", pid);
	fd = why_opened(why, path, where, opener_plain_below(root, path));
	if (fd < 0)
		return fd;
	return is_trusted(fd, user, why) ? take_fd(&fd) : -EPERM;
}

static int open_perf_map(const struct jit_maps *maps, uint32_t tgid, uint32_t inner, uint32_t user)
{
	int fd = open_below(opener_root(tgid), "in the root of the process", inner, user, maps->why);

	if (fd < 0 && maps->host_root)
		fd = open_below(opener_host_root(maps->host_root), "in the host's root", tgid, user, maps->why);
	return fd >= 0 ? fd : open_below(opener_root(0), "", tgid, user, maps->why);
}

/* The number in the name of a jitdump; 0 for other files. */
static uint32_t pid_of_dump(const char *path)
{
	const char *slash = strrchr(path, '/');
	uint32_t pid;
	int end = 0;

	if (!slash || sscanf(slash, "/jit-%9" SCNu32 ".dump%n", &pid, &end) != 1 || !end || slash[end])
		return 0;
	return pid;
}

static int open_dump(const struct opener_request *mapping, uint32_t inner, uint32_t user)
{
	_cleanup_(closep) int fd = pid_of_dump(mapping->path) == inner ? opener_open(mapping) : -ESRCH;

	if (fd < 0)
		return fd;
	return is_trusted(fd, user, mapping->why) ? take_fd(&fd) : -EPERM;
}

static void try_open(struct jit_maps *maps, struct jit_map *map, uint64_t now_ns)
{
	uint32_t number = JIT_MAP_FIRST + (uint32_t)(map - maps->maps.data), inner, user;

	map->tried_ns = now_ns;
	if (maps->nr_open >= MAPS_MAX || process_identity(map->tgid, &inner, &user))
		return;
	map->mapping.why = maps->why;
	map->fd = map->mapping.path ? open_dump(&map->mapping, inner, user)
				    : open_perf_map(maps, map->tgid, inner, user);
	if (map->fd < 0)
		return;
	maps->nr_open++;
	symbolizer_add_map(maps->symbolizer, number, fcntl(map->fd, F_DUPFD_CLOEXEC, 0));
}

/* NULL when there are too many. */
static struct jit_map *add(struct jit_maps *maps, const struct opener_request *mapping)
{
	struct jit_map *map = NULL;

	for (size_t i = 0; !map && i < maps->maps.nr; i++)
		if (!maps->maps.data[i].tgid)
			map = &maps->maps.data[i];
	if (!map && maps->maps.nr == PROCESSES_MAX)
		return NULL;
	if (!map) {
		vec_push(&maps->maps, (struct jit_map){});
		map = &vec_last(&maps->maps);
	}
	*map = (struct jit_map){ .tgid = mapping->tgid, .fd = -1, .noted = ++maps->nr_noted, .mapping = *mapping };
	if (mapping->path)
		map->mapping.path = xstrdup(mapping->path);
	return map;
}

/* The symbolizer does not know it: its number is used again. */
static void forget(struct jit_map *map)
{
	free((void *)map->mapping.path);
	*map = (struct jit_map){ .fd = -1 };
}

static bool is_dump_of(const struct jit_map *map, uint32_t tgid)
{
	return map->tgid == tgid && !map->has_ended && map->mapping.path;
}

/* Of a process that makes ever new ones the newest count; what is open stays, because it has given names. */
void jit_maps_note_mapping(struct jit_maps *maps, const struct opener_request *mapping)
{
	struct jit_map *oldest = NULL;
	size_t nr = 0;

	if (!maps->symbolizer || !pid_of_dump(mapping->path))
		return;
	for (size_t i = 0; i < maps->maps.nr; i++) {
		struct jit_map *known = &maps->maps.data[i];

		if (!is_dump_of(known, mapping->tgid))
			continue;
		if (known->mapping.inode == mapping->inode && known->mapping.device == mapping->device)
			return;
		nr++;
		if (known->fd < 0 && (!oldest || known->noted < oldest->noted))
			oldest = known;
	}
	if (nr >= DUMPS_MAX && !oldest)
		return;
	if (nr >= DUMPS_MAX)
		forget(oldest);
	add(maps, mapping);
}

void jit_maps_note_fork(struct jit_maps *maps, uint32_t tgid)
{
	for (size_t i = 0; i < maps->maps.nr; i++) {
		struct jit_map *map = &maps->maps.data[i];

		if (map->tgid != tgid)
			continue;
		if (map->fd < 0)
			forget(map);
		else
			map->has_ended = true;
	}
}

void jit_maps_note(struct jit_maps *maps, uint32_t tgid, uint64_t now_ns)
{
	struct jit_map *perf_map;
	bool has_perf_map = false;

	if (!maps->symbolizer)
		return;
	for (size_t i = 0; i < maps->maps.nr; i++) {
		struct jit_map *map = &maps->maps.data[i];

		if (map->tgid != tgid || map->has_ended)
			continue;
		has_perf_map = has_perf_map || !map->mapping.path;
		if (map->fd < 0 && (!map->tried_ns || now_ns - map->tried_ns >= RETRY_NS))
			try_open(maps, map, now_ns);
	}
	perf_map = has_perf_map ? NULL : add(maps, &(struct opener_request){ .tgid = tgid });
	if (perf_map)
		try_open(maps, perf_map, now_ns);
}

int jit_maps_open_again(const struct jit_maps *maps, uint32_t number)
{
	uint32_t i = number - JIT_MAP_FIRST;
	int fd = i < maps->maps.nr ? fcntl(maps->maps.data[i].fd, F_DUPFD_CLOEXEC, 0) : -1;

	return fd < 0 ? -ENOENT : fd;
}

/* ---- names ---- */

/* The frames of one process. */
struct generated {
	VEC(uint32_t) frames;
	VEC(struct symbol_query) queries;
};

static void generated_done(struct generated *generated)
{
	vec_done(&generated->frames);
	vec_done(&generated->queries);
}

static void collect(const struct profile *profile, uint32_t tgid, struct generated *generated)
{
	for (uint32_t i = 0; i < profile->frames.nr; i++) {
		const struct profile_frame *frame = &profile->frames.data[i];

		if (frame->kind != FRAME_USER_RAW || frame->reason != REASON_ANONYMOUS || frame->space != tgid)
			continue;
		vec_push(&generated->frames, i);
		vec_push(&generated->queries, (struct symbol_query){ .where = frame->where, .exact = frame->exact });
	}
}

static void name_process(struct jit_maps *maps, const struct jit_map *map)
{
	_cleanup_(generated_done) struct generated generated = {};
	_cleanup_(freep) struct symbol_answer *answers = NULL;
	char module[32];

	collect(maps->profile, map->tgid, &generated);
	if (!generated.frames.nr)
		return;
	answers = xcalloc(generated.frames.nr, sizeof(*answers));
	symbolizer_name_file(maps->symbolizer, JIT_MAP_FIRST + (uint32_t)(map - maps->maps.data),
			     generated.queries.data, generated.queries.nr, answers);
	snprintf(module, sizeof(module), map->mapping.path ? "jit-%" PRIu32 ".dump" : "perf-%" PRIu32 ".map",
		 map->tgid);
	for (size_t i = 0; i < generated.frames.nr; i++) {
		struct profile_frame *frame = &maps->profile->frames.data[generated.frames.data[i]];

		if (!answers[i].name)
			continue;
		frame->reason = REASON_NAMED;
		frame->name = profile_add_string(maps->profile, answers[i].name);
		frame->module = profile_add_string(maps->profile, module);
		frame->offset = answers[i].offset;
	}
}

static int by_newest(const void *one, const void *other)
{
	uint64_t one_noted = (*(struct jit_map *const *)one)->noted,
		 other_noted = (*(struct jit_map *const *)other)->noted;

	return (one_noted < other_noted) - (one_noted > other_noted);
}

static void name_by(struct jit_maps *maps, struct jit_map **sorted, bool dumps)
{
	for (size_t i = 0; i < maps->maps.nr; i++) {
		struct jit_map *map = sorted[i];

		if (!map->tgid || dumps != !!map->mapping.path)
			continue;
		if (map->fd < 0)
			try_open(maps, map, map->tried_ns); /* a last chance while it lives */
		if (map->fd >= 0)
			name_process(maps, map);
	}
}

/* Jitdumps first, and of one process the newest first. */
void jit_maps_name_frames(struct jit_maps *maps)
{
	_cleanup_(freep) struct jit_map **sorted = xcalloc(maps->maps.nr + 1, sizeof(*sorted));

	for (size_t i = 0; i < maps->maps.nr; i++)
		sorted[i] = &maps->maps.data[i];
	qsort(sorted, maps->maps.nr, sizeof(struct jit_map *), by_newest);
	name_by(maps, sorted, true);
	name_by(maps, sorted, false);
}
