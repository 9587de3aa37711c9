/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/dwarf/dwarf_files.h"

#include <errno.h>

enum {
	TABLE_FACTOR = 32, /* tables up to this times `small_max` are held whole */
};

struct part {
	size_t offset; /* in struct dwarf */
	const char *name;
	bool is_table; /* read out of order */
	const char *split_name; /* name in a split file; NULL: not there */
};

static const struct part parts[] = {
	{ offsetof(struct dwarf, info), ".debug_info", false, ".debug_info.dwo" },
	{ offsetof(struct dwarf, line), ".debug_line", false, NULL },
	{ offsetof(struct dwarf, str), ".debug_str", false, ".debug_str.dwo" },
	{ offsetof(struct dwarf, abbrev), ".debug_abbrev", true, ".debug_abbrev.dwo" },
	{ offsetof(struct dwarf, line_str), ".debug_line_str", true, NULL },
	{ offsetof(struct dwarf, ranges), ".debug_ranges", true, NULL },
	{ offsetof(struct dwarf, rnglists), ".debug_rnglists", true, ".debug_rnglists.dwo" },
	{ offsetof(struct dwarf, addr), ".debug_addr", true, NULL },
	{ offsetof(struct dwarf, str_offsets), ".debug_str_offsets", true, ".debug_str_offsets.dwo" },
	{ offsetof(struct dwarf, cu_index), NULL, true, ".debug_cu_index" },
};

static struct elf_section *section_of(struct dwarf *dwarf, const struct part *part)
{
	return (struct elf_section *)(void *)((char *)dwarf + part->offset);
}

/* Opens all sections. -ENOMEM is always an error; other errors count only for the first two sections, one of which is needed. */
static int open_parts(struct dwarf *dwarf, const struct elf_file *elf, uint64_t small_max, bool is_split)
{
	int err = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const char *name = is_split ? parts[i].split_name : parts[i].name;
		uint64_t whole_max = parts[i].is_table ? TABLE_FACTOR * small_max : small_max;
		int status = name ? elf_section_open(section_of(dwarf, &parts[i]), elf, name, whole_max) : -ENODATA;

		if (status == -ENOMEM || (status != -ENODATA && i < 2))
			err = err ?: status;
	}
	if (!err && !dwarf->info.elf && !dwarf->line.elf)
		err = -ENODATA;
	if (err)
		dwarf_close(dwarf);
	return err;
}

int dwarf_open(struct dwarf *dwarf, const struct elf_file *elf, uint64_t small_max)
{
	*dwarf = (struct dwarf){};
	return open_parts(dwarf, elf, small_max, false);
}

int dwarf_open_split(struct dwarf *dwarf, const struct elf_file *elf, struct dwarf *skeletons, uint64_t small_max)
{
	*dwarf = (struct dwarf){ .skeletons = skeletons };
	return open_parts(dwarf, elf, small_max, true);
}

void dwarf_close(struct dwarf *dwarf)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		elf_section_done(section_of(dwarf, &parts[i]));
}

int dwarf_alternate(const struct elf_file *elf, char ret_path[ALTERNATE_PATH_SIZE], struct build_id *ret_id)
{
	const Elf64_Shdr *section = elf_file_section(elf, ".gnu_debugaltlink");
	unsigned char bytes[ALTERNATE_PATH_SIZE + BUILD_ID_MAX] = {};
	size_t nr = section && section->sh_size <= sizeof(bytes) ? (size_t)section->sh_size : 0, nr_path;

	if (!section || section->sh_type == SHT_NOBITS)
		return -ENODATA;
	if (!nr || elf_file_read(elf, section->sh_offset, bytes, nr))
		return -EBADMSG;
	nr_path = strnlen((const char *)bytes, nr);
	if (nr_path >= ALTERNATE_PATH_SIZE || nr_path + 1 >= nr || nr - nr_path - 1 > BUILD_ID_MAX)
		return -EBADMSG;
	memcpy(ret_path, bytes, nr_path + 1);
	ret_id->nr_bytes = (uint32_t)(nr - nr_path - 1);
	memcpy(ret_id->bytes, bytes + nr_path + 1, ret_id->nr_bytes);
	return 0;
}

bool dwarf_is_in(const struct elf_file *elf)
{
	return elf_section_exists(elf, parts[0].name) || elf_section_exists(elf, parts[1].name);
}
