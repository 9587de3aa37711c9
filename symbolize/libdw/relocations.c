/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/libdw/relocations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	BATCH = 256, /* read at once */
	SYMBOLS_MAX = 4 << 20,
	NOT_KNOWN = -1,
};

/* The addresses of all symbols; an undefined one is 0. */
struct symbol_values {
	VEC(uint64_t) values;
};

/* How many bytes a relocation of debug information fills in; 0: none. */
static int width_of(uint16_t machine, uint32_t type)
{
	static const struct {
		uint16_t machine;
		uint16_t type;
		int width;
	} known[] = {
		{ EM_X86_64, R_X86_64_NONE, 0 },         { EM_X86_64, R_X86_64_64, 8 },
		{ EM_X86_64, R_X86_64_32, 4 },           { EM_X86_64, R_X86_64_32S, 4 },
		{ EM_X86_64, R_X86_64_DTPOFF32, 0 }, /* where a variable of a thread is */
		{ EM_X86_64, R_X86_64_DTPOFF64, 0 },     { EM_AARCH64, R_AARCH64_NONE, 0 },
		{ EM_AARCH64, R_AARCH64_ABS64, 8 },      { EM_AARCH64, R_AARCH64_ABS32, 4 },
		{ EM_AARCH64, R_AARCH64_TLS_DTPREL, 0 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].machine == machine && known[i].type == type)
			return known[i].width;
	return NOT_KNOWN;
}

static uint64_t value_of(const struct elf_file *elf, const Elf64_Sym *symbol)
{
	if (symbol->st_shndx == SHN_ABS)
		return symbol->st_value;
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= elf->sections.nr)
		return 0;
	return elf->sections.data[symbol->st_shndx].sh_addr + symbol->st_value;
}

static int read_symbols(const struct elf_file *elf, uint32_t section, struct symbol_values *values)
{
	const Elf64_Shdr *table = section < elf->sections.nr ? &elf->sections.data[section] : NULL;
	Elf64_Sym batch[BATCH];
	uint64_t nr;

	if (!table || table->sh_type != SHT_SYMTAB || !elf_file_holds(elf, table->sh_offset, table->sh_size))
		return -EBADMSG;
	nr = table->sh_size / sizeof(*batch);
	if (nr > SYMBOLS_MAX)
		return -EBADMSG;
	for (uint64_t i = 0; i < nr; i += BATCH) {
		size_t some = nr - i < BATCH ? (size_t)(nr - i) : BATCH;
		int err = elf_file_read(elf, table->sh_offset + i * sizeof(*batch), batch, some * sizeof(*batch));

		for (size_t k = 0; !err && k < some; k++)
			err = vec_try_push(&values->values, value_of(elf, &batch[k]));
		if (err)
			return err;
	}
	return 0;
}

static int apply(const struct elf_file *elf, const Elf64_Rela *relocation, const struct symbol_values *symbols,
		 unsigned char *bytes, uint64_t nr_bytes)
{
	int width = width_of(elf->machine, (uint32_t)ELF64_R_TYPE(relocation->r_info));
	uint64_t symbol = ELF64_R_SYM(relocation->r_info), value;

	if (!width)
		return 0;
	if (width < 0 || symbol >= symbols->values.nr || relocation->r_offset > nr_bytes ||
	    (uint64_t)width > nr_bytes - relocation->r_offset)
		return -EBADMSG;
	value = symbols->values.data[symbol] + (uint64_t)relocation->r_addend;
	memcpy(bytes + relocation->r_offset, &value, (size_t)width); /* little endian, as the file */
	return 0;
}

static int apply_table(const struct elf_file *elf, const Elf64_Shdr *table, const struct symbol_values *symbols,
		       unsigned char *bytes, uint64_t nr_bytes)
{
	Elf64_Rela batch[BATCH];
	uint64_t nr = table->sh_size / sizeof(*batch);

	for (uint64_t i = 0; i < nr; i += BATCH) {
		size_t some = nr - i < BATCH ? (size_t)(nr - i) : BATCH;
		int err = elf_file_read(elf, table->sh_offset + i * sizeof(*batch), batch, some * sizeof(*batch));

		for (size_t k = 0; !err && k < some; k++)
			err = apply(elf, &batch[k], symbols, bytes, nr_bytes);
		if (err)
			return err;
	}
	return 0;
}

/* There is one table for a section: relocatable links join them. */
static const Elf64_Shdr *table_of(const struct elf_file *elf, const char *name)
{
	for (size_t i = 0; i < elf->sections.nr; i++) {
		const Elf64_Shdr *table = &elf->sections.data[i];

		if (table->sh_type == SHT_RELA && table->sh_info < elf->sections.nr &&
		    elf_file_section_is(elf, &elf->sections.data[table->sh_info], name))
			return table;
	}
	return NULL;
}

int relocations_apply(const struct elf_file *elf, const char *name, unsigned char *bytes, uint64_t nr_bytes)
{
	const Elf64_Shdr *table = table_of(elf, name);
	struct symbol_values symbols = {};
	int err;

	if (!table)
		return 0;
	err = table->sh_flags & SHF_COMPRESSED ? -EBADMSG : read_symbols(elf, table->sh_link, &symbols);
	err = err ?: apply_table(elf, table, &symbols, bytes, nr_bytes);
	vec_done(&symbols.values);
	return err;
}
