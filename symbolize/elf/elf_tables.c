/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/elf_tables.h"

#include "core/base/cleanup.h"

static int check_table(const struct elf_file *elf, const struct elf_table *table)
{
	if (table->nr > SYMBOLS_MAX || !elf_file_holds(elf, table->offset, table->nr * elf_symbol_size(elf)) ||
	    !elf_file_holds(elf, table->names_offset, table->names_bytes))
		return -EBADMSG;
	return 0;
}

static int table_of_section(const struct elf_file *elf, const Elf64_Shdr *section, struct elf_table *ret_table)
{
	const Elf64_Shdr *names = elf_file_section_number(elf, section->sh_link);

	if (!names || names->sh_type != SHT_STRTAB || section->sh_entsize != elf_symbol_size(elf))
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

int elf_dynamic_read(const struct elf_file *elf, elf_dynamic *ret_dynamic)
{
	enum {
		ENTRIES_MAX = 4096,
	};
	union {
		Elf64_Dyn wide;
		Elf32_Dyn narrow;
	} raw;
	const size_t size = elf->is_64 ? sizeof(raw.wide) : sizeof(raw.narrow);
	const Elf64_Phdr *segment = elf_file_segment(elf, PT_DYNAMIC);
	_cleanup_(elf_section_done) struct elf_section entries = {};

	if (!segment)
		return -ENODATA;
	entries = elf_section_of_range(elf, segment->p_offset, segment->p_filesz);
	for (uint64_t i = 0; i < segment->p_filesz / size && i < ENTRIES_MAX; i++) {
		int err = elf_section_read(&entries, i * size, &raw, size);

		if (err)
			return err;
		if (!elf->is_64)
			raw.wide = (Elf64_Dyn){ .d_tag = raw.narrow.d_tag, .d_un.d_val = raw.narrow.d_un.d_val };
		if (raw.wide.d_tag == DT_NULL)
			return 0;
		err = vec_try_push(ret_dynamic, raw.wide);
		if (err)
			return err;
	}
	return 0;
}

uint64_t elf_dynamic_value(const elf_dynamic *dynamic, int64_t tag)
{
	for (size_t i = dynamic->nr; i-- > 0;)
		if (dynamic->data[i].d_tag == tag)
			return dynamic->data[i].d_un.d_val;
	return 0;
}

static int largest_word(const struct elf_file *elf, uint64_t offset, uint32_t nr, uint32_t *ret_largest)
{
	_cleanup_(elf_section_done) struct elf_section words = elf_section_of_range(elf, offset, (uint64_t)nr * 4);
	int err = 0;

	*ret_largest = 0;
	for (uint32_t i = 0; !err && i < nr; i++) {
		uint32_t word = 0;

		err = elf_section_read(&words, (uint64_t)i * 4, &word, sizeof(word));
		*ret_largest = word > *ret_largest ? word : *ret_largest;
	}
	return err;
}

/*
 * DT_GNU_HASH has no count: the last symbol ends the chain of the highest bucket. Layout: {nr buckets, index of the first hashed symbol, nr
 * bloom words, shift}, bloom words, buckets, a chain word per hashed symbol whose lowest bit ends a chain.
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
		*ret_nr = header[1]; /* no symbol is exported */
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

static int count_dynamic(const struct elf_file *elf, const elf_dynamic *dynamic, uint64_t *ret_nr)
{
	uint64_t hash = elf_dynamic_value(dynamic, DT_HASH), gnu_hash = elf_dynamic_value(dynamic, DT_GNU_HASH), offset;
	uint32_t nr = 0;
	int err;

	/* DT_HASH: {nr buckets, nr chains = nr symbols, …} */
	if (hash && !elf_file_offset_of_address(elf, hash, &offset)) {
		err = elf_file_read(elf, offset + 4, &nr, sizeof(nr));
		*ret_nr = nr;
		return err;
	}
	if (gnu_hash && !elf_file_offset_of_address(elf, gnu_hash, &offset))
		return count_by_gnu_hash(elf, offset, ret_nr);
	return -ENODATA;
}

static int table_by_dynamic(const struct elf_file *elf, struct elf_table *ret_table)
{
	elf_dynamic dynamic = {};
	int err = elf_dynamic_read(elf, &dynamic);

	*ret_table = (struct elf_table){ .dynamic = true, .names_bytes = elf_dynamic_value(&dynamic, DT_STRSZ) };
	err = err ?: elf_file_offset_of_address(elf, elf_dynamic_value(&dynamic, DT_SYMTAB), &ret_table->offset);
	err = err ?: elf_file_offset_of_address(elf, elf_dynamic_value(&dynamic, DT_STRTAB), &ret_table->names_offset);
	err = err ?: count_dynamic(elf, &dynamic, &ret_table->nr);
	vec_done(&dynamic);
	return err ?: check_table(elf, ret_table);
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
