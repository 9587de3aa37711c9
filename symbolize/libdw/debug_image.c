/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/libdw/debug_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "symbolize/elf/elf_section.h"

enum {
	IMAGE_MAX_BYTES = 256 << 20, /* half of the worker's address space (supervisor.c) */
	PIECE_BYTES = 1 << 20,
	ALIGNMENT = 8,
	SYMBOLS_MAX = 4 << 20,
	NOT_KNOWN = -1,
};

/* The sections that libdw reads for lines and inlined calls. The first one is required. */
static const char *const names[] = {
	".debug_info", ".debug_types",  ".debug_abbrev",   ".debug_line", ".debug_line_str",
	".debug_str",  ".debug_ranges", ".debug_rnglists", ".debug_addr", ".debug_str_offsets",
};

enum {
	LINES = 3,
	NR_NAMES = sizeof(names) / sizeof(*names),
	NR_HEADERS = NR_NAMES + 2, /* plus the null section and the section of names */
};

struct layout {
	struct elf_section sections[NR_NAMES];
	uint64_t at[NR_NAMES], nr_bytes;
	uint64_t headers, texts;
};

static uint64_t aligned(uint64_t offset)
{
	return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Opens the sections and computes the layout: ELF header, sections, their names, section headers. */
static int lay_out(const struct elf_file *elf, struct layout *layout)
{
	uint64_t end = sizeof(Elf64_Ehdr);

	for (size_t i = 0; i < NR_NAMES; i++) {
		int err = elf_section_open(&layout->sections[i], elf, names[i], 0);

		if (err && (err != -ENODATA || !i))
			return err;
		if (layout->sections[i].nr_bytes > IMAGE_MAX_BYTES)
			return -ENOMEM;
		layout->at[i] = aligned(end);
		end = layout->at[i] + layout->sections[i].nr_bytes;
	}
	layout->texts = end;
	end++;
	for (size_t i = 0; i < NR_NAMES; i++)
		end += strlen(names[i]) + 1;
	layout->headers = aligned(end);
	layout->nr_bytes = layout->headers + NR_HEADERS * sizeof(Elf64_Shdr);
	return layout->nr_bytes > IMAGE_MAX_BYTES ? -ENOMEM : 0;
}

static int copy_section(struct elf_section *section, unsigned char *to)
{
	for (uint64_t done = 0; done < section->nr_bytes; done += PIECE_BYTES) {
		struct byte_reader piece = elf_section_some(section, done, PIECE_BYTES);

		if (piece.bad)
			return -EBADMSG;
		memcpy(to + done, piece.at, (size_t)(piece.end - piece.at));
	}
	return 0;
}

static void write_headers(const struct elf_file *elf, const struct layout *layout, unsigned char *bytes)
{
	Elf64_Shdr headers[NR_HEADERS] = {};
	const Elf64_Ehdr ehdr = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = elf->machine,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shoff = layout->headers,
		.e_shnum = NR_HEADERS,
		.e_shstrndx = NR_HEADERS - 1,
	};
	uint64_t text = layout->texts + 1;

	for (size_t i = 0; i < NR_NAMES; i++) {
		headers[i + 1] = (Elf64_Shdr){
			.sh_name = (Elf64_Word)(text - layout->texts),
			.sh_type = layout->sections[i].nr_bytes ? SHT_PROGBITS : SHT_NULL,
			.sh_offset = layout->at[i],
			.sh_size = layout->sections[i].nr_bytes,
			.sh_addralign = 1,
		};
		memcpy(bytes + text, names[i], strlen(names[i]) + 1);
		text += strlen(names[i]) + 1;
	}
	headers[NR_HEADERS - 1] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB,
		.sh_offset = layout->texts,
		.sh_size = text - layout->texts,
		.sh_addralign = 1,
	};
	memcpy(bytes, &ehdr, sizeof(ehdr));
	memcpy(bytes + layout->headers, headers, sizeof(headers));
}

/* addresses of all symbols; 0 for an undefined one */
typedef VEC(uint64_t) symbol_values;

