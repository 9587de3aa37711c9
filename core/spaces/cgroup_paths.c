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
#include "core/base/cleanup.h"
#include "core/base/names.h"
#include "core/host/cgroup_target.h"

enum {
	MAX_DIRECTORIES = 20000 /* per search; hosts have fewer cgroups */
};

static bool has_number(const char *root, const char *path, uint64_t id)
{
	_cleanup_(freep) char *full = xasprintf("%s%s", root, path);
	struct stat st;

	return !stat(full, &st) && S_ISDIR(st.st_mode) && st.st_ino == id;
}

/* "/PATH" from the line "0::/PATH" of /proc/PID/cgroup; NULL: none. */
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

/*
 * Finds the path by the number, which is much faster than a search through all cgroups. "": no such cgroup. NULL: not possible (another
 * file system, before v5.8, or without CAP_DAC_READ_SEARCH), or the directory is not below root.
 */
static char *path_by_handle(const char *root, uint64_t id)
{
	_cleanup_(closep) int mount = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1;
	char link[64], path[PATH_MAX];
	size_t nr_root = strlen(root);
	struct statfs status;
	ssize_t nr;

	if (mount < 0 || fstatfs(mount, &status) || (uint32_t)status.f_type != CGROUP2_SUPER_MAGIC)
		return NULL;
	fd = cgroup_open_number(mount, id);
	if (fd < 0)
		return fd == -ESTALE ? xstrdup("") : NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	nr = readlink(link, path, sizeof(path) - 1);
	if (nr < 0)
		return NULL;
	path[nr] = '\0';
	if (strncmp(path, root, nr_root) != 0 || (path[nr_root] && path[nr_root] != '/'))
		return NULL;
	return xstrdup(path[nr_root] ? path + nr_root : "/");
}

/* Adds the directories in `path`, below root, to the list. True if the last one has the number. */
static bool look_into(const char *root, const char *path, uint64_t id, name_list *paths)
{
	_cleanup_(freep) char *full = xasprintf("%s%s", root, path);
	_cleanup_(closedirp) DIR *directory = opendir(full);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		vec_push(paths, xasprintf("%s/%s", path, entry->d_name));
		if (entry->d_ino == id)
			return true;
	}
	return false;
}

static char *path_by_search(const char *root, uint64_t id)
{
	_cleanup_(name_list_done) name_list paths = {};

	if (has_number(root, "/", id))
		return xstrdup("/");
	vec_push(&paths, xstrdup(""));
	for (size_t i = 0; i < paths.nr && i < MAX_DIRECTORIES; i++)
		if (look_into(root, paths.data[i], id, &paths))
			return xstrdup(vec_last(&paths));
	return NULL;
}

void cgroups_note(struct profile *profile, const char *root, uint64_t id, uint32_t tgid)
{
	_cleanup_(freep) char *path = NULL;

	if (!id || profile_has_cgroup(profile, id))
		return;
	if (root && tgid)
		path = path_of_process(tgid);
	if (root && (!path || !has_number(root, path, id))) {
		free(path);
		path = path_by_handle(root, id) ?: path_by_search(root, id);
	}
	profile_add_cgroup(profile, id, profile_add_string(profile, path ? path : ""));
}
