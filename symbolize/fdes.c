/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/fdes.h"

#include <string.h>

#include "symbolize/radix_sort.h"
#include "symbolize/vec_trim.h"

enum {
	ENTRIES_MAX = 4 << 20,   /* the largest programs have less than a million */
	WINDOW_BYTES = 65536,    /* of the section read at once */
	CIE_MAX_BYTES = 256,     /* as much of a CIE as is looked at */
	CIES_KNOWN = 64,
	EXTENDED_LENGTH = 12,    /* 0xffffffff and eight bytes */
};

/* DW_EH_PE_…: how a number is written, in the lower four bits, and what it is relative to. */
enum encoding {
	ENCODING_ABSOLUTE = 0x00,
	ENCODING_UDATA2 = 0x02,
	ENCODING_UDATA4 = 0x03,
	ENCODING_UDATA8 = 0x04,
	ENCODING_SDATA2 = 0x0a,
	ENCODING_SDATA4 = 0x0b,
	ENCODING_SDATA8 = 0x0c,
	ENCODING_FORMAT = 0x0f,
	ENCODING_RELATIVE = 0x70,
	ENCODING_PCREL = 0x10,
	ENCODING_OMIT = 0xff,
};

struct known_cie {
	uint64_t offset; /* 0: free; no CIE is at the start of a file */
	unsigned char encoding; /* of addresses in its FDEs */
};

/* An entry while they are collected: as radix_sort() wants them. */
struct found {
	uint64_t start, size;
};

struct frame_reader {
	const struct elf_file *elf;
	const struct symtab *table;
	uint64_t offset, end, address; /* of .eh_frame: range in the file, and where it is loaded */
	VEC(struct found) found;
	struct known_cie cies[CIES_KNOWN];
	uint64_t window_start;
	size_t window_nr;
	unsigned char window[WINDOW_BYTES];
};

/* The bytes at an offset of the section's range, or NULL. */
static const unsigned char *look(struct frame_reader *reader, uint64_t offset, size_t nr_bytes)
{
	if (offset > reader->end || nr_bytes > reader->end - offset || nr_bytes > WINDOW_BYTES)
		return NULL;
	if (offset < reader->window_start || offset + nr_bytes > reader->window_start + reader->window_nr) {
		uint64_t left = reader->end - offset;

		reader->window_start = offset;
		reader->window_nr = left < WINDOW_BYTES ? (size_t)left : WINDOW_BYTES;
		if (elf_file_read(reader->elf, offset, reader->window, reader->window_nr)) {
			reader->window_nr = 0;
			return NULL;
		}
	}
	return reader->window + (offset - reader->window_start);
}

/* ---- CIEs: how the FDEs that refer to them write addresses ---- */

/* A position in a CIE; beyond the end everything is 0. */
struct cursor {
	const unsigned char *at, *end;
};

static unsigned char take_byte(struct cursor *cursor)
{
	return cursor->at < cursor->end ? *cursor->at++ : 0;
}

static void skip_leb(struct cursor *cursor)
{
	while (take_byte(cursor) & 0x80)
		;
}

/* Bytes that a number of this encoding has; 0 for one that is not known. */
static size_t width_of(unsigned char encoding, bool is_64)
{
	switch (encoding & ENCODING_FORMAT) {
	case ENCODING_ABSOLUTE:
		return is_64 ? 8 : 4;
	case ENCODING_UDATA2:
	case ENCODING_SDATA2:
		return 2;
	case ENCODING_UDATA4:
	case ENCODING_SDATA4:
		return 4;
	case ENCODING_UDATA8:
	case ENCODING_SDATA8:
		return 8;
	default:
		return 0;
	}
}

/* The augmentation data behind the string "z…": one item per letter. */
static unsigned char encoding_of(struct cursor *cursor, const char *letters, bool is_64)
{
	for (; *letters; letters++) {
		unsigned char encoding;

		switch (*letters) {
		case 'R':
			return take_byte(cursor);
		case 'P':
			encoding = take_byte(cursor);
			for (size_t i = width_of(encoding, is_64); i; i--)
				take_byte(cursor);
			break;
		case 'L':
			take_byte(cursor);
			break;
		case 'S': /* a signal frame; no data */
		case 'B': /* pointer authentication with key B; no data */
		case 'G': /* memory tagging; no data */
			break;
		default:
			return ENCODING_OMIT;
		}
	}
	return ENCODING_ABSOLUTE;
}

