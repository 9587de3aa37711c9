/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/spaces/jit_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/descriptors.h"
#include "core/base/escape.h"
#include "core/base/vec.h"
#include "core/base/why.h"
#include "core/files/opener.h"
#include "core/host/process.h"
#include "core/spaces/frame_reasons.h"

enum {
	HANDED_MAX = 64, /* in the symbol worker at once: it has few descriptors, and reads whole maps */
	OPEN_MIN = 64, /* that may be open here, even if the limit of open files is low */
	PROCESSES_MAX = 4096,
	DUMPS_MAX = 4, /* of one process */
	NR_BUCKETS = 1024,
	RETRY_NS = 500 * 1000 * 1000, /* a JIT compiler generates code before it creates its map */
};

struct jit_map {
	uint32_t tgid; /* 0: the slot is free */
	uint32_t process; /* number of the process (lives.h) */
	uint32_t root; /* of the process: roots.h */
	uint32_t next; /* in its bucket, or in the list of free slots: index + 1; 0: none */
	int fd; /* -1: not open, or closed and to be opened again */
	bool has_ended; /* its tgid may be reused */
	bool was_named; /* frames were named after the process had ended: no more will come */
	bool is_handed; /* the symbolizer has it */
	uint8_t reason; /* enum frame_reason for its code without names */
	uint64_t noted; /* the highest is the newest */
	uint64_t used; /* the highest was used last */
	uint64_t tried_ns;
	struct opener_request mapping; /* of a jitdump, with an owned path; for a perf map the path is NULL */
};

struct jit_maps {
	struct profile *profile;
	struct symbolizer *symbolizer;
	struct buf *why;
	const char *host_root;
	VEC(struct jit_map) maps; /* the index is the number */
	uint32_t buckets[NR_BUCKETS]; /* by tgid: index + 1; 0: none */
	uint32_t free; /* the first free slot: index + 1 */
	size_t nr_open, nr_handed;
	size_t nr_refused_processes; /* processes whose maps were not remembered, because there were too many */
	size_t nr_listed_again; /* named frames at addresses that a map lists more than once */
	size_t nr_refused; /* files that were not trusted */
	char refused[128]; /* the first of them, and why */
	bool limit_raised;
	uint64_t clock; /* for `noted` and `used` */
};

struct jit_maps *jit_maps_new(struct profile *profile, struct symbolizer *symbolizer, const char *host_root,
			      struct buf *why)
{
	struct jit_maps *maps = xcalloc(1, sizeof(*maps));

	maps->profile = profile;
	maps->symbolizer = symbolizer;
	maps->host_root = host_root;
	maps->why = why;
	return maps;
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

/* ---- the table ---- */

static uint32_t position_of(const struct jit_maps *maps, const struct jit_map *map)
{
	return (uint32_t)(map - maps->maps.data);
}

static uint32_t number_of(const struct jit_maps *maps, const struct jit_map *map)
{
	return JIT_MAP_FIRST + position_of(maps, map);
}

/* The next map of this tgid in the list, of any process; NULL: none. */
static struct jit_map *next_of(const struct jit_maps *maps, uint32_t link, uint32_t tgid)
{
	while (link && maps->maps.data[link - 1].tgid != tgid)
		link = maps->maps.data[link - 1].next;
	return link ? &maps->maps.data[link - 1] : NULL;
}

#define for_each_map_of(maps, tgid_, map)                                                            \
	for (struct jit_map *map = next_of(maps, (maps)->buckets[(tgid_) % NR_BUCKETS], tgid_); map; \
	     map = next_of(maps, map->next, tgid_))

static void close_map(struct jit_maps *maps, struct jit_map *map)
{
	maps->nr_open -= map->fd >= 0;
	closep(&map->fd);
}

static void take_back(struct jit_maps *maps, struct jit_map *map)
{
	if (!map->is_handed)
		return;
	symbolizer_drop(maps->symbolizer, number_of(maps, map));
	map->is_handed = false;
	maps->nr_handed--;
}

static void forget(struct jit_maps *maps, struct jit_map *map)
{
	uint32_t *link = &maps->buckets[map->tgid % NR_BUCKETS];

	while (*link != position_of(maps, map) + 1)
		link = &maps->maps.data[*link - 1].next;
	*link = map->next;
	take_back(maps, map);
	close_map(maps, map);
	free((void *)map->mapping.path);
	*map = (struct jit_map){ .fd = -1, .next = maps->free };
	maps->free = position_of(maps, map) + 1;
}

static bool has_ended(struct jit_map *map)
{
	map->has_ended = map->has_ended || process_has_ended(map->tgid);
	return map->has_ended;
}

/* Forgets maps of ended processes that were never opened. */
static void forget_empty(struct jit_maps *maps)
{
	for (size_t i = 0; i < maps->maps.nr; i++) {
		struct jit_map *map = &maps->maps.data[i];

		if (map->tgid && map->fd < 0 && !map->is_handed && has_ended(map))
			forget(maps, map);
	}
}

/* Adds a map that is not open yet; NULL if there are too many. */
static struct jit_map *add(struct jit_maps *maps, uint32_t process, const struct opener_request *mapping)
{
	uint32_t *bucket = &maps->buckets[mapping->tgid % NR_BUCKETS];
	struct jit_map *map;

