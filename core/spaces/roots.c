/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/spaces/roots.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/vec.h"
#include "core/files/opener.h"

#define NR_LOOKED_AT 16 /* least recently used roots to check for one that can be released */
#define INIT 1

struct root {
	struct opener_directory directory;
	uint32_t number;
	uint32_t first_tgid,
		last_tgid; /* processes seen in it; the first process of a container often stays to the end */
	uint64_t used; /* value of `nr_uses` at its last use */
};

struct roots {
	struct opener_directory ours;
	VEC(struct root) others; /* at most ROOTS_MAX, because any user can make roots */
	uint32_t last_number; /* numbers are not reused: lives and files refer to them */
	uint64_t nr_uses;
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
	const struct root new = {
		.directory = *directory,
		.number = ++roots->last_number,
		.first_tgid = tgid,
		.last_tgid = tgid,
		.used = ++roots->nr_uses,
	};

	vec_push(&roots->others, new);
	return new.number;
}

/* If the root of process 1 is not ours, it is the host's root and gets number 1. */
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

static int open_of(const struct root *root, uint32_t tgid)
{
	_cleanup_(closep) int fd = opener_root(tgid);
	struct opener_directory directory;

	if (fd < 0 || opener_identify(fd, &directory) || !is_same(&root->directory, &directory))
		return -ESRCH;
	return take_fd(&fd);
}

static int open_root(const struct root *root)
{
	int fd = open_of(root, root->first_tgid);

	return fd >= 0 ? fd : open_of(root, root->last_tgid);
}

static struct root *least_recently_used(struct roots *roots)
{
	struct root *oldest = &roots->others.data[0];

	for (size_t i = 1; i < roots->others.nr; i++)
		if (roots->others.data[i].used < oldest->used)
			oldest = &roots->others.data[i];
	return oldest;
}

/*
 * Releases one of the NR_LOOKED_AT least recently used roots: one without processes, which roots_open() could not open any more. A root
 * that has a process counts as just used, so that the next call checks others. False: none was released.
 */
static bool make_room(struct roots *roots)
{
	for (int i = 0; i < NR_LOOKED_AT; i++) {
		struct root *root = least_recently_used(roots);
		_cleanup_(closep) int fd = open_root(root);

		root->used = ++roots->nr_uses;
		if (fd >= 0 || root->first_tgid == INIT)
			continue;
		*root = vec_last(&roots->others);
		roots->others.nr--;
		return true;
	}
	return false;
}

bool roots_of(struct roots *roots, uint32_t tgid, uint32_t *ret_root)
{
	struct opener_directory directory;

	*ret_root = ROOT_OURS;
	if (identify(tgid, &directory))
		return false;
	if (is_same_directory(&directory, &roots->ours))
		return true;
	for (size_t i = 0; i < roots->others.nr; i++) {
		struct root *root = &roots->others.data[i];
		bool same = is_same(&root->directory, &directory);

		if (!same && (root->first_tgid != INIT || !is_same_directory(&root->directory, &directory)))
			continue;
		if (same)
			root->last_tgid = tgid;
		root->used = ++roots->nr_uses;
		*ret_root = root->number;
		return true;
	}
	if (roots->last_number == UINT32_MAX || (roots->others.nr >= ROOTS_MAX && !make_room(roots)))
		return false;
	*ret_root = add(roots, &directory, tgid);
	return true;
}

int roots_open(struct roots *roots, uint32_t root)
{
	if (root == ROOT_OURS)
		return opener_root(0);
	for (size_t i = 0; i < roots->others.nr; i++) {
		if (roots->others.data[i].number != root)
			continue;
		roots->others.data[i].used = ++roots->nr_uses;
		return open_root(&roots->others.data[i]);
	}
	return -ESRCH;
}
