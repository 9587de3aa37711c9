/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/worker/worker_files.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/base/cleanup.h"
#include "symbolize/dwarf/dwarf_files.h"
#include "symbolize/elf/go_table.h"
#include "symbolize/elf/mini_debug.h"

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
		return SYMBOL_NO_MEMORY;
	case -EMFILE:
		return SYMBOL_NO_DESCRIPTORS;
	default:
		return SYMBOL_MALFORMED;
	}
}

static void forget(struct indexed_file *file)
{
	symtab_done(&file->table);
	ifuncs_done(&file->ifuncs);
	plt_done(&file->plt);
	frame_ranges_done(&file->frame_ranges);
}

/* Reads only the build id. Returns -ENODATA, because there will be no names. */
static int identify(struct indexed_file *file, const struct elf_file *elf)
{
	if (elf_file_build_id(elf, &file->build_id))
		file->build_id.nr_bytes = 0;
	return -ENODATA;
}

/* Adds symbols of a program or library from tables other than .symtab and .dynsym. */
static int add_more_symbols(struct indexed_file *file, const struct elf_file *elf)
{
	int err = mini_debug_add(&file->table, elf);

	if (debug_link_read(elf, &file->link))
		file->link.name[0] = '\0';
	return !err && !file->table.complete && go_functions_add(&file->table, elf) == -ENOMEM ? -ENOMEM : err;
}

static int read_tables(struct indexed_file *file, const struct elf_file *elf)
{
	int err = ifuncs_read(&file->ifuncs, elf, &file->table);

	err = err ?: plt_read(&file->plt, elf, &file->table);
	err = err ?: frame_ranges_read(&file->frame_ranges, elf, &file->table);
	if (!err)
		file->usdt_err = usdt_notes_read(&file->usdt, elf); /* malformed notes do not affect names */
	return err;
}

/* A kernel module has only symbols: the other tables are for code of processes. */
static int build_index(struct indexed_file *file, struct elf_file *elf, bool data)
{
	bool is_module = file->kind == SYMBOL_FILE_MODULE;
	int err = is_module ? elf_file_lay_out(elf) : 0;

	err = err ?: symtab_init(&file->table, elf);
	if (!err && data && !is_module)
		err = symtab_want_data(&file->table, elf);
	if (err)
		return err;
	identify(file, elf);
	err = symtab_add(&file->table, elf);
	if (!err && !is_module)
		err = add_more_symbols(file, elf);
	err = err ?: symtab_finish(&file->table);
	if (!err && !is_module)
		err = read_tables(file, elf);
	if (err)
		forget(file);
	return err;
}

/* Keeps a file with debug information open for requests about source lines. A quarter of the descriptors stays free for names. */
static void keep_lines(const struct indexed_files *files, struct indexed_file *file, const struct elf_file *elf)
{
	if (!files->keep_lines || file->lines_fd >= 0 || !dwarf_is_in(elf))
		return;
	if (elf->fd < files->max_fd)
		file->lines_fd = dup(elf->fd);
	file->lines_err = file->lines_fd < 0 ? -EMFILE : 0;
}

static int index_file(const struct indexed_files *files, struct indexed_file *file, int fd)
{
	struct elf_file elf;
	int err = elf_file_open(&elf, fd);

	if (err)
		return err;
	err = files->identify_only ? identify(file, &elf) : build_index(file, &elf, files->data);
	if (!err)
		keep_lines(files, file, &elf);
	elf_file_done(&elf);
	return err;
}

enum symbol_status indexed_files_add(struct indexed_files *files, uint32_t number, int fd, uint32_t kind)
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
	file->kind = kind;
	file->lines_fd = file->map.fd = -1;
	/* without a free descriptor, the message arrived without the file */
	err = fd < 0 ? -EMFILE : kind == SYMBOL_FILE_MAP ? perf_map_open(&file->map, fd) : index_file(files, file, fd);
	file->status = symbol_status_of(err);
	file->debug_done = kind != SYMBOL_FILE_PROGRAM || file->status != SYMBOL_OK ||
			   (file->table.complete && (!files->keep_lines || file->lines_fd >= 0)) ||
			   (!file->build_id.nr_bytes && !*file->link.name);
	return file->status;
}