	if (!maps->free && maps->maps.nr == PROCESSES_MAX)
		forget_empty(maps);
	if (!maps->free && maps->maps.nr == PROCESSES_MAX) {
		maps->nr_refused_processes++;
		return NULL;
	}
	if (!maps->free) {
		vec_push(&maps->maps, (struct jit_map){});
		maps->free = (uint32_t)maps->maps.nr;
	}
	map = &maps->maps.data[maps->free - 1];
	maps->free = map->next;
	*map = (struct jit_map){
		.tgid = mapping->tgid,
		.process = process,
		.fd = -1,
		.reason = REASON_ANONYMOUS,
		.noted = ++maps->clock,
		.used = maps->clock,
		.mapping = *mapping,
		.next = *bucket,
	};
	*bucket = position_of(maps, map) + 1;
	if (mapping->path)
		map->mapping.path = xstrdup(mapping->path);
	return map;
}

/* ---- opening ---- */

/* Why a file is not trusted; NULL if it is. */
static const char *distrust(int fd, uint32_t user)
{
	struct stat status;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		return "not a regular file";
	if (status.st_nlink > 1)
		return "it has a second hard link";
	if (status.st_uid != user && status.st_uid)
		return "it belongs neither to the user of its process nor to root";
	return status.st_mode & S_IWOTH ? "it is world-writable" : NULL;
}

/*
 * Takes ownership of a descriptor, or gets the error of opening it. Returns the descriptor if the file is trusted, else a negative errno. A
 * file that is not trusted gives the map its reason, and the first one is kept for a message. A missing or empty map does not: its code
 * stays REASON_ANONYMOUS.
 */
static int believe(struct jit_maps *maps, struct jit_map *map, const char *path, int opened, uint32_t user)
{
	_cleanup_(closep) int fd = opened;
	bool is_special = opened == -EINVAL || opened == -ELOOP;
	const char *why = fd < 0 ? is_special ? "not a regular file, or a symbolic link" : strerror(-fd)
				 : distrust(fd, user);
	int err = fd < 0 ? fd : -EPERM;
	uint8_t reason = REASON_MAP_REFUSED;

	if (!why)
		return take_fd(&fd);
	if (fd >= 0)
		why_add(maps->why, "not trusted: %s", why);
	if (err == -EMFILE || err == -ENFILE)
		reason = REASON_NO_DESCRIPTORS;
	else if (err == -EFBIG)
		reason = REASON_MAP_CUT;
	if (err == -ENOENT || err == -ENOTDIR || err == -ESRCH || err == -ENOEXEC || map->reason == reason)
		return err;
	map->reason = reason;
	if (reason == REASON_MAP_REFUSED && !maps->nr_refused++)
		snprintf(maps->refused, sizeof(maps->refused), "%s of process %" PRIu32 ": %s", path, map->tgid, why);
	return err;
}

/* Opens the perf map below a root. Takes ownership of the root's descriptor, which may be an error. `where` describes the root. */
static int open_below(struct jit_maps *maps, struct jit_map *map, int root_fd, const char *where, uint32_t pid,
		      uint32_t user)
{
	_cleanup_(closep) int root = root_fd;
	char path[64];

	if (root < 0)
		return root;
	snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", pid);
	return believe(maps, map, path, why_opened(maps->why, path, where, opener_file_below(root, path, O_NOFOLLOW)),
		       user);
}

static int open_perf_map(struct jit_maps *maps, struct jit_map *map, uint32_t inner, uint32_t user)
{
	int fd = open_below(maps, map, opener_root(map->tgid), "in the root of the process", inner, user);

	if (fd < 0 && maps->host_root)
		fd = open_below(maps, map, opener_host_root(maps->host_root), "in the host's root", map->tgid, user);
	return fd >= 0 ? fd : open_below(maps, map, opener_root(0), "", map->tgid, user);
}

/* The number in the file name of a jitdump; 0: not a jitdump. */
static uint32_t pid_of_dump(const char *path)
{
	const char *slash = strrchr(path, '/');
	uint32_t pid;
	int end = 0;

	if (!slash || sscanf(slash, "/jit-%9" SCNu32 ".dump%n", &pid, &end) != 1 || !end || slash[end])
		return 0;
	return pid;
}

static size_t open_max(void)
{
	struct rlimit limit;
	size_t quarter = getrlimit(RLIMIT_NOFILE, &limit) ? 0 : limit.rlim_cur / 4;

	return quarter < OPEN_MIN ? OPEN_MIN : quarter < PROCESSES_MAX ? quarter : PROCESSES_MAX;
}

/* The open map to close: the least used one of a living process, because it can be opened again; else of an ended process. */
static struct jit_map *least_used(struct jit_maps *maps)
{
	struct jit_map *least[2] = {};

