/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/go_table.h"

#include <string.h>

#include "core/base/cleanup.h"
#include "symbolize/elf/elf_section.h"

enum {
	FUNCTIONS_MAX = 4 << 20, /* the largest programs have some 200,000 */
	WORDS_MAX = 8,           /* words of the header after its first eight bytes */
	WINDOW_BYTES = 65536,
	ALIGNMENT = 32, /* of the table */
};

/* The first word, which determines the rest of the header. */
enum go_magic {
	GO_1_2 = 0xfffffffb,
	GO_1_16 = 0xfffffffa,
	GO_1_18 = 0xfffffff0,
	GO_1_20 = 0xfffffff1,
};

struct header {
	uint32_t magic;
	uint8_t quantum, width;
	uint64_t words[WORDS_MAX];
};

/* The header begins with magic, 0, 0, size of an instruction (1, 2 or 4), size of a word (4 or 8). */
static bool may_be_header(const unsigned char *bytes)
{
	uint32_t magic;

	memcpy(&magic, bytes, sizeof(magic));
	return (magic == GO_1_2 || magic == GO_1_16 || magic == GO_1_18 || magic == GO_1_20) && !bytes[4] &&
	       !bytes[5] && (bytes[6] == 1 || bytes[6] == 2 || bytes[6] == 4) && (bytes[7] == 4 || bytes[7] == 8);
}

static bool read_header(const struct elf_file *elf, uint64_t offset, struct header *ret_header)
{
	unsigned char bytes[8 + 8 * WORDS_MAX];
	struct byte_reader reader = { .at = bytes, .end = bytes + sizeof(bytes) };

	if (elf_file_read(elf, offset, bytes, sizeof(bytes)) || !may_be_header(bytes))
		return false;
	ret_header->magic = (uint32_t)bytes_number(&reader, 4);
	bytes_skip(&reader, 2);
	ret_header->quantum = bytes_byte(&reader);
	ret_header->width = bytes_byte(&reader);
	for (size_t i = 0; i < WORDS_MAX; i++)
		ret_header->words[i] = bytes_number(&reader, ret_header->width);
	return true;
}

/* In a position-independent program, the start is set at load time, by a relocation. */
static uint64_t relocated(const struct elf_file *elf, uint64_t address)
{
	for (size_t i = 0; i < elf->sections.nr; i++) {
		const Elf64_Shdr *section = &elf->sections.data[i];
		_cleanup_(elf_section_done) struct elf_section entries =
			elf_section_of_range(elf, section->sh_offset, section->sh_size);
		Elf64_Rela entry;

		if (section->sh_type != SHT_RELA || !elf->is_64)
			continue;
		for (uint64_t at = 0; !elf_section_read(&entries, at, &entry, sizeof(entry)); at += sizeof(entry))
			if (entry.r_offset == address)
				return (uint64_t)entry.r_addend;
	}
	return 0;
}

/* The start from the header; else (newer linkers) from a relocation; else that of .text. */
static uint64_t find_text(const struct elf_file *elf, uint64_t place, uint64_t word)
{
	const Elf64_Shdr *section = elf_file_section(elf, ".text");
	uint64_t address, text = word;

	if (!text && !elf_file_address_of_offset(elf, place, &address))
		text = relocated(elf, address);
	return text ?: section ? section->sh_addr : 0;
}

/* Offsets after the counts: names, compilation units, files, pc tables, functions; relative to the start of the table. */
static void take_offsets(struct go_table *go, const uint64_t *words)
{
	go->names = go->start + words[0];
	go->names_end = go->start + words[1];
	go->programs = go->start + words[3];
	go->functions = go->records = go->start + words[4];
}

static bool take_header(const struct elf_file *elf, struct go_table *go, const struct header *header)
{
	size_t width = header->width;

	go->nr = header->words[0];
	go->word = width;
	go->quantum = header->quantum;
	go->pointer_bytes = header->width;
	switch (header->magic) {
	case GO_1_2:
		go->names = go->records = go->start;
		go->names_end = go->start + go->nr_bytes;
		go->functions = go->start + 8 + width;
		return true;
	case GO_1_16:
		take_offsets(go, header->words + 2);
		go->flags = (uint32_t)width + 32;
		return true;
	case GO_1_18:
	case GO_1_20:
		take_offsets(go, header->words + 3);
		go->word = 4;
		go->flags = header->magic == GO_1_20 ? 40 : 36; /* from 1.20 on, a line number precedes it */
		go->text = find_text(elf, go->start + 8 + 2 * width, header->words[2]);
		return go->text;
	default:
		return false;
	}
}

