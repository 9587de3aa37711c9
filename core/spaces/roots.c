/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/spaces/roots.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/vec.h"
#include "core/files/opener.h"

#define MAX_ROOTS 1024 /* anyone can make as many as they like */
#define INIT 1

struct root {
	struct opener_directory directory;
	uint32_t first_tgid,
		last_tgid; /* that were seen in it; a container's first process tends to be its last, too */
};

struct roots {
	struct opener_directory ours;
	VEC(struct root) others; /* number 1 is the first */
};

static int identify(uint32_t tgid, struct opener_directory *ret_directory)
{
	_cleanup_(closep) int fd = opener_root(tgid);

	return fd < 0 ? fd : opener_identify(fd, ret_directory);
}

static bool is_same_directory(const struct opener_directory *one, const struct opener_directory *other)
{
	return one->device == other->device && one->inode == other->inode;
}

static bool is_same(const struct opener_directory *one, const struct opener_directory *other)
{
	return is_same_directory(one, other) && one->mount == other->mount;
}

static uint32_t add(struct roots *roots, const struct opener_directory *directory, uint32_t tgid)
{
	vec_push(&roots->others, (struct root){ .directory = *directory, .first_tgid = tgid, .last_tgid = tgid });
	return (uint32_t)roots->others.nr;
}

/* Where process 1 has another root than we, it is the host's, and gets number 1. */
struct roots *roots_new(void)
{
	struct roots *roots = xcalloc(1, sizeof(*roots));
	struct opener_directory of_init;

	if (!identify(0, &roots->ours) && !identify(INIT, &of_init) && !is_same_directory(&of_init, &roots->ours))
		add(roots, &of_init, INIT);
	return roots;
}

void roots_free(struct roots *roots)
{
	if (!roots)
		return;
	vec_done(&roots->others);
	free(roots);
}

bool roots_of(struct roots *roots, uint32_t tgid, uint32_t *ret_root)
{
	struct opener_directory directory;

	*ret_root = ROOT_OURS;
	if (identify(tgid, &directory))
		return false;
	if (is_same_directory(&directory, &roots->ours))
		return true;
	for (uint32_t i = 0; i < roots->others.nr; i++) {
		struct root *root = &roots->others.data[i];
		bool same = is_same(&root->directory, &directory);

		if (!same && (root->first_tgid != INIT || !is_same_directory(&root->directory, &directory)))
			continue;
		if (same)
			root->last_tgid = tgid;
		*ret_root = i + 1;
		return true;
	}
	if (roots->others.nr >= MAX_ROOTS)
		return false;
	*ret_root = add(roots, &directory, tgid);
	return true;
}

static int open_of(const struct root *root, uint32_t tgid)
{
	_cleanup_(closep) int fd = opener_root(tgid);
	struct opener_directory directory;

	if (fd < 0 || opener_identify(fd, &directory) || !is_same(&root->directory, &directory))
		return -ESRCH;
	return take_fd(&fd);
}

int roots_open(const struct roots *roots, uint32_t root)
{
	const struct root *found = root && root <= roots->others.nr ? &roots->others.data[root - 1] : NULL;
	int fd;

	if (!found)
		return root ? -ESRCH : opener_root(0);
	fd = open_of(found, found->first_tgid);
	return fd >= 0 ? fd : open_of(found, found->last_tgid);
}