	for (size_t i = 0; i < maps->maps.nr; i++) {
		struct jit_map *map = &maps->maps.data[i], **best;

		if (map->fd < 0)
			continue;
		best = &least[has_ended(map)];
		if (!*best || map->used < (*best)->used)
			*best = map;
	}
	return least[0] ? least[0] : least[1];
}

static void make_room(struct jit_maps *maps)
{
	struct jit_map *map;

	if (maps->nr_open >= open_max() && !maps->limit_raised) {
		descriptors_allow(PROCESSES_MAX);
		maps->limit_raised = true;
	}
	if (maps->nr_open < open_max())
		return;
	map = least_used(maps);
	if (map->has_ended)
		map->reason = REASON_TOO_MANY_MAPS;
	close_map(maps, map);
}

/* Passes the map to the symbol worker, which reads it when it gets it. */
static void hand_over(struct jit_maps *maps, struct jit_map *map)
{
	int fd = fcntl(map->fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0) {
		map->reason = REASON_NO_DESCRIPTORS;
		return;
	}
	symbolizer_add_map(maps->symbolizer, number_of(maps, map), fd, map->root);
	map->is_handed = true;
	maps->nr_handed++;
}

static void try_open(struct jit_maps *maps, struct jit_map *map, uint64_t now_ns)
{
	uint32_t inner, user;

	map->tried_ns = now_ns;
	if (map->has_ended || process_identity(map->tgid, &inner, &user))
		return;
	make_room(maps);
	if (!map->mapping.path)
		map->fd = open_perf_map(maps, map, inner, user);
	else if (pid_of_dump(map->mapping.path) == inner)
		map->fd = believe(maps, map, map->mapping.path, opener_open(&map->mapping), user);
	if (map->fd < 0)
		return;
	map->reason = REASON_ANONYMOUS;
	maps->nr_open++;
	if (!map->is_handed && maps->nr_handed < HANDED_MAX)
		hand_over(maps, map);
}

/* ---- processes ---- */

/* Keeps only the newest dumps of a process, and those that were opened, because they may have given names. */
void jit_maps_note_mapping(struct jit_maps *maps, uint32_t tgid, uint32_t process, const struct proc_mapping *mapping)
{
	const struct opener_request request = {
		.tgid = tgid,
		.start = mapping->start,
		.end = mapping->end,
		.path = mapping->path,
		.device = mapping->device,
		.inode = mapping->inode,
		.why = maps->why,
	};
	struct jit_map *oldest = NULL;
	size_t nr = 0;

	if (!maps->symbolizer || !pid_of_dump(mapping->path))
		return;
	for_each_map_of(maps, tgid, known)
	{
		if (known->has_ended || known->process != process || !known->mapping.path)
			continue;
		if (known->mapping.inode == mapping->inode && known->mapping.device == mapping->device)
			return;
		nr++;
		if (known->fd < 0 && !known->is_handed && (!oldest || known->noted < oldest->noted))
			oldest = known;
	}
	if (nr >= DUMPS_MAX && !oldest)
		return;
	if (nr >= DUMPS_MAX)
		forget(maps, oldest);
	add(maps, process, &request);
}

void jit_maps_note_fork(struct jit_maps *maps, uint32_t tgid)
{
	uint32_t link = maps->buckets[tgid % NR_BUCKETS];

	while (link) {
		struct jit_map *map = &maps->maps.data[link - 1];

		link = map->next;
		if (map->tgid != tgid)
			continue;
		if (map->fd < 0 && !map->is_handed)
			forget(maps, map);
		else
			map->has_ended = true;
	}
}

void jit_maps_note(struct jit_maps *maps, uint32_t tgid, uint32_t process, uint32_t root, uint64_t now_ns)
{
	struct jit_map *perf_map;
	bool has_perf_map = false;

	if (!maps->symbolizer)
		return;
	for_each_map_of(maps, tgid, map)
	{
		if (map->has_ended || map->process != process)
			continue;
		has_perf_map = has_perf_map || !map->mapping.path;
		map->used = ++maps->clock;
		map->root = root;
		if (map->fd < 0 && (!map->tried_ns || now_ns - map->tried_ns >= RETRY_NS))
			try_open(maps, map, now_ns);
	}
	perf_map = has_perf_map ? NULL : add(maps, process, &(struct opener_request){ .tgid = tgid });
	if (!perf_map)
		return;
	perf_map->root = root;
	try_open(maps, perf_map, now_ns);
}

int jit_maps_open_again(struct jit_maps *maps, uint32_t number)
{
	uint32_t i = number - JIT_MAP_FIRST;
	struct jit_map *map = i < maps->maps.nr ? &maps->maps.data[i] : NULL;
	int fd;

	if (map && map->is_handed && map->fd < 0) /* `is_handed`: so try_open() does not pass it to the worker */
		try_open(maps, map, map->tried_ns);
	fd = map ? fcntl(map->fd, F_DUPFD_CLOEXEC, 0) : -1;
	return fd < 0 ? -ENOENT : fd;
}

/* ---- names ---- */

/* A frame of generated code without a name. */
struct waiting_frame {
	uint32_t tgid, frame;
};

typedef VEC(struct waiting_frame) waiting_list; /* sorted by tgid */

/* Whether a map may name the frame later: a newer one, or the same one when it has grown. */
static bool waits(const struct profile_frame *frame)
{
	return frame->kind == FRAME_USER_RAW &&
	       (frame->reason == REASON_ANONYMOUS || frame->reason == REASON_MAP_REFUSED ||
		frame->reason == REASON_MAP_CUT || frame->reason == REASON_TOO_MANY_MAPS ||
		frame->reason == REASON_NO_DESCRIPTORS || frame->reason == REASON_NO_MEMORY);
}

static int by_tgid(const void *one, const void *other)
{
	const struct waiting_frame *a = one, *b = other;

	if (a->tgid != b->tgid)
		return a->tgid < b->tgid ? -1 : 1;
	return (a->frame > b->frame) - (a->frame < b->frame);
}

/* Unnamed frames of one process. */
struct generated {
	VEC(uint32_t) frames;
	VEC(struct symbol_query) queries;
};

static void generated_done(struct generated *generated)
{
	vec_done(&generated->frames);
	vec_done(&generated->queries);
}

static struct generated frames_of(const struct profile *profile, const waiting_list *waiting, const struct jit_map *map)
{
	const uint32_t tgid = map->tgid;
	struct generated generated = {};

