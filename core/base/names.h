/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of names and paths, and the name at the end of a path. */
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
