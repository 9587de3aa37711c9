/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The directories and files of a line program. */
#include <dwarf.h>
#include <stdio.h>

#include "symbolize/dwarf/line_program.h"

enum {
	PATH_BYTES = 8192,
	FIELDS_MAX = 16, /* of an entry; compilers write up to three */
};

/* A name where it stands: here, or at an offset of a string section. */
struct entry {
	const char *name;
	struct elf_section *strings; /* NULL: the name is here */
	uint64_t offset, directory;
};

/* ---- DWARF 5: tables that describe themselves ---- */

struct format {
	uint64_t contents[FIELDS_MAX], forms[FIELDS_MAX];
	unsigned int nr;
	uint64_t nr_entries;
};

static bool read_format(struct byte_reader *bytes, struct format *format)
{
	format->nr = bytes_byte(bytes);
	if (format->nr > FIELDS_MAX)
		return false;
	for (unsigned int i = 0; i < format->nr; i++) {
		format->contents[i] = bytes_uleb(bytes);
		format->forms[i] = bytes_uleb(bytes);
	}
	format->nr_entries = bytes_uleb(bytes);
	return !bytes->bad;
}

static uint64_t read_number(struct byte_reader *bytes, uint64_t form)
{
	switch (form) {
	case DW_FORM_data1:
		return bytes_byte(bytes);
	case DW_FORM_data2:
		return bytes_number(bytes, 2);
	case DW_FORM_data4:
		return bytes_number(bytes, 4);
	case DW_FORM_data8:
		return bytes_number(bytes, 8);
	case DW_FORM_udata:
		return bytes_uleb(bytes);
	case DW_FORM_data16:
		bytes_skip(bytes, 16);
		return 0;
	case DW_FORM_block:
		bytes_skip(bytes, bytes_uleb(bytes));
		return 0;
	default:
		return bytes_fail(bytes);
	}
}

static void read_field(const struct line_program *program, struct dwarf *dwarf, struct byte_reader *bytes,
		       uint64_t content, uint64_t form, struct entry *entry)
{
	struct entry text = {};
	uint64_t number = 0;

	if (form == DW_FORM_string)
		text.name = bytes_string(bytes);
	else if (form == DW_FORM_line_strp || form == DW_FORM_strp)
		text = (struct entry){ .strings = form == DW_FORM_strp ? &dwarf->str : &dwarf->line_str,
				       .offset = bytes_number(bytes, program->offset_size) };
	else
		number = read_number(bytes, form);
	if (content == DW_LNCT_path) {
		entry->name = text.name;
		entry->strings = text.strings;
		entry->offset = text.offset;
	} else if (content == DW_LNCT_directory_index) {
		entry->directory = number;
	}
}

static bool read_entry(const struct line_program *program, struct dwarf *dwarf, struct byte_reader *bytes,
		       const struct format *format, struct entry *entry)
{
	*entry = (struct entry){};
	for (unsigned int i = 0; i < format->nr; i++)
		read_field(program, dwarf, bytes, format->contents[i], format->forms[i], entry);
	return !bytes->bad && format->nr;
}

/* Reads a table, whose entry of this number is kept. False at the end of sensible bytes. */
static bool read_table(const struct line_program *program, struct dwarf *dwarf, struct byte_reader *bytes,
		       uint64_t number, struct entry *ret_entry)
{
	struct format format;
	struct entry entry;

	if (!read_format(bytes, &format))
		return false;
	for (uint64_t i = 0; i < format.nr_entries; i++) {
		if (!read_entry(program, dwarf, bytes, &format, &entry))
			return false;
		if (i == number)
			*ret_entry = entry;
	}
	return true;
}

static bool find_new(const struct line_program *program, struct dwarf *dwarf, uint32_t number, struct entry *ret_file,
		     struct entry *ret_directory, struct entry *ret_unit_directory)
{
	struct byte_reader bytes = program->tables;

	if (!read_table(program, dwarf, &bytes, 0, ret_unit_directory) ||
	    !read_table(program, dwarf, &bytes, number, ret_file))
		return false;
	bytes = program->tables;
	return read_table(program, dwarf, &bytes, ret_file->directory, ret_directory);
}

/* ---- before: lists that end with an empty name ---- */

static const char *next_old(struct byte_reader *bytes, uint64_t *ret_directory)
{
	const char *name = bytes_string(bytes);

	if (!name || !*name)
		return NULL;
	if (ret_directory) {
		*ret_directory = bytes_uleb(bytes);
		bytes_uleb(bytes); /* time and size of the file */
		bytes_uleb(bytes);
	}
	return name;
}

/* Directories and files count from 1; directory 0 is that of the unit. */
static bool find_old(const struct line_program *program, uint32_t number, struct entry *ret_file,
		     struct entry *ret_directory)
{
	struct byte_reader bytes = program->tables;
	const char *name;

	while (next_old(&bytes, NULL))
		continue;
	for (uint32_t i = 1; (name = next_old(&bytes, &ret_file->directory)); i++) {
		if (i != number)
			continue;
		ret_file->name = name;
		bytes = program->tables;
		for (uint64_t j = 1; j <= ret_file->directory && (name = next_old(&bytes, NULL)); j++)
			ret_directory->name = j == ret_file->directory ? name : NULL;
		return true;
	}
	return false;
}

/* ---- paths ---- */

static const char *text_of(const struct entry *entry)
{
	return entry->strings ? elf_section_string(entry->strings, entry->offset) : entry->name;
}

/* Puts a part in front of a path that is not absolute; what becomes too long is left out. */
static void put_before(char path[PATH_BYTES], const struct entry *entry)
{
	const char *text = *path == '/' ? NULL : text_of(entry);
	size_t nr_path = strlen(path), nr = text ? strlen(text) : 0;

	if (!nr || nr + nr_path + 2 > PATH_BYTES)
		return;
	memmove(path + nr + 1, path, nr_path + 1);
	memcpy(path, text, nr);
	path[nr] = '/';
}

const char *line_program_file(const struct line_program *program, struct dwarf *dwarf, uint32_t number,
			      struct text_pool *texts, bool *ret_relative)
{
	struct entry file = {}, directory = {}, unit_directory = {};
	bool is_new = program->version >= 5;
	char path[PATH_BYTES];
	const char *name;

	if (is_new ? !find_new(program, dwarf, number, &file, &directory, &unit_directory)
		   : !find_old(program, number, &file, &directory))
		return NULL;
	name = text_of(&file);
	if (!name || !*name || strlen(name) >= sizeof(path))
		return NULL;
	memcpy(path, name, strlen(name) + 1);
	put_before(path, &directory);
	if (is_new && file.directory)
		put_before(path, &unit_directory);
	*ret_relative = !is_new && *path != '/';
	return text_pool_add(texts, path);
}
