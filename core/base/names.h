/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of names, parts of paths, and words of lines. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/vec.h"

typedef VEC(char *) name_list; /* owns its names */

void name_list_done(name_list *names);

/* Takes ownership of `name`. Returns false and frees it if it is NULL or in the list, or if the list has `most` names. */
bool name_list_add_new(name_list *names, size_t most, char *name);

/* The part of `path` after the last slash. */
const char *path_name(const char *path);

/* Whether both paths have the same directory, however it is spelled. False if a directory cannot be found. */
bool path_directory_is_same(const char *one, const char *other);

/*
 * Whether two paths name the same entry of the same directory, however the directory is spelled. If a directory cannot be found, compares
 * the texts.
 */
bool path_is_same(const char *one, const char *other);

/* Cuts the first word off a line; *line is the rest. NULL: no more words. */
char *next_word(char **line);
