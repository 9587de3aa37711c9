/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/elf_writer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void elf_writer_init(struct elf_writer *elf, uint16_t type)
{
	*elf = (struct elf_writer){ .type = type, .machine = EM_X86_64, .address_bias = 0x10000000 };
	for (int table = SYMTAB; table <= DYNSYM; table++) {
		vec_push(&elf->symbols[table], (Elf64_Sym){});
		vec_push(&elf->names[table], '\0');
	}
}

void elf_writer_done(struct elf_writer *elf)
{
	vec_done(&elf->segments);
	for (int table = SYMTAB; table <= DYNSYM; table++) {
		vec_done(&elf->symbols[table]);
		vec_done(&elf->names[table]);
	}
	vec_done(&elf->notes);
	vec_done(&elf->probes);
	vec_done(&elf->extras);
	vec_done(&elf->image);
}

void elf_writer_segment(struct elf_writer *elf, const Elf64_Phdr *segment)
{
	vec_push(&elf->segments, *segment);
}

void elf_writer_code(struct elf_writer *elf, uint64_t address, uint64_t offset, uint64_t size)
{
	elf_writer_segment(elf, &(Elf64_Phdr){ .p_type = PT_LOAD,
					       .p_flags = PF_R | PF_X,
					       .p_vaddr = address,
					       .p_offset = offset,
					       .p_filesz = size,
					       .p_memsz = size,
					       .p_align = 0x1000 });
}

static void append(void *vec, const void *bytes, size_t nr_bytes)
{
	VEC(char) *to = vec;

	vec_reserve(to, to->nr + nr_bytes + 1);
	if (nr_bytes)
		memcpy(to->data + to->nr, bytes, nr_bytes);
	to->nr += nr_bytes;
}

void elf_writer_symbol(struct elf_writer *elf, enum writer_table table, const char *name, uint64_t value, uint64_t size,
		       unsigned char type, unsigned char binding)
{
	vec_push(&elf->symbols[table], (Elf64_Sym){ .st_name = (uint32_t)elf->names[table].nr,
						    .st_info = ELF64_ST_INFO(binding, type),
						    .st_shndx = SECTION_TEXT,
						    .st_value = value,
						    .st_size = size });
	append(&elf->names[table], name, strlen(name) + 1);
}

void elf_writer_function(struct elf_writer *elf, const char *name, uint64_t value, uint64_t size)
{
	elf_writer_symbol(elf, SYMTAB, name, value, size, STT_FUNC, STB_GLOBAL);
}

Elf64_Sym *elf_writer_last(struct elf_writer *elf, enum writer_table table)
{
	return &vec_last(&elf->symbols[table]);
}

void elf_writer_build_id(struct elf_writer *elf, const void *bytes, uint32_t nr_bytes)
{
	Elf64_Nhdr note = { .n_namesz = 4, .n_descsz = nr_bytes, .n_type = NT_GNU_BUILD_ID };

	append(&elf->notes, &note, sizeof(note));
	append(&elf->notes, "GNU", 4);
	append(&elf->notes, bytes, nr_bytes);
	while (elf->notes.nr % 4)
		append(&elf->notes, "", 1);
}

void elf_writer_probe(struct elf_writer *elf, uint64_t address, uint64_t base, uint64_t semaphore, const char *texts,
		      uint32_t nr_texts)
{
	uint64_t wide[] = { address, base, semaphore };
	uint32_t narrow[] = { (uint32_t)address, (uint32_t)base, (uint32_t)semaphore };
	uint32_t nr_words = elf->is_32 ? sizeof(narrow) : sizeof(wide);
	Elf64_Nhdr note = { .n_namesz = 8, .n_descsz = nr_words + nr_texts, .n_type = 3 };

	append(&elf->probes, &note, sizeof(note));
	append(&elf->probes, "stapsdt", 8);
	append(&elf->probes, elf->is_32 ? (void *)narrow : (void *)wide, nr_words);
	append(&elf->probes, texts, nr_texts);
	while (elf->probes.nr % 4)
		append(&elf->probes, "", 1);
}

void elf_writer_extra(struct elf_writer *elf, const char *name, const Elf64_Shdr *header, const void *bytes,
		      size_t nr_bytes)
{
	vec_push(&elf->extras, (struct elf_writer_extra){ *header, name, bytes });
	vec_last(&elf->extras).header.sh_size = nr_bytes;
}

/* ---- layout ---- */

static uint64_t place(struct elf_writer *elf, const void *bytes, size_t nr_bytes)
{
	uint64_t offset;

	while (elf->image.nr % 16)
		append(&elf->image, "", 1);
	offset = elf->image.nr;
	append(&elf->image, bytes, nr_bytes);
	return offset;
}

static uint64_t place_symbols(struct elf_writer *elf, enum writer_table table, size_t *ret_bytes)
{
	uint64_t offset = place(elf, NULL, 0);

	for (size_t i = 0; i < elf->symbols[table].nr; i++) {
		const Elf64_Sym *wide = &elf->symbols[table].data[i];
		Elf32_Sym narrow = { wide->st_name, (uint32_t)wide->st_value, (uint32_t)wide->st_size,
				     wide->st_info, wide->st_other,           wide->st_shndx };

		if (elf->is_32)
			append(&elf->image, &narrow, sizeof(narrow));
		else
			append(&elf->image, wide, sizeof(*wide));
	}
	*ret_bytes = elf->image.nr - offset;
	return offset;
}