/* {version, augmentation string, code and data alignment, return register, augmentation length and data} */
static unsigned char parse_cie(struct cursor *cursor, bool is_64)
{
	unsigned char version = take_byte(cursor);
	const char *letters = (const char *)cursor->at;

	if ((version != 1 && version != 3) || !memchr(letters, '\0', (size_t)(cursor->end - cursor->at)))
		return ENCODING_OMIT;
	cursor->at += strlen(letters) + 1;
	skip_leb(cursor);
	skip_leb(cursor);
	if (version == 1)
		take_byte(cursor);
	else
		skip_leb(cursor);
	if (!*letters)
		return ENCODING_ABSOLUTE;
	if (*letters != 'z')
		return ENCODING_OMIT;
	skip_leb(cursor);
	return encoding_of(cursor, letters + 1, is_64);
}

/* The encoding that the CIE at this offset says; it is read apart from the window, which is somewhere else. */
static unsigned char read_cie(const struct frame_reader *reader, uint64_t offset)
{
	unsigned char bytes[CIE_MAX_BYTES];
	uint64_t left = reader->end - offset;
	size_t nr = left < sizeof(bytes) ? (size_t)left : sizeof(bytes);
	struct cursor cursor = { bytes + 8, bytes + nr };
	uint32_t length, id;

	if (nr < 12 || elf_file_read(reader->elf, offset, bytes, nr))
		return ENCODING_OMIT;
	memcpy(&length, bytes, sizeof(length));
	memcpy(&id, bytes + 4, sizeof(id));
	if (id || length == UINT32_MAX || length < 4)
		return ENCODING_OMIT;
	if (length < nr - 4)
		cursor.end = bytes + 4 + length;
	return parse_cie(&cursor, reader->elf->is_64);
}

static unsigned char cie_encoding(struct frame_reader *reader, uint64_t offset)
{
	struct known_cie *known = &reader->cies[(offset >> 3) % CIES_KNOWN];

	if (known->offset != offset)
		*known = (struct known_cie){ offset, read_cie(reader, offset) };
	return known->encoding;
}

/* ---- FDEs ---- */

static uint64_t number_at(const unsigned char *bytes, unsigned char encoding, size_t width)
{
	uint64_t wide = 0;
	int shift = 64 - 8 * (int)width;

	memcpy(&wide, bytes, width); /* little endian, as all files that are read here where the host is */
	if (encoding & 0x08)
		return (uint64_t)((int64_t)(wide << shift) >> shift);
	return wide;
}

/* Adds [address, address + size) as far as it is code that no sized symbol covers. */
static int add_range(struct frame_reader *reader, uint64_t address, uint64_t size)
{
	const struct code_range *code = symtab_code_at(reader->table, address);
	const struct symtab_symbol *first, *last;
	uint64_t start, left;

	if (!code || !size)
		return 0;
	start = address - code->address + code->offset;
	left = code->size - (address - code->address);
	size = size < left ? size : left;
	if (start - reader->table->base > UINT32_MAX || size > UINT32_MAX)
		return 0;
	first = symtab_lookup(reader->table, start);
	if (first && !first->unsized && symtab_start(reader->table, first) + first->size >= start + size)
		return 0; /* nearly all */
	last = first ? symtab_lookup(reader->table, start + size - 1) : NULL;
	if (last && !first->unsized && !last->unsized)
		return 0;
	return vec_try_push(&reader->found, (struct found){ start - reader->table->base, size });
}

/* `body` is the offset of the word that refers to the CIE, `length` what follows from there on. */
static int read_fde(struct frame_reader *reader, uint64_t body, uint64_t length, uint32_t distance)
{
	const unsigned char *bytes;
	unsigned char encoding;
	uint64_t start, size;
	size_t width;

	if (distance > body - reader->offset)
		return 0;
	encoding = cie_encoding(reader, body - distance);
	width = encoding == ENCODING_OMIT ? 0 : width_of(encoding, reader->elf->is_64);
	if (!width || length < 4 + 2 * width)
		return 0;
	bytes = look(reader, body + 4, 2 * width);
	if (!bytes)
		return 0;
	start = number_at(bytes, encoding, width);
	size = number_at(bytes + width, encoding & ENCODING_FORMAT & ~0x08, width);
	if ((encoding & ENCODING_RELATIVE) == ENCODING_PCREL)
		start += body + 4 - reader->offset + reader->address;
	else if (encoding & ENCODING_RELATIVE)
		return 0;
	return add_range(reader, reader->elf->is_64 ? start : (uint32_t)start, size);
}

