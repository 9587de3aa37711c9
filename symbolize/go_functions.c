/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/go_functions.h"

#include <string.h>

#include "core/base/cleanup.h"

enum {
	FUNCTIONS_MAX = 4 << 20, /* the largest programs have some 200,000 */
	BATCH = 1024,            /* entries of the function table read at once */
	HEADER_MAX_BYTES = 8 + 8 * 8,
	WINDOW_BYTES = 65536,
	ALIGNMENT = 32,          /* of the table, in all versions */
};

/* The first word; what follows differs. */
enum go_magic {
	GO_1_2 = 0xfffffffb,
	GO_1_16 = 0xfffffffa,
	GO_1_18 = 0xfffffff0,
	GO_1_20 = 0xfffffff1,
};

/* The table, with everything as offsets in the file. */
struct go_table {
	uint64_t start, nr_bytes;
	uint64_t nr;                   /* of functions */
	uint64_t text;                 /* what entries are relative to; 0 before 1.18 */
	uint64_t names, names_end;     /* NUL-terminated, one behind the other */
	uint64_t functions;            /* {entry, offset of the function's record} each, and a last entry */
	uint64_t records;              /* what these offsets are relative to */
	size_t word;                   /* bytes of a number in the function table */
	size_t record_word;            /* and of the entry that a record begins with */
};

struct go_reader {
	struct symtab *table;
	const struct elf_file *elf;
	struct go_table go;
	unsigned int names;
	uint64_t window_start, window_nr;
	unsigned char window[WINDOW_BYTES];
};

