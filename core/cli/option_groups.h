/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of options in help and man pages. In each group the most used options come first. */
#pragma once

#include <stdbool.h>

#include "core/cli/options.h"

struct option_group {
	const char *title;  /* "Which processes" */
	const char *common; /* long names, separated by spaces; the short help has only these */
	const char *others;
};

/* Ends with a group without title. The last group with a title also has every option that no group names. */
extern const struct option_group option_groups[];

/* Whether there are more options than the help lists without groups. */
bool option_list_is_long(const struct option_list *list);

bool option_has_group(const char *name);

typedef VEC(const struct option_entry *) entry_list;

/* Adds the visible options of a group to the list, in the group's order. */
void option_group_pick(const struct option_group *group, const struct option_list *list, bool only_common,
		       entry_list *ret_entries);
