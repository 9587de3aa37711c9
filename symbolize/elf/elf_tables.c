/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/elf_tables.h"

#include <string.h>

static int check_table(const struct elf_file *elf, const struct elf_table *table)
{
	if (table->nr > SYMBOLS_MAX || !elf_file_holds(elf, table->offset, table->nr * elf_symbol_size(elf)) ||
	    !elf_file_holds(elf, table->names_offset, table->names_bytes))
		return -EBADMSG;
	return 0;
}

static int table_of_section(const struct elf_file *elf, const Elf64_Shdr *section, struct elf_table *ret_table)
{
	const Elf64_Shdr *names;

	if (section->sh_link >= elf->sections.nr || section->sh_entsize != elf_symbol_size(elf))
		return -EBADMSG;
	names = &elf->sections.data[section->sh_link];
	if (names->sh_type != SHT_STRTAB)
		return -EBADMSG;
	*ret_table = (struct elf_table){
		.offset = section->sh_offset,
		.nr = section->sh_size / section->sh_entsize,
		.names_offset = names->sh_offset,
		.names_bytes = names->sh_size,
		.dynamic = section->sh_type == SHT_DYNSYM,
	};
	return check_table(elf, ret_table);
}

static int tables_by_sections(const struct elf_file *elf, struct elf_table *ret_tables, size_t *nr)
{
	for (size_t i = 0; i < elf->sections.nr && *nr < ELF_TABLES_MAX; i++) {
		const Elf64_Shdr *section = &elf->sections.data[i];
		int err;

		if (section->sh_type != SHT_SYMTAB && section->sh_type != SHT_DYNSYM)
			continue;
		err = table_of_section(elf, section, &ret_tables[*nr]);
		if (err)
			return err;
		(*nr)++;
	}
	return 0;
}

/* ---- without section headers ---- */

/* What of the dynamic segment is needed here; addresses, 0 where absent. */
struct dynamic {
	uint64_t symbols, names, names_bytes, hash, gnu_hash;
};

static void take_entry(void *context, uint64_t tag, uint64_t value)
{
	struct dynamic *dynamic = context;

	switch (tag) {
	case DT_SYMTAB:
		dynamic->symbols = value;
		break;
	case DT_STRTAB:
		dynamic->names = value;
		break;
	case DT_STRSZ:
		dynamic->names_bytes = value;
		break;
	case DT_HASH:
		dynamic->hash = value;
		break;
	case DT_GNU_HASH:
		dynamic->gnu_hash = value;
		break;
	}
}

static const Elf64_Phdr *dynamic_segment(const struct elf_file *elf)
{
	for (size_t i = 0; i < elf->segments.nr; i++)
		if (elf->segments.data[i].p_type == PT_DYNAMIC)
			return &elf->segments.data[i];
	return NULL;
}

/* Bytes of a segment that the file has: one that was cut may still have the entry that ends it. */
static uint64_t bytes_in_file(const struct elf_file *elf, const Elf64_Phdr *segment)
{
	uint64_t left = segment->p_offset < elf->size ? elf->size - segment->p_offset : 0;

	return segment->p_filesz < left ? segment->p_filesz : left;
}

int elf_dynamic_read(const struct elf_file *elf, elf_dynamic_visit *visit, void *context)
{
	enum {
		ENTRIES_MAX = 4096,
		BATCH = 64, /* more than most files have */
	};
	union {
		Elf64_Dyn wide[BATCH];
		Elf32_Dyn narrow[BATCH];
	} batch;
	const size_t entry_size = elf->is_64 ? sizeof(Elf64_Dyn) : sizeof(Elf32_Dyn);
	const Elf64_Phdr *segment = dynamic_segment(elf);
	uint64_t nr_all = segment ? bytes_in_file(elf, segment) / entry_size : 0;

	for (uint64_t i = 0; i < nr_all && i < ENTRIES_MAX; i += BATCH) {
		uint64_t nr = nr_all - i < BATCH ? nr_all - i : BATCH;
		int err = elf_file_read(elf, segment->p_offset + i * entry_size, &batch, nr * entry_size);

		if (err)
			return err;
		for (uint64_t k = 0; k < nr; k++) {
			uint64_t tag = elf->is_64 ? (uint64_t)batch.wide[k].d_tag : (uint64_t)batch.narrow[k].d_tag;

			if (tag == DT_NULL)
				return 0;
			visit(context, tag, elf->is_64 ? batch.wide[k].d_un.d_val : batch.narrow[k].d_un.d_val);
		}
	}
	if (!segment)
		return -ENODATA;
	return nr_all < ENTRIES_MAX && nr_all < segment->p_filesz / entry_size ? -EBADMSG : 0;
}

