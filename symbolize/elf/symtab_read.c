/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads functions from the symbol tables of an ELF file: part of symtab.h. */
#include "core/base/cleanup.h"
#include "symbolize/elf/elf_tables.h"
#include "symbolize/elf/symtab.h"

enum {
	NAMES_COPY_MAX = 4u << 20,  /* larger string tables are not loaded */
	ROOM_MAX = 1 << 20,         /* symbols for which memory is reserved in advance */
};

struct reading {
	struct symtab *table;
	const struct elf_file *elf;
	const struct elf_table *from;
	unsigned int names;
};

static Elf64_Sym widen(const Elf32_Sym *narrow)
{
	return (Elf64_Sym){
		.st_name = narrow->st_name,
		.st_info = narrow->st_info,
		.st_other = narrow->st_other,
		.st_shndx = narrow->st_shndx,
		.st_value = narrow->st_value,
		.st_size = narrow->st_size,
	};
}

/*
 * Whether it is a label of the assembler or compiler: mapping symbols of Arm ("$x", "$d"), local labels, padding before kernel functions.
 */
static bool is_label(struct name name)
{
	return !name.nr_bytes || name_starts_with(name, "$") || name_starts_with(name, ".L") ||
	       name_starts_with(name, "__pfx_");
}

/* Assembly often lacks `.type`: such a symbol counts if it has a size or is in a code section. */
static bool is_untyped_function(const struct reading *reading, const Elf64_Sym *symbol)
{
	const Elf64_Shdr *section = elf_file_section_number(reading->elf, symbol->st_shndx);
	char scratch[NAME_MAX_BYTES];

	if (!symbol->st_size && !(section && section->sh_flags & SHF_EXECINSTR && section->sh_flags & SHF_ALLOC))
		return false;
	return !is_label(names_get(&reading->table->names[reading->names], symbol->st_name, scratch));
}

static bool is_function(const struct reading *reading, const Elf64_Sym *symbol)
{
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS || !symbol->st_name)
		return false;
	switch (ELF64_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_OBJECT:
		return reading->table->has_data;
	case STT_NOTYPE:
		return is_untyped_function(reading, symbol);
	default:
		return false;
	}
}

const struct code_range *symtab_code_at(const struct symtab *table, uint64_t address)
{
	for (size_t i = 0; i < table->code.nr; i++)
		if (address - table->code.data[i].address < table->code.data[i].size)
			return &table->code.data[i];
	return NULL;
}

bool symtab_place(const struct symtab *table, uint64_t address, uint32_t *ret_start, uint64_t *ret_left)
{
	const struct code_range *code = symtab_code_at(table, address);
	uint64_t start = code ? address - code->address + code->offset - table->base : UINT64_MAX;

	if (start > UINT32_MAX)
		return false;
	*ret_start = (uint32_t)start;
	*ret_left = code->size - (address - code->address);
	return true;
}

static unsigned int merit_of(const struct reading *reading, const Elf64_Sym *symbol)
{
	unsigned int merit = 0;

	if (symbol->st_size)
		merit |= MERIT_SIZED;
	if (ELF64_ST_TYPE(symbol->st_info) != STT_NOTYPE)
		merit |= MERIT_FUNCTION;
	if (ELF64_ST_BIND(symbol->st_info) != STB_LOCAL)
		merit |= MERIT_NOT_LOCAL;
	if (ELF64_ST_BIND(symbol->st_info) != STB_LOCAL && ELF64_ST_BIND(symbol->st_info) != STB_WEAK)
		merit |= MERIT_GLOBAL;
	if (reading->from->dynamic)
		merit |= MERIT_DYNAMIC;
	return merit;
}

/*
 * The bytes that the symbol covers, up to the end of its segment. Without size: in .symtab up to the end of the section (symtab_finish()
 * limits it to the next symbol); in .dynsym 0, because most functions between dynamic symbols are not dynamic.
 */
