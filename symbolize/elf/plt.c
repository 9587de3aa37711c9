/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/plt.h"

#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/radix_sort.h"
#include "symbolize/elf/elf_tables.h"

enum {
	SECTION_MAX_BYTES = 8 << 20, /* of stubs of 16 bytes; the largest programs have some 10,000 */
	VISITS_MAX = 16 << 20, /* relocations, slots that they fill, and 64 bytes of names as one */
	STEP = 4,      /* stubs are aligned to this */
	STUB_NAME_MAX = 1024,
	STUB_NAMES_MAX = 4 << 20,
	/* dynamic symbols up to this size are read whole: libpython has 100 KB, and 1,400 stubs */
	SYMBOLS_MAX_BYTES = 8 << 20,
	NAMES_MAX_BYTES = 1 << 20, /* the same for their names */
};

/* A slot of the global offset table, through which a stub jumps. */
struct slot {
	uint64_t address;
	uint64_t stub; /* index in plt.stubs */
};

struct plt_reader {
	const struct elf_file *elf;
	const struct symtab *table;
	struct plt *plt;
	uint64_t got; /* base of the slots, for position-independent stubs of i386 */
	VEC(struct slot) slots;
	struct names names; /* of the symbols of the current section of relocations */
	const Elf64_Shdr *symbols; /* NULL: none */
	struct elf_section symbol_bytes;
	uint64_t nr_visited; /* at most VISITS_MAX */
};

/*
 * x86-64: jmp *disp32(%rip), perhaps with a bnd prefix. i386: jmp *address, or jmp *disp32(%ebx) with the address of the table in %ebx.
 * Perhaps after endbr64 or endbr32.
 */
static size_t jump_x86(const struct plt_reader *reader, const unsigned char *code, size_t nr, uint64_t address,
		       uint64_t *ret_slot)
{
	const bool is_64 = reader->elf->machine == EM_X86_64;
	const unsigned char landing[] = { 0xf3, 0x0f, 0x1e, is_64 ? 0xfa : 0xfb };
	size_t at = nr >= 4 && !memcmp(code, landing, 4) ? 4 : 0;
	uint32_t number;

	if (is_64 && at < nr && code[at] == 0xf2)
		at++;
	if (at + 6 > nr || code[at] != 0xff || (code[at + 1] != 0x25 && (is_64 || code[at + 1] != 0xa3)))
		return 0;
	memcpy(&number, code + at + 2, sizeof(number));
	if (is_64)
		*ret_slot = address + at + 6 + (uint64_t)(int64_t)(int32_t)number;
	else
		*ret_slot = code[at + 1] == 0x25 ? number : (uint32_t)(reader->got + number);
	return at + 6;
}

/* adrp x16, page; ldr x17, [x16, #offset]; perhaps after "bti c". */
static size_t jump_arm64(const unsigned char *code, size_t nr, uint64_t address, uint64_t *ret_slot)
{
	uint32_t words[3] = {};
	size_t first;
	int64_t page;

	memcpy(words, code, nr < sizeof(words) ? nr : sizeof(words));
	first = words[0] == 0xd503245f ? 1 : 0;
	if (nr < 4 * first + 8 || (words[first] & 0x9f00001f) != 0x90000010 ||
	    (words[first + 1] & 0xffc003ff) != 0xf9400211)
		return 0;
	page = (int64_t)((uint64_t)((words[first] >> 5 & 0x7ffff) << 2 | (words[first] >> 29 & 3)) << 43) >> 31;
	*ret_slot = ((address + 4 * first) & ~4095ull) + (uint64_t)page + (words[first + 1] >> 10 & 0xfff) * 8;
	return 4 * first + 8;
}

/* Size of the stub up to the end of its jump; 0: no stub starts here. */
static size_t stub_at(const struct plt_reader *reader, const unsigned char *code, size_t nr, uint64_t address,
		      uint64_t *ret_slot)
{
	switch (reader->elf->machine) {
	case EM_X86_64:
	case EM_386:
		return jump_x86(reader, code, nr, address, ret_slot);
	case EM_AARCH64:
		return jump_arm64(code, nr, address, ret_slot);
	default:
		return 0;
	}
}

/* A stub extends to the next multiple of 8 or 16 bytes in its section. */
static uint64_t stub_size(const Elf64_Shdr *section, uint64_t at, size_t used)
{
	bool is_narrow = section->sh_entsize == 8 && used <= 8;
	uint64_t size = is_narrow ? 8 : 16;

	return size < section->sh_size - at ? size : section->sh_size - at;
}