/* Returns the width in bytes of a relocated field: 0 if the relocation is ignored, NOT_KNOWN for an unknown type. */
static int width_of(uint16_t machine, uint32_t type)
{
	static const struct {
		uint16_t machine;
		uint16_t type;
		int width;
	} known[] = {
		{ EM_X86_64, R_X86_64_NONE, 0 },         { EM_X86_64, R_X86_64_64, 8 },
		{ EM_X86_64, R_X86_64_32, 4 },           { EM_X86_64, R_X86_64_32S, 4 },
		{ EM_X86_64, R_X86_64_DTPOFF32, 0 }, /* offset of a thread-local variable */
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

static int read_symbols(const struct elf_file *elf, uint32_t section, symbol_values *values)
{
	const Elf64_Shdr *table = elf_file_section_number(elf, section);
	_cleanup_(elf_section_done) struct elf_section symbols = {};
	const Elf64_Sym *symbol;
	int err = 0;

	if (!table || table->sh_type != SHT_SYMTAB || !elf_file_holds(elf, table->sh_offset, table->sh_size) ||
	    table->sh_size / sizeof(*symbol) > SYMBOLS_MAX)
		return -EBADMSG;
	symbols = elf_section_of_range(elf, table->sh_offset, table->sh_size);
	for (uint64_t i = 0; !err && i < table->sh_size / sizeof(*symbol); i++) {
		symbol = elf_section_at(&symbols, i * sizeof(*symbol), sizeof(*symbol), &err);
		err = symbol ? vec_try_push(values, value_of(elf, symbol)) : err;
	}
	return err;
}

static int apply(const struct elf_file *elf, const Elf64_Rela *relocation, const symbol_values *symbols,
		 unsigned char *bytes, uint64_t nr_bytes)
{
	int width = width_of(elf->machine, (uint32_t)ELF64_R_TYPE(relocation->r_info));
	uint64_t symbol = ELF64_R_SYM(relocation->r_info), value;

	if (!width)
		return 0;
	if (width < 0 || symbol >= symbols->nr || relocation->r_offset > nr_bytes ||
	    (uint64_t)width > nr_bytes - relocation->r_offset)
		return -EBADMSG;
	value = symbols->data[symbol] + (uint64_t)relocation->r_addend;
	memcpy(bytes + relocation->r_offset, &value, (size_t)width); /* both the file and this host are little endian */
	return 0;
}

static int apply_table(const struct elf_file *elf, const Elf64_Shdr *table, const symbol_values *symbols,
		       unsigned char *bytes, uint64_t nr_bytes)
{
	_cleanup_(elf_section_done) struct elf_section relocations =
		elf_section_of_range(elf, table->sh_offset, table->sh_size);
	const Elf64_Rela *relocation;
	int err = 0;

	for (uint64_t i = 0; !err && i < table->sh_size / sizeof(*relocation); i++) {
		relocation = elf_section_at(&relocations, i * sizeof(*relocation), sizeof(*relocation), &err);
		err = relocation ? apply(elf, relocation, symbols, bytes, nr_bytes) : err;
	}
	return err;
}

/* Finds the relocation table of the section of this name; NULL: none. `ld -r` merges them, so a section has only one. */
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

/*
 * Applies the relocations of a section to its unpacked bytes (x86-64 and aarch64). Symbol addresses are those of elf_file_lay_out().
 * Returns 0, -EBADMSG for relocations that are compressed, out of bounds or of unknown type, or -ENOMEM.
 */
static int relocate(const struct elf_file *elf, const char *name, unsigned char *bytes, uint64_t nr_bytes)
{
	const Elf64_Shdr *table = table_of(elf, name);
	symbol_values symbols = {};
	int err;

	if (!table)
		return 0;
	err = table->sh_flags & SHF_COMPRESSED ? -EBADMSG : read_symbols(elf, table->sh_link, &symbols);
	err = err ?: apply_table(elf, table, &symbols, bytes, nr_bytes);
	vec_done(&symbols);
	return err;
}

static int fill(const struct elf_file *elf, struct layout *layout, unsigned char *bytes)
{
	int err = 0;

	write_headers(elf, layout, bytes);
	for (size_t i = 0; !err && i < NR_NAMES; i++) {
		struct elf_section *section = &layout->sections[i];

		if (!section->elf)
			continue;
		err = copy_section(section, bytes + layout->at[i]);
		if (!err && elf->is_laid_out)
			err = relocate(elf, names[i], bytes + layout->at[i], section->nr_bytes);
	}
	return err;
}

int debug_image_make(const struct elf_file *elf, struct debug_image *ret_image)
{
	struct layout layout = {};
	int err = lay_out(elf, &layout);
	struct debug_image image = {
		.bytes = err ? NULL : calloc(1, (size_t)layout.nr_bytes),
		.nr_bytes = (size_t)layout.nr_bytes,
		.lines = layout.at[LINES],
		.nr_lines = layout.sections[LINES].nr_bytes,
	};

	err = err ?: image.bytes ? fill(elf, &layout, image.bytes) : -ENOMEM;
	for (size_t i = 0; i < NR_NAMES; i++)
		elf_section_done(&layout.sections[i]);
	if (err)
		free(image.bytes);
	else
		*ret_image = image;
	return err;
}

uint64_t debug_image_program_size(const struct debug_image *image, uint64_t offset)
{
	struct byte_reader bytes = { .at = image->bytes + image->lines,
				     .end = image->bytes + image->lines + image->nr_lines };
	uint64_t nr_bytes;

	bytes_skip(&bytes, offset);
	nr_bytes = bytes_number(&bytes, 4);
	if (nr_bytes == UINT32_MAX)
		nr_bytes = bytes_number(&bytes, 8);
	return bytes.bad ? 0 : nr_bytes;
}

void debug_image_done(struct debug_image *image)
{
	free(image->bytes);
	*image = (struct debug_image){};
}
