/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of names and paths, the name at the end of a path, and the words of a line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/vec.h"

typedef VEC(char *) name_list; /* which owns them */

void name_list_done(name_list *names);

/* Takes ownership of `name`, which may be NULL. False, and it is freed, when it is in the list or there are `most` already. */
bool name_list_add_new(name_list *names, size_t most, char *name);

/* What follows the last slash: a part of `path`. */
const char *path_name(const char *path);

/* Cuts the first word off a line, NULL at its end; *line is what follows it. */
char *next_word(char **line);
