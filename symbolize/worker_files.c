/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/worker_files.h"

enum symbol_status symbol_status_of(int err)
{
	switch (err) {
	case 0:
		return SYMBOL_OK;
	case -ENOEXEC:
		return SYMBOL_NOT_ELF;
	case -ENODATA:
		return SYMBOL_NO_TABLE;
	case -ENOMEM:
	case -EMFILE:
		return SYMBOL_NO_MEMORY;
	default:
		return SYMBOL_MALFORMED;
	}
}

static int build_index(struct indexed_file *file, const struct elf_file *elf)
{
	int err = symtab_init(&file->table, elf);

	if (err)
		return err;
	if (elf_file_build_id(elf, &file->build_id))
		file->build_id.nr_bytes = 0;
	err = symtab_add(&file->table, elf);
	err = err ?: symtab_finish(&file->table);
	err = err ?: ifuncs_read(&file->ifuncs, elf, &file->table);
	if (err)
		symtab_done(&file->table);
	else
		file->usdt_err = usdt_notes_read(&file->usdt, elf); /* bad notes are no reason to lose the names */
	return err;
}

static int index_file(struct indexed_file *file, int fd)
{
	struct elf_file elf;
	int err = elf_file_open(&elf, fd);

	if (err)
		return err;
	err = build_index(file, &elf);
	elf_file_done(&elf);
	return err;
}

enum symbol_status indexed_files_add(struct indexed_files *files, uint32_t number, int fd)
{
	struct indexed_file *file;
	int err;

	if (indexed_files_get(files, number))
		return SYMBOL_NO_FILE;
	file = calloc(1, sizeof(*file));
	err = file ? vec_try_push(&files->files, file) : -ENOMEM;
	if (err) {
		free(file);
		return SYMBOL_NO_MEMORY;
	}
	file->number = number;
	file->status = fd < 0 ? SYMBOL_NO_FILE : symbol_status_of(index_file(file, fd));
	file->debug_done = file->status != SYMBOL_OK || file->table.complete || !file->build_id.nr_bytes;
	return file->status;
}

struct indexed_file *indexed_files_get(const struct indexed_files *files, uint32_t number)
{
	for (size_t i = 0; i < files->files.nr; i++)
		if (files->files.data[i]->number == number)
			return files->files.data[i];
	return NULL;
}

static int add_debug(struct indexed_file *file, const struct elf_file *elf)
{
	struct build_id id;
	int err = elf_file_build_id(elf, &id);

	if (err || !build_id_same(&id, &file->build_id))
		return -ESTALE;
	err = symtab_add(&file->table, elf);
	/* What was added before a failure still has to be sorted. */
	return symtab_finish(&file->table) ?: err;
}

void indexed_file_add_debug(struct indexed_file *file, int fd)
{
	struct elf_file elf;

	if (elf_file_open(&elf, fd))
		return;
	add_debug(file, &elf);
	elf_file_done(&elf);
}
