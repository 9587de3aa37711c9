/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/cfi/synthesis_starts.h"

#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/radix_sort.h"
#include "symbolize/elf/elf_tables.h"

enum {
	CHUNK_BYTES = 64 * 1024,
	OVERLAP_BYTES = 8, /* longest instruction or word that is searched for */
	SCAN_BYTES_MAX = 64 << 20, /* of code and data in one file */
	STARTS_MAX = 1 << 18,
	BLOCK_SHIFT = 8,
};

struct search {
	const struct elf_file *elf;
	const struct code_gap *gaps;
	size_t nr_gaps;
	uint64_t low, nr_bytes; /* from the start of the first gap to the end of the last */
	uint8_t *blocks; /* bit mask: which blocks of 1 << BLOCK_SHIFT bytes, from `low` on, have gaps */
	synthesis_starts *starts;
	uint64_t nr_left; /* bytes that may still be read */
	bool is_opcode[256]; /* bytes that scan_code() decodes */
};

/* Marks the blocks that have gaps: most addresses found are far from any. Returns 0 or -ENOMEM. */
static int note_blocks(struct search *search)
{
	search->low = search->gaps[0].start;
	search->nr_bytes = search->gaps[search->nr_gaps - 1].end - search->low;
	search->blocks = calloc((search->nr_bytes >> (BLOCK_SHIFT + 3)) + 1, 1);
	if (!search->blocks)
		return -ENOMEM;
	for (size_t i = 0; i < search->nr_gaps; i++) {
		uint64_t first = search->gaps[i].start - search->low, last = search->gaps[i].end - 1 - search->low;

		for (uint64_t block = first >> BLOCK_SHIFT; block <= last >> BLOCK_SHIFT; block++)
			search->blocks[block >> 3] |= (uint8_t)(1u << (block & 7));
	}
	return 0;
}

/* Whether an address is in a block with a gap. */
static inline bool is_near(const struct search *search, uint64_t address)
{
	uint64_t at = address - search->low;

	return at < search->nr_bytes && search->blocks[at >> (BLOCK_SHIFT + 3)] >> (at >> BLOCK_SHIFT & 7) & 1;
}

static bool is_in_gaps(const struct search *search, uint64_t address)
{
	size_t low = 0, high = search->nr_gaps;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (search->gaps[middle].start <= address)
			low = middle;
		else
			high = middle;
	}
	return address < search->gaps[low].end;
}

static inline int add(struct search *search, uint64_t address, enum synthesis_reason reason)
{
	if (!is_near(search, address) || !is_in_gaps(search, address) || search->starts->nr == STARTS_MAX)
		return 0;
	return vec_try_push(search->starts, (struct synthesis_start){ address, reason });
}

static int add_symbols(struct search *search, const struct elf_table *table)
{
	struct elf_section section = elf_section_of_range(search->elf, table->offset, table->nr * sizeof(Elf64_Sym));
	int err = 0;

	for (uint64_t i = 0; i < table->nr && i < SYMBOLS_MAX && !err; i++) {
		Elf64_Sym symbol;
		unsigned int type;

		if (elf_section_read(&section, i * sizeof(symbol), &symbol, sizeof(symbol)))
			break;
		type = ELF64_ST_TYPE(symbol.st_info);
		if (symbol.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC))
			err = add(search, symbol.st_value, SYNTHESIS_FUNCTION);
	}
	elf_section_done(&section);
	return err;
}

static int find_symbols(struct search *search)
{
	struct elf_table tables[ELF_TABLES_MAX];
	size_t nr = 0;
	int err = 0;

	if (elf_tables_find(search->elf, tables, &nr))
		return 0;
	for (size_t i = 0; i < nr && !err; i++)
		err = add_symbols(search, &tables[i]);
	return err;
}

static uint64_t distance_at(const uint8_t *bytes)
{
	int32_t distance;

	memcpy(&distance, bytes, sizeof(distance));
	return (uint64_t)(int64_t)distance;
}

/* Whether one of eight bytes, masked, is `byte`. */
static inline bool has_byte(uint64_t word, uint8_t mask, uint8_t byte)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t zero = (word & ones * mask) ^ (ones * byte);

	return (zero - ones) & ~zero & ones << 7;
}

/* Whether scan_code() can skip eight bytes. */
static inline bool is_dull(const struct search *search, const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return !has_byte(word, 0xfe, 0xe8) && !has_byte(word, 0xff, 0x8d) && !search->is_opcode[0x68];
}

/*
 * Finds calls, jumps and lea by their bytes, also in the middle of other instructions: one in 10,000 such places leads into a gap by
 * chance. Addresses are only tried later.
 */
