/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each name is opened in the directory before it, with O_PATH and without following it. The text of a link is read from the descriptor that
 * was checked. ".." returns to the descriptor of the directory before, so moving a directory meanwhile cannot lead out of the root.
 */
#include "core/files/path_below.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "core/base/cleanup.h"

#ifndef ST_NOSYMFOLLOW
#define ST_NOSYMFOLLOW 0x2000 /* linux/statfs.h, v5.10 */
#endif

enum {
	MAX_DEPTH = 128,
	MAX_LINKS = 40, /* MAXSYMLINKS of the kernel */
};

struct walk {
	int directories[MAX_DEPTH]; /* [0] is the root, owned by the caller */
	size_t depth; /* number of directories */
	unsigned int nr_links;
	char rest[PATH_MAX]; /* part of the path that is not resolved yet */
};

static void go_up(struct walk *walk, size_t depth)
{
	while (walk->depth > depth)
		close(walk->directories[--walk->depth]);
}

static void end_walk(struct walk *walk)
{
	go_up(walk, 1);
}

/* Takes the next name from the rest. False at the end, or with *ret_err -ENAMETOOLONG. */
static bool next_name(struct walk *walk, char ret_name[NAME_MAX + 1], int *ret_err)
{
	const char *start = walk->rest + strspn(walk->rest, "/");
	size_t length = strcspn(start, "/");

	*ret_err = length > NAME_MAX ? -ENAMETOOLONG : 0;
	if (!length || *ret_err)
		return false;
	memcpy(ret_name, start, length);
	ret_name[length] = '\0';
	memmove(walk->rest, start + length, strlen(start + length) + 1);
	return true;
}

/* Inserts the target of the link before the rest. */
static int follow(struct walk *walk, int link_fd)
{
	size_t length = strlen(walk->rest);
	char text[PATH_MAX];
	struct statfs system;
	ssize_t nr;

	if (++walk->nr_links > MAX_LINKS || fstatfs(link_fd, &system) || system.f_type == PROC_SUPER_MAGIC ||
	    system.f_flags & ST_NOSYMFOLLOW)
		return -ELOOP;
	nr = readlinkat(link_fd, "", text, sizeof(text));
	if (nr <= 0)
		return nr ? -errno : -ENOENT;
	if ((size_t)nr + length >= sizeof(walk->rest))
		return -ENAMETOOLONG;
	if (text[0] == '/')
		go_up(walk, 1);
	memmove(walk->rest + nr, walk->rest, length + 1);
	memcpy(walk->rest, text, (size_t)nr);
	return 0;
}

/* Asks no file system daemon. */
static int type_of(int fd, mode_t *ret_mode)
{
	struct statx status;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &status))
		return -errno;
	*ret_mode = status.stx_mode;
	return 0;
}

static int step(struct walk *walk, const char *name, bool follows_last)
{
	_cleanup_(closep) int fd = -1;
	mode_t mode;

	if (!strcmp(name, "."))
		return 0;
	if (!strcmp(name, "..")) {
		go_up(walk, walk->depth > 1 ? walk->depth - 1 : 1);
		return 0;
	}
	if (walk->depth == MAX_DEPTH)
		return -ENAMETOOLONG;
	fd = openat(walk->directories[walk->depth - 1], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || type_of(fd, &mode))
		return -errno;
	if (S_ISLNK(mode) && (follows_last || walk->rest[0]))
		return follow(walk, fd);
	if (walk->rest[0] && !S_ISDIR(mode))
		return -ENOTDIR;
	walk->directories[walk->depth++] = take_fd(&fd);
	return 0;
}

/* Takes the last descriptor out of the walk. The root is owned by the caller, so it is opened again. */
static int take_last(struct walk *walk, int flags)
{
	_cleanup_(closep) int fd = walk->depth > 1 ? walk->directories[--walk->depth]
						   : openat(walk->directories[0], ".", O_PATH | O_CLOEXEC);
	mode_t mode;

	if (fd < 0 || type_of(fd, &mode))
		return -errno;
	return flags & O_DIRECTORY && !S_ISDIR(mode) ? -ENOTDIR : take_fd(&fd);
}

int path_below(int root_fd, const char *path, int flags)
{
	_cleanup_(end_walk) struct walk walk = { .directories = { root_fd }, .depth = 1 };
	char name[NAME_MAX + 1];
	size_t length = strlen(path);
	int err = !length ? -ENOENT : length < sizeof(walk.rest) ? 0 : -ENAMETOOLONG;

	if (err)
		return err;
	memcpy(walk.rest, path, length + 1);
	while (next_name(&walk, name, &err)) {
		err = step(&walk, name, !(flags & O_NOFOLLOW));
		if (err)
			return err;
	}
	return err ?: take_last(&walk, flags);
}
