/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"

void name_list_done(name_list *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->data[i]);
	vec_done(names);
}

bool name_list_add_new(name_list *names, size_t most, char *name)
{
	bool is_new = name && names->nr < most;

	for (size_t i = 0; i < names->nr && is_new; i++)
		is_new = strcmp(names->data[i], name) != 0;
	if (is_new)
		vec_push(names, name);
	else
		free(name);
	return is_new;
}

const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int find_directory(const char *path, struct stat *ret_status)
{
	const size_t length = (size_t)(path_name(path) - path);
	_cleanup_(freep) char *directory = length ? xasprintf("%.*s", (int)length, path) : xstrdup(".");

	return stat(directory, ret_status);
}

bool path_directory_is_same(const char *one, const char *other)
{
	struct stat first, second;

	return !find_directory(one, &first) && !find_directory(other, &second) && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

bool path_is_same(const char *one, const char *other)
{
	return !strcmp(path_name(one), path_name(other)) && (!strcmp(one, other) || path_directory_is_same(one, other));
}

char *next_word(char **line)
{
	char *word;

	do
		word = strsep(line, " \t\r");
	while (word && !*word);
	return word;
}