static int scan_code(struct search *search, const uint8_t *bytes, size_t nr, uint64_t address)
{
	int err = 0;

	for (size_t i = 0; i + OVERLAP_BYTES <= nr && !err; i++) {
		uint8_t opcode = bytes[i];

		if (!(i & 7) && is_dull(search, bytes + i))
			i += 7;
		if (!search->is_opcode[opcode])
			continue;
		if (opcode == 0xe8 || opcode == 0xe9)
			err = add(search, address + i + 5 + distance_at(bytes + i + 1),
				  opcode == 0xe8 ? SYNTHESIS_TAKEN : SYNTHESIS_JUMP);
		else if (opcode == 0x8d && (bytes[i + 1] & 0xc7) == 5)
			err = add(search, address + i + 6 + distance_at(bytes + i + 2), SYNTHESIS_TAKEN);
		else if (opcode == 0xc7 && bytes[i + 1] >> 3 == 0x18)
			err = add(search, (uint32_t)distance_at(bytes + i + 2), SYNTHESIS_TAKEN);
		else if (opcode != 0x8d && opcode != 0xc7)
			err = add(search, (uint32_t)distance_at(bytes + i + 1), SYNTHESIS_TAKEN);
	}
	return err;
}

/* Finds words that are addresses: tables of functions, and addends of relocations. */
static int scan_data(struct search *search, const uint8_t *bytes, size_t nr, uint64_t address)
{
	int err = 0;

	for (size_t i = -address & 7; i + OVERLAP_BYTES <= nr && !err; i += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, bytes + i, sizeof(word));
		err = word ? add(search, word, SYNTHESIS_TAKEN) : 0;
	}
	return err;
}

static int scan_segment(struct search *search, const Elf64_Phdr *segment, uint8_t *chunk)
{
	uint64_t done = 0;
	int err = 0;

	while (done + OVERLAP_BYTES <= segment->p_filesz && !err) {
		uint64_t nr = segment->p_filesz - done < CHUNK_BYTES ? segment->p_filesz - done : CHUNK_BYTES;
		uint64_t address = segment->p_vaddr + done;

		if (nr > search->nr_left || elf_file_read(search->elf, segment->p_offset + done, chunk, nr))
			break;
		search->nr_left -= nr;
		err = segment->p_flags & PF_X ? scan_code(search, chunk, nr, address)
					      : scan_data(search, chunk, nr, address);
		done += nr == CHUNK_BYTES ? nr - OVERLAP_BYTES : nr;
	}
	return err;
}

static int scan_segments(struct search *search)
{
	_cleanup_(freep) uint8_t *chunk = malloc(CHUNK_BYTES);
	int err = chunk ? 0 : -ENOMEM;

	for (size_t i = 0; i < search->elf->segments.nr && !err; i++)
		if (search->elf->segments.data[i].p_type == PT_LOAD)
			err = scan_segment(search, &search->elf->segments.data[i], chunk);
	return err;
}

/* Sorts, and keeps the strongest reason of equal addresses. */
static int sort(synthesis_starts *starts)
{
	int err = radix_sort(starts->data, starts->nr, address);
	size_t nr = 0;

	for (size_t i = 0; i < starts->nr && !err; i++) {
		if (nr && starts->data[nr - 1].address == starts->data[i].address)
			starts->data[nr - 1].reason = starts->data[nr - 1].reason > starts->data[i].reason
							      ? starts->data[nr - 1].reason
							      : starts->data[i].reason;
		else
			starts->data[nr++] = starts->data[i];
	}
	starts->nr = nr;
	return err;
}

int synthesis_starts_find(const struct elf_file *elf, const struct code_gap *gaps, size_t nr_gaps,
			  synthesis_starts *starts)
{
	struct search search = {
		.elf = elf,
		.gaps = gaps,
		.nr_gaps = nr_gaps,
		.starts = starts,
		.nr_left = SCAN_BYTES_MAX,
		.is_opcode = { [0xe8] = true, [0xe9] = true, [0x8d] = true },
	};
	int err;

	if (!nr_gaps)
		return 0;
	if (elf->type == ET_EXEC) { /* constants of mov and push are addresses too */
		memset(&search.is_opcode[0xb8], true, 8);
		search.is_opcode[0x68] = search.is_opcode[0xc7] = true;
	}
	err = note_blocks(&search);
	err = err ?: find_symbols(&search);
	err = err ?: scan_segments(&search);
	free(search.blocks);
	return err ?: sort(starts);
}
