/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/elf_needs.h"

#include <string.h>

#include "symbolize/elf/elf_tables.h"

enum {
	LIBRARIES_MAX = 256,
	TEXT_MAX = 4096,
};

/* Adds the string at an offset of the file, unless it does not end within `nr_bytes`. */
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
	return vec_try_append(needs, text, nr + 1);
}

/* The same for a position in the string table of the dynamic segment. */
static int add_name(const struct elf_file *elf, elf_needs *needs, char kind, const elf_dynamic *dynamic, uint64_t name)
{
	uint64_t nr_bytes = elf_dynamic_value(dynamic, DT_STRSZ), offset;
	int err = elf_file_offset_of_address(elf, elf_dynamic_value(dynamic, DT_STRTAB), &offset);

	if (err || name >= nr_bytes)
		return err ?: -EBADMSG;
	return add_text(elf, needs, kind, offset + name, nr_bytes - name);
}

static int add_names(const struct elf_file *elf, elf_needs *needs, const elf_dynamic *dynamic)
{
	uint64_t run_path = elf_dynamic_value(dynamic, DT_RUNPATH), r_path = elf_dynamic_value(dynamic, DT_RPATH);
	size_t nr_libraries = 0;
	int err = 0;

	if (run_path)
		err = add_name(elf, needs, NEEDS_RUNPATH, dynamic, run_path);
	else if (r_path)
		err = add_name(elf, needs, NEEDS_RPATH, dynamic, r_path);
	for (size_t i = 0; !err && i < dynamic->nr && nr_libraries < LIBRARIES_MAX; i++) {
		if (dynamic->data[i].d_tag != DT_NEEDED)
			continue;
		err = add_name(elf, needs, NEEDS_LIBRARY, dynamic, dynamic->data[i].d_un.d_val);
		nr_libraries++;
	}
	return err;
}

int elf_needs_read(const struct elf_file *elf, elf_needs *ret_needs)
{
	const Elf64_Phdr *loader = elf_file_segment(elf, PT_INTERP);
	elf_dynamic dynamic = {};
	int err = loader ? add_text(elf, ret_needs, NEEDS_LOADER, loader->p_offset, loader->p_filesz) : 0;

	if (!err)
		err = elf_dynamic_read(elf, &dynamic);
	err = err == -ENODATA ? 0 : err ?: add_names(elf, ret_needs, &dynamic);
	vec_done(&dynamic);
	return err;
}

bool elf_needs_is_alone(const struct elf_file *elf)
{
	static const char loader[] = "ld-";
	elf_needs needs = {};
	bool is_alone = true;

	elf_needs_read(elf, &needs);
	for (size_t at = 0; at < needs.nr; at += strlen(needs.data + at) + 1)
		is_alone &= needs.data[at] != NEEDS_LIBRARY ||
			    !strncmp(needs.data + at + 1, loader, sizeof(loader) - 1);
	vec_done(&needs);
	return is_alone;
}

bool elf_needs_is_program(const struct elf_file *elf)
{
	elf_needs needs = {};
	bool has_loader, is_alone;

	if (elf->type == ET_EXEC)
		return true;
	elf_needs_read(elf, &needs);
	has_loader = needs.nr && needs.data[0] == NEEDS_LOADER;
	is_alone = !needs.nr; /* a static program or a dynamic loader */
	vec_done(&needs);
	return has_loader || is_alone;
}
