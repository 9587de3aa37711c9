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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/engine/library.h"
#include "core/engine/opener.h"

uint32_t resolve_single_tgid(const struct plan *plan)
{
	return plan->tgids.nr == 1 ? plan->tgids.data[0] : 0;
}

char *resolve_path_from_here(char *path, uint32_t tgid)
{
	_cleanup_(freep) char *below = xasprintf("/proc/%u/root%s", tgid, path);
	struct stat theirs, ours;

	if (!tgid || stat(below, &theirs))
		return path;
	if (!stat(path, &ours) && ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino)
		return path;
	free(path);
	return take_ptr(below);
}

static int open_library(const char *name, uint32_t tgid, struct symbolizer *symbolizer, uint32_t file, char **ret_path)
{
	_cleanup_(freep) char *path = NULL;
	int err = opener_find_library(name, tgid, &path);
	int fd;

	if (err)
		return err;
	fd = opener_open_user(path, tgid);
	if (fd < 0)
		return fd;
	err = symbolizer_add_file(symbolizer, file, fd);
	if (err)
		return fail(err, "'%s': cannot be handed to the symbol worker: %s", path, strerror(-err));
	*ret_path = resolve_path_from_here(take_ptr(path), tgid);
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

int resolve_open_target(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach,
			uint32_t *ret_file, char **ret_path)
{
	const char *name = plan->probe.target;
	uint32_t tgid = resolve_single_tgid(plan);
	_cleanup_(freep) char *path = NULL, *libc = NULL;
	int err = open_library(name, tgid, symbolizer, PROBED_FILE, &path);

	*ret_file = PROBED_FILE;
	if (may_be_merged(name) && (err == -ENOENT || (!err && is_placeholder(symbolizer, PROBED_FILE)))) {
		if (open_library("c", tgid, symbolizer, PROBED_FILE + 1, &libc))
			return fail(-ENOENT, "'%s': it is part of the C library here, and that is not found", name);
		err_clear();
		err = 0;
		snprintf(attach->note, sizeof(attach->note), "'%s' is part of the C library here: %s is probed", name,
			 libc);
		free(path);
		path = take_ptr(libc);
		*ret_file = PROBED_FILE + 1;
	}
	if (err)
		return err;
	*ret_path = take_ptr(path);
	return 0;
}
