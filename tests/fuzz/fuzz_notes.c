/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notes from anyone, in a program that is otherwise valid: the first byte says how they lie in it, the rest are the notes, read
 * for the build id and for USDT probes.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/image.h"

static void look_for_build_id(const struct elf_file *elf)
{
	char hex[BUILD_ID_HEX_SIZE];
	struct build_id id = {};

	if (elf_file_build_id(elf, &id))
		return;
	build_id_format(&id, hex);
	if (!id.nr_bytes || id.nr_bytes > BUILD_ID_MAX || strlen(hex) != 2 * id.nr_bytes || !build_id_same(&id, &id))
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image_section section = { .name = ".note.stapsdt", .type = SHT_NOTE };
	struct usdt_notes notes;
	struct elf_file elf;
	unsigned char *bytes;
	size_t nr;

	if (!size || size > IMAGE_CONTENT_MAX_BYTES)
		return 0;
	section.alignment = data[0] & 1 ? 8 : 4;
	section.segment = data[0] & 2 ? PT_NOTE : PT_NULL;
	section.content = data + 1;
	section.size = size - 1;
	bytes = image_make(&section, &nr);
	if (elf_file_open_memory(&elf, bytes, nr))
		__builtin_trap();
	look_for_build_id(&elf);
	if (!usdt_notes_read(&notes, &elf)) {
		image_check_probes(&notes, &elf);
		usdt_notes_done(&notes);
	}
	elf_file_done(&elf);
	free(bytes);
	return 0;
}
