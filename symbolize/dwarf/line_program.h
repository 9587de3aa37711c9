/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line programs of .debug_line (DWARF 2 to 5, chapter 6.2), whose output is a table of addresses with their source
 * lines. The table is never kept: places get their lines while the program runs.
 */
#pragma once

#include "symbolize/dwarf/dwarf_files.h"
#include "symbolize/dwarf/source_batch.h"

struct line_program {
	uint64_t offset; /* in .debug_line, which names it */
	uint16_t version;
	uint8_t offset_size, address_size; /* the latter from version 5 on */
	uint8_t instruction_size, opcode_base, line_range;
	int8_t line_base;
	const uint8_t *operands; /* of opcode 1 and so on: how many */
	struct byte_reader tables, rows; /* of directories and files; the program */
};

/*
 * Reads the header of the program at an offset; valid until something else of .debug_line is read. *ret_next is where
 * the following one begins. 0, -ENODATA for one that cannot be understood but skipped, -EBADMSG when there is nothing
 * more to read.
 */
int line_program_open(struct dwarf *dwarf, uint64_t offset, struct line_program *ret_program, uint64_t *ret_next);

/*
 * Runs it. The places whose address a row covers get line, file number and program, the first time, or when it is the
 * program that their unit names; `hits` gets their numbers. -ENOMEM, or 0 also for a program that breaks off.
 */
struct line_hits {
	VEC(uint32_t) places;
};
int line_program_run(const struct line_program *program, struct source_batch *batch, struct line_hits *hits);

/*
 * The path of a file by its number, of the pool; NULL when there is none. *ret_relative: it is relative to the
 * directory of the unit, which programs before DWARF 5 do not tell.
 */
const char *line_program_file(const struct line_program *program, struct dwarf *dwarf, uint32_t number,
			      struct text_pool *texts, bool *ret_relative);
