/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings that entries refer to. Those of .debug_str, which may be large and compressed, are read in order at the end. */
#include "symbolize/radix_sort.h"
#include "symbolize/sources_internal.h"

static void put(struct search *search, const char *text, uint32_t of, bool is_directory)
{
	const char *kept = text && *text ? text_pool_add(&search->batch->texts, text) : NULL;

	if (is_directory)
		search->directories.data[of].path = (uintptr_t)kept;
	else
		search->batch->frames.data[of].name = kept;
}

int search_want_text(struct search *search, const struct dwarf_text *text, uint32_t of, bool is_directory)
{
	if (text->kind == TEXT_STR)
		return vec_try_push(&search->texts, (struct wanted_text){ text->offset, of, is_directory });
	if (text->kind == TEXT_LINE_STR)
		put(search, dwarf_section_string(&search->dwarf->line_str, text->offset), of, is_directory);
	else if (text->kind == TEXT_HERE)
		put(search, dwarf_section_string(&search->dwarf->info, text->offset), of, is_directory);
	return 0;
}

static uint64_t offset_of(const void *wanted)
{
	return ((const struct wanted_text *)wanted)->offset;
}

int search_texts(struct search *search)
{
	int err = radix_sort(search->texts.data, search->texts.nr, offset_of);

	_Static_assert(sizeof(struct wanted_text) == RADIX_ELEMENT_BYTES, "sorted by radix_sort()");
	for (size_t i = 0; !err && i < search->texts.nr; i++) {
		const struct wanted_text *wanted = &search->texts.data[i];

		put(search, dwarf_section_string(&search->dwarf->str, wanted->offset), wanted->of,
		    wanted->is_directory);
	}
	return err;
}
