/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units of .debug_info: their directories, and with search->inlines, the places that they cover and the inlined calls there, from the file
 * or a split file.
 */
#include <stdio.h>

#include "symbolize/dwarf/search.h"

enum {
	UNITS_MAX = 1 << 22,
	PATH_BYTES = 4096,
	TRIES_MAX = 16, /* files tried for a path */
};

/* The path of the split file. Copies each text before it reads the next, because the window of their section may move. */
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

/* Finds the split unit of a skeleton in the files at a path. Returns 0, -ENOMEM, or another errno if it is not there. */
static int find_in(struct search *search, const char *path, const struct dwarf_unit *skeleton, struct search *split,
		   struct dwarf_unit *ret_unit)
{
	struct dwarf_splits *splits = search->dwarf->splits;
	uint32_t candidate = 0;
	int err = -ENODATA;

	for (int i = 0; i < TRIES_MAX && err && err != -ENOMEM; i++) {
		split->dwarf = splits ? splits->open(splits, path, &candidate) : NULL;
		if (!split->dwarf)
			return -ENODATA;
		split->abbrevs.of = NULL; /* the previous file is closed, and its struct may be reused */
		err = dwarf_splits_find(split->dwarf, skeleton, &split->abbrevs, ret_unit);
	}
	return err;
}

/* Searches a split unit completely, because the next one may close its file. Returns 0, -ENOMEM or -ETIME. */
static int search_split(struct search *search, const struct dwarf_unit *skeleton, uint32_t number)
{
	struct search split = { .batch = search->batch, .inlines = true };
	struct dwarf_unit unit;
	char path[PATH_BYTES];
	int err = find_in(search, SYMBOL_PACKAGE, skeleton, &split, &unit);
	bool has_path = err && err != -ENOMEM && split_path(search, skeleton, path);

	if (has_path)
		err = find_in(search, path, skeleton, &split, &unit);
	if (!err) {
		err = search_inlines(&split, &unit, number);
		err = err ?: search_entries(&split);
		err = err ?: search_texts(&split);
		/* the files of calls are in the skeleton's line program */
		err = err ?: vec_try_append(&search->files, split.files.data, split.files.nr);
	} else if (err != -ENOMEM) {
		/* a skeleton may have inlined calls too (-fsplit-dwarf-inlining) */
		if (has_path && !skeleton->has_entries && !search->batch->nr_missing_splits++)
			search->batch->missing_split = text_pool_add(&search->batch->texts, path);
		err = search_inlines(search, skeleton, number);
	}
	search_done(&split);
	return err;
}

/* Keeps the directory of a unit before DWARF 5. From 5 on, the line program has it. */
static int keep_directory(struct search *search, const struct dwarf_unit *unit)
{
	uint32_t of = (uint32_t)search->directories.nr;
	int err;

	if (unit->version >= 5 || unit->program == NO_PROGRAM)
		return 0;
	err = vec_try_push(&search->directories, (struct unit_directory){ .program = unit->program });
	return err ?: search_want_text(search, &unit->directory, of, true);
}

/* Returns 0, -ENOMEM, -ETIME, or another errno for a unit that is skipped. */
static int take_unit(struct search *search, struct dwarf_unit *unit)
{
	struct source_claim claim = { .batch = search->batch, .unit = (uint32_t)search->units[0].nr };
	int err = vec_try_push(&search->units[0], (struct unit_place){ unit->offset });

	err = err ?: dwarf_unit_read_root(search->dwarf, unit, &search->abbrevs);
	if (err == -E2BIG)
		return search_leave(search, claim.unit);
	err = err ?: keep_directory(search, unit);
	if (err || !search->inlines)
		return err;
	claim.program = unit->program;
	dwarf_code_ranges(search->dwarf, unit, &unit->code, source_claim_range, &claim);
	if (!claim.any)
		return 0;
	return unit->split_name.kind ? search_split(search, unit, claim.unit)
				     : search_inlines(search, unit, claim.unit);
}

int search_units(struct search *search)
{
	struct dwarf_unit unit;
	uint64_t offset = 0, next = 0;
	int err = 0, late = 0;

	while (err != -ENOMEM && err != -EBADMSG && !late && offset < search->dwarf->info.nr_bytes &&
	       search->units[0].nr < UNITS_MAX) {
		err = dwarf_unit_open(search->dwarf, offset, &unit, &next);
		err = err ?: take_unit(search, &unit);
		offset = next;
		late = source_batch_late(search->batch);
	}
	return err == -ENOMEM ? err : late;
}
