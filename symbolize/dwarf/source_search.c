/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/dwarf/source_search.h"

#include <stdio.h>

#include "core/base/radix_sort.h"
#include "symbolize/dwarf/search.h"

enum {
	PATH_BYTES = 8192,
};

/* The directory of a program: that of the first unit with one that names the program. Partial units share programs. */
static const char *directory_of(const struct search *search, uint64_t program)
{
	const struct unit_directory *directories = search->directories.data;
	size_t nr = search->directories.nr, i = vec_nr_first(&search->directories, at, at->program < program);

	while (i < nr && directories[i].program == program && !directories[i].path)
		i++;
	return i < nr && directories[i].program == program ? (const char *)(uintptr_t)directories[i].path : NULL;
}

/* Joins directory and file, if both are known. */
static const char *join(struct search *search, uint64_t program, const char *file)
{
	const char *directory = file ? directory_of(search, program) : NULL;
	char path[PATH_BYTES];

	if (!directory || snprintf(path, sizeof(path), "%s/%s", directory, file) >= (int)sizeof(path))
		return file;
	return text_pool_add(&search->batch->texts, path) ?: file;
}

static int join_all(struct search *search)
{
	struct source_batch *batch = search->batch;
	int err = radix_sort(search->directories.data, search->directories.nr, program);

	for (size_t i = 0; !err && i < batch->places.nr; i++) {
		struct source_place *place = &batch->places.data[i];

		if (place->is_relative)
			place->file = join(search, place->program, place->file);
	}
	for (size_t i = 0; !err && i < search->files.nr; i++) {
		struct source_frame *frame = &batch->frames.data[search->files.data[i].frame];

		if (frame->is_relative)
			frame->file = join(search, search->files.data[i].program, frame->file);
	}
	return err;
}

static bool any_is_relative(const struct source_batch *batch)
{
	for (size_t i = 0; i < batch->places.nr; i++)
		if (batch->places.data[i].is_relative)
			return true;
	return false;
}

int source_search(struct dwarf *dwarf, struct source_batch *batch, bool inlines)
{
	struct search search = { .dwarf = dwarf, .batch = batch, .inlines = inlines };
	int err = inlines ? search_units(&search) : 0;

	err = err ?: search_lines(&search);
	if (!err && !inlines && any_is_relative(batch))
		err = search_units(&search);
	err = err ?: search_entries(&search);
	err = err ?: search_texts(&search);
	err = err ?: join_all(&search);
	search_done(&search);
	return err;
}
