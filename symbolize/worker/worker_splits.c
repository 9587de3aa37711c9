/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/worker/worker_splits.h"

#include "core/base/cleanup.h"

static void close_split(struct split_file *split)
{
	if (split->fd < 0)
		return;
	dwarf_close(&split->dwarf);
	elf_file_done(&split->elf);
	closep(&split->fd);
	split->fd = -1;
}

/* False for a file that is none of the kind. */
static bool open_split(struct split_file *split, struct dwarf *skeletons, int fd)
{
	if (elf_file_open(&split->elf, fd))
		return false;
	if (dwarf_open_split(&split->dwarf, &split->elf, skeletons, DWARF_SMALL_MAX)) {
		elf_file_done(&split->elf);
		return false;
	}
	split->fd = fd;
	return true;
}

/* The next one that is a split file. The caller has few places, so this ends. */
static struct dwarf *open_next(struct worker_splits *splits, struct split_file *split, const char *path,
			       uint32_t *candidate)
{
	const struct build_id none = {};

	for (;;) {
		_cleanup_(closep) int fd = worker_ask_debug(splits->worker, &none, path, candidate);

		if (fd < 0)
			return NULL;
		if (!open_split(split, splits->skeletons, fd))
			continue;
		take_fd(&fd);
		return &split->dwarf;
	}
}

/* The first one counts, and stays open. */
static struct dwarf *open_package(struct worker_splits *splits)
{
	uint32_t candidate = 0;

	if (!splits->package_asked)
		open_next(splits, &splits->package, SYMBOL_PACKAGE, &candidate);
	splits->package_asked = true;
	return splits->package.fd < 0 ? NULL : &splits->package.dwarf;
}

static struct dwarf *open_path(struct dwarf_splits *base, const char *path, uint32_t *candidate)
{
	struct worker_splits *splits = (struct worker_splits *)base;

	if (!strcmp(path, SYMBOL_PACKAGE))
		return (*candidate)++ ? NULL : open_package(splits);
	close_split(&splits->split);
	return debug_link_is_split(path) ? open_next(splits, &splits->split, path, candidate) : NULL;
}

void worker_splits_start(struct worker_splits *splits, struct worker *worker, struct dwarf *skeletons)
{
	*splits = (struct worker_splits){
		.splits = { open_path },
		.worker = worker,
		.skeletons = skeletons,
		.package = { .fd = -1 },
		.split = { .fd = -1 },
	};
	skeletons->splits = &splits->splits;
}

void worker_splits_done(struct worker_splits *splits)
{
	close_split(&splits->package);
	close_split(&splits->split);
	splits->skeletons->splits = NULL;
}
