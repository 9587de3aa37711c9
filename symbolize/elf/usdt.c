/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/usdt.h"

#include <string.h>

#include "core/base/cleanup.h"

enum {
	NOTE_TYPE = 3,               /* NT_STAPSDT, missing in elf.h */
	SECTION_MAX_BYTES = 16 << 20, /* some hundred thousand probes */
	NOTES_MAX = 1 << 18,
	TEXT_MAX_BYTES = 16 << 20,
};

struct usdt_reader {
	struct usdt_notes *notes;
	const struct elf_file *elf;
	uint64_t base; /* present address of .stapsdt.base; 0: none */
};

void usdt_notes_done(struct usdt_notes *notes)
{
	vec_done(&notes->notes);
	vec_done(&notes->texts);
}

const char *usdt_text(const struct usdt_notes *notes, uint32_t position)
{
	return position < notes->texts.nr ? notes->texts.data + position : "";
}

/* File offset of an address in a segment with these flags. Segments may have any address, so a sum that wraps is refused. */
static bool find_place(const struct elf_file *elf, uint64_t address, uint32_t flags, uint64_t *ret_offset)
{
	const Elf64_Phdr *segment = elf_file_segment_at(elf, address, flags);

	return segment && !__builtin_add_overflow(address - segment->p_vaddr, segment->p_offset, ret_offset);
}

/* Reads address, base and semaphore. False if they are not in the file. */
static bool take_places(const struct usdt_reader *reader, struct byte_reader *content, struct usdt_note *ret_note)
{
	size_t word = reader->elf->is_64 ? 8 : 4;
	uint64_t address = bytes_number(content, word), base = bytes_number(content, word);
	uint64_t semaphore = bytes_number(content, word), moved = 0;

	if (reader->base && base)
		moved = reader->base - base; /* may be negative: sums wrap */
	return !content->bad && find_place(reader->elf, address + moved, PF_X, &ret_note->file_offset) &&
	       /* The kernel finds a semaphore through a private, writable mapping. */
	       (!semaphore || find_place(reader->elf, semaphore + moved, PF_W, &ret_note->semaphore_offset));
}

/* Three words, then provider, name and arguments, each with a NUL. Ignores a note without names. */
static int take_note(const struct usdt_reader *reader, struct byte_reader content)
{
	struct usdt_notes *notes = reader->notes;
	struct usdt_note note = {};
	uint32_t *const positions[] = { &note.provider, &note.name, &note.arguments };

	if (!take_places(reader, &content, &note))
		return 0;
	if (notes->notes.nr >= NOTES_MAX)
		return -EBADMSG;
	for (size_t i = 0; i < 3; i++) {
		const char *text = bytes_string(&content);
		size_t nr_bytes = text ? strlen(text) + 1 : 0;
		int err;

		if (!text || (i < 2 && !*text))
			return 0;
		*positions[i] = (uint32_t)notes->texts.nr;
		err = notes->texts.nr + nr_bytes > TEXT_MAX_BYTES ? -EBADMSG
								  : vec_try_append(&notes->texts, text, nr_bytes);
		if (err)
			return err;
	}
	return vec_try_push(&notes->notes, note);
}

static int read_section(const struct usdt_reader *reader, const Elf64_Shdr *section)
{
	int err;
	_cleanup_(freep) void *bytes =
		elf_file_copy(reader->elf, section->sh_offset, section->sh_size, SECTION_MAX_BYTES, &err);
	struct notes notes;
	struct note note;

	if (err)
		return err;
	notes = notes_of(bytes, (size_t)section->sh_size, 4);
	while (!err && !(err = notes_next(&notes, &note)))
		if (note_is(&note, "stapsdt", NOTE_TYPE))
			err = take_note(reader, note.content);
	return err == -ENODATA ? 0 : err;
}

int usdt_notes_read(struct usdt_notes *notes, const struct elf_file *elf)
{
	struct usdt_reader reader = { .notes = notes, .elf = elf };
	const Elf64_Shdr *base = NULL;
	int err = 0;

	*notes = (struct usdt_notes){};
	for (size_t i = 0; !err && i < elf->sections.nr; i++) {
		const Elf64_Shdr *section = &elf->sections.data[i];

		if (section->sh_type != SHT_NOTE || !elf_file_section_is(elf, section, ".note.stapsdt"))
			continue;
		base = base ?: elf_file_section(elf, ".stapsdt.base");
		reader.base = base ? base->sh_addr : 0;
		err = read_section(&reader, section);
	}
	if (err)
		usdt_notes_done(notes);
	return err;
}
