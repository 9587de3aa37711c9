/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Object files from anyone: index one as running file and as its own debug file, and look up all over it, in symbols, stubs
 * and unwind entries; and ask what else it wants: its debug file, libraries.
 */
#include "symbolize/elf/debug_link.h"
#include "symbolize/elf/elf_needs.h"
#include "symbolize/elf/frame_ranges.h"
#include "symbolize/elf/go_table.h"
#include "symbolize/elf/ifunc.h"
#include "symbolize/elf/plt.h"
#include "tests/fuzz/fuzz.h"

static void read_resolvers(const struct elf_file *elf, const struct symtab *table)
{
	struct ifuncs ifuncs;

	if (ifuncs_read(&ifuncs, elf, table))
		return;
	for (size_t i = 0; i < ifuncs.choices.nr; i++) {
		const struct ifunc_choice *choice = &ifuncs.choices.data[i], *first;
		size_t nr;

		if (choice->implementation >= elf->size + 4096)
			__builtin_trap();
		first = ifuncs_of(&ifuncs, choice->resolver, &nr);
		if (!first || first > choice || !nr)
			__builtin_trap();
	}
	ifuncs_done(&ifuncs);
}

static void read_stubs(const struct elf_file *elf, const struct symtab *table)
{
	struct plt plt;

	if (plt_read(&plt, elf, table))
		return;
	for (uint64_t offset = 0; offset < elf->size; offset += 7) {
		const struct plt_stub *stub = plt_lookup(&plt, offset);

		if (stub && (plt.base + stub->start > offset || !plt_name(&plt, stub).nr_bytes))
			__builtin_trap();
	}
	plt_done(&plt);
}

static void read_unwind_entries(const struct elf_file *elf, const struct symtab *table)
{
	struct frame_ranges frame_ranges;

	if (frame_ranges_read(&frame_ranges, elf, table))
		return;
	for (uint64_t offset = 0; offset < elf->size; offset += 7) {
		const struct frame_range *frame_range = frame_ranges_lookup(&frame_ranges, offset);

		if (frame_range && (frame_ranges.base + frame_range->start > offset ||
				    frame_ranges.base + frame_range->start + frame_range->size > elf->size))
			__builtin_trap();
	}
	frame_ranges_done(&frame_ranges);
}

static void read_wants(const struct elf_file *elf)
{
	struct debug_link link = {};
	elf_needs needs = {};

	if (!debug_link_read(elf, &link)) {
		if (!debug_link_is_plain(link.name))
			__builtin_trap();
		debug_link_matches(&link, elf);
	}
	elf_needs_read(elf, &needs);
	if (needs.nr && needs.data[needs.nr - 1])
		__builtin_trap();
	vec_done(&needs);
}

static void look_up(const struct symtab *table, uint64_t end)
{
	char scratch[NAME_MAX_BYTES];

	for (uint64_t offset = 0; offset < end; offset += 1 + end / 256) {
		const struct symtab_symbol *symbol = symtab_lookup(table, offset);

		if (symbol && (symtab_start(table, symbol) > offset ||
			       symtab_name(table, symbol, scratch).nr_bytes > NAME_MAX_BYTES))
			__builtin_trap();
	}
	symtab_lookup(table, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(closep) int fd = fuzz_file(data, size);
	struct build_id id;
	struct symtab table;
	struct elf_file elf;
	uint64_t unused;

	if (fd < 0 || elf_file_open(&elf, fd))
		return 0;
	elf_file_build_id(&elf, &id);
	elf_file_address_of_offset(&elf, size / 2, &unused);
	read_wants(&elf);
	if (!symtab_init(&table, &elf)) {
		for (int i = 0; i < 2; i++)
			if (symtab_add(&table, &elf) || go_functions_add(&table, &elf) || symtab_finish(&table))
				break;
		if (!symtab_finish(&table)) {
			look_up(&table, size);
			read_resolvers(&elf, &table);
			read_stubs(&elf, &table);
			read_unwind_entries(&elf, &table);
		}
		symtab_done(&table);
	}
	elf_file_done(&elf);
	return 0;
}
