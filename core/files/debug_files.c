/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/files/debug_files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/vec.h"
#include "core/base/why.h"
#include "core/files/opener.h"

#define STANDARD_DIRECTORY "/usr/lib/debug"

struct place {
	char *path;
	bool is_told; /* named by the program or beside it, not below a directory for debug files */
};

struct places {
	VEC(struct place) list;
};

static void places_done(struct places *places)
{
	for (size_t i = 0; i < places->list.nr; i++)
		free(places->list.data[i].path);
	vec_done(&places->list);
}

void debug_home_done(struct debug_home *home)
{
	closep(&home->root);
	free(home->path);
}

/* Takes ownership of the path. */
static void add_place(struct places *places, bool is_told, char *path)
{
	vec_push(&places->list, (struct place){ path, is_told });
}

const char *debug_directory_next(const char **rest, int *ret_length)
{
	const char *directory = NULL;
	size_t length = 0;

	while (*rest && !length) {
		directory = *rest;
		length = strcspn(directory, ":");
		*rest = *directory ? directory + length + (directory[length] == ':') : NULL;
		if (!*directory) {
			directory = STANDARD_DIRECTORY;
			length = strlen(directory);
		}
	}
	*ret_length = length;
	return length ? directory : NULL;
}

bool build_id_is_plain(const char *text)
{
	return strlen(text) > 2 && strspn(text, "0123456789abcdef") == strlen(text);
}

typedef void add_function(struct places *places, const char *directory, int length, const void *what);

static void for_each_directory(struct places *places, const char *directories, add_function *add, const void *what)
{
	const char *rest = directories ?: "", *directory;
	int length;

	while ((directory = debug_directory_next(&rest, &length)))
		add(places, directory, length, what);
}

static void add_by_build_id(struct places *places, const char *directory, int length, const void *what)
{
	const char *build_id = what;

	add_place(places, false, xasprintf("%.*s/.build-id/%.2s/%s.debug", length, directory, build_id, build_id + 2));
}

/* A debug link, and the path of the program that has it. */
struct linked {
	const char *link, *program;
	int length; /* of the program's directory, without the last slash */
};

/* /lib and /usr/lib can be one directory: a program of either may have its debug file under the other. */
static void add_by_link(struct places *places, const char *directory, int length, const void *what)
{
	const struct linked *linked = what;
	int skipped = strncmp(linked->program, "/usr/", 5) ? 0 : 4;

	add_place(places, false,
		  xasprintf("%.*s%.*s/%s", length, directory, linked->length, linked->program, linked->link));
	add_place(places, false,
		  xasprintf("%.*s%s%.*s/%s", length, directory, skipped ? "" : "/usr", linked->length - skipped,
			    linked->program + skipped, linked->link));
}

static bool climbs(const char *path)
{
	for (; path; path = strchr(path, '/')) {
		path += *path == '/';
		if (!strncmp(path, "..", 2) && (!path[2] || path[2] == '/'))
			return true;
	}
	return false;
}

/* For alternate files and split debug information. The owner of a file below a directory is not checked, so a path with ".." is ignored. */
static void add_below(struct places *places, const char *directory, int length, const void *path)
{
	if (!climbs(path))
		add_place(places, false, xasprintf("%.*s/%s", length, directory, (const char *)path));
}

static void find_places(struct places *places, const struct debug_search *search,
			const struct symbol_debug_request *request)
{
	const char *program = search->home && search->home->path && *search->home->path == '/' ? search->home->path
											       : NULL;
	const char *slash = program ? strrchr(program, '/') : NULL, *link = request->link;
	struct linked linked = { link, program, slash ? (int)(slash - program) : 0 };

	if (strlen(request->build_id) > 2)
		for_each_directory(places, search->directories, add_by_build_id, request->build_id);
	if (*link == '/') {
		/* split debug information: where the compiler wrote it, beside the program, or below a directory for debug files */
		add_place(places, true, xstrdup(link));
		if (slash)
			add_place(places, true, xasprintf("%.*s%s", linked.length, program, strrchr(link, '/')));
		for_each_directory(places, search->directories, add_below, link + 1);
	} else if (!strcmp(link, SYMBOL_PACKAGE)) {
		_cleanup_(freep) char *package = program ? xasprintf("%s" SYMBOL_PACKAGE, program) : NULL;

		if (!package)
			return;
		add_place(places, true, xstrdup(package));
		for_each_directory(places, search->directories, add_below, package + 1);
	} else if (strchr(link, '/')) { /* an alternate file */
		for_each_directory(places, search->directories, add_below, link);
	} else if (*link && slash) {
		add_place(places, true, xasprintf("%.*s/%s", linked.length, program, link));
		add_place(places, true, xasprintf("%.*s/.debug/%s", linked.length, program, link));
		for_each_directory(places, search->directories, add_by_link, &linked);
	}
}

/* The roots in which each place is searched. */
enum {
	IN_OURS,
	IN_HOSTS,
	IN_ROOT_OF_FILE,
	ROOTS,
};

/* Whether the owner is root, or the owner of the program or of its root; our user if the program is unknown or deleted. */
static bool is_believed(const struct debug_search *search, int fd)
{
	const struct debug_home *home = search->home;
	struct stat status;

	if (fstat(fd, &status))
		return false;
	if (!status.st_uid || status.st_uid == (home && home->path ? home->owner : geteuid()) ||
	    (home && home->is_foreign && status.st_uid == home->root_owner))
		return true;
	why_add(search->why, "not trusted: it belongs to user %u, neither root nor the owner of the program",
		status.st_uid);
	return false;
}

static int open_in_root_of_file(const struct debug_search *search, const char *path)
{
	const struct debug_home *home = search->home;
	_cleanup_(closep) int fd = -1;

	if (home)
		fd = why_opened(search->why, path, home->where, opener_file_below(home->root, path, 0));
	else
		fd = opener_open(&(struct opener_request){ .path = path, .why = search->why });
	if (fd < 0)
		return fd;
	return is_believed(search, fd) ? take_fd(&fd) : -EPERM;
}

static int open_place(const struct debug_search *search, const struct place *place, unsigned int below, int host_root)
{
	bool is_foreign = search->home && search->home->is_foreign;

	if (below == IN_ROOT_OF_FILE)
		return place->is_told || is_foreign ? open_in_root_of_file(search, place->path) : -ENOENT;
	if (place->is_told)
		return -ENOENT;
	if (below == IN_OURS)
		return opener_open(&(struct opener_request){ .path = place->path, .why = search->why });
	if (host_root < 0)
		return -ENOENT;
	return why_opened(search->why, place->path, "in the host's root", opener_file_below(host_root, place->path, 0));
}

int debug_files_open(const struct debug_search *search, struct symbol_debug_request *request)
{
	_cleanup_(places_done) struct places places = {};
	_cleanup_(closep) int host_root = opener_host_root(search->host_root);

	find_places(&places, search, request);
	while (request->candidate < ROOTS * places.list.nr) {
		const struct place *place = &places.list.data[request->candidate / ROOTS];
		int fd = open_place(search, place, request->candidate++ % ROOTS, host_root);

		if (fd >= 0)
			return fd;
	}
	return -ENOENT;
}
