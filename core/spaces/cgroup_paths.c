/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/spaces/cgroup_paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/names.h"
#include "core/host/cgroup_target.h"

enum {
	MAX_DIRECTORIES = 20000 /* of a search; more groups than hosts have */
};

static bool has_number(const char *root, const char *path, uint64_t id)
{
	_cleanup_(buf_done) struct buf full = {};
	struct stat st;

	buf_addf(&full, "%s%s", root, path);
	return !stat(buf_text(&full), &st) && S_ISDIR(st.st_mode) && st.st_ino == id;
}

/* ---- the group that the process is in ---- */

/* The line "0::PATH" of /proc/PID/cgroup, or NULL. */
static char *path_of_process(uint32_t tgid)
{
	_cleanup_(fclosep) FILE *file = NULL;
	_cleanup_(freep) char *line = NULL;
	char name[64];
	size_t room = 0;
	ssize_t nr;

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/cgroup", tgid);
	file = fopen(name, "re");
	while (file && (nr = getline(&line, &room, file)) > 0) {
		if (strncmp(line, "0::/", 4) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		return xstrdup(line + 3);
	}
	return NULL;
}

/* ---- the kernel's own index ---- */

/* The path of an open directory below root; NULL when it is nothing of the kind. */
static char *path_below(const char *root, int fd)
{
	char link[64], path[PATH_MAX];
	size_t nr_root = strlen(root);
	ssize_t nr;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	nr = readlink(link, path, sizeof(path) - 1);
	if (nr < 0)
		return NULL;
	path[nr] = '\0';
	if (strncmp(path, root, nr_root) != 0 || (path[nr_root] && path[nr_root] != '/'))
		return NULL;
	return xstrdup(path[nr_root] ? path + nr_root : "/");
}

/*
 * By the number alone, which a search through a host's groups takes long for. "" says that there is no such group any more,
 * which is what whoever makes and removes groups makes us ask; NULL that the kernel does not tell: another file system, before
 * v5.8, or without CAP_DAC_READ_SEARCH.
 */
static char *path_by_handle(const char *root, uint64_t id)
{
	_cleanup_(closep) int mount = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1;
	struct statfs status;
	char *path = NULL;

	if (mount < 0 || fstatfs(mount, &status) || (uint32_t)status.f_type != CGROUP2_SUPER_MAGIC)
		return NULL;
	fd = cgroup_open_number(mount, id);
	if (fd >= 0)
		path = path_below(root, fd);
	return fd == -ESTALE ? xstrdup("") : path;
}

/* ---- a search ---- */

struct search {
	const char *root;
	uint64_t id;
	name_list paths; /* below root, the first is "" */
};

static void search_done(struct search *search)
{
	name_list_done(&search->paths);
}

/* Adds the directories in `path` to the list; true when one has the number, which is then the last. */
static bool look_into(struct search *search, const char *path)
{
	_cleanup_(buf_done) struct buf full = {};
	_cleanup_(closedirp) DIR *directory = NULL;
	const struct dirent *entry;

	buf_addf(&full, "%s%s", search->root, path);
	directory = opendir(buf_text(&full));
	while (directory && (entry = readdir(directory))) {
		if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		vec_push(&search->paths, xasprintf("%s/%s", path, entry->d_name));
		if (entry->d_ino == search->id)
			return true;
	}
	return false;
}

static char *path_by_search(const char *root, uint64_t id)
{
	_cleanup_(search_done) struct search search = { .root = root, .id = id };

	if (has_number(root, "/", id))
		return xstrdup("/");
	vec_push(&search.paths, xstrdup(""));
	for (size_t i = 0; i < search.paths.nr && i < MAX_DIRECTORIES; i++)
		if (look_into(&search, search.paths.data[i]))
			return xstrdup(vec_last(&search.paths));
	return NULL;
}

/* NULL when there is none, or none that can be found. */
static char *path_of(const char *root, uint64_t id, uint32_t tgid)
{
	char *path = tgid ? path_of_process(tgid) : NULL;

	if (!path || !has_number(root, path, id)) {
		free(path);
		path = path_by_handle(root, id);
	}
	return path ? path : path_by_search(root, id);
}

void cgroups_note(struct profile *profile, const char *root, uint64_t id, uint32_t tgid)
{
	_cleanup_(freep) char *path = NULL;

	if (!id || profile_has_cgroup(profile, id))
		return;
	path = root ? path_of(root, id, tgid) : NULL;
	profile_add_cgroup(profile, id, profile_add_string(profile, path ? path : ""));
}
