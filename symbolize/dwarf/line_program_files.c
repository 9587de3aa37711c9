/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dwarf.h>

#include "symbolize/dwarf/dwarf_unit.h"
#include "symbolize/dwarf/line_program.h"

enum {
	PATH_BYTES = 8192,
	FIELDS_MAX = 16, /* of an entry; compilers write at most three */
};

struct entry {
	const char *name; /* if `strings` is NULL */
	struct elf_section *strings; /* the section with the name, at `offset` */
	uint64_t offset, directory; /* directory: its number, for a file */
};

/* ---- DWARF 5: tables that describe themselves ---- */

struct format {
	struct abbrev_attribute fields[FIELDS_MAX];
	unsigned int nr;
	uint64_t nr_entries;
};

/* Refuses fields without bytes: a small table could have any number of such entries. */
static bool read_format(struct dwarf_entries *entries, struct format *format)
{
	struct byte_reader *bytes = &entries->bytes;

	format->nr = bytes_byte(bytes);
	if (format->nr > FIELDS_MAX)
		return false;
	for (unsigned int i = 0; i < format->nr; i++) {
		uint64_t content = bytes_uleb(bytes), form = bytes_uleb(bytes);

		if (content > UINT16_MAX || form > UINT16_MAX || !dwarf_form_size((uint16_t)form, 5, 8, 8))
			return false;
		format->fields[i] = (struct abbrev_attribute){ (uint16_t)content, (uint16_t)form, 0 };
	}
	format->nr_entries = bytes_uleb(bytes);
	return !bytes->bad;
}

/* Stores the place of the name. Rejects DW_FORM_strx: its base depends on the unit, which may be in another file. */
static bool take_path(struct dwarf *dwarf, const struct dwarf_value *value, const uint8_t *here, struct entry *entry)
{
	entry->offset = value->number;
	switch (value->form) {
	case DW_FORM_string:
		entry->name = (const char *)here;
		return true;
	case DW_FORM_line_strp:
		entry->strings = &dwarf->line_str;
		return true;
	case DW_FORM_strp:
		entry->strings = &dwarf->str;
		return true;
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		entry->strings = dwarf->alternate ? &dwarf->alternate->str : NULL;
		return dwarf->alternate;
	default:
		return false;
	}
}

static bool read_entry(struct dwarf *dwarf, struct dwarf_entries *entries, const struct format *format,
		       struct entry *entry)
{
	*entry = (struct entry){};
	for (unsigned int i = 0; i < format->nr; i++) {
		const struct abbrev_attribute *field = &format->fields[i];
		const uint8_t *here = entries->bytes.at;
		struct dwarf_value value;

		dwarf_value_read(entries, field, &value);
		if (entries->bytes.bad || (field->name == DW_LNCT_path && !take_path(dwarf, &value, here, entry)) ||
		    (field->name == DW_LNCT_directory_index && !dwarf_value_number(&value, &entry->directory)))
			return false;
	}
	return format->nr;
}

/* Reads a table, and keeps entry `number`. False if it cannot be read. */
static bool read_table(struct dwarf *dwarf, struct dwarf_entries *entries, uint64_t number, struct entry *ret_entry)
{
	struct format format;
	struct entry entry;

	if (!read_format(entries, &format))
		return false;
	for (uint64_t i = 0; i < format.nr_entries; i++) {
		if (!read_entry(dwarf, entries, &format, &entry))
			return false;
		if (i == number)
			*ret_entry = entry;
	}
	return true;
}

static bool find_new(const struct line_program *program, struct dwarf *dwarf, uint32_t number, struct entry *ret_file,
		     struct entry *ret_directory, struct entry *ret_unit_directory)
{
	const struct dwarf_unit unit = {
		.version = program->version,
		.address_size = program->address_size,
		.offset_size = program->offset_size,
	};
	const struct dwarf_entries start = { .unit = &unit, .bytes = program->tables, .start = program->tables.at };
	struct dwarf_entries entries = start;

	if (!read_table(dwarf, &entries, 0, ret_unit_directory) || !read_table(dwarf, &entries, number, ret_file))
		return false;
	entries = start;
	return read_table(dwarf, &entries, ret_file->directory, ret_directory);
}

/* ---- before DWARF 5: lists that end with an empty name ---- */

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

/* Directories and files are numbered from 1; directory 0 is the unit's. */
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

static const char *text_of(const struct entry *entry)
{
	return entry->strings ? elf_section_string(entry->strings, entry->offset) : entry->name;
}

/* Prepends a directory to a relative path, unless the result is too long. */
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