static uint64_t word_at(const unsigned char *bytes, size_t width)
{
	uint64_t wide;
	uint32_t narrow;

	if (width == 8) {
		memcpy(&wide, bytes, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, bytes, sizeof(narrow));
	return narrow;
}

/* ---- the header ---- */

/*
 * In a position independent program the start of the text is filled in when it is loaded; the file has a relocation in
 * its place.
 */
static uint64_t relocated(const struct elf_file *elf, uint64_t address)
{
	enum {
		RELOCATIONS = 512
	};
	Elf64_Rela batch[RELOCATIONS];

	for (size_t i = 0; i < elf->sections.nr; i++) {
		const Elf64_Shdr *section = &elf->sections.data[i];

		if (section->sh_type != SHT_RELA || !elf->is_64 ||
		    !elf_file_holds(elf, section->sh_offset, section->sh_size))
			continue;
		for (uint64_t at = 0; at + sizeof(*batch) <= section->sh_size; at += sizeof(batch)) {
			uint64_t left = section->sh_size - at;
			size_t nr = (left < sizeof(batch) ? (size_t)left : sizeof(batch)) / sizeof(*batch);

			if (elf_file_read(elf, section->sh_offset + at, batch, nr * sizeof(*batch)))
				break;
			for (size_t k = 0; k < nr; k++)
				if (batch[k].r_offset == address)
					return (uint64_t)batch[k].r_addend;
		}
	}
	return 0;
}

/* The offsets behind the counts: {names, compilation units, files, pc tables, functions}, relative to the start. */
static void take_offsets(struct go_table *go, const unsigned char *header, size_t first, size_t width)
{
	go->names = go->start + word_at(header + 8 + first * width, width);
	go->names_end = go->start + word_at(header + 8 + (first + 1) * width, width);
	go->functions = go->records = go->start + word_at(header + 8 + (first + 4) * width, width);
}

static bool parse_header(const struct elf_file *elf, struct go_table *go, const unsigned char *header)
{
	size_t width = header[7];
	uint32_t magic;
	uint64_t address;

	memcpy(&magic, header, sizeof(magic));
	go->nr = word_at(header + 8, width);
	go->word = go->record_word = width;
	switch (magic) {
	case GO_1_2:
		go->names = go->records = go->start;
		go->names_end = go->start + go->nr_bytes;
		go->functions = go->start + 8 + width;
		return true;
	case GO_1_16:
		take_offsets(go, header, 2, width);
		return true;
	case GO_1_18:
	case GO_1_20:
		take_offsets(go, header, 3, width);
		go->word = go->record_word = 4;
		go->text = word_at(header + 8 + 2 * width, width);
		if (!go->text && !elf_file_address_of_offset(elf, go->start + 8 + 2 * width, &address))
			go->text = relocated(elf, address);
		return go->text;
	default:
		return false;
	}
}

/* {magic, 0, 0, size of an instruction: 1, 2 or 4, size of a word: 4 or 8} */
static bool may_be_header(const unsigned char *header)
{
	uint32_t magic;

	memcpy(&magic, header, sizeof(magic));
	return (magic == GO_1_2 || magic == GO_1_16 || magic == GO_1_18 || magic == GO_1_20) && !header[4] &&
	       !header[5] && (header[6] == 1 || header[6] == 2 || header[6] == 4) && (header[7] == 4 || header[7] == 8);
}

/* Whether all ranges lie in the table, in this order. */
static bool is_sound(const struct go_table *go)
{
	uint64_t end = go->start + go->nr_bytes;

	return go->nr && go->nr <= FUNCTIONS_MAX && go->names >= go->start && go->names < go->names_end &&
	       go->names_end <= end && go->functions >= go->start && go->functions <= end &&
	       (2 * go->nr + 1) * go->word <= end - go->functions;
}

/* A table at this offset, of at most so many bytes. */
static bool open_table(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes, struct go_table *ret_go)
{
	unsigned char header[HEADER_MAX_BYTES] = {};
	struct go_table go = { .start = offset, .nr_bytes = nr_bytes };

	if (nr_bytes < sizeof(header) || !elf_file_holds(elf, offset, nr_bytes) ||
	    elf_file_read(elf, offset, header, sizeof(header)) || !may_be_header(header) ||
	    !parse_header(elf, &go, header) || !is_sound(&go))
		return false;
	*ret_go = go;
	return true;
}

/* ---- where it is ---- */

/* Looks for a header in a segment. */
static bool scan(struct go_reader *reader, const Elf64_Phdr *segment)
{
	for (uint64_t at = 0; at < segment->p_filesz; at += WINDOW_BYTES) {
		uint64_t left = segment->p_filesz - at;
		size_t nr = left < WINDOW_BYTES ? (size_t)left : WINDOW_BYTES;

		if (elf_file_read(reader->elf, segment->p_offset + at, reader->window, nr))
			return false;
		for (size_t i = 0; i + 8 <= nr; i += ALIGNMENT)
			if (may_be_header(reader->window + i) &&
			    open_table(reader->elf, segment->p_offset + at + i, left - i, &reader->go))
				return true;
	}
	return false;
}

/* Some programs lack the section, or all sections; then only a search finds it. */
static bool find_table(struct go_reader *reader)
{
	const struct elf_file *elf = reader->elf;
	const Elf64_Shdr *section = elf_file_section(elf, ".gopclntab")
					    ?: elf_file_section(elf, ".data.rel.ro.gopclntab");

	if (section && section->sh_type != SHT_NOBITS)
		return open_table(elf, section->sh_offset, section->sh_size, &reader->go);
	if (elf->sections.nr && !elf_file_section(elf, ".go.buildinfo"))
		return false;
	for (size_t i = 0; i < elf->segments.nr; i++) {
		const Elf64_Phdr *segment = &elf->segments.data[i];

		if (segment->p_type == PT_LOAD && !(segment->p_flags & PF_X) &&
		    elf_file_holds(elf, segment->p_offset, segment->p_filesz) && scan(reader, segment))
			return true;
	}
	return false;
}

/* ---- functions ---- */

/* The bytes at an offset of the table, or NULL. Records come in the order of the functions. */
static const unsigned char *look(struct go_reader *reader, uint64_t offset, size_t nr_bytes)
{
	uint64_t end = reader->go.start + reader->go.nr_bytes;

	if (offset < reader->go.start || offset > end || nr_bytes > end - offset)
		return NULL;
	if (offset < reader->window_start || offset + nr_bytes > reader->window_start + reader->window_nr) {
		reader->window_start = offset;
		reader->window_nr = end - offset < WINDOW_BYTES ? end - offset : WINDOW_BYTES;
		if (elf_file_read(reader->elf, offset, reader->window, (size_t)reader->window_nr)) {
			reader->window_nr = 0;
			return NULL;
		}
	}
	return reader->window + (offset - reader->window_start);
}

/* A record begins with {entry, position of the name}. */
static int add_function(struct go_reader *reader, uint64_t entry, uint64_t next, uint64_t record)
{
	const struct go_table *go = &reader->go;
	const unsigned char *bytes;
	uint32_t name;

	if (next <= entry || record > go->nr_bytes)
		return 0;
	bytes = look(reader, go->records + record, go->record_word + sizeof(name));
	if (!bytes)
		return 0;
	memcpy(&name, bytes + go->record_word, sizeof(name));
	return symtab_add_function(reader->table, go->text + entry, next - entry, reader->names, name);
}

static int add_functions(struct go_reader *reader)
{
	const struct go_table *go = &reader->go;
	size_t entry_size = 2 * go->word;
	_cleanup_(freep) unsigned char *batch = malloc((BATCH + 1) * entry_size);
	int err = batch ? 0 : -ENOMEM;

	for (uint64_t i = 0; !err && i < go->nr; i += BATCH) {
		size_t nr = go->nr - i < BATCH ? (size_t)(go->nr - i) : BATCH;

		err = elf_file_read(reader->elf, go->functions + i * entry_size, batch, nr * entry_size + go->word);
		for (size_t k = 0; !err && k < nr; k++) {
			const unsigned char *entry = batch + k * entry_size;

			err = add_function(reader, word_at(entry, go->word), word_at(entry + entry_size, go->word),
					   word_at(entry + go->word, go->word));
		}
	}
	return err;
}

int go_functions_add(struct symtab *table, const struct elf_file *elf)
{
	struct go_reader *reader = calloc(1, sizeof(*reader));
	int names, err = 0;

	if (!reader)
		return -ENOMEM;
	reader->table = table;
	reader->elf = elf;
	if (find_table(reader)) {
		names = symtab_add_names(table, elf, reader->go.names, reader->go.names_end - reader->go.names);
		reader->names = (unsigned int)names;
		err = names < 0 ? names : add_functions(reader);
	}
	free(reader);
	return err;
}
