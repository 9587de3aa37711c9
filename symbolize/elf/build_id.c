/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes: where a file says who it is. Declared in elf_file.h. */
#include <string.h>

#include "core/base/cleanup.h"
#include "symbolize/elf/elf_file.h"

enum {
	NOTES_MAX_BYTES = 65536, /* of one segment or section; core files have more, but they carry no code */
	BUILD_ID_MIN = 3,        /* as elfutils accepts; shorter ones identify nothing */
};

static size_t round_up(size_t value, size_t alignment)
{
	return (value + alignment - 1) & ~(alignment - 1);
}

/* Walks notes that are in memory. Sizes are 32 bit in both classes and at most NOTES_MAX_BYTES, so sums do not wrap. */
static int find_in_notes(const char *notes, size_t nr_bytes, size_t alignment, struct build_id *ret_id)
{
	size_t at = 0;

	while (nr_bytes - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		size_t name, content, next;

		memcpy(&note, notes + at, sizeof(note));
		if (note.n_namesz > NOTES_MAX_BYTES || note.n_descsz > NOTES_MAX_BYTES)
			return -EBADMSG;
		name = at + sizeof(note);
		content = round_up(name + note.n_namesz, alignment);
		next = round_up(content + note.n_descsz, alignment);
		if (content + note.n_descsz > nr_bytes)
			return -EBADMSG;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(notes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) && note.n_descsz >= BUILD_ID_MIN &&
		    note.n_descsz <= BUILD_ID_MAX) {
			ret_id->nr_bytes = note.n_descsz;
			memcpy(ret_id->bytes, notes + content, note.n_descsz);
			return 0;
		}
		if (next >= nr_bytes)
			break;
		at = next;
	}
	return -ENODATA;
}

static int find_in_range(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes, uint64_t alignment,
			 struct build_id *ret_id)
{
	_cleanup_(freep) char *notes = NULL;
	int err;

	if (nr_bytes > NOTES_MAX_BYTES || !elf_file_holds(elf, offset, nr_bytes))
		return -EBADMSG;
	notes = malloc((size_t)nr_bytes + 1);
	if (!notes)
		return -ENOMEM;
	err = elf_file_read(elf, offset, notes, (size_t)nr_bytes);
	return err ?: find_in_notes(notes, (size_t)nr_bytes, alignment == 8 ? 8 : 4, ret_id);
}

/*
 * A range that makes no sense is passed over: the program headers of a separate debug file are those of the program
 * it was split from, and their offsets need not fit it.
 */
int elf_file_build_id(const struct elf_file *elf, struct build_id *ret_id)
{
	for (size_t i = 0; i < elf->segments.nr; i++) {
		const Elf64_Phdr *segment = &elf->segments.data[i];

		if (segment->p_type == PT_NOTE &&
		    !find_in_range(elf, segment->p_offset, segment->p_filesz, segment->p_align, ret_id))
			return 0;
	}
	for (size_t i = 0; i < elf->sections.nr; i++) {
		const Elf64_Shdr *section = &elf->sections.data[i];

		if (section->sh_type == SHT_NOTE &&
		    !find_in_range(elf, section->sh_offset, section->sh_size, section->sh_addralign, ret_id))
			return 0;
	}
	return -ENODATA;
}

void build_id_format(const struct build_id *id, char ret_hex[BUILD_ID_HEX_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	char *to = ret_hex;

	for (uint32_t i = 0; i < id->nr_bytes && i < BUILD_ID_MAX; i++) {
		*to++ = digits[id->bytes[i] >> 4];
		*to++ = digits[id->bytes[i] & 15];
	}
	*to = '\0';
}

bool build_id_same(const struct build_id *a, const struct build_id *b)
{
	return a->nr_bytes && a->nr_bytes == b->nr_bytes && !memcmp(a->bytes, b->bytes, a->nr_bytes);
}
