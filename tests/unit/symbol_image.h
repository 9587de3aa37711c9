/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A written ELF image as the readers of symbolize/ get it: an open file with its table of symbols. */
#pragma once

#include "symbolize/elf/symtab.h"
#include "tests/unit/elf_writer.h"

/* Opens the finished image and reads its symbols. The descriptor, which is the caller's as the other two are. */
int symbol_image_open(const struct elf_writer *writer, struct elf_file *ret_elf, struct symtab *ret_table);

/* The name of the place at this offset in the file, "" for none; in `text`, of NAME_MAX_BYTES + 1 bytes. */
const char *symbol_image_name(const struct symtab *table, uint64_t offset, char *text);
