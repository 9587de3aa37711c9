/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/elf_file.h"

#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"

enum {
	SEGMENTS_MAX = 4096,
	SECTIONS_MAX = 65536,
	NAMES_KEPT_MAX = 65536,
	NOTES_MAX_BYTES = 65536, /* of a segment or section; core files have more, but no code */
};

bool elf_file_holds(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes)
{
	return offset <= elf->size && nr_bytes <= elf->size - offset;
}

int elf_file_read(const struct elf_file *elf, uint64_t offset, void *ret_bytes, size_t nr_bytes)
{
	char *to = ret_bytes;

	if (!elf_file_holds(elf, offset, nr_bytes))
		return -EBADMSG;
	if (elf->memory) {
		memcpy(ret_bytes, elf->memory + offset, nr_bytes);
		return 0;
	}
	while (nr_bytes) {
		ssize_t got = pread(elf->fd, to, nr_bytes, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -EBADMSG;
		to += got;
		offset += (uint64_t)got;
		nr_bytes -= (size_t)got;
	}
	return 0;
}

void *elf_file_copy(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes, uint64_t max, int *ret_err)
{
	bool is_here = nr_bytes <= max && elf_file_holds(elf, offset, nr_bytes);
	_cleanup_(freep) char *copy = is_here ? malloc((size_t)nr_bytes + 1) : NULL;

	*ret_err = !is_here ? -EBADMSG : copy ? elf_file_read(elf, offset, copy, (size_t)nr_bytes) : -ENOMEM;
	if (*ret_err)
		return NULL;
	copy[nr_bytes] = '\0';
	return take_ptr(copy);
}

struct table {
	uint64_t offset, nr;
	uint16_t entry_size;
};

static Elf64_Phdr widen_segment(const Elf32_Phdr *narrow)
{
	return (Elf64_Phdr){
		.p_type = narrow->p_type,
		.p_flags = narrow->p_flags,
		.p_offset = narrow->p_offset,
		.p_vaddr = narrow->p_vaddr,
		.p_paddr = narrow->p_paddr,
		.p_filesz = narrow->p_filesz,
		.p_memsz = narrow->p_memsz,
		.p_align = narrow->p_align,
	};
}

static Elf64_Shdr widen_section(const Elf32_Shdr *narrow)
{
	return (Elf64_Shdr){
		.sh_name = narrow->sh_name,
		.sh_type = narrow->sh_type,
		.sh_flags = narrow->sh_flags,
		.sh_addr = narrow->sh_addr,
		.sh_offset = narrow->sh_offset,
		.sh_size = narrow->sh_size,
		.sh_link = narrow->sh_link,
		.sh_info = narrow->sh_info,
		.sh_addralign = narrow->sh_addralign,
		.sh_entsize = narrow->sh_entsize,
	};
}

static int read_table(struct elf_file *elf, const struct table *table, bool is_segments)
{
	size_t size = elf->is_64 ? (is_segments ? sizeof(Elf64_Phdr) : sizeof(Elf64_Shdr))
				 : (is_segments ? sizeof(Elf32_Phdr) : sizeof(Elf32_Shdr));
	_cleanup_(freep) char *headers = NULL;
	int err = 0;

	if (!table->nr)
		return 0;
	if (table->nr > (is_segments ? SEGMENTS_MAX : SECTIONS_MAX) || table->entry_size != size)
		return -EBADMSG;
	headers = elf_file_copy(elf, table->offset, table->nr * size, UINT64_MAX, &err);
	for (uint64_t i = 0; !err && i < table->nr; i++) {
		const void *header = headers + i * size;

		if (is_segments)
			err = vec_try_push(&elf->segments,
					   elf->is_64 ? *(const Elf64_Phdr *)header : widen_segment(header));
		else
			err = vec_try_push(&elf->sections,
					   elf->is_64 ? *(const Elf64_Shdr *)header : widen_section(header));
	}
	return err;
}

/* With very many sections or segments, section 0 has their numbers (e_shnum = 0, PN_XNUM). */
static int read_big_counts(struct elf_file *elf, struct table *segments, struct table *sections)
{
	struct table first = { .offset = sections->offset, .nr = 1, .entry_size = sections->entry_size };
	int err;

	if (!sections->offset || (sections->nr && segments->nr != PN_XNUM))
		return 0;
	err = read_table(elf, &first, false);
	if (err)
		return err;
	if (!sections->nr)
		sections->nr = elf->sections.data[0].sh_size;
	if (segments->nr == PN_XNUM)
		segments->nr = elf->sections.data[0].sh_info;
	elf->sections.nr = 0;
	return 0;
}

static int read_headers(struct elf_file *elf)
{
	struct table segments, sections;
	union {
		Elf64_Ehdr wide;
		Elf32_Ehdr narrow;
	} header;
	int err = elf_file_read(elf, 0, &header, elf->is_64 ? sizeof(header.wide) : sizeof(header.narrow));

	if (err)
		return err;
	elf->type = header.wide.e_type; /* at the same place in both */
	elf->machine = header.wide.e_machine;
	if (elf->is_64) {
		const Elf64_Ehdr *e = &header.wide;

		elf->entry = e->e_entry;
		segments = (struct table){ e->e_phoff, e->e_phnum, e->e_phentsize };
		sections = (struct table){ e->e_shoff, e->e_shnum, e->e_shentsize };
		elf->section_names = e->e_shstrndx;
	} else {
		const Elf32_Ehdr *e = &header.narrow;

		elf->entry = e->e_entry;
		segments = (struct table){ e->e_phoff, e->e_phnum, e->e_phentsize };
		sections = (struct table){ e->e_shoff, e->e_shnum, e->e_shentsize };
		elf->section_names = e->e_shstrndx;
	}
	err = read_big_counts(elf, &segments, &sections);
	err = err ?: read_table(elf, &segments, true);
	if (!err && sections.offset)
		err = read_table(elf, &sections, false);
	if (elf->section_names == SHN_XINDEX && elf->sections.nr)
		elf->section_names = elf->sections.data[0].sh_link;
	return err;
}

/* If the names cannot be read, no section is found by name; that is not an error. */
static int load_section_names(struct elf_file *elf)
{
	const Elf64_Shdr *names = elf_file_section_number(elf, elf->section_names);
	int err;

	if (!elf->section_names || !names || !names->sh_size || names->sh_size > NAMES_KEPT_MAX ||
	    !elf_file_holds(elf, names->sh_offset, names->sh_size))
		return 0;
	err = vec_try_reserve(&elf->names, (size_t)names->sh_size);
	if (!err && !elf_file_read(elf, names->sh_offset, elf->names.data, (size_t)names->sh_size))
		elf->names.nr = (size_t)names->sh_size;
	return err;
}

static int read_ident(struct elf_file *elf)
{
	unsigned char ident[EI_NIDENT];

	if (elf_file_read(elf, 0, ident, sizeof(ident)) || memcmp(ident, ELFMAG, SELFMAG) != 0)
		return -ENOEXEC;
	if (ident[EI_DATA] != ELFDATA2LSB || (ident[EI_CLASS] != ELFCLASS64 && ident[EI_CLASS] != ELFCLASS32))
		return -ENOEXEC;
	elf->is_64 = ident[EI_CLASS] == ELFCLASS64;
	return 0;
}

static int open_elf(struct elf_file *elf)
{
	int err = read_ident(elf);

	err = err ?: read_headers(elf);
	err = err ?: load_section_names(elf);
	if (err)
		elf_file_done(elf);
	return err;
}

int elf_file_open(struct elf_file *elf, int fd)
{
	off_t size = lseek(fd, 0, SEEK_END); /* the worker's filter forbids fstat */

	*elf = (struct elf_file){ .fd = fd, .size = size < 0 ? 0 : (uint64_t)size };
	return open_elf(elf);
}

int elf_file_open_memory(struct elf_file *elf, const void *bytes, size_t nr_bytes)
{
	*elf = (struct elf_file){ .fd = -1, .memory = bytes, .size = nr_bytes };
	return open_elf(elf);
}

int elf_file_lay_out(struct elf_file *elf)
{
	enum {
		FIRST = 1 << 20, /* of the first section; not 0, because undefined symbols have the value 0 */
		ALIGNMENT_MAX = 1 << 20,
	};
	const uint64_t end = 1ull << 40;
	uint64_t address = FIRST;

	if (elf->type != ET_REL || !elf->is_64)
		return -ENOEXEC;
	for (size_t i = 0; i < elf->sections.nr; i++) {
		Elf64_Shdr *section = &elf->sections.data[i];
		uint64_t alignment = section->sh_addralign ?: 1;

		section->sh_addr = 0;
		if (!(section->sh_flags & SHF_ALLOC))
			continue;
		if (alignment > ALIGNMENT_MAX || section->sh_size > end)
			return -EBADMSG;
		section->sh_addr = (address + alignment - 1) / alignment * alignment;
		address = section->sh_addr + section->sh_size;
		if (address > end)
			return -EBADMSG;
	}
	elf->is_laid_out = true;
	return 0;
}

void elf_file_done(struct elf_file *elf)
{
	vec_done(&elf->names);
	vec_done(&elf->segments);
	vec_done(&elf->sections);
}

const Elf64_Phdr *elf_file_segment(const struct elf_file *elf, uint32_t type)
{
	for (size_t i = 0; i < elf->segments.nr; i++)
		if (elf->segments.data[i].p_type == type)
			return &elf->segments.data[i];
	return NULL;
}

const Elf64_Phdr *elf_file_segment_at(const struct elf_file *elf, uint64_t address, uint32_t flags)
{
	for (size_t i = 0; i < elf->segments.nr; i++) {
		const Elf64_Phdr *segment = &elf->segments.data[i];

		if (segment->p_type == PT_LOAD && (segment->p_flags & flags) == flags && address >= segment->p_vaddr &&
		    address - segment->p_vaddr < segment->p_filesz)
			return segment;
	}
	return NULL;
}

int elf_file_offset_of_address(const struct elf_file *elf, uint64_t address, uint64_t *ret_offset)
{
	const Elf64_Phdr *segment = elf_file_segment_at(elf, address, 0);

	if (!segment)
		return -ENODATA;
	*ret_offset = address - segment->p_vaddr + segment->p_offset;
	return 0;
}

/*
 * Two segments may share a page of the file, and both map the bytes around their border. Callers look for code, so an executable segment is
 * preferred.
 */
int elf_file_address_of_offset(const struct elf_file *elf, uint64_t offset, uint64_t *ret_address)
{
	const Elf64_Phdr *found = NULL;

	for (size_t i = 0; i < elf->segments.nr; i++) {
		const Elf64_Phdr *segment = &elf->segments.data[i];

		if (segment->p_type != PT_LOAD || offset < segment->p_offset ||
		    offset - segment->p_offset >= segment->p_filesz)
			continue;
		if (!found || (segment->p_flags & PF_X && !(found->p_flags & PF_X)))
			found = segment;
	}
	if (!found)
		return -ENODATA;
	*ret_address = offset - found->p_offset + found->p_vaddr;
	return 0;
}

bool elf_file_section_is(const struct elf_file *elf, const Elf64_Shdr *section, const char *name)
{
	size_t nr_bytes = strlen(name) + 1;
	const Elf64_Shdr *names = elf_file_section_number(elf, elf->section_names);
	char found[64];

	if (!elf->section_names || !names || nr_bytes > sizeof(found) || section->sh_name >= names->sh_size ||
	    nr_bytes > names->sh_size - section->sh_name || !elf_file_holds(elf, names->sh_offset, names->sh_size))
		return false;
	if (elf->names.nr)
		return !memcmp(elf->names.data + section->sh_name, name, nr_bytes);
	return !elf_file_read(elf, names->sh_offset + section->sh_name, found, nr_bytes) &&
	       !memcmp(found, name, nr_bytes);
}

const Elf64_Shdr *elf_file_section(const struct elf_file *elf, const char *name)
{
	for (size_t i = 0; i < elf->sections.nr; i++)
		if (elf_file_section_is(elf, &elf->sections.data[i], name))
			return &elf->sections.data[i];
	return NULL;
}

static int build_id_in(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes, uint64_t alignment,
		       struct build_id *ret_id)
{
	int err;
	_cleanup_(freep) void *notes = elf_file_copy(elf, offset, nr_bytes, NOTES_MAX_BYTES, &err);

	return err ?: notes_build_id(notes_of(notes, (size_t)nr_bytes, alignment), ret_id);
}

/* Ignores invalid ranges: a separate debug file has its program's headers, whose offsets need not fit. */
int elf_file_build_id(const struct elf_file *elf, struct build_id *ret_id)
{
	for (size_t i = 0; i < elf->segments.nr; i++) {
		const Elf64_Phdr *segment = &elf->segments.data[i];

		if (segment->p_type == PT_NOTE &&
		    !build_id_in(elf, segment->p_offset, segment->p_filesz, segment->p_align, ret_id))
			return 0;
	}
	for (size_t i = 0; i < elf->sections.nr; i++) {
		const Elf64_Shdr *section = &elf->sections.data[i];

		if (section->sh_type == SHT_NOTE &&
		    !build_id_in(elf, section->sh_offset, section->sh_size, section->sh_addralign, ret_id))
			return 0;
	}
	return -ENODATA;
}
