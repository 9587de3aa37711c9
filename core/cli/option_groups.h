/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of options in help and man pages: groups by what a user wants, the most used options of each first. */
#pragma once

#include <stdbool.h>

#include "core/cli/options.h"

struct option_group {
	const char *title;  /* "Which processes" */
	const char *common; /* long names, separated by spaces: the short help has only these */
	const char *others;
};

/* Ends with one without title. The last group has every option that no group names. */
extern const struct option_group option_groups[];

/* Whether there are so many options that help needs groups. */
bool option_list_is_long(const struct option_list *list);

/* Whether a group names the option. */
bool option_has_group(const char *name);

typedef VEC(const struct option_entry *) entry_list;

/* Adds the visible options of a group to the list, in the order of the group. */
void option_group_pick(const struct option_group *group, const struct option_list *list, bool only_common,
		       entry_list *ret_entries);
