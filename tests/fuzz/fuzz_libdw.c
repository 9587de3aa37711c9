/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libdw reads, from anyone: an object file as a kernel module is, its relocations applied; of another file all units
 * that our readers find, as if they had left each of them.
 */
#include "symbolize/dwarf/dwarf_unit.h"
#include "symbolize/elf/symtab.h"
#include "symbolize/libdw/libdw_sources.h"
#include "tests/fuzz/fuzz.h"

enum {
	PLACES = 64,
	UNITS_MAX = 1024,
};

static void leave_units(const struct elf_file *elf, struct source_batch *batch)
{
	struct dwarf_unit unit;
	struct dwarf dwarf;
	uint64_t offset = 0, next = 0;

	if (dwarf_open(&dwarf, elf, DWARF_SMALL_MAX))
		return;
	while (batch->left.nr < UNITS_MAX && dwarf_unit_open(&dwarf, offset, &unit, &next) != -EBADMSG) {
		if (vec_try_push(&batch->left, (struct source_left){ offset, (uint32_t)batch->left.nr }))
			__builtin_trap();
		offset = next;
	}
	dwarf_close(&dwarf);
}

static void check(const struct source_batch *batch)
{
	for (size_t i = 0; i < batch->places.nr; i++) {
		const struct source_place *place = &batch->places.data[i];

		if (place->inner != SOURCE_NONE && place->inner >= batch->frames.nr)
			__builtin_trap();
		if (place->inner != SOURCE_NONE && !place->by_libdw)
			__builtin_trap();
		if (place->file && !strlen(place->file) && place->line > INT32_MAX)
			__builtin_trap();
	}
	for (uint32_t i = 0; i < batch->frames.nr; i++)
		if (batch->frames.data[i].outer != SOURCE_NONE && batch->frames.data[i].outer >= i)
			__builtin_trap(); /* a chain without end */
}

static void look_up(const struct elf_file *elf, const struct symtab *table)
{
	struct source_batch batch = { .code = table->code.data, .nr_code = table->code.nr };

	for (size_t i = 0; i < table->code.nr; i++)
		for (uint32_t k = 0; k < PLACES; k++)
			if (source_batch_add(&batch,
					     table->code.data[i].address + k * (table->code.data[i].size / PLACES), k))
				__builtin_trap();
	if (!elf->is_laid_out)
		leave_units(elf, &batch);
	if (!source_batch_sort(&batch) && !libdw_sources_find(elf, &batch, true))
		check(&batch);
	source_batch_done(&batch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symtab table;
	struct elf_file elf;

	if (elf_file_open_memory(&elf, data, size))
		return 0;
	if ((elf.type != ET_REL || !elf_file_lay_out(&elf)) && !symtab_init(&table, &elf)) {
		look_up(&elf, &table);
		symtab_done(&table);
	}
	elf_file_done(&elf);
	return 0;
}
