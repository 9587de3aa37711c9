/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/go_functions.h"

#include <string.h>

#include "core/base/cleanup.h"
#include "symbolize/elf/go_table.h"

enum {
	BATCH = 1024, /* entries of the list of functions read at once */
	WINDOW_BYTES = 65536,
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
	uint64_t word = 0;

	memcpy(&word, bytes, width);
	return word;
}

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
	bytes = look(reader, go->records + record, go->word + sizeof(name));
	if (!bytes)
		return 0;
	memcpy(&name, bytes + go->word, sizeof(name));
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
	int names, err;

	if (!reader)
		return -ENOMEM;
	reader->table = table;
	reader->elf = elf;
	err = go_table_find(elf, &reader->go);
	if (!err) {
		names = symtab_add_names(table, elf, reader->go.names, reader->go.names_end - reader->go.names);
		reader->names = (unsigned int)names;
		err = names < 0 ? names : add_functions(reader);
	}
	free(reader);
	return err == -ENODATA ? 0 : err;
}
