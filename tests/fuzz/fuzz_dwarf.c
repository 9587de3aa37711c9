/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information from anyone: lines and inlined calls all over an object file, whose sections may be compressed, and which
 * is its own alternate file, and has what its skeletons stand for.
 */
#include "symbolize/dwarf/dwarf_files.h"
#include "symbolize/dwarf/dwarf_splits.h"
#include "symbolize/dwarf/source_search.h"
#include "tests/fuzz/fuzz.h"

enum {
	PLACES = 64
};

static void check(const struct source_batch *batch)
{
	for (size_t i = 0; i < batch->places.nr; i++)
		if (batch->places.data[i].inner != SOURCE_NONE && batch->places.data[i].inner >= batch->frames.nr)
			__builtin_trap();
	for (uint32_t i = 0; i < batch->frames.nr; i++) {
		const struct source_frame *frame = &batch->frames.data[i];

		if (frame->outer != SOURCE_NONE && frame->outer >= i)
			__builtin_trap(); /* a chain without end */
		if (frame->outermost > i || batch->frames.data[frame->outermost].outer != SOURCE_NONE)
			__builtin_trap();
	}
}

/* The same file is package and split file. */
struct self_split {
	struct dwarf_splits splits; /* first */
	struct dwarf dwarf;
	bool is_there;
};

static struct dwarf *open_self(struct dwarf_splits *splits, const char *path, uint32_t *candidate)
{
	struct self_split *self = (struct self_split *)splits;

	if (strlen(path) < 1 || strlen(path) >= DEBUG_LINK_PATH_SIZE)
		__builtin_trap();
	return self->is_there && !(*candidate)++ ? &self->dwarf : NULL;
}

static void look_up(const struct elf_file *elf, const struct code_range *code, bool inlines, uint64_t small_max)
{
	struct source_batch batch = { .code = code, .nr_code = 1 };
	struct self_split self = { .splits = { open_self } };
	struct dwarf dwarf, alternate;

	if (dwarf_open(&dwarf, elf, small_max))
		return;
	if (inlines && !dwarf_open(&alternate, elf, small_max))
		dwarf.alternate = &alternate;
	self.is_there = inlines && !dwarf_open_split(&self.dwarf, elf, &dwarf, small_max);
	dwarf.splits = &self.splits;
	for (uint32_t i = 0; i < PLACES; i++)
		if (source_batch_add(&batch, code->address + i * (code->size / PLACES), i))
			__builtin_trap();
	if (!source_batch_sort(&batch) && !source_search(&dwarf, &batch, inlines))
		check(&batch);
	source_batch_done(&batch);
	if (self.is_there)
		dwarf_close(&self.dwarf);
	if (dwarf.alternate)
		dwarf_close(&alternate);
	dwarf_close(&dwarf);
}

static void find_alternate(const struct elf_file *elf)
{
	char path[ALTERNATE_PATH_SIZE];
	struct build_id id;

	if (dwarf_is_in(elf) && !dwarf_alternate(elf, path, &id) &&
	    (strlen(path) >= ALTERNATE_PATH_SIZE || !id.nr_bytes || id.nr_bytes > BUILD_ID_MAX))
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_file elf;

	if (elf_file_open_memory(&elf, data, size))
		return 0;
	find_alternate(&elf);
	for (size_t i = 0; i < elf.segments.nr; i++) {
		const Elf64_Phdr *segment = &elf.segments.data[i];
		struct code_range code = { segment->p_vaddr, segment->p_offset, segment->p_filesz };

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		look_up(&elf, &code, false, 0);
		look_up(&elf, &code, true, 0); /* windows that move whenever they may */
		look_up(&elf, &code, true, DWARF_SMALL_MAX);
		break;
	}
	elf_file_done(&elf);
	return 0;
}
