/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/go_functions.h"

#include "core/base/cleanup.h"
#include "symbolize/elf/elf_section.h"
#include "symbolize/elf/go_table.h"

/* The list has {entry, place of the record} for each function, a record begins with {entry, position of the name}. */
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
