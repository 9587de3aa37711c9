/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Go's function table from anyone, in a program that is otherwise sound: the input is its section .gopclntab. */
#include <string.h>

#include "symbolize/go_functions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	CODE_OFFSET = 0x200,
	CODE_BYTES = 0x1000,
	TABLE_OFFSET = CODE_OFFSET + CODE_BYTES,
	TABLE_MAX_BYTES = 1 << 20,
	SECTIONS = 3,
	CODES = 2,
};

static const char names[] = "\0.gopclntab\0.shstrtab";

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr code[CODES]; /* where position independent programs have it, and the others */
	Elf64_Shdr sections[SECTIONS];
	char names[sizeof(names)];
};

_Static_assert(sizeof(struct image) <= CODE_OFFSET, "the headers lie before the code");

static void fill(struct image *image, size_t size)
{
	static const uint64_t addresses[CODES] = { 0x1000, 0x401000 };

	*image = (struct image){
		.header = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_phoff = offsetof(struct image, code),
			.e_shoff = offsetof(struct image, sections),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = CODES,
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = SECTIONS,
			.e_shstrndx = 2,
		},
		.sections = {
			[1] = { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = TABLE_OFFSET, .sh_size = size },
			[2] = { .sh_name = 12, .sh_type = SHT_STRTAB, .sh_offset = offsetof(struct image, names),
				.sh_size = sizeof(names) },
		},
	};
	memcpy(image->names, names, sizeof(names));
	for (int i = 0; i < CODES; i++)
		image->code[i] = (Elf64_Phdr){ .p_type = PT_LOAD,
					       .p_flags = PF_R | PF_X,
					       .p_offset = CODE_OFFSET,
					       .p_vaddr = addresses[i],
					       .p_filesz = CODE_BYTES,
					       .p_memsz = CODE_BYTES };
}

static void look_up(const struct symtab *table)
{
	char scratch[NAME_MAX_BYTES];

	for (uint64_t offset = CODE_OFFSET; offset < TABLE_OFFSET; offset += 16) {
		const struct symtab_symbol *symbol = symtab_lookup(table, offset);

		if (symbol && (symtab_start(table, symbol) > offset ||
			       symtab_start(table, symbol) + symbol->size > TABLE_OFFSET ||
			       symtab_name(table, symbol, scratch).nr_bytes > NAME_MAX_BYTES))
			__builtin_trap();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t nr = TABLE_OFFSET + size;
	unsigned char *bytes = size <= TABLE_MAX_BYTES ? calloc(1, nr) : NULL;
	struct symtab table;
	struct elf_file elf;
	struct image image;

	if (!bytes)
		return 0;
	fill(&image, size);
	memcpy(bytes, &image, sizeof(image));
	memcpy(bytes + TABLE_OFFSET, data, size);
	if (elf_file_open_memory(&elf, bytes, nr))
		__builtin_trap();
	if (symtab_init(&table, &elf))
		__builtin_trap();
	if (!go_functions_add(&table, &elf) && !symtab_finish(&table))
		look_up(&table);
	symtab_done(&table);
	elf_file_done(&elf);
	free(bytes);
	return 0;
}
