/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/elf_needs.h"

#include <string.h>

#include "symbolize/elf/elf_tables.h"

enum {
	LIBRARIES_MAX = 256,
	TEXT_MAX = 4096,
};

/* Offsets in the string table `names`, which is known only at the end of the segment. */
struct wanted {
	uint64_t libraries[LIBRARIES_MAX];
	size_t nr_libraries;
	uint64_t run_path, r_path; /* 0 none */
	uint64_t names, names_bytes;
};

static void take_entry(void *context, uint64_t tag, uint64_t value)
{
	struct wanted *wanted = context;

	switch (tag) {
	case DT_NEEDED:
		if (wanted->nr_libraries < LIBRARIES_MAX)
			wanted->libraries[wanted->nr_libraries++] = value;
		break;
	case DT_RUNPATH:
		wanted->run_path = value;
		break;
	case DT_RPATH:
		wanted->r_path = value;
		break;
	case DT_STRTAB:
		wanted->names = value;
		break;
	case DT_STRSZ:
		wanted->names_bytes = value;
		break;
	}
}

/* Adds the string of up to `nr_bytes` at an offset of the file; one that does not end there is none. */
static int add_text(const struct elf_file *elf, elf_needs *needs, char kind, uint64_t offset, uint64_t nr_bytes)
{
	char text[TEXT_MAX + 1] = { kind };
	size_t nr;
	int err;

	if (offset >= elf->size)
		return -EBADMSG;
	nr_bytes = nr_bytes < elf->size - offset ? nr_bytes : elf->size - offset;
	nr_bytes = nr_bytes < TEXT_MAX ? nr_bytes : TEXT_MAX;
	err = elf_file_read(elf, offset, text + 1, nr_bytes);
	nr = strnlen(text, 1 + nr_bytes);
	if (err || nr == 1 + nr_bytes)
		return err ?: -EBADMSG;
	err = vec_grow((void **)&needs->data, &needs->room, needs->nr + nr + 1, 1);
	if (err)
		return err;
	memcpy(needs->data + needs->nr, text, nr + 1);
	needs->nr += nr + 1;
	return 0;
}

static int add_loader(const struct elf_file *elf, elf_needs *needs)
{
	for (size_t i = 0; i < elf->segments.nr; i++) {
		const Elf64_Phdr *segment = &elf->segments.data[i];

		if (segment->p_type == PT_INTERP)
			return add_text(elf, needs, NEEDS_LOADER, segment->p_offset, segment->p_filesz);
	}
	return 0;
}

static int add_name(const struct elf_file *elf, elf_needs *needs, char kind, const struct wanted *wanted, uint64_t name)
{
	if (name >= wanted->names_bytes)
		return -EBADMSG;
	return add_text(elf, needs, kind, wanted->names + name, wanted->names_bytes - name);
}

int elf_needs_read(const struct elf_file *elf, elf_needs *ret_needs)
{
	struct wanted wanted = {};
	int err = add_loader(elf, ret_needs);

	err = err ?: elf_dynamic_read(elf, take_entry, &wanted);
	if (err == -ENODATA)
		return 0;
	err = err ?: elf_file_offset_of_address(elf, wanted.names, &wanted.names);
	if (!err && wanted.run_path)
		err = add_name(elf, ret_needs, NEEDS_RUNPATH, &wanted, wanted.run_path);
	else if (!err && wanted.r_path)
		err = add_name(elf, ret_needs, NEEDS_RPATH, &wanted, wanted.r_path);
	for (size_t i = 0; !err && i < wanted.nr_libraries; i++)
		err = add_name(elf, ret_needs, NEEDS_LIBRARY, &wanted, wanted.libraries[i]);
	return err;
}

bool elf_needs_is_program(const struct elf_file *elf)
{
	elf_needs needs = {};
	bool has_loader, is_alone;

	if (elf->type == ET_EXEC)
		return true;
	elf_needs_read(elf, &needs);
	has_loader = needs.nr && needs.data[0] == NEEDS_LOADER;
	is_alone = !needs.nr; /* a static program, or a loader */
	vec_done(&needs);
	return has_loader || is_alone;
}
