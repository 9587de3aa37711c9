/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the files that a probe is for, and passes them to the symbol worker.
 *
 * libpthread, libdl, librt, libutil and libanl are part of the C library in glibc from 2.34 on, and in musl. glibc may still install a file
 * of that name, with a placeholder symbol for each version and without functions. Then the C library is probed instead.
 */
#include "core/base/names.h"
#include "core/resolve/file_search.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/files/library.h"
#include "core/files/opener.h"
#include "core/files/proc_maps.h"
#include "core/host/process.h"

char *path_from_here(char *path, uint32_t tgid, int fd)
{
	char link[64], root[PATH_MAX];
	struct stat theirs, ours;
	char *below;
	ssize_t nr;

	if (!tgid || fstat(fd, &theirs))
		return path;
	if (!stat(path, &ours) && ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino)
		return path;
	/* /proc/PID/maps has paths from the root of the mount namespace; the process's root may be below that (chroot). */
	snprintf(link, sizeof(link), "/proc/%u/root", process_living_task(tgid));
	nr = readlink(link, root, sizeof(root));
	if (nr < 0 || (size_t)nr == sizeof(root) || strncmp(path, root, (size_t)nr) || path[nr] != '/')
		nr = 0;
	below = xasprintf("/proc/%u/root%s", tgid, path + nr);
	free(path);
	return below;
}

static int open_library(struct file_search *search, const char *name, uint32_t tgid, size_t *ret_index)
{
	_cleanup_(freep) char *path = NULL;
	int fd = opener_open_library(name, tgid, &path);

	if (fd < 0)
		return fd;
	path = path_from_here(take_ptr(path), tgid, fd);
	return file_search_add(search, fd, take_ptr(path), tgid, ret_index);
}

/* Whether it names a library that may be part of the C library: "pthread", "libpthread.so.0". */
static bool may_be_merged(const char *name)
{
	static const char *const merged[] = { "pthread", "dl", "rt", "util", "anl" };
	const char *stem = strncmp(name, "lib", 3) ? name : name + 3;
	size_t length = strcspn(stem, ".");

	for (size_t i = 0; i < sizeof(merged) / sizeof(merged[0]); i++)
		if (strlen(merged[i]) == length && !strncmp(stem, merged[i], length) &&
		    (stem[length] == '\0' || !strncmp(stem + length, ".so", 3)))
			return true;
	return false;
}

/* Whether the file is the placeholder of a library that is part of the C library now. Such a file is closed. */
static bool is_left_over(struct file_search *search, size_t index, bool is_new)
{
	_cleanup_(freep) struct symbol_function *placeholders = NULL;
	const struct probed_file *file = &search->files.data[index];
	size_t nr = 0;

	if (is_new &&
	    !symbolizer_find(search->symbolizer, file->number, "^__lib[a-z]+_version_placeholder$", &placeholders,
			     &nr) &&
	    nr)
		file_search_close(search, index);
	return file->fd < 0;
}

struct mapped_search {
	uint64_t inode;
	const char *name;
	bool found;
	bool found_deleted; /* another file of that name, which was deleted */
};

/* Compares names too: on overlayfs, the inode in maps may differ from that of fstat(). */
static void look_at_mapping(void *context, const struct proc_mapping *mapping)
{
	struct mapped_search *search = context;
	const char *slash = strrchr(mapping->path, '/');
	bool has_name = slash && !strcmp(slash + 1, search->name);

	if (mapping->kind != MAPPING_FILE)
		return;
	search->found |= mapping->inode == search->inode || (has_name && !mapping->deleted);
	search->found_deleted |= has_name && mapping->deleted;
}

/* False if the mappings can be read and the file is not among them; then *ret_deleted: a deleted file of its name is. */
static bool may_be_mapped(uint32_t tgid, const struct probed_file *file, bool *ret_deleted)
{
	struct mapped_search search = { .name = path_name(file->path) };
	struct stat status;

	if (fstat(file->fd, &status))
		return true;
	search.inode = status.st_ino;
	if (proc_maps_read_of(tgid, look_at_mapping, &search) < 0 || search.found)
		return true;
	*ret_deleted = search.found_deleted;
	return false;
}

