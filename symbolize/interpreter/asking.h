/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions to the functions of an interpreter, each of which takes exactly one answer. */
#pragma once

#include "symbolize/elf/elf_file.h"
#include "symbolize/interpreter.h"

struct answer {
	int64_t value;
	bool is_there, is_doubtful;
};

/* An answer; another one than before makes it doubtful. */
void answer_offer(struct answer *answer, int64_t value);

/* False: there is none, or more than one, or it is no offset of a member. */
bool answer_accept(const struct answer *answer, uint16_t *ret_offset);

struct exported {
	uint64_t at, bytes; /* address as in the file; 0: the file exports no such symbol */
};

/* Finds exported symbols of an x86-64 file by their names. False: the first one is not there. */
bool exported_find(const struct elf_file *elf, const char *const names[], size_t nr, struct exported found[]);

/* Finds the interpreter of a file, and its layout. Never fails: what cannot be read is absent or refused. */
void interpreter_read(const struct elf_file *elf, struct interpreter *ret_interpreter);

/* The same for one language. They leave `language` as it is if the file has no such interpreter. */
void python_layout_read(const struct elf_file *elf, struct interpreter *interpreter);
void php_layout_read(const struct elf_file *elf, struct interpreter *interpreter);
