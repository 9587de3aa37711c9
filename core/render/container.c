/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/render/container.h"

#include <string.h>

/* The length of an id at the start of `text`, or 0. */
static size_t id_at(const char *text)
{
	size_t nr = strspn(text, "0123456789abcdef"), digits;

	if (nr == 64)
		return nr;
	if (nr != 32 || text[32] != '-')
		return 0;
	digits = strspn(text + 33, "0123456789");
	return digits ? 33 + digits : 0;
}

/* Searches one part of the path: the id is at its start, or after a dash ("cri-containerd-"). */
static size_t id_in_part(const char *part, size_t nr, const char **ret_id)
{
	for (size_t i = 0; i < nr; i++) {
		size_t length;

		if (i && part[i - 1] != '-')
			continue;
		length = id_at(part + i);
		if (!length || (part[i + length] && part[i + length] != '/' && part[i + length] != '.'))
			continue;
		*ret_id = part + i;
		return length;
	}
	return 0;
}

size_t container_id(const char *path, const char **ret_id)
{
	size_t found = 0;

	while (*path) {
		size_t nr = strcspn(path, "/");

		found = id_in_part(path, nr, ret_id) ?: found;
		path += nr + (path[nr] == '/');
	}
	return found;
}
