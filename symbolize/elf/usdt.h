/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * USDT probes of a file: the notes that sys/sdt.h leaves in .note.stapsdt, as places in the file.
 *
 * A note names an instruction (a nop), and maybe a semaphore: a counter that a tracer raises while it listens, so that
 * the program may skip the work of preparing arguments. Addresses are those of link time; prelink moves the code and
 * not the notes, which is why each note also tells where .stapsdt.base was then. Notes are untrusted:
 * a note whose instruction is not in executable memory of the file, or whose semaphore has no place in a writable part
 * of it, is passed over.
 */
#pragma once

#include "symbolize/elf/elf_file.h"

struct usdt_note {
	uint64_t file_offset;      /* of the instruction */
	uint64_t semaphore_offset; /* in the file; 0: none */
	uint32_t provider, name, arguments; /* positions in `texts` */
};

struct usdt_notes {
	VEC(struct usdt_note) notes; /* in the order of the sections */
	VEC(char) texts;
};

/* Reads all of them; a file without any is no error. -EBADMSG for a section that makes no sense, -ENOMEM. */
int usdt_notes_read(struct usdt_notes *notes, const struct elf_file *elf);
void usdt_notes_done(struct usdt_notes *notes);

const char *usdt_text(const struct usdt_notes *notes, uint32_t position);