static uint64_t covered(const struct reading *reading, const Elf64_Sym *symbol, uint64_t left)
{
	const Elf64_Shdr *section = elf_file_section_number(reading->elf, symbol->st_shndx);

	if (symbol->st_size)
		return symbol->st_size < left ? symbol->st_size : left;
	if (reading->from->dynamic)
		return 0;
	if (section && symbol->st_value - section->sh_addr < section->sh_size) {
		uint64_t in_section = section->sh_size - (symbol->st_value - section->sh_addr);

		return in_section < left ? in_section : left;
	}
	return left;
}

/* In an object file, values count from their section. */
static void move_symbol(const struct elf_file *elf, Elf64_Sym *symbol)
{
	const Elf64_Shdr *section = elf->is_laid_out ? elf_file_section_number(elf, symbol->st_shndx) : NULL;

	if (section)
		symbol->st_value += section->sh_addr;
}

static int add_symbol(const struct reading *reading, const Elf64_Sym *symbol)
{
	struct symtab *table = reading->table;
	uint64_t address = reading->elf->machine == EM_ARM ? symbol->st_value & ~1ull : symbol->st_value;
	uint64_t left, size;
	uint32_t start;

	if (!symtab_place(table, address, &start, &left) || !is_function(reading, symbol))
		return 0;
	size = covered(reading, symbol, left);
	return vec_try_push(&table->symbols, (struct symtab_symbol){
						     .start = start,
						     .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
						     .name = symbol->st_name,
						     .names = reading->names & (SYMTAB_NAMES - 1),
						     .merit = merit_of(reading, symbol) & MERIT_ALL,
						     .unsized = !symbol->st_size,
						     .ifunc = ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC,
					     });
}

static int add_symbols(const struct reading *reading)
{
	size_t size = elf_symbol_size(reading->elf);
	_cleanup_(elf_section_done) struct elf_section symbols =
		elf_section_of_range(reading->elf, reading->from->offset, reading->from->nr * size);
	int err = 0;

	for (uint64_t i = 0; !err && i < reading->from->nr; i++) {
		const void *entry = elf_section_at(&symbols, i * size, size, &err);
		Elf64_Sym symbol;

		if (!entry)
			break;
		symbol = reading->elf->is_64 ? *(const Elf64_Sym *)entry : widen(entry);
		move_symbol(reading->elf, &symbol);
		err = add_symbol(reading, &symbol);
	}
	return err;
}

static int free_names(const struct symtab *table)
{
	for (int i = 1; i < SYMTAB_NAMES; i++)
		if (!table->names[i].is_open)
			return i;
	return -EMFILE;
}

int symtab_add_names(struct symtab *table, const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes)
{
	int names = free_names(table);

	return names < 0 ? names : names_open(&table->names[names], elf, offset, nr_bytes, NAMES_COPY_MAX) ?: names;
}

int symtab_add_function(struct symtab *table, uint64_t address, uint64_t size, unsigned int names, uint32_t name)
{
	uint32_t start;
	uint64_t left;

	if (!size || !symtab_place(table, address, &start, &left))
		return 0;
	size = size < left ? size : left;
	if (size > UINT32_MAX)
		return 0;
	return vec_try_push(&table->symbols, (struct symtab_symbol){
						     .start = start,
						     .size = (uint32_t)size,
						     .name = name,
						     .names = names & (SYMTAB_NAMES - 1),
						     .merit = MERIT_SIZED | MERIT_FUNCTION,
					     });
}

static int add_table(struct symtab *table, const struct elf_file *elf, const struct elf_table *from)
{
	int names = symtab_add_names(table, elf, from->names_offset, from->names_bytes);
	struct reading reading = { table, elf, from, (unsigned int)names };
	int err;

	if (names < 0)
		return names;
	err = vec_try_reserve(&table->symbols, table->symbols.nr + (from->nr < ROOM_MAX ? from->nr : ROOM_MAX));
	if (err)
		return err;
	table->complete |= !from->dynamic;
	return add_symbols(&reading);
}

int symtab_add(struct symtab *table, const struct elf_file *elf)
{
	struct elf_table tables[ELF_TABLES_MAX];
	size_t nr;
	int err = elf_tables_find(elf, tables, &nr);

	for (size_t i = 0; !err && i < nr; i++)
		err = add_table(table, elf, &tables[i]);
	return err;
}
