/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * USDT probes of a file: the notes of sys/sdt.h in .note.stapsdt, as places in the file.
 *
 * A note has the address of an instruction (a nop), and perhaps that of a semaphore: a counter that a tracer
 * increments, so that the program prepares arguments only then. Addresses are link-time addresses. Because prelink
 * moves the code but not the notes, each note also has the address that .stapsdt.base had then. Notes are not trusted:
 * a note is ignored if its instruction is not in executable memory of the file, or its semaphore not in a writable part
 * of it.
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

/* Reads all of them; 0 also if the file has none. -EBADMSG for a malformed section, -ENOMEM. */
int usdt_notes_read(struct usdt_notes *notes, const struct elf_file *elf);
void usdt_notes_done(struct usdt_notes *notes);

const char *usdt_text(const struct usdt_notes *notes, uint32_t position);
