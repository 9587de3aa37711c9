/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/cli/option_groups.h"

#include <string.h>

const struct option_group option_groups[] = {
	{ "What, and for how long",
	  "event frequency regexp above below min-block-time state duration interval events normalize",
	  "count include-idle level library attach max-probes force max-block-time blocked runqueue unfinished since "
	  "forever" },
	{ "Which processes", "pid all tid cpu container comm",
	  "cgroup cgroupmap mntnsmap pidns user-threads-only useronly kernel-threads-only no-children" },
	{ "Stacks", "user-stacks-only kernel-stacks-only include exclude",
	  "both unwind frames max-depth unwind-mem perpid per-thread by-name idle under latency waits" },
	{ "Report", "folded tree function functions microseconds milliseconds top tui output save verbose",
	  "lines text least format keep min-count histogram inlines delimited annotations offset plain address timestamp "
	  "timestamps quiet redact" },
	{ "Pictures", "", "title colors inverted reverse root width min-width negate" },
	{ "Names", "", "no-demangle no-symbolize debug-dir vmlinux host-root" },
	{ "Safety and help", "explain help",
	  "strict status-file max-overhead hash-storage-size stack-storage-size debug" },
	{},
};

#define LONG_LIST 16

bool option_list_is_long(const struct option_list *list)
{
	return list->nr > LONG_LIST;
}

/* Moves to the first word and returns its length; 0: there is no word. */
static size_t next_word(const char **text)
{
	*text += strspn(*text, " ");
	return strcspn(*text, " ");
}

static bool is_named(const char *name, const char *words)
{
	for (size_t length; (length = next_word(&words)); words += length)
		if (strlen(name) == length && !strncmp(words, name, length))
			return true;
	return false;
}

static void pick_named(const char *words, const struct option_list *list, entry_list *ret_entries)
{
	for (size_t length; (length = next_word(&words)); words += length)
		for (size_t i = 0; i < list->nr; i++) {
			const struct option_spec *spec = list->data[i].spec;

			if (!spec->operand && !list->data[i].hidden && strlen(spec->name) == length &&
			    !strncmp(words, spec->name, length))
				vec_push(ret_entries, &list->data[i]);
		}
}

bool option_has_group(const char *name)
{
	for (const struct option_group *group = option_groups; group->title; group++)
		if (is_named(name, group->common) || is_named(name, group->others))
			return true;
	return false;
}

void option_group_pick(const struct option_group *group, const struct option_list *list, bool only_common,
		       entry_list *ret_entries)
{
	pick_named(group->common, list, ret_entries);
	if (only_common)
		return;
	pick_named(group->others, list, ret_entries);
	for (size_t i = 0; !group[1].title && i < list->nr; i++) {
		const struct option_spec *spec = list->data[i].spec;

		if (!spec->operand && !list->data[i].hidden && !option_has_group(spec->name))
			vec_push(ret_entries, &list->data[i]);
	}
}