static uint64_t place_hash(struct elf_writer *elf)
{
	uint32_t nr = (uint32_t)elf->symbols[DYNSYM].nr;

	if (elf->gnu_hash) {
		/* One bucket, whose chain starts at symbol 1 and is ended by the last symbol. */
		uint32_t table[7 + 4096] = { 1, 1, 1, 0, 0, 0, nr > 1 };

		for (uint32_t i = 1; i < nr; i++)
			table[6 + i] = 2 | (i + 1 == nr);
		return place(elf, table, (7 + nr - 1) * sizeof(*table));
	}
	return place(elf, (uint32_t[]){ 1, nr, 0 }, 12);
}

static void place_dynamic(struct elf_writer *elf, const Elf64_Shdr *sections)
{
	uint64_t hash = place_hash(elf) + elf->address_bias;
	Elf64_Dyn entries[] = {
		{ elf->gnu_hash ? DT_GNU_HASH : DT_HASH, { hash } },
		{ DT_SYMTAB, { sections[SECTION_DYNSYM].sh_offset + elf->address_bias } },
		{ DT_STRTAB, { sections[SECTION_DYNSTR].sh_offset + elf->address_bias } },
		{ DT_STRSZ, { sections[SECTION_DYNSTR].sh_size } },
		{ DT_NULL, {} },
	};
	uint64_t offset = place(elf, entries, sizeof(entries));

	elf_writer_segment(elf, &(Elf64_Phdr){ .p_type = PT_DYNAMIC,
					       .p_offset = offset,
					       .p_vaddr = offset + elf->address_bias,
					       .p_filesz = sizeof(entries) });
	elf_writer_segment(elf, &(Elf64_Phdr){ .p_type = PT_LOAD,
					       .p_flags = PF_R,
					       .p_vaddr = elf->address_bias,
					       .p_filesz = elf->image.nr });
}

static void place_sections(struct elf_writer *elf, const Elf64_Shdr *sections)
{
	elf->sections_offset = place(elf, NULL, 0);
	for (size_t i = 0; i < SECTION_NR + elf->extras.nr; i++) {
		const Elf64_Shdr *wide = i < SECTION_NR ? &sections[i] : &elf->extras.data[i - SECTION_NR].header;
		Elf32_Shdr narrow = { wide->sh_name,
				      wide->sh_type,
				      (uint32_t)wide->sh_flags,
				      (uint32_t)wide->sh_addr,
				      (uint32_t)wide->sh_offset,
				      (uint32_t)wide->sh_size,
				      wide->sh_link,
				      wide->sh_info,
				      (uint32_t)wide->sh_addralign,
				      (uint32_t)wide->sh_entsize };

		if (elf->is_32)
			append(&elf->image, &narrow, sizeof(narrow));
		else
			append(&elf->image, wide, sizeof(*wide));
	}
}

static void place_tables(struct elf_writer *elf, Elf64_Shdr *sections)
{
	static const uint32_t types[] = { SHT_SYMTAB, SHT_DYNSYM };

	for (int table = SYMTAB; table <= DYNSYM; table++) {
		Elf64_Shdr *symbols = &sections[SECTION_SYMTAB + 2 * table], *names = symbols + 1;
		size_t nr_bytes;

		symbols->sh_offset = place_symbols(elf, (enum writer_table)table, &nr_bytes);
		symbols->sh_size = nr_bytes;
		symbols->sh_type = types[table];
		symbols->sh_entsize = elf->is_32 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
		symbols->sh_link = (uint32_t)(SECTION_STRTAB + 2 * table);
		names->sh_type = SHT_STRTAB;
		names->sh_offset = place(elf, elf->names[table].data, elf->names[table].nr);
		names->sh_size = elf->names[table].nr;
		if (elf->symbols[table].nr == 1)
			symbols->sh_type = names->sh_type = SHT_NULL;
	}
}

static void place_notes(struct elf_writer *elf, Elf64_Shdr *note)
{
	note->sh_type = SHT_NOTE;
	note->sh_offset = place(elf, elf->notes.data, elf->notes.nr);
	note->sh_size = elf->notes.nr;
	if (elf->notes.nr && !elf->note_only_as_section)
		elf_writer_segment(elf, &(Elf64_Phdr){ .p_type = PT_NOTE,
						       .p_offset = note->sh_offset,
						       .p_filesz = note->sh_size,
						       .p_align = 4 });
}

static void place_probes(struct elf_writer *elf, Elf64_Shdr *sections)
{
	if (!elf->probes.nr)
		return;
	sections[SECTION_PROBES] = (Elf64_Shdr){
		.sh_name = 1,
		.sh_type = SHT_NOTE,
		.sh_offset = place(elf, elf->probes.data, elf->probes.nr),
		.sh_size = elf->probes.nr,
	};
	if (elf->probe_base)
		sections[SECTION_BASE] = (Elf64_Shdr){
			.sh_name = 15, .sh_type = SHT_PROGBITS, .sh_addr = elf->probe_base, .sh_size = 1
		};
}

