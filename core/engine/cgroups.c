/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/cgroups.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/buf.h"
#include "core/base/cleanup.h"

enum {
	MAX_DIRECTORIES = 20000 /* of a search; more groups than hosts have */
};

const char *cgroups_root(void)
{
	static const char *const hybrid = "/sys/fs/cgroup/unified";

	return access("/sys/fs/cgroup/unified/cgroup.procs", F_OK) ? "/sys/fs/cgroup" : hybrid;
}

static bool has_number(const char *root, const char *path, uint64_t id)
{
	_cleanup_(buf_done) struct buf full = {};
	struct stat st;

	buf_addf(&full, "%s%s", root, path);
	return !stat(buf_text(&full), &st) && S_ISDIR(st.st_mode) && st.st_ino == id;
}

/* ---- the group that the process is in ---- */

static void filep(FILE **file)
{
	if (*file)
		fclose(*file);
}

/* The line "0::PATH" of /proc/PID/cgroup, or NULL. */
static char *path_of_process(uint32_t tgid)
{
	_cleanup_(filep) FILE *file = NULL;
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

/* ---- a search ---- */

struct search {
	const char *root;
	uint64_t id;
	VEC(char *) paths; /* below root, the first is "" */
};

static void search_done(struct search *search)
{
	for (size_t i = 0; i < search->paths.nr; i++)
		free(search->paths.data[i]);
	vec_done(&search->paths);
}

static void directoryp(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

/* Adds the directories in `path` to the list; true when one has the number, which is then the last. */
static bool look_into(struct search *search, const char *path)
{
	_cleanup_(buf_done) struct buf full = {};
	_cleanup_(directoryp) DIR *directory = NULL;
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

void cgroups_note(struct profile *profile, const char *root, uint64_t id, uint32_t tgid)
{
	_cleanup_(freep) char *path = NULL;

	if (!id || profile_has_cgroup(profile, id))
		return;
	path = tgid ? path_of_process(tgid) : NULL;
	if (!path || !has_number(root, path, id)) {
		free(path);
		path = path_by_search(root, id);
	}
	profile_add_cgroup(profile, id, path ? path : "");
}