static int read_section(struct plt_reader *reader, const char *name)
{
	const Elf64_Shdr *section = elf_file_section(reader->elf, name);
	_cleanup_(freep) unsigned char *code = NULL;
	uint64_t at = 0, left;
	uint32_t first;
	int err;

	if (!section || section->sh_type != SHT_PROGBITS ||
	    !symtab_place(reader->table, section->sh_addr, &first, &left) || left < section->sh_size ||
	    first > UINT32_MAX - SECTION_MAX_BYTES)
		return 0;
	code = elf_file_copy(reader->elf, section->sh_offset, section->sh_size, SECTION_MAX_BYTES, &err);
	if (!code)
		return err == -ENOMEM ? err : 0;
	while (!err && at < section->sh_size) {
		struct plt_stub stub = { .start = first + (uint32_t)at };
		uint64_t slot, size = STEP;
		size_t used = stub_at(reader, code + at, (size_t)(section->sh_size - at), section->sh_addr + at, &slot);

		if (used) {
			size = stub_size(section, at, used);
			stub.size = (uint32_t)size;
			err = vec_try_push(&reader->slots, (struct slot){ slot, reader->plt->stubs.nr });
			err = err ?: vec_try_push(&reader->plt->stubs, stub);
		}
		at += size;
	}
	return err;
}

static struct name name_of_symbol(struct plt_reader *reader, uint64_t number, char scratch[NAME_MAX_BYTES])
{
	size_t size = elf_symbol_size(reader->elf);
	uint32_t name = 0; /* first member of both kinds of symbols */

	if (!reader->symbols || number >= reader->symbols->sh_size / size ||
	    elf_section_read(&reader->symbol_bytes, number * size, &name, sizeof(name)))
		return (struct name){ "", 0 };
	return names_get(&reader->names, name, scratch);
}

/* A slot that the dynamic linker fills by calling a resolver (IRELATIVE) has only the resolver's address, no symbol. */
static struct name name_of_code(const struct plt_reader *reader, uint64_t address, char scratch[NAME_MAX_BYTES])
{
	const struct symtab_symbol *symbol = NULL;
	uint32_t start;
	uint64_t left;

	if (symtab_place(reader->table, address, &start, &left))
		symbol = symtab_lookup(reader->table, reader->table->base + start);
	return symbol ? symtab_name(reader->table, symbol, scratch) : (struct name){ "", 0 };
}

static int set_name(struct plt *plt, struct plt_stub *stub, struct name name)
{
	static const char suffix[] = "@plt";
	size_t nr = name.nr_bytes < STUB_NAME_MAX ? name.nr_bytes : STUB_NAME_MAX;

	if (!nr || stub->name || plt->names.nr + nr + sizeof(suffix) > STUB_NAMES_MAX)
		return 0;
	stub->name = (uint32_t)plt->names.nr;
	return vec_try_append(&plt->names, name.text, nr) ?: vec_try_append(&plt->names, suffix, sizeof(suffix));
}

/* Names the stubs whose slot this relocation fills. */
static int apply(struct plt_reader *reader, const Elf64_Rela *relocation)
{
	char scratch[NAME_MAX_BYTES];
	size_t i = vec_nr_first(&reader->slots, slot, slot->address < relocation->r_offset);
	struct name name;
	int err = 0;

	if (i == reader->slots.nr || reader->slots.data[i].address != relocation->r_offset)
		return 0;
	if (ELF64_R_SYM(relocation->r_info))
		name = name_of_symbol(reader, ELF64_R_SYM(relocation->r_info), scratch);
	else
		name = name_of_code(reader, (uint64_t)relocation->r_addend, scratch);
	reader->nr_visited += name.nr_bytes / 64;
	for (; !err && i < reader->slots.nr && reader->slots.data[i].address == relocation->r_offset;
	     i++, reader->nr_visited++)
		err = set_name(reader->plt, &reader->plt->stubs.data[reader->slots.data[i].stub], name);
	return err;
}

/* Converts one of the four forms of relocations to the largest. */
static Elf64_Rela widen(const struct elf_file *elf, const unsigned char *bytes, size_t size)
{
	Elf64_Rela wide = {};
	Elf32_Rela narrow = {};

	if (elf->is_64) {
		memcpy(&wide, bytes, size);
		return wide;
	}
	memcpy(&narrow, bytes, size);
	wide.r_offset = narrow.r_offset;
	wide.r_info = ELF64_R_INFO((uint64_t)ELF32_R_SYM(narrow.r_info), ELF32_R_TYPE(narrow.r_info));
	wide.r_addend = narrow.r_addend;
	return wide;
}

