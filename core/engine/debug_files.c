/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/debug_files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/alloc.h"
#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/vec.h"
#include "core/base/why.h"
#include "core/engine/opener.h"

#define STANDARD_DIRECTORY "/usr/lib/debug"

/* The paths to try, in order. */
struct places {
	VEC(char *) paths;
};

static void places_done(struct places *places)
{
	for (size_t i = 0; i < places->paths.nr; i++)
		free(places->paths.data[i]);
	vec_done(&places->paths);
}

/* ---- which paths ---- */

typedef void add_function(struct places *places, const char *directory, size_t length, const void *what);

/* Once for each directory of debug files. */
static void for_each_directory(struct places *places, const char *directories, add_function *add, const void *what)
{
	while (directories && *directories) {
		size_t length = strcspn(directories, ":");

		if (length)
			add(places, directories, length, what);
		directories += length + (directories[length] == ':');
	}
	add(places, STANDARD_DIRECTORY, strlen(STANDARD_DIRECTORY), what);
}

static void add_by_build_id(struct places *places, const char *directory, size_t length, const void *what)
{
	const char *build_id = what;

	vec_push(&places->paths,
		 xasprintf("%.*s/.build-id/%.2s/%s.debug", (int)length, directory, build_id, build_id + 2));
}

/* A debug link and the directory of the program that has it. */
struct linked {
	const char *link, *program;
	int length; /* of the program's directory, without the slash at its end */
};

/* A program of /lib may be filed under /usr/lib, and the other way round, since the two are one directory. */
static void add_by_link(struct places *places, const char *directory, size_t length, const void *what)
{
	const struct linked *linked = what;
	bool is_usr = !strncmp(linked->program, "/usr/", 5);

	vec_push(&places->paths,
		 xasprintf("%.*s%.*s/%s", (int)length, directory, linked->length, linked->program, linked->link));
	if (is_usr)
		vec_push(&places->paths, xasprintf("%.*s%.*s/%s", (int)length, directory, linked->length - 4,
						   linked->program + 4, linked->link));
	else
		vec_push(&places->paths, xasprintf("%.*s/usr%.*s/%s", (int)length, directory, linked->length,
						   linked->program, linked->link));
}

/* A path below a directory: of an alternate file, and of split debug information. */
static void add_below(struct places *places, const char *directory, size_t length, const void *path)
{
	vec_push(&places->paths, xasprintf("%.*s/%s", (int)length, directory, (const char *)path));
}

/*
 * A split file is where the compiler says that it put it, or beside the program, and a package beside the program; either may be
 * below a directory of debug files, too.
 */
static void find_splits(struct places *places, const struct debug_search *search, const char *link)
{
	const char *slash = search->path && *search->path == '/' ? strrchr(search->path, '/') : NULL;
	_cleanup_(freep) char *package = slash ? xasprintf("%s" SYMBOL_PACKAGE, search->path) : NULL;
	bool is_package = !strcmp(link, SYMBOL_PACKAGE);
	const char *path = is_package ? package : link;

	if (!path)
		return;
	vec_push(&places->paths, xstrdup(path));
	if (!is_package && slash)
		vec_push(&places->paths,
			 xasprintf("%.*s%s", (int)(slash - search->path), search->path, strrchr(link, '/')));
	for_each_directory(places, search->directories, add_below, path + 1);
}

static void find_places(struct places *places, const struct debug_search *search, const struct symbol_debug_wish *wish)
{
	const char *slash = search->path && *search->path == '/' ? strrchr(search->path, '/') : NULL;
	struct linked linked = { wish->link, search->path, slash ? (int)(slash - search->path) : 0 };

	if (strlen(wish->build_id) > 2)
		for_each_directory(places, search->directories, add_by_build_id, wish->build_id);
	if (*wish->link == '/' || !strcmp(wish->link, SYMBOL_PACKAGE)) {
		find_splits(places, search, wish->link);
		return;
	}
	if (strchr(wish->link, '/')) { /* an alternate file */
		for_each_directory(places, search->directories, add_below, wish->link);
		return;
	}
	if (!*wish->link || !slash)
		return;
	vec_push(&places->paths, xasprintf("%.*s/%s", linked.length, linked.program, wish->link));
	vec_push(&places->paths, xasprintf("%.*s/.debug/%s", linked.length, linked.program, wish->link));
	for_each_directory(places, search->directories, add_by_link, &linked);
}

/* ---- below which root ---- */

static bool same_directory(int a, int b)
{
	struct stat one, other;

	return !fstat(a, &one) && !fstat(b, &other) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* The root of the process, if that is another than ours; -1 otherwise, or when it has gone. */
static int foreign_root(uint32_t tgid, int our_root)
{
	_cleanup_(closep) int root = tgid ? opener_root(tgid) : -1;

	return root < 0 || same_directory(root, our_root) ? -1 : take_fd(&root);
}

/* The roots that each place is looked for in. */
enum {
	ROOT_OURS,
	ROOT_OF_HOST,
	ROOT_OF_PROCESS,
	ROOTS
};

static int open_host_root(const char *path)
{
	return path ? opener_host_root(path) : -1;
}

int debug_files_open(const struct debug_search *search, struct symbol_debug_wish *wish)
{
	_cleanup_(places_done) struct places places = {};
	_cleanup_(closep) int our_root = opener_root(0), host_root = open_host_root(search->host_root), root = -1;

	if (our_root < 0)
		return our_root;
	root = foreign_root(search->tgid, our_root);
	find_places(&places, search, wish);
	while (wish->candidate < ROOTS * places.paths.nr) {
		const struct opener_request ours = { .path = places.paths.data[wish->candidate / ROOTS],
						     .why = search->why };
		unsigned int below = wish->candidate++ % ROOTS;
		int fd = -ENOENT;

		if (below == ROOT_OURS)
			fd = opener_open(&ours);
		else if (below == ROOT_OF_HOST && host_root >= 0)
			fd = why_opened(search->why, ours.path, "in the host's root",
					opener_file_below(host_root, ours.path));
		else if (below == ROOT_OF_PROCESS && root >= 0)
			fd = why_opened(search->why, ours.path, "in the root of the process",
					opener_file_below(root, ours.path));
		if (fd >= 0)
			return fd;
	}
	return -ENOENT;
}