	for (size_t at = vec_nr_first(waiting, other, other->tgid < tgid);
	     at < waiting->nr && waiting->data[at].tgid == tgid; at++) {
		uint32_t i = waiting->data[at].frame;
		const struct profile_frame *frame = &profile->frames.data[i];

		if (!waits(frame) || frame->process != map->process)
			continue;
		vec_push(&generated.frames, i);
		vec_push(&generated.queries, (struct symbol_query){ .where = frame->where, .exact = frame->exact });
	}
	return generated;
}

/* Removes maps from the symbolizer, except `kept`, the least used first, until it has at most `nr`. */
static void take_back_others(struct jit_maps *maps, const struct jit_map *kept, size_t nr)
{
	while (maps->nr_handed > nr) {
		struct jit_map *least = NULL;

		for (size_t i = 0; i < maps->maps.nr; i++) {
			struct jit_map *map = &maps->maps.data[i];

			if (map->is_handed && map != kept && (!least || map->used < least->used))
				least = map;
		}
		if (!least)
			return;
		take_back(maps, least);
	}
}

/* Opens the map and passes it to the symbolizer, if needed. Returns whether the symbolizer has it. */
static bool is_ready(struct jit_maps *maps, struct jit_map *map)
{
	if (map->fd < 0 && !map->is_handed)
		try_open(maps, map, map->tried_ns);
	if (map->fd >= 0 && !map->is_handed) {
		take_back_others(maps, map, HANDED_MAX - 1);
		hand_over(maps, map);
	}
	return map->is_handed;
}

static enum symbol_status ask(struct jit_maps *maps, const struct jit_map *map, const struct generated *generated,
			      struct symbol_answer *ret_answers)
{
	symbolizer_name_file(maps->symbolizer, number_of(maps, map), generated->queries.data, generated->queries.nr,
			     ret_answers);
	for (size_t i = 0; i < generated->queries.nr; i++)
		if (ret_answers[i].status != SYMBOL_OK && ret_answers[i].status != SYMBOL_NOT_FOUND)
			return ret_answers[i].status;
	return SYMBOL_OK;
}

static void take_answers(struct jit_maps *maps, const struct jit_map *map, const struct generated *generated,
			 const struct symbol_answer *answers)
{
	char module[32];

	snprintf(module, sizeof(module), map->mapping.path ? "jit-%" PRIu32 ".dump" : "perf-%" PRIu32 ".map",
		 map->tgid);
	for (size_t i = 0; i < generated->frames.nr; i++) {
		struct profile_frame *frame = &maps->profile->frames.data[generated->frames.data[i]];

		if (!answers[i].name)
			continue;
		frame->reason = REASON_NAMED;
		frame->name = profile_add_string(maps->profile, answers[i].name);
		frame->module = profile_add_string(maps->profile, module);
		frame->offset = answers[i].offset;
		maps->nr_listed_again += answers[i].listed_again;
	}
}

/* If the worker has too little memory for all maps, it may have enough for one. */
static void name_process(struct jit_maps *maps, struct jit_map *map, const waiting_list *waiting)
{
	_cleanup_(generated_done) struct generated generated = frames_of(maps->profile, waiting, map);
	_cleanup_(freep) struct symbol_answer *answers = NULL;
	enum symbol_status status;

	if (!generated.frames.nr || !is_ready(maps, map))
		return;
	map->used = ++maps->clock;
	answers = xcalloc(generated.frames.nr, sizeof(*answers));
	status = ask(maps, map, &generated, answers);
	if ((status == SYMBOL_NO_MEMORY || status == SYMBOL_NO_DESCRIPTORS) && map->fd >= 0) {
		take_back_others(maps, NULL, 0);
		hand_over(maps, map);
		if (!map->is_handed) /* `reason` is set */
			return;
		status = ask(maps, map, &generated, answers);
	}
	map->reason = status == SYMBOL_OK ? REASON_ANONYMOUS : (uint8_t)frame_reason_of(status, false);
	take_answers(maps, map, &generated, answers);
}

/* Jitdumps first, then the newest first. */
static int by_weight(const void *one, const void *other)
{
	const struct jit_map *a = *(struct jit_map *const *)one, *b = *(struct jit_map *const *)other;

	if (!a->mapping.path != !b->mapping.path)
		return a->mapping.path ? -1 : 1;
	return (a->noted < b->noted) - (a->noted > b->noted);
}

/* Why the maps of its process have not named this frame. */
static uint8_t reason_by_maps(const struct jit_maps *maps, const struct profile_frame *frame)
{
	bool is_known = false;

	for_each_map_of(maps, frame->tgid, map)
	{
		if (map->process != frame->process)
			continue;
		if (map->reason != REASON_ANONYMOUS)
			return map->reason;
		is_known = true;
	}
	return is_known || !maps->nr_refused_processes ? REASON_ANONYMOUS : REASON_TOO_MANY_MAPS;
}

/* Forgets the maps of processes that had ended before frames were last named: all their records have been read by now. */
static void forget_ended(struct jit_maps *maps)
{
	for (size_t i = 0; i < maps->maps.nr; i++) {
		struct jit_map *map = &maps->maps.data[i];

		if (map->tgid && map->was_named)
			forget(maps, map);
		else if (map->tgid)
			map->was_named = has_ended(map);
	}
}

void jit_maps_name_frames(struct jit_maps *maps)
{
	_cleanup_(freep) struct jit_map **sorted = xcalloc(maps->maps.nr + 1, sizeof(*sorted));
	waiting_list waiting = {};

	for (uint32_t i = 0; i < maps->profile->frames.nr; i++)
		if (waits(&maps->profile->frames.data[i]))
			vec_push(&waiting, (struct waiting_frame){ maps->profile->frames.data[i].tgid, i });
	if (waiting.nr)
		qsort(waiting.data, waiting.nr, sizeof(*waiting.data), by_tgid);
	for (size_t i = 0; i < maps->maps.nr; i++)
		sorted[i] = &maps->maps.data[i];
	qsort(sorted, maps->maps.nr, sizeof(struct jit_map *), by_weight);
	for (size_t i = 0; i < maps->maps.nr; i++)
		if (sorted[i]->tgid)
			name_process(maps, sorted[i], &waiting);
	for (size_t i = 0; i < waiting.nr; i++) {
		struct profile_frame *frame = &maps->profile->frames.data[waiting.data[i].frame];

		if (waits(frame))
			frame->reason = reason_by_maps(maps, frame);
	}
	forget_ended(maps);
	vec_done(&waiting);
}

void jit_maps_add_note(const struct jit_maps *maps, struct buf *text)
{
	if (maps->nr_listed_again)
		buf_addf(
			text,
			maps->nr_listed_again == 1
				? "%zu frame of generated code is at an address that was listed more than once: it is named by the last entry"
				: "%zu frames of generated code are at addresses that were listed more than once: each is named by the last entry",
			maps->nr_listed_again);
	if (!maps->nr_refused)
		return;
	buf_adds(text, text->nr ? "; perf map not used: " : "perf map not used: ");
	escape_add(text, maps->refused, ESCAPE_NAME);
	if (maps->nr_refused > 1)
		buf_addf(text, "; and %zu more", maps->nr_refused - 1);
}