/* DT_HASH: {nr buckets, nr chains = nr symbols, …} */
static int count_by_hash(const struct elf_file *elf, uint64_t offset, uint64_t *ret_nr)
{
	uint32_t header[2];
	int err = elf_file_read(elf, offset, header, sizeof(header));

	if (!err)
		*ret_nr = header[1];
	return err;
}

/* The largest of `nr` words at `offset`. */
static int largest_word(const struct elf_file *elf, uint64_t offset, uint32_t nr, uint32_t *ret_largest)
{
	uint32_t words[1024], largest = 0;

	if (!elf_file_holds(elf, offset, (uint64_t)nr * 4))
		return -EBADMSG;
	for (uint32_t done = 0; done < nr;) {
		uint32_t batch = nr - done < 1024 ? nr - done : 1024;
		int err = elf_file_read(elf, offset + (uint64_t)done * 4, words, (size_t)batch * 4);

		if (err)
			return err;
		for (uint32_t i = 0; i < batch; i++)
			largest = words[i] > largest ? words[i] : largest;
		done += batch;
	}
	*ret_largest = largest;
	return 0;
}

/*
 * DT_GNU_HASH has no count: the last symbol is at the end of the chain of the highest bucket. Layout: {nr buckets,
 * index of the first hashed symbol, nr bloom words, shift}, bloom words, buckets, one chain word per hashed symbol
 * whose lowest bit ends a chain.
 */
static int count_by_gnu_hash(const struct elf_file *elf, uint64_t offset, uint64_t *ret_nr)
{
	uint32_t header[4], last, chain;
	uint64_t buckets, chains;
	int err = elf_file_read(elf, offset, header, sizeof(header));

	if (err)
		return err;
	buckets = offset + sizeof(header) + (uint64_t)header[2] * (elf->is_64 ? 8 : 4);
	chains = buckets + (uint64_t)header[0] * 4;
	err = largest_word(elf, buckets, header[0], &last);
	if (err)
		return err;
	if (last < header[1]) {
		*ret_nr = header[1]; /* nothing is exported */
		return 0;
	}
	do {
		err = elf_file_read(elf, chains + (uint64_t)(last - header[1]) * 4, &chain, sizeof(chain));
		if (err)
			return err;
	} while (++last < SYMBOLS_MAX && !(chain & 1));
	*ret_nr = last;
	return 0;
}

static int count_dynamic(const struct elf_file *elf, const struct dynamic *dynamic, uint64_t *ret_nr)
{
	uint64_t offset;

	if (dynamic->hash && !elf_file_offset_of_address(elf, dynamic->hash, &offset))
		return count_by_hash(elf, offset, ret_nr);
	if (dynamic->gnu_hash && !elf_file_offset_of_address(elf, dynamic->gnu_hash, &offset))
		return count_by_gnu_hash(elf, offset, ret_nr);
	return -ENODATA;
}

static int table_by_dynamic(const struct elf_file *elf, struct elf_table *ret_table)
{
	struct dynamic dynamic = {};
	struct elf_table table = { .dynamic = true };
	int err = elf_dynamic_read(elf, take_entry, &dynamic);

	err = err ?: elf_file_offset_of_address(elf, dynamic.symbols, &table.offset);
	err = err ?: elf_file_offset_of_address(elf, dynamic.names, &table.names_offset);
	err = err ?: count_dynamic(elf, &dynamic, &table.nr);
	table.names_bytes = dynamic.names_bytes;
	err = err ?: check_table(elf, &table);
	if (!err)
		*ret_table = table;
	return err;
}

int elf_tables_find(const struct elf_file *elf, struct elf_table ret_tables[ELF_TABLES_MAX], size_t *ret_nr)
{
	size_t nr = 0;
	int err = tables_by_sections(elf, ret_tables, &nr);

	if (err)
		return err;
	if (!elf->sections.nr) {
		err = table_by_dynamic(elf, &ret_tables[0]);
		if (err && err != -ENODATA)
			return err;
		nr = err ? 0 : 1;
	}
	*ret_nr = nr;
	return 0;
}
