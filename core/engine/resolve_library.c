/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file that a probe is for, opened and handed to the symbol worker.
 *
 * libpthread, libdl, librt, libutil and libanl have become part of the C library (glibc 2.34, and musl from the start). What
 * glibc leaves behind is a file with a placeholder for each version and no function, or no file at all: then the C library
 * is meant.
 */
#include "core/engine/resolve_private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/engine/library.h"
#include "core/engine/opener.h"
#include "core/engine/proc_maps.h"
#include "core/engine/process.h"

uint32_t resolve_single_tgid(const struct plan *plan)
{
	return plan->tgids.nr == 1 ? plan->tgids.data[0] : 0;
}

/* Maps of a process tell paths as they are in its mount namespace, of which its root may be a part. */
static const char *below_root(const char *path, uint32_t tgid)
{
	char link[64], root[PATH_MAX];
	ssize_t nr;

	snprintf(link, sizeof(link), "/proc/%u/root", process_living_task(tgid));
	nr = readlink(link, root, sizeof(root));
	return nr > 0 && (size_t)nr < sizeof(root) && !strncmp(path, root, (size_t)nr) && path[nr] == '/' ? path + nr
													  : path;
}

char *resolve_path_from_here(char *path, uint32_t tgid, int fd)
{
	struct stat theirs, ours;
	char *below;

	if (!tgid || fstat(fd, &theirs))
		return path;
	if (!stat(path, &ours) && ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino)
		return path;
	below = xasprintf("/proc/%u/root%s", tgid, below_root(path, tgid));
	free(path);
	return below;
}

int resolve_add_file(struct symbolizer *symbolizer, struct attach_plan *attach, int fd, struct probed_file *file)
{
	int kept = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (kept < 0) {
		kept = -errno;
		close(fd);
		return kept;
	}
	vec_push(&attach->fds, kept);
	file->fd = kept;
	return symbolizer_add_file(symbolizer, file->number, fd);
}

static int open_library(const char *name, uint32_t tgid, struct symbolizer *symbolizer, struct attach_plan *attach,
			struct probed_file *file)
{
	_cleanup_(freep) char *path = NULL;
	int fd = opener_open_library(name, tgid, &path);
	int err;

	if (fd < 0)
		return fd;
	err = resolve_add_file(symbolizer, attach, fd, file);
	if (err)
		return fail(err, "'%s': cannot be handed to the symbol worker: %s", path, strerror(-err));
	free(file->path);
	file->path = resolve_path_from_here(take_ptr(path), tgid, file->fd);
	return 0;
}

/* "pthread", "libpthread.so.0": a library that is part of the C library by now. */
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

static bool is_placeholder(struct symbolizer *symbolizer, uint32_t file)
{
	_cleanup_(freep) struct symbol_function *functions = NULL;
	size_t nr = 0;

	return !symbolizer_find(symbolizer, file, "^__lib[a-z]+_version_placeholder$", &functions, &nr) && nr;
}

struct mapped_search {
	uint64_t inode;
	const char *name;
	bool found;
};

/* By its name too: what stands in maps for a file of an overlay is not its own inode. */
static void look_at_mapping(void *context, const struct proc_mapping *mapping)
{
	struct mapped_search *search = context;
	const char *slash = strrchr(mapping->path, '/');

	search->found |= mapping->kind == MAPPING_FILE &&
			 (mapping->inode == search->inode || (slash && !strcmp(slash + 1, search->name)));
}

/* False only where the mappings can be read and the file is not among them. */
static bool may_be_mapped(uint32_t tgid, const struct probed_file *file)
{
	const char *slash = strrchr(file->path, '/');
	struct mapped_search search = { .name = slash ? slash + 1 : file->path };
	struct stat status;
	char path[64];
	_cleanup_(closep) int fd = -1;

	snprintf(path, sizeof(path), "/proc/%u/maps", process_living_task(tgid));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(file->fd, &status))
		return true;
	search.inode = status.st_ino;
	return proc_maps_read(fd, look_at_mapping, &search) < 0 || search.found;
}

int resolve_open_target(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach,
			struct probed_file *ret_file)
{
	const char *name = plan->probe.target;
	uint32_t tgid = resolve_single_tgid(plan);
	int err;

	*ret_file = (struct probed_file){ .number = PROBED_FILE, .fd = -1 };
	err = open_library(name, tgid, symbolizer, attach, ret_file);
	if (may_be_merged(name) && (err == -ENOENT || (!err && is_placeholder(symbolizer, PROBED_FILE)))) {
		ret_file->number = PROBED_FILE + 1;
		if (open_library("c", tgid, symbolizer, attach, ret_file))
			return fail(-ENOENT, "'%s': it is part of the C library here, and that is not found", name);
		err_clear();
		err = 0;
		attach_plan_note(attach, "'%s' is part of the C library here: %s is probed", name, ret_file->path);
	} else if (!err && tgid && !plan->command && !may_be_mapped(tgid, ret_file)) {
		attach_plan_note(attach,
				 "process %u has not loaded %s: it is probed, and counts once the process loads it",
				 tgid, ret_file->path);
	}
	return err;
}
