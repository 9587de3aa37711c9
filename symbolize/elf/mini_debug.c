/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/mini_debug.h"

#include "core/base/cleanup.h"
#include "symbolize/elf/xz_unpack.h"

enum {
	MINI_DEBUG_MAX_BYTES = 64 << 20, /* unpacked; those of distributions have 1 to 4 MB */
};

int mini_debug_add(struct symtab *table, const struct elf_file *elf)
{
	const Elf64_Shdr *section = table->complete ? NULL : elf_file_section(elf, ".gnu_debugdata");
	_cleanup_(freep) unsigned char *bytes = NULL;
	struct elf_file mini;
	size_t nr;
	int err;

	if (!section || section->sh_type == SHT_NOBITS || !elf_file_holds(elf, section->sh_offset, section->sh_size))
		return 0;
	err = xz_unpack(elf, section->sh_offset, section->sh_size, MINI_DEBUG_MAX_BYTES, &bytes, &nr);
	if (err || elf_file_open_memory(&mini, bytes, nr))
		return 0;
	err = symtab_add(table, &mini);
	elf_file_done(&mini);
	return err == -ENOMEM ? err : 0;
}
