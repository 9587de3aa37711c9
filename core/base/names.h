/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of names and paths, the name at the end of a path, and the words of a line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/vec.h"

typedef VEC(char *) name_list; /* owns its names */

void name_list_done(name_list *names);

/* Takes ownership of `name`. If it is NULL or in the list, or the list has `most` names, frees it and returns false. */
bool name_list_add_new(name_list *names, size_t most, char *name);

/* Returns the part of `path` after the last slash. */
const char *path_name(const char *path);

/* Whether what is before the last '/' is one directory in both, however they spell it. Of a directory that cannot be found, it is not. */
bool path_directory_is_same(const char *one, const char *other);

/*
 * Whether two paths name one entry of one directory, however they spell it. Of a directory that cannot be found, paths are equal only
 * if they are the same text.
 */
bool path_is_same(const char *one, const char *other);

/* Cuts the first word off a line and returns it, NULL if there is none; *line is the rest. */
char *next_word(char **line);
