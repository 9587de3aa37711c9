/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/usdt.h"

#include <string.h>

#include "core/base/cleanup.h"

#define NOTE_OWNER "stapsdt"
#define BASE_SECTION ".stapsdt.base"

enum {
	NOTE_TYPE = 3,               /* NT_STAPSDT, which elf.h has no name for */
	SECTION_MAX_BYTES = 16 << 20, /* some hundred thousand probes */
	NOTES_MAX = 1 << 18,
	TEXT_MAX_BYTES = 16 << 20,
};

/* What a note's addresses are measured against. */
struct usdt_reader {
	struct usdt_notes *notes;
	const struct elf_file *elf;
	uint64_t base; /* where .stapsdt.base is now; 0: the file has none */
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

/* ---- places ---- */

/* A segment may claim to lie anywhere: what wraps is no place. */
static int place_in(const Elf64_Phdr *segment, uint64_t address, uint64_t *ret_offset)
{
	return __builtin_add_overflow(address - segment->p_vaddr, segment->p_offset, ret_offset) ? -ENODATA : 0;
}

static int place_of_code(const struct elf_file *elf, uint64_t address, uint64_t *ret_offset)
{
	const Elf64_Phdr *segment = elf_file_code_segment(elf, address);

	return segment ? place_in(segment, address, ret_offset) : -ENODATA;
}

/* The kernel finds a semaphore through a private, writable mapping of the file. */
static int place_of_semaphore(const struct elf_file *elf, uint64_t address, uint64_t *ret_offset)
{
	for (size_t i = 0; i < elf->segments.nr; i++) {
		const Elf64_Phdr *segment = &elf->segments.data[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_W && address >= segment->p_vaddr &&
		    address - segment->p_vaddr < segment->p_filesz)
			return place_in(segment, address, ret_offset);
	}
	return -ENODATA;
}

/* ---- one note ---- */

static int add_text(struct usdt_notes *notes, const char *text, size_t nr_bytes, uint32_t *ret_position)
{
	if (notes->texts.nr + nr_bytes + 1 > TEXT_MAX_BYTES)
		return -EBADMSG;
	*ret_position = (uint32_t)notes->texts.nr;
	for (size_t i = 0; i <= nr_bytes; i++) {
		int err = vec_try_push(&notes->texts, i < nr_bytes ? text[i] : '\0');

		if (err)
			return err;
	}
	return 0;
}

static uint64_t word_at(const char *bytes, size_t i, bool is_64)
{
	uint64_t wide;
	uint32_t narrow;

	if (is_64) {
		memcpy(&wide, bytes + 8 * i, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, bytes + 4 * i, sizeof(narrow));
	return narrow;
}

/* {address, base, semaphore}; 0 when they lead to places in the file. */
static int take_places(const struct usdt_reader *reader, const char *content, struct usdt_note *ret_note)
{
	bool is_64 = reader->elf->is_64;
	uint64_t address = word_at(content, 0, is_64), base = word_at(content, 1, is_64);
	uint64_t semaphore = word_at(content, 2, is_64), moved = 0;
	int err;

	if (reader->base && base)
		moved = reader->base - base; /* may be negative: sums wrap as addresses do */
	err = place_of_code(reader->elf, address + moved, &ret_note->file_offset);
	if (!err && semaphore)
		err = place_of_semaphore(reader->elf, semaphore + moved, &ret_note->semaphore_offset);
	return err;
}

/* The next of the strings at the end of a note; its length, or -EBADMSG when it does not end there. */
static ssize_t next_text(const char *at, size_t nr_bytes)
{
	size_t length = strnlen(at, nr_bytes);

	return length < nr_bytes ? (ssize_t)length : -EBADMSG;
}

/* Three words, then provider, name and arguments, each with its NUL. */
static int take_note(const struct usdt_reader *reader, const char *content, size_t nr_bytes)
{
	size_t at = 3 * (reader->elf->is_64 ? 8u : 4u);
	struct usdt_note note = {};
	uint32_t *const texts[] = { &note.provider, &note.name, &note.arguments };

	if (nr_bytes < at || take_places(reader, content, &note))
		return 0;
	if (reader->notes->notes.nr >= NOTES_MAX)
		return -EBADMSG;
	for (size_t i = 0; i < 3; i++) {
		ssize_t length = next_text(content + at, nr_bytes - at);
		int err;

		if (length < 0 || (i < 2 && !length))
			return 0; /* a note without names is of no use */
		err = add_text(reader->notes, content + at, (size_t)length, texts[i]);
		if (err)
			return err;
		at += (size_t)length + 1;
	}
	return vec_try_push(&reader->notes->notes, note);
}

/* ---- sections ---- */

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
		if (note_is(&note, NOTE_OWNER, NOTE_TYPE))
			err = take_note(reader, (const char *)note.content.at, bytes_left(&note.content));
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
		base = base ?: elf_file_section(elf, BASE_SECTION);
		reader.base = base ? base->sh_addr : 0;
		err = read_section(&reader, section);
	}
	if (err)
		usdt_notes_done(notes);
	return err;
}