static size_t relocation_size(const struct elf_file *elf, uint32_t section_type)
{
	if (section_type == SHT_RELA)
		return elf->is_64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);
	return elf->is_64 ? sizeof(Elf64_Rel) : sizeof(Elf32_Rel);
}

static int apply_all(struct plt_reader *reader, const Elf64_Shdr *section)
{
	const size_t size = relocation_size(reader->elf, section->sh_type);
	_cleanup_(elf_section_done) struct elf_section entries =
		elf_section_of_range(reader->elf, section->sh_offset, section->sh_size);
	int err = 0;

	for (uint64_t i = 0; reader->nr_visited < VISITS_MAX; i++, reader->nr_visited++) {
		const unsigned char *entry = elf_section_at(&entries, i * size, size, &err);
		Elf64_Rela relocation;

		if (!entry)
			return err == -ENOMEM ? err : 0;
		relocation = widen(reader->elf, entry, size);
		err = apply(reader, &relocation);
		if (err)
			return err;
	}
	return 0;
}

static void drop_symbols(struct plt_reader *reader)
{
	names_done(&reader->names);
	elf_section_done(&reader->symbol_bytes);
	reader->symbols = NULL;
}

/* Opens the symbols of a section of relocations; static programs have none. Most files have two such sections, with the same symbols. */
static int open_symbols(struct plt_reader *reader, const Elf64_Shdr *section)
{
	const struct elf_file *elf = reader->elf;
	const Elf64_Shdr *symbols = section->sh_link ? elf_file_section_number(elf, section->sh_link) : NULL;
	const Elf64_Shdr *strings = symbols ? elf_file_section_number(elf, symbols->sh_link) : NULL;
	int err;

	if (!strings || (symbols->sh_type != SHT_DYNSYM && symbols->sh_type != SHT_SYMTAB))
		symbols = NULL;
	if (symbols == reader->symbols)
		return 0;
	drop_symbols(reader);
	if (!symbols)
		return 0;
	err = names_open(&reader->names, elf, strings->sh_offset, strings->sh_size, NAMES_MAX_BYTES);
	if (err)
		return err == -ENOMEM ? err : 0;
	reader->symbols = symbols;
	reader->symbol_bytes = elf_section_of_range(elf, symbols->sh_offset, symbols->sh_size);
	reader->symbol_bytes.whole_max = SYMBOLS_MAX_BYTES;
	return 0;
}

static int name_stubs(struct plt_reader *reader)
{
	int err = radix_sort(reader->slots.data, reader->slots.nr, address);

	err = err ?: vec_try_push(&reader->plt->names, '\0');
	for (size_t i = 0; !err && i < reader->elf->sections.nr; i++) {
		const Elf64_Shdr *section = &reader->elf->sections.data[i];

		if (!section->sh_size || (section->sh_type != SHT_RELA && section->sh_type != SHT_REL))
			continue;
		err = open_symbols(reader, section);
		err = err ?: apply_all(reader, section);
	}
	return err ?: radix_sort(reader->plt->stubs.data, reader->plt->stubs.nr, start);
}

int plt_read(struct plt *plt, const struct elf_file *elf, const struct symtab *table)
{
	static const char *const sections[] = { ".plt", ".plt.sec", ".plt.got" };
	struct plt_reader reader = { .elf = elf, .table = table, .plt = plt };
	const Elf64_Shdr *got = elf_file_section(elf, ".got.plt") ?: elf_file_section(elf, ".got");
	int err = 0;

	*plt = (struct plt){ .base = table->base };
	reader.got = got ? got->sh_addr : 0;
	for (size_t i = 0; !err && i < sizeof(sections) / sizeof(*sections); i++)
		err = read_section(&reader, sections[i]);
	if (!err && reader.slots.nr)
		err = name_stubs(&reader);
	drop_symbols(&reader);
	vec_done(&reader.slots);
	if (err)
		plt_done(plt);
	return err;
}

void plt_done(struct plt *plt)
{
	vec_done(&plt->stubs);
	vec_done(&plt->names);
}

const struct plt_stub *plt_lookup(const struct plt *plt, uint64_t offset)
{
	uint64_t place = offset - plt->base;
	size_t nr;

	if (offset < plt->base)
		return NULL;
	nr = vec_nr_first(&plt->stubs, stub, stub->start <= place);
	if (!nr || place - plt->stubs.data[nr - 1].start >= plt->stubs.data[nr - 1].size)
		return NULL;
	return plt->stubs.data[nr - 1].name ? &plt->stubs.data[nr - 1] : NULL;
}

struct name plt_name(const struct plt *plt, const struct plt_stub *stub)
{
	const char *text = plt->names.data + stub->name;

	return (struct name){ text, strlen(text) };
}