static bool is_valid(const struct go_table *go)
{
	uint64_t end = go->start + go->nr_bytes;

	return go->nr && go->nr <= FUNCTIONS_MAX && go->names >= go->start && go->names < go->names_end &&
	       go->names_end <= end && go->functions >= go->start && go->functions <= end && go->programs <= end &&
	       (!go->flags || go->programs >= go->start) && (2 * go->nr + 1) * go->word <= end - go->functions;
}

/* Reads a table at this offset, of at most nr_bytes. */
static bool open_table(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes, struct go_table *ret_go)
{
	struct go_table go = { .start = offset, .nr_bytes = nr_bytes };
	struct header header;

	if (nr_bytes < 8 + 8 * WORDS_MAX || !elf_file_holds(elf, offset, nr_bytes) ||
	    !read_header(elf, offset, &header) || !take_header(elf, &go, &header) || !is_valid(&go))
		return false;
	*ret_go = go;
	return true;
}

static bool scan(const struct elf_file *elf, const Elf64_Phdr *segment, unsigned char *window, struct go_table *ret_go)
{
	for (uint64_t at = 0; at < segment->p_filesz; at += WINDOW_BYTES) {
		uint64_t left = segment->p_filesz - at;
		size_t nr = left < WINDOW_BYTES ? (size_t)left : WINDOW_BYTES;

		if (elf_file_read(elf, segment->p_offset + at, window, nr))
			return false;
		for (size_t i = 0; i + 8 <= nr; i += ALIGNMENT)
			if (may_be_header(window + i) && open_table(elf, segment->p_offset + at + i, left - i, ret_go))
				return true;
	}
	return false;
}

int go_table_find(const struct elf_file *elf, struct go_table *ret_go)
{
	const Elf64_Shdr *section = elf_file_section(elf, ".gopclntab")
					    ?: elf_file_section(elf, ".data.rel.ro.gopclntab");
	_cleanup_(freep) unsigned char *window = NULL;

	if (section && section->sh_type != SHT_NOBITS)
		return open_table(elf, section->sh_offset, section->sh_size, ret_go) ? 0 : -ENODATA;
	if (elf->sections.nr && !elf_file_section(elf, ".go.buildinfo"))
		return -ENODATA;
	window = malloc(WINDOW_BYTES);
	if (!window)
		return -ENOMEM;
	for (size_t i = 0; i < elf->segments.nr; i++) {
		const Elf64_Phdr *segment = &elf->segments.data[i];

		if (segment->p_type == PT_LOAD && !(segment->p_flags & PF_X) &&
		    elf_file_holds(elf, segment->p_offset, segment->p_filesz) && scan(elf, segment, window, ret_go))
			return 0;
	}
	return -ENODATA;
}

/*
 * The list has an entry address and the place of a record for each function; a record begins with the entry address and the position of the
 * name.
 */
static int add_functions(struct symtab *table, const struct elf_file *elf, const struct go_table *go,
			 unsigned int names)
{
	_cleanup_(elf_section_done) struct elf_section list =
		elf_section_of_range(elf, go->functions, (2 * go->nr + 1) * go->word);
	_cleanup_(elf_section_done) struct elf_section records =
		elf_section_of_range(elf, go->records, go->start + go->nr_bytes - go->records);
	int err = 0;

	for (uint64_t i = 0; !err && i < go->nr; i++) {
		struct byte_reader entry = elf_section_bytes(&list, 2 * i * go->word, 3 * go->word), record;
		uint64_t start = bytes_number(&entry, go->word), place = bytes_number(&entry, go->word);
		uint64_t next = bytes_number(&entry, go->word);
		uint32_t name;

		if (entry.bad)
			return -EBADMSG;
		record = elf_section_bytes(&records, place, go->word + sizeof(name));
		bytes_skip(&record, go->word);
		name = (uint32_t)bytes_number(&record, sizeof(name));
		if (next > start && !record.bad)
			err = symtab_add_function(table, go->text + start, next - start, names, name);
	}
	return err;
}

int go_functions_add(struct symtab *table, const struct elf_file *elf)
{
	struct go_table go;
	int names, err = go_table_find(elf, &go);

	if (err)
		return err == -ENODATA ? 0 : err;
	names = symtab_add_names(table, elf, go.names, go.names_end - go.names);
	return names < 0 ? names : add_functions(table, elf, &go, (unsigned int)names);
}