/* One entry at `at`. Returns its length, 0 at the end of the section or of what can be read. */
static uint64_t read_entry(struct frame_reader *reader, uint64_t at, int *err)
{
	const unsigned char *head = look(reader, at, 8);
	uint32_t length, id;

	if (!head)
		return 0;
	memcpy(&length, head, sizeof(length));
	memcpy(&id, head + 4, sizeof(id));
	if (length == UINT32_MAX) { /* nobody needs the long form; the entry is passed over */
		uint64_t extended;

		head = look(reader, at, EXTENDED_LENGTH);
		if (!head)
			return 0;
		memcpy(&extended, head + 4, sizeof(extended));
		return extended <= reader->end - at - EXTENDED_LENGTH ? EXTENDED_LENGTH + extended : 0;
	}
	if (length < 4 || length > reader->end - at - 4)
		return 0;
	if (id)
		*err = read_fde(reader, at + 4, length, id);
	return 4 + (uint64_t)length;
}

static int read_entries(struct frame_reader *reader)
{
	uint64_t at = reader->offset;
	int err = 0;

	for (uint32_t i = 0; !err && i < ENTRIES_MAX && at < reader->end; i++) {
		uint64_t nr_bytes = read_entry(reader, at, &err);

		if (!nr_bytes)
			break;
		at += nr_bytes;
	}
	return err;
}

/* ---- where the section is ---- */

/* Without section headers: {version 1, three encodings, address of .eh_frame, …}; ends with an entry of length 0. */
static bool find_by_header(struct frame_reader *reader)
{
	const struct elf_file *elf = reader->elf;

	for (size_t i = 0; i < elf->segments.nr; i++) {
		const Elf64_Phdr *header = &elf->segments.data[i];
		unsigned char bytes[8];
		int32_t distance;

		if (header->p_type != PT_GNU_EH_FRAME || elf_file_read(elf, header->p_offset, bytes, sizeof(bytes)) ||
		    bytes[0] != 1 || bytes[1] != (ENCODING_PCREL | ENCODING_SDATA4))
			continue;
		memcpy(&distance, bytes + 4, sizeof(distance));
		reader->address = header->p_vaddr + 4 + (uint64_t)(int64_t)distance;
		reader->end = elf->size;
		return !elf_file_offset_of_address(elf, reader->address, &reader->offset);
	}
	return false;
}

static bool find_section(struct frame_reader *reader)
{
	const Elf64_Shdr *section = elf_file_section(reader->elf, ".eh_frame");

	if (!section)
		return find_by_header(reader);
	if (section->sh_type == SHT_NOBITS || !elf_file_holds(reader->elf, section->sh_offset, section->sh_size))
		return false;
	reader->offset = section->sh_offset;
	reader->end = section->sh_offset + section->sh_size;
	reader->address = section->sh_addr;
	return true;
}

/* ---- the index ---- */

static uint64_t start_of(const void *found)
{
	return ((const struct found *)found)->start;
}

static int keep(struct fdes *fdes, struct frame_reader *reader)
{
	int err = radix_sort(reader->found.data, reader->found.nr, start_of);

	if (!err && reader->found.nr)
		err = vec_grow((void **)&fdes->list.data, &fdes->list.room, reader->found.nr, sizeof(struct fde));
	for (size_t i = 0; !err && i < reader->found.nr; i++)
		fdes->list.data[fdes->list.nr++] =
			(struct fde){ (uint32_t)reader->found.data[i].start, (uint32_t)reader->found.data[i].size };
	vec_trim(&fdes->list);
	if (!err)
		pages_make(&fdes->pages, fdes->list.data, fdes->list.nr, sizeof(*fdes->list.data));
	return err;
}

int fdes_read(struct fdes *fdes, const struct elf_file *elf, const struct symtab *table)
{
	struct frame_reader *reader = calloc(1, sizeof(*reader));
	int err = 0;

	*fdes = (struct fdes){ .base = table->base };
	if (!reader)
		return -ENOMEM;
	reader->elf = elf;
	reader->table = table;
	if (find_section(reader)) {
		err = read_entries(reader);
		err = err ?: keep(fdes, reader);
	}
	vec_done(&reader->found);
	free(reader);
	if (err)
		fdes_done(fdes);
	return err;
}

void fdes_done(struct fdes *fdes)
{
	vec_done(&fdes->list);
	pages_done(&fdes->pages);
}

const struct fde *fdes_lookup(const struct fdes *fdes, uint64_t offset)
{
	uint64_t place = offset - fdes->base;
	size_t nr;

	if (offset < fdes->base)
		return NULL;
	nr = pages_nr_until(&fdes->pages, &fdes->list, place);
	if (!nr || place - fdes->list.data[nr - 1].start >= fdes->list.data[nr - 1].size)
		return NULL;
	return &fdes->list.data[nr - 1];
}
