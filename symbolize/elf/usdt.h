/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * USDT probes of a file: the notes of sys/sdt.h in .note.stapsdt, as file offsets.
 *
 * A note has the link-time address of an instruction (a nop), and perhaps of a semaphore: a counter that tracers increment, so that the
 * program prepares arguments only while it is traced. prelink moves the code but not the notes, so each note also has the old address of
 * .stapsdt.base. Notes are not trusted: one is ignored if its instruction is not in an executable segment, or its semaphore not in a
 * writable one.
 */
#pragma once

#include "symbolize/elf/elf_file.h"

struct usdt_note {
	uint64_t file_offset;
	uint64_t semaphore_offset; /* file offset; 0: none */
	uint32_t provider, name, arguments; /* positions in `texts` */
};

struct usdt_notes {
	VEC(struct usdt_note) notes; /* in the order of the sections */
	VEC(char) texts;
};

/* Reads all probes. Returns 0 (also without any), -EBADMSG for a malformed section, or -ENOMEM. */
int usdt_notes_read(struct usdt_notes *notes, const struct elf_file *elf);
void usdt_notes_done(struct usdt_notes *notes);

const char *usdt_text(const struct usdt_notes *notes, uint32_t position);
