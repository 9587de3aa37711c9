/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/dwarf/search.h"

#include "core/base/radix_sort.h"

void search_done(struct search *search)
{
	abbrevs_done(&search->abbrevs);
	vec_done(&search->units[0]);
	vec_done(&search->units[1]);
	vec_done(&search->files);
	vec_done(&search->texts);
	vec_done(&search->entries);
	vec_done(&search->fallbacks);
	vec_done(&search->directories);
}

int search_leave(struct search *search, uint32_t unit)
{
	struct unit_place *place = unit < search->units[0].nr ? &search->units[0].data[unit] : NULL;

	if (!place || place->is_left)
		return 0;
	place->is_left = true;
	return vec_try_push(&search->batch->left, (struct source_left){ place->offset, unit });
}

const char *search_read_text(struct search *search, const struct dwarf_text *text)
{
	struct dwarf *dwarf = search_file(search, text->offset);
	uint64_t offset = text->offset & ~IN_ALTERNATE;

	if (!dwarf || !text->kind)
		return NULL;
	/* within the unit, because the window must not move while a caller reads entries */
	if (text->kind == TEXT_HERE)
		return elf_section_string_before(&dwarf->info, offset, text->end);
	return elf_section_string(text->kind == TEXT_STR ? &dwarf->str : &dwarf->line_str, offset);
}

static void put(struct search *search, const struct dwarf_text *text, uint32_t of, bool is_directory)
{
	const char *found = search_read_text(search, text);
	const char *kept = found && *found ? text_pool_add(&search->batch->texts, found) : NULL;

	if (is_directory)
		search->directories.data[of].path = (uintptr_t)kept;
	else
		search->batch->frames.data[of].name = kept;
}

/* Strings of .debug_str are read later, in order: the section may be large and compressed. */
int search_want_text(struct search *search, const struct dwarf_text *text, uint32_t of, bool is_directory)
{
	if (text->kind == TEXT_STR)
		return vec_try_push(&search->texts, (struct wanted_text){ text->offset, of, is_directory });
	if (text->kind)
		put(search, text, of, is_directory);
	return 0;
}

int search_texts(struct search *search)
{
	int err = radix_sort(search->texts.data, search->texts.nr, offset);

	for (size_t i = 0; !err && i < search->texts.nr; i++) {
		const struct wanted_text *wanted = &search->texts.data[i];

		put(search, &(struct dwarf_text){ TEXT_STR, wanted->offset, 0 }, wanted->of, wanted->is_directory);
	}
	return err;
}
