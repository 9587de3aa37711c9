/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/names.h"

#include <stdlib.h>
#include <string.h>

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

char *next_word(char **line)
{
	char *word;

	do
		word = strsep(line, " \t\r");
	while (word && !*word);
	return word;
}
