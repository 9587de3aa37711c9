/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/debug_link.h"

#include <string.h>

#include <zlib.h>

#include "core/base/cleanup.h"
#include "symbolize/elf/elf_section.h"

enum {
	CHUNK_BYTES = 65536
};

bool debug_link_is_plain(const char *name)
{
	return *name && strlen(name) < DEBUG_LINK_NAME_SIZE && !strchr(name, '/') && strcmp(name, ".") != 0 &&
	       strcmp(name, "..") != 0;
}

bool debug_link_is_alternate(const char *name)
{
	size_t nr_prefix = strlen(DEBUG_LINK_ALTERNATE), length = strlen(name);

	return !strncmp(name, DEBUG_LINK_ALTERNATE, nr_prefix) && length > nr_prefix && length < DEBUG_LINK_NAME_SIZE &&
	       !strstr(name, "/..") && !strstr(name, "//");
}

bool debug_link_is_split(const char *name)
{
	size_t length = strlen(name);

	return !strcmp(name, SYMBOL_PACKAGE) || (*name == '/' && length < DEBUG_LINK_PATH_SIZE && length > 5 &&
						 !strcmp(name + length - 4, ".dwo") && name[length - 5] != '/');
}

/* The section: a name with its NUL, padding to four bytes, CRC-32. */
int debug_link_read(const struct elf_file *elf, struct debug_link *ret_link)
{
	const Elf64_Shdr *section = elf_file_section(elf, ".gnu_debuglink");
	char content[DEBUG_LINK_NAME_SIZE + 4] = {};
	size_t at;
	int err;

	if (!section || section->sh_type == SHT_NOBITS)
		return -ENODATA;
	if (section->sh_size > sizeof(content))
		return -EBADMSG;
	err = elf_file_read(elf, section->sh_offset, content, (size_t)section->sh_size);
	if (err)
		return err;
	at = (strnlen(content, DEBUG_LINK_NAME_SIZE) + 4) & ~3ul;
	if (at + 4 > section->sh_size || !debug_link_is_plain(content))
		return -EBADMSG;
	memcpy(ret_link->name, content, strlen(content) + 1);
	memcpy(&ret_link->checksum, content + at, sizeof(ret_link->checksum));
	return 0;
}

bool debug_link_matches(const struct debug_link *link, const struct elf_file *debug)
{
	_cleanup_(elf_section_done) struct elf_section content = elf_section_of_range(debug, 0, debug->size);
	uint32_t checksum = 0;

	if (debug->size > UINT32_MAX)
		return false;
	for (uint64_t at = 0; at < debug->size; at += CHUNK_BYTES) {
		struct byte_reader chunk = elf_section_some(&content, at, CHUNK_BYTES);

		if (chunk.bad)
			return false;
		checksum = (uint32_t)crc32(checksum, chunk.at, (unsigned int)bytes_left(&chunk));
	}
	return checksum == link->checksum;
}
