/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strings that entries refer to. Those of .debug_str, which may be large and compressed, are read in order at the end.
 */
#include "core/base/radix_sort.h"
#include "symbolize/dwarf/source_search_private.h"

static void put(struct search *search, const char *text, uint32_t of, bool is_directory)
{
	const char *kept = text && *text ? text_pool_add(&search->batch->texts, text) : NULL;

	if (is_directory)
		search->directories.data[of].path = (uintptr_t)kept;
	else
		search->batch->frames.data[of].name = kept;
}

/* The file that an offset is in; NULL when there is none. */
static struct dwarf *file_of(const struct search *search, uint64_t *offset)
{
	bool is_alternate = *offset & IN_ALTERNATE;

	*offset &= ~IN_ALTERNATE;
	return is_alternate ? search->dwarf->alternate : search->dwarf;
}

const char *search_read_text(struct search *search, const struct dwarf_text *text)
{
	uint64_t offset = text->offset;
	struct dwarf *dwarf = file_of(search, &offset);

	if (!dwarf || !text->kind)
		return NULL;
	if (text->kind == TEXT_HERE) /* no further than to the end of its unit: someone may be going through that */
		return elf_section_string_before(&dwarf->info, offset, text->end);
	return elf_section_string(text->kind == TEXT_STR ? &dwarf->str : &dwarf->line_str, offset);
}

int search_want_text(struct search *search, const struct dwarf_text *text, uint32_t of, bool is_directory)
{
	if (text->kind == TEXT_STR)
		return vec_try_push(&search->texts, (struct wanted_text){ text->offset, of, is_directory });
	if (text->kind)
		put(search, search_read_text(search, text), of, is_directory);
	return 0;
}

int search_texts(struct search *search)
{
	int err = radix_sort(search->texts.data, search->texts.nr, offset);

	for (size_t i = 0; !err && i < search->texts.nr; i++) {
		const struct wanted_text *wanted = &search->texts.data[i];

		uint64_t offset = wanted->offset;
		struct dwarf *dwarf = file_of(search, &offset);

		if (dwarf)
			put(search, elf_section_string(&dwarf->str, offset), wanted->of, wanted->is_directory);
	}
	return err;
}
