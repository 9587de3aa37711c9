/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/image.h"

#include <stdlib.h>
#include <string.h>

enum {
	SECTIONS = 3,
	LOADED = 3,
	SEGMENTS = LOADED + 1,
	NAMES_BYTES = 48,
};

#define NAMES_START "\0.shstrtab"

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segments[SEGMENTS];
	Elf64_Shdr sections[SECTIONS];
	char names[NAMES_BYTES];
};

_Static_assert(sizeof(struct image) <= IMAGE_CODE_OFFSET, "the headers lie before the code");

static void fill_segments(struct image *image, const struct image_section *section)
{
	static const uint64_t addresses[LOADED] = { 0x1000, 0x401000, 0x8000 };
	static const uint32_t flags[LOADED] = { PF_R | PF_X, PF_R | PF_X, PF_R | PF_W };

	for (int i = 0; i < LOADED; i++)
		image->segments[i] = (Elf64_Phdr){ .p_type = PT_LOAD,
						   .p_flags = flags[i],
						   .p_offset = IMAGE_CODE_OFFSET,
						   .p_vaddr = addresses[i],
						   .p_filesz = IMAGE_CODE_BYTES,
						   .p_memsz = IMAGE_CODE_BYTES };
	image->segments[LOADED] = (Elf64_Phdr){ .p_type = section->segment,
						.p_offset = IMAGE_CODE_END,
						.p_filesz = section->size,
						.p_align = section->alignment };
}

static void fill(struct image *image, const struct image_section *section)
{
	*image = (struct image){
		.header = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_phoff = offsetof(struct image, segments),
			.e_shoff = offsetof(struct image, sections),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = SEGMENTS,
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = SECTIONS,
			.e_shstrndx = 2,
		},
		.sections = {
			[1] = { .sh_name = sizeof(NAMES_START), .sh_type = section->type, .sh_offset = IMAGE_CODE_END,
				.sh_size = section->size, .sh_addralign = section->alignment },
			[2] = { .sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = offsetof(struct image, names),
				.sh_size = NAMES_BYTES },
		},
		.names = NAMES_START,
	};
	strncpy(image->names + sizeof(NAMES_START), section->name, NAMES_BYTES - sizeof(NAMES_START) - 1);
	fill_segments(image, section);
}

unsigned char *image_make(const struct image_section *section, size_t *ret_nr)
{
	unsigned char *bytes = calloc(1, IMAGE_CODE_END + section->size);
	struct image image;

	if (!bytes)
		abort();
	fill(&image, section);
	memcpy(bytes, &image, sizeof(image));
	if (section->size)
		memcpy(bytes + IMAGE_CODE_END, section->content, section->size);
	*ret_nr = IMAGE_CODE_END + section->size;
	return bytes;
}

void image_check_symbols(const struct symtab *table)
{
	char scratch[NAME_MAX_BYTES];

	for (uint64_t offset = IMAGE_CODE_OFFSET; offset < IMAGE_CODE_END; offset += 16) {
		const struct symtab_symbol *symbol = symtab_lookup(table, offset);

		if (symbol && (symtab_start(table, symbol) > offset ||
			       symtab_start(table, symbol) + symbol->size > IMAGE_CODE_END ||
			       symtab_name(table, symbol, scratch).nr_bytes > NAME_MAX_BYTES))
			abort();
	}
}

void image_check_probes(const struct usdt_notes *notes, const struct elf_file *elf)
{
	for (size_t i = 0; i < notes->notes.nr; i++) {
		const struct usdt_note *note = &notes->notes.data[i];
		uint64_t unused;

		if (elf_file_address_of_offset(elf, note->file_offset, &unused) ||
		    (note->semaphore_offset && elf_file_address_of_offset(elf, note->semaphore_offset, &unused)))
			abort();
		if (!*usdt_text(notes, note->provider) || !*usdt_text(notes, note->name) ||
		    strlen(usdt_text(notes, note->arguments)) >= notes->texts.nr)
			abort();
	}
}
