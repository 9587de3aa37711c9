/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Line programs of .debug_line (DWARF 2 to 5, chapter 6.2). A program describes a table of addresses and source lines. The table is not
 * stored: places get their lines while the program runs.
 */
#pragma once

#include "symbolize/dwarf/dwarf_files.h"
#include "symbolize/dwarf/source_batch.h"

struct line_program {
	uint64_t offset; /* in .debug_line; units refer to it */
	uint16_t version;
	uint8_t offset_size, address_size; /* in bytes; address_size is 0 before version 5 */
	uint8_t instruction_size, opcode_base, line_range;
	int8_t line_base;
	const uint8_t *operands; /* number of operands of each opcode, from 1 on */
	struct byte_reader tables, rows; /* tables of directories and files; instructions */
};

/*
 * Reads the header of the program at an offset; valid until the next access to .debug_line. *ret_next: offset of the next program. Returns
 * 0, -ENODATA for an unknown form, which can be skipped, or -EBADMSG if nothing more can be read.
 */
int line_program_open(struct dwarf *dwarf, uint64_t offset, struct line_program *ret_program, uint64_t *ret_next);

/*
 * Runs a program. A place that a row covers gets line, file number and program, and is added to `hits`. If several programs cover it, the
 * one that its unit names counts, else the first. Returns 0 (also if the program breaks off), -ENOMEM, or -ETIME after batch->deadline_ns.
 * The caller frees hits->places.
 */
struct line_hits {
	VEC(uint32_t) places;
};
int line_program_run(const struct line_program *program, struct source_batch *batch, struct line_hits *hits);

/*
 * The path of the file with this number, in `texts`; NULL: none. *ret_relative: it is relative to the directory of the unit, which programs
 * before DWARF 5 do not have.
 */
const char *line_program_file(const struct line_program *program, struct dwarf *dwarf, uint32_t number,
			      struct text_pool *texts, bool *ret_relative);