/* Returns the index of the file in the list, or the length of the list. */
static size_t find(const struct indexed_files *files, uint32_t number)
{
	size_t i = 0;

	while (i < files->files.nr && files->files.data[i]->number != number)
		i++;
	return i;
}

struct indexed_file *indexed_files_get(const struct indexed_files *files, uint32_t number)
{
	size_t i = find(files, number);

	return i < files->files.nr ? files->files.data[i] : NULL;
}

void indexed_files_drop(struct indexed_files *files, uint32_t number)
{
	struct indexed_file *file = indexed_files_get(files, number);

	if (!file)
		return;
	files->files.data[find(files, number)] = vec_last(&files->files);
	files->files.nr--;
	if (files->asked == file)
		files->asked = NULL;
	if (file->map.fd >= 0)
		perf_map_done(&file->map);
	closep(&file->lines_fd);
	usdt_notes_done(&file->usdt);
	forget(file);
	free(file);
}

static bool is_its_debug_file(const struct indexed_file *file, const struct elf_file *elf)
{
	struct build_id id;

	if (file->build_id.nr_bytes)
		return !elf_file_build_id(elf, &id) && build_id_same(&id, &file->build_id);
	return debug_link_matches(&file->link, elf);
}

bool indexed_file_add_debug(const struct indexed_files *files, struct indexed_file *file, int fd)
{
	struct elf_file elf;
	bool is_right;

	if (elf_file_open(&elf, fd))
		return false;
	is_right = is_its_debug_file(file, &elf);
	if (is_right) {
		symtab_add(&file->table, &elf); /* after a failure, sort the symbols added so far */
		symtab_finish(&file->table);
		keep_lines(files, file, &elf);
	}
	elf_file_done(&elf);
	return is_right;
}

/*
 * Reading one name from the file costs as much as loading one or two pages of names. So all names are loaded when the single reads have
 * cost as much.
 */
void indexed_files_note_asked(struct indexed_files *files, struct indexed_file *file, size_t nr)
{
	enum {
		COST_BYTES = 4096, /* cost of reading one name */
		LOADED_MAX_BYTES = 32 << 20,
	};

	if (files->asked && files->asked != file)
		symtab_drop_names(&files->asked->table);
	files->nr_asked = files->asked == file ? files->nr_asked + nr : nr;
	files->asked = file;
	symtab_load_names(&file->table, files->nr_asked < LOADED_MAX_BYTES / COST_BYTES ? files->nr_asked * COST_BYTES
											: LOADED_MAX_BYTES);
}

/*
 * Returns whether another function begins inside the symbol. A symbol without a size was extended to the next symbol, so it does not cover
 * that function.
 */
static bool is_cut_short(const struct symtab *table, const struct symtab_symbol *symbol,
			 const struct frame_ranges *frame_ranges, const struct frame_range *frame_range)
{
	return symbol->unsized && frame_range && frame_ranges->base + frame_range->start > symtab_start(table, symbol);
}

bool indexed_file_lookup(const struct indexed_file *file, uint64_t offset, char scratch[NAME_MAX_BYTES],
			 struct found_place *ret_place)
{
	const struct symtab *table = &file->table;
	const struct symtab_symbol *symbol = symtab_lookup(table, offset);
	const struct plt_stub *stub = symbol ? NULL : plt_lookup(&file->plt, offset);
	const struct frame_range *frame_range =
		symbol && !symbol->unsized ? NULL : frame_ranges_lookup(&file->frame_ranges, offset);

	if (symbol && !is_cut_short(table, symbol, &file->frame_ranges, frame_range)) {
		*ret_place = (struct found_place){ symbol, symtab_name(table, symbol, scratch),
						   symtab_start(table, symbol), false };
	} else if (stub) {
		*ret_place =
			(struct found_place){ stub, plt_name(&file->plt, stub), file->plt.base + stub->start, false };
	} else if (frame_range) {
		uint64_t start = file->frame_ranges.base + frame_range->start;
		int nr = snprintf(scratch, NAME_MAX_BYTES, "fn_0x%" PRIx64, symtab_address(table, start));

		*ret_place = (struct found_place){ frame_range, { scratch, (size_t)nr }, start, true };
	}
	return symbol || stub || frame_range;
}
