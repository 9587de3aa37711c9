/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/frame_ranges.h"

#include "core/base/radix_sort.h"
#include "core/base/vec.h"
#include "symbolize/elf/eh_pointer.h"
#include "symbolize/elf/frame_section.h"

enum {
	ENTRIES_MAX = 4 << 20, /* the largest programs have almost a million */
	/* limit of a CIE; real ones have 20 to 40. If FDEs alternate between CIEs, these are read again and again */
	CIE_MAX_BYTES = 256,
};

struct found {
	uint64_t start, size;
};

struct frame_reader {
	const struct symtab *table;
	struct frame_section section;
	VEC(struct found) found;
	size_t next_symbol; /* index after the symbol of the last FDE, mostly that of the next FDE */
	uint64_t last_cie; /* read last */
	uint8_t last_encoding;
};

/* Whether the next symbol covers this range: FDEs and symbols mostly have the same order. */
static bool is_next_symbol(struct frame_reader *reader, uint32_t start, uint64_t size)
{
	const struct symtab *table = reader->table;
	const struct symtab_symbol *next = &table->symbols.data[reader->next_symbol];

	if (reader->next_symbol >= table->symbols.nr || next->start != start || next->unsized || next->size < size)
		return false;
	reader->next_symbol++;
	return true;
}

/* Adds the part of a range that is code without a sized symbol. */
static int add_range(struct frame_reader *reader, uint64_t address, uint64_t size)
{
	const struct symtab *table = reader->table;
	const struct symtab_symbol *first, *last;
	uint64_t left, offset;
	uint32_t start;

	if (!size || !symtab_place(table, address, &start, &left))
		return 0;
	size = size < left ? size : left;
	if (size > UINT32_MAX || is_next_symbol(reader, start, size))
		return 0;
	offset = table->base + start;
	first = symtab_lookup(table, offset);
	reader->next_symbol = first ? (size_t)(first - table->symbols.data) + 1 : 0;
	if (first && !first->unsized && symtab_start(table, first) + first->size >= offset + size)
		return 0; /* the usual case */
	last = first ? symtab_lookup(table, offset + size - 1) : NULL;
	if (last && !first->unsized && !last->unsized)
		return 0;
	return vec_try_push(&reader->found, (struct found){ start, size });
}

/* The encoding of addresses in the FDEs of this CIE; POINTER_OMITTED: unknown. */
static uint8_t encoding_of(const struct frame_section *section, uint64_t position)
{
	struct byte_reader at = frame_section_from(section, position);
	struct frame_entry entry;
	struct frame_cie cie;

	if (!frame_next_entry(section, &at, &entry) || !entry.is_cie || bytes_left(&entry.body) > CIE_MAX_BYTES ||
	    !frame_read_cie(section, &entry, &cie))
		return POINTER_OMITTED;
	return cie.encoding;
}

static int add_fde(struct frame_reader *reader, struct frame_entry *entry)
{
	uint64_t start, size;

	if (entry->cie != reader->last_cie) {
		reader->last_cie = entry->cie;
		reader->last_encoding = encoding_of(&reader->section, entry->cie);
	}
	if (reader->last_encoding == POINTER_OMITTED ||
	    !frame_fde_range(&reader->section, entry, reader->last_encoding, &start, &size))
		return 0;
	return add_range(reader, start, size);
}

static int read_entries(struct frame_reader *reader)
{
	struct byte_reader at = frame_section_from(&reader->section, 0);
	struct frame_entry entry;
	int err = 0;

	for (uint32_t i = 0; !err && i < ENTRIES_MAX && frame_next_entry(&reader->section, &at, &entry); i++) {
		if (entry.is_last)
			break;
		if (!entry.body.bad && !entry.is_cie)
			err = add_fde(reader, &entry);
	}
	return err;
}

static int keep(struct frame_ranges *ranges, struct frame_reader *reader)
{
	int err = radix_sort(reader->found.data, reader->found.nr, start);

	err = err ?: vec_try_reserve(&ranges->list, reader->found.nr);
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
	struct frame_reader reader = { .table = table, .last_cie = UINT64_MAX, .last_encoding = POINTER_OMITTED };
	int err = frame_section_eh(elf, &reader.section);

	*ranges = (struct frame_ranges){ .base = table->base };
	err = err ?: read_entries(&reader);
	err = err ?: keep(ranges, &reader);
	frame_section_done(&reader.section);
	vec_done(&reader.found);
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