static void place_extras(struct elf_writer *elf, Elf64_Shdr *sections)
{
	VEC(char) names = {};

	append(&names, "\0.note.stapsdt\0.stapsdt.base", 29);
	for (size_t i = 0; i < elf->extras.nr; i++) {
		struct elf_writer_extra *extra = &elf->extras.data[i];

		extra->header.sh_name = (uint32_t)names.nr;
		extra->header.sh_offset = place(elf, extra->bytes, extra->header.sh_size);
		append(&names, extra->name, strlen(extra->name) + 1);
	}
	sections[SECTION_NAMES] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB,
		.sh_offset = place(elf, names.data, names.nr),
		.sh_size = names.nr,
	};
	vec_done(&names);
}

static void write_headers(struct elf_writer *elf, uint64_t segments_offset)
{
	uint16_t nr_segments = (uint16_t)elf->segments.nr,
		 nr_sections = elf->no_sections ? 0 : (uint16_t)(SECTION_NR + elf->extras.nr);
	Elf64_Ehdr wide = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = elf->type,
		.e_machine = elf->machine,
		.e_version = EV_CURRENT,
		.e_phoff = segments_offset,
		.e_shoff = elf->sections_offset,
		.e_ehsize = sizeof(wide),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = nr_segments,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = nr_sections,
		.e_shstrndx = SECTION_NAMES,
	};
	Elf32_Ehdr narrow = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
		.e_type = elf->type,
		.e_machine = elf->machine,
		.e_version = EV_CURRENT,
		.e_phoff = (uint32_t)segments_offset,
		.e_shoff = (uint32_t)elf->sections_offset,
		.e_ehsize = sizeof(narrow),
		.e_phentsize = sizeof(Elf32_Phdr),
		.e_phnum = nr_segments,
		.e_shentsize = sizeof(Elf32_Shdr),
		.e_shnum = nr_sections,
		.e_shstrndx = SECTION_NAMES,
	};

	if (elf->is_32)
		memcpy(elf->image.data, &narrow, sizeof(narrow));
	else
		memcpy(elf->image.data, &wide, sizeof(wide));
}

static uint64_t place_segments(struct elf_writer *elf)
{
	uint64_t offset = place(elf, NULL, 0);

	for (size_t i = 0; i < elf->segments.nr; i++) {
		const Elf64_Phdr *wide = &elf->segments.data[i];
		Elf32_Phdr narrow = { wide->p_type,
				      (uint32_t)wide->p_offset,
				      (uint32_t)wide->p_vaddr,
				      (uint32_t)wide->p_paddr,
				      (uint32_t)wide->p_filesz,
				      (uint32_t)wide->p_memsz,
				      wide->p_flags,
				      (uint32_t)wide->p_align };

		if (elf->is_32)
			append(&elf->image, &narrow, sizeof(narrow));
		else
			append(&elf->image, wide, sizeof(*wide));
	}
	return offset;
}

/* Code first, where the segments say, then everything else after it. */
void elf_writer_finish(struct elf_writer *elf)
{
	Elf64_Shdr sections[SECTION_NR] = {};
	uint64_t end = sizeof(Elf64_Ehdr);

	for (size_t i = 0; i < elf->segments.nr; i++)
		if (elf->segments.data[i].p_offset + elf->segments.data[i].p_filesz > end)
			end = elf->segments.data[i].p_offset + elf->segments.data[i].p_filesz;
	vec_reserve(&elf->image, end);
	memset(elf->image.data, 0, end);
	elf->image.nr = end;
	if (elf->segments.nr)
		sections[SECTION_TEXT] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
						       .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
						       .sh_addr = elf->segments.data[0].p_vaddr,
						       .sh_offset = elf->segments.data[0].p_offset,
						       .sh_size = elf->segments.data[0].p_filesz };
	place_tables(elf, sections);
	place_notes(elf, &sections[SECTION_NOTE]);
	place_probes(elf, sections);
	place_extras(elf, sections);
	if (elf->no_sections)
		place_dynamic(elf, sections);
	else
		place_sections(elf, sections);
	write_headers(elf, place_segments(elf));
}

Elf64_Ehdr *elf_writer_header(struct elf_writer *elf)
{
	return (Elf64_Ehdr *)elf->image.data;
}

Elf64_Phdr *elf_writer_segment_header(struct elf_writer *elf, size_t i)
{
	return (Elf64_Phdr *)(elf->image.data + elf_writer_header(elf)->e_phoff) + i;
}

Elf64_Shdr *elf_writer_section(struct elf_writer *elf, enum writer_section section)
{
	return (Elf64_Shdr *)(elf->image.data + elf->sections_offset) + section;
}

int memory_file(const void *bytes, size_t nr_bytes)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, nr_bytes) != (ssize_t)nr_bytes)
		abort();
	return fd;
}

int elf_writer_fd(const struct elf_writer *elf)
{
	return memory_file(elf->image.data, elf->image.nr);
}
