/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/frame_ranges.h"

#include "core/base/radix_sort.h"
#include "core/base/vec_trim.h"
#include "symbolize/elf/eh_pointer.h"
#include "symbolize/elf/frame_section.h"

enum {
	ENTRIES_MAX = 4 << 20, /* the largest programs have less than a million */
};

struct known_cie {
	uint64_t position; /* in the section */
	uint8_t encoding;  /* of addresses in its FDEs */
};

/* An entry while they are collected: as radix_sort() wants them. */
struct found {
	uint64_t start, size;
};

struct frame_reader {
	const struct symtab *table;
	struct frame_section section;
	VEC(struct found) found;
	VEC(struct known_cie) cies; /* by position */
	uint64_t last_cie;          /* the one that was looked for last */
	uint8_t last_encoding;
};

/* ---- FDEs ---- */

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

/* The encoding of addresses in the FDEs of the CIE at this position; POINTER_OMITTED: not known. */
static uint8_t encoding_of(const struct frame_reader *reader, uint64_t position)
{
	size_t nr = vec_nr_first(&reader->cies, one, one->position < position);

	if (nr == reader->cies.nr || reader->cies.data[nr].position != position)
		return POINTER_OMITTED;
	return reader->cies.data[nr].encoding;
}

static int add_cie(struct frame_reader *reader, const struct frame_entry *entry)
{
	struct frame_cie cie;

	if (!frame_read_cie(&reader->section, entry, &cie))
		return 0;
	return vec_try_push(&reader->cies, (struct known_cie){ entry->position, cie.encoding });
}

static int add_fde(struct frame_reader *reader, struct frame_entry *entry)
{
	uint64_t address = frame_section_address(&reader->section, entry->body.at), start, size;
	size_t word = reader->section.word;

	if (!reader->last_encoding || entry->cie != reader->last_cie) {
		reader->last_cie = entry->cie;
		reader->last_encoding = encoding_of(reader, entry->cie);
	}
	if (reader->last_encoding == POINTER_OMITTED)
		return 0;
	start = eh_pointer(&entry->body, reader->last_encoding, word, address);
	/* A length is never negative. */
	size = eh_pointer_value(&entry->body, reader->last_encoding & POINTER_FORMAT & ~POINTER_SIGNED, word);
	return entry->body.bad ? 0 : add_range(reader, start, size);
}

static int read_entries(struct frame_reader *reader)
{
	struct byte_reader at = frame_section_from(&reader->section, 0);
	struct frame_entry entry;
	int err = 0;

	for (uint32_t i = 0; !err && i < ENTRIES_MAX && frame_next_entry(&reader->section, &at, &entry); i++) {
		if (entry.is_last)
			break;
		if (!entry.body.bad)
			err = entry.is_cie ? add_cie(reader, &entry) : add_fde(reader, &entry);
	}
	return err;
}

/* ---- the index ---- */

static int keep(struct frame_ranges *ranges, struct frame_reader *reader)
{
	int err = radix_sort(reader->found.data, reader->found.nr, start);

	if (!err && reader->found.nr)
		err = vec_grow((void **)&ranges->list.data, &ranges->list.room, reader->found.nr,
			       sizeof(struct frame_range));
	for (size_t i = 0; !err && i < reader->found.nr; i++)
		ranges->list.data[ranges->list.nr++] = (struct frame_range){ (uint32_t)reader->found.data[i].start,
									     (uint32_t)reader->found.data[i].size };
	vec_trim(&ranges->list);
	if (!err)
		bucket_index_make(&ranges->buckets, ranges->list.data, ranges->list.nr, sizeof(*ranges->list.data));
	return err;
}

int frame_ranges_read(struct frame_ranges *ranges, const struct elf_file *elf, const struct symtab *table)
{
	struct frame_reader reader = { .table = table };
	int err = frame_section_eh(elf, &reader.section);

	*ranges = (struct frame_ranges){ .base = table->base };
	err = err ?: read_entries(&reader);
	err = err ?: keep(ranges, &reader);
	frame_section_done(&reader.section);
	vec_done(&reader.found);
	vec_done(&reader.cies);
	if (err)
		frame_ranges_done(ranges);
	return err == -ENOMEM ? err : 0;
}

void frame_ranges_done(struct frame_ranges *ranges)
{
	vec_done(&ranges->list);
	bucket_index_done(&ranges->buckets);
}

const struct frame_range *frame_ranges_lookup(const struct frame_ranges *ranges, uint64_t offset)
{
	uint64_t place = offset - ranges->base;
	size_t nr;

	if (offset < ranges->base)
		return NULL;
	nr = bucket_index_nr_until(&ranges->buckets, &ranges->list, place);
	if (!nr || place - ranges->list.data[nr - 1].start >= ranges->list.data[nr - 1].size)
		return NULL;
	return &ranges->list.data[nr - 1];
}