static int open_target(struct file_search *search, uint32_t tgid)
{
	const char *name = search->plan->probe.target;
	size_t index = 0;
	int err = open_library(search, name, tgid, &index);

	if (!may_be_merged(name) || (err < 0 && err != -ENOENT) || (err >= 0 && !is_left_over(search, index, err == 1)))
		return err < 0 ? err : 0;
	err = open_library(search, "c", tgid, &index);
	if (err < 0)
		return fail(err, "'%s': this library is part of the C library, which was not found", name);
	attach_plan_note(search->attach, "'%s' is part of the C library: probing %s", name,
			 search->files.data[index].path);
	return 0;
}

/* Adds a note about processes that have not loaded the file. It is probed anyway. */
static void note_not_loaded(struct file_search *search, const struct probed_file *file)
{
	_cleanup_(buf_done) struct buf processes = {};
	size_t nr = 0;

	for (size_t i = 0; i < file->tgids.nr; i++) {
		uint32_t tgid = file->tgids.data[i];
		bool is_deleted = false;

		if (may_be_mapped(tgid, file, &is_deleted))
			continue;
		if (is_deleted)
			attach_plan_note(search->attach, "process %u still uses a deleted '%s', not %s: restart it",
					 tgid, path_name(file->path), file->path);
		else
			buf_addf(&processes, "%s%u", nr++ ? ", " : "", tgid);
	}
	if (nr)
		attach_plan_note(search->attach,
				 "%s %s %s not loaded %s: stacktool probes the library anyway and counts once %s it",
				 nr == 1 ? "process" : "processes", buf_text(&processes), nr == 1 ? "has" : "have",
				 file->path, nr == 1 ? "the process loads" : "they load");
}

/* Processes that have ended are not misses: other messages report them, before and after the run. */
static int open_of_processes(struct file_search *search)
{
	const struct plan *plan = search->plan;
	int err = 0;

	for (size_t i = 0; i < plan->tgids.nr; i++) {
		uint32_t tgid = plan->tgids.data[i];
		_cleanup_(freep) char *cause = NULL;

		err = open_target(search, tgid);
		if (!err || plan->tgids.nr == 1)
			continue;
		cause = xstrdup(err_cause());
		err_clear();
		if (!process_exists(tgid))
			file_search_miss(search, "process %u is not probed: %s", tgid, cause);
		err_clear();
	}
	for (size_t i = 0; plan->tgids.nr > 1 && i < search->files.nr; i++)
		if (search->files.data[i].fd >= 0)
			return 0;
	return plan->tgids.nr == 1 ? err : open_target(search, plan->tgids.data[0]);
}

static int find_each(struct file_search *search, find_places *find, void *context)
{
	struct err_saved first_cause = {};
	int first_err = 0;

	for (size_t i = 0; i < search->files.nr; i++) {
		const struct probed_file *file = &search->files.data[i];
		int err = file->fd < 0 ? 0 : find(search, file, context);

		for (size_t k = 0; err && k < file->tgids.nr; k++)
			file_search_miss(search, "process %u is not probed: %s", file->tgids.data[k], err_cause());
		if (err && !first_err) {
			first_cause = err_save();
			first_err = err;
		}
	}
	err_restore(&first_cause);
	return search->attach->places.nr ? 0 : first_err;
}

int file_search_targets(struct file_search *search, find_places *find, void *context)
{
	const struct plan *plan = search->plan;
	int err = plan->tgids.nr ? open_of_processes(search) : open_target(search, 0);

	if (err)
		return err;
	for (size_t i = 0; !plan->command && i < search->files.nr; i++)
		if (search->files.data[i].fd >= 0)
			note_not_loaded(search, &search->files.data[i]);
	return find_each(search, find, context);
}
