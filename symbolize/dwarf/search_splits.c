/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inlined calls of units that only have a skeleton in the file: in the package, or in the unit's own split file. */
#include <stdio.h>

#include "symbolize/dwarf/search.h"

enum {
	PATH_BYTES = 4096,
	TRIES_MAX = 16, /* files at the places of one path */
};

/* The path of the split file. The texts are copied one by one: both may be in one section, whose window moves. */
static bool split_path(struct search *search, const struct dwarf_unit *skeleton, char ret_path[PATH_BYTES])
{
	char directory[PATH_BYTES] = "";
	const char *text = search_read_text(search, &skeleton->directory);

	if (text && strlen(text) < sizeof(directory))
		memcpy(directory, text, strlen(text) + 1);
	text = search_read_text(search, &skeleton->split_name);
	if (!text || !*text)
		return false;
	if (*text == '/')
		directory[0] = '\0';
	return snprintf(ret_path, PATH_BYTES, "%s%s%s", directory, *directory ? "/" : "", text) < PATH_BYTES;
}

static struct dwarf *find_in(struct search *search, const char *path, const struct dwarf_unit *skeleton,
			     struct abbrevs *abbrevs, struct dwarf_unit *ret_unit, int *err)
{
	struct dwarf_splits *splits = search->dwarf->splits;
	uint32_t candidate = 0;

	for (int i = 0; i < TRIES_MAX; i++) {
		struct dwarf *split = splits->open(splits, path, &candidate);

		if (!split)
			return NULL;
		abbrevs->of = NULL; /* of the file before, which may have had the same address */
		*err = dwarf_splits_find(split, skeleton, abbrevs, ret_unit);
		if (*err == -ENOMEM || !*err)
			return *err ? NULL : split;
		*err = 0;
	}
	return NULL;
}

static struct dwarf *find_split(struct search *search, const struct dwarf_unit *skeleton, struct abbrevs *abbrevs,
				struct dwarf_unit *ret_unit, int *err)
{
	char path[PATH_BYTES];
	struct dwarf *split;

	if (!search->dwarf->splits)
		return NULL;
	split = find_in(search, SYMBOL_PACKAGE, skeleton, abbrevs, ret_unit, err);
	if (split || *err || !split_path(search, skeleton, path))
		return split;
	return find_in(search, path, skeleton, abbrevs, ret_unit, err);
}

/* Counted for the user, but for a skeleton that has the inlined calls as well (-fsplit-dwarf-inlining). */
static void note_missing(struct search *search, const struct dwarf_unit *skeleton)
{
	struct source_batch *batch = search->batch;
	char path[PATH_BYTES];

	if (skeleton->has_entries || !split_path(search, skeleton, path))
		return;
	if (!batch->nr_missing_splits++)
		batch->missing_split = text_pool_add(&batch->texts, path);
}

/* The calls' lines are those of the skeleton's line program, and are found with all others. */
static int hand_over_files(const struct search *from, struct search *to)
{
	int err = 0;

	for (size_t i = 0; !err && i < from->files.nr; i++)
		err = vec_try_push(&to->files, from->files.data[i]);
	return err;
}

/* A search of its own, which ends before the next one: the file may be closed then. */
int search_split(struct search *search, const struct dwarf_unit *skeleton, uint32_t number)
{
	struct search split = { .batch = search->batch, .inlines = true };
	struct dwarf_unit unit;
	int err = 0;

	split.dwarf = find_split(search, skeleton, &split.abbrevs, &unit, &err);
	if (split.dwarf) {
		err = search_inlines(&split, &unit, number);
		err = err ?: search_entries(&split);
		err = err ?: search_texts(&split);
		err = err ?: hand_over_files(&split, search);
	} else if (!err) {
		note_missing(search, skeleton);
		err = search_inlines(search, skeleton, number);
	}
	search_done(&split);
	return err;
}
