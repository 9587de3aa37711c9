/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/dwarf/line_program.h"

#include <dwarf.h>

/* Whether all standard opcodes have the usual number of operands; other programs are not run. */
static bool has_usual_operands(const struct line_program *program)
{
	static const uint8_t usual[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	size_t nr = program->opcode_base - 1u;

	return !memcmp(program->operands, usual, nr < sizeof(usual) ? nr : sizeof(usual));
}

static int read_header(struct byte_reader *unit, struct line_program *program)
{
	uint8_t nr_operations = 1;
	struct byte_reader rest;

	if (program->version >= 5) {
		program->address_size = bytes_byte(unit);
		bytes_byte(unit); /* size of segment selectors */
	}
	rest = bytes_part(unit, bytes_number(unit, program->offset_size));
	program->rows = *unit;
	program->instruction_size = bytes_byte(&rest);
	if (program->version >= 4)
		nr_operations = bytes_byte(&rest); /* more than 1 only on VLIW machines */
	bytes_byte(&rest); /* default of is_stmt: such rows do not differ here */
	program->line_base = (int8_t)bytes_byte(&rest);
	program->line_range = bytes_byte(&rest);
	program->opcode_base = bytes_byte(&rest);
	program->operands = rest.at;
	bytes_skip(&rest, program->opcode_base ? program->opcode_base - 1 : 0);
	program->tables = rest;
	if (rest.bad || unit->bad || nr_operations != 1 || !program->line_range || !program->opcode_base)
		return -ENODATA;
	return has_usual_operands(program) ? 0 : -ENODATA;
}

int line_program_open(struct dwarf *dwarf, uint64_t offset, struct line_program *ret_program, uint64_t *ret_next)
{
	struct byte_reader unit = elf_section_bytes(&dwarf->line, offset, 4);
	uint64_t nr_bytes = bytes_number(&unit, 4), start = offset + 4;

	*ret_program = (struct line_program){ .offset = offset, .offset_size = 4 };
	if (nr_bytes == UINT32_MAX) {
		unit = elf_section_bytes(&dwarf->line, start, 8);
		nr_bytes = bytes_number(&unit, 8);
		start += 8;
		ret_program->offset_size = 8;
	}
	if (unit.bad)
		return -EBADMSG;
	unit = elf_section_bytes(&dwarf->line, start, nr_bytes);
	if (unit.bad)
		return -EBADMSG;
	*ret_next = start + nr_bytes;
	ret_program->version = (uint16_t)bytes_number(&unit, 2);
	if (ret_program->version < 2 || ret_program->version > 5)
		return -ENODATA;
	return read_header(&unit, ret_program);
}

struct row {
	uint64_t address;
	uint32_t file, line;
};

struct run {
	const struct line_program *program;
	struct source_batch *batch;
	struct line_hits *hits;
	struct byte_reader bytes;
	uint16_t advances[256]; /* address advance of each special opcode */
	int16_t line_advances[256]; /* line advance of each special opcode */
	struct row row, before;
	bool in_sequence, is_live; /* is_live: the sequence begins at an address of code */
	uint32_t nr_steps; /* rows and places, for the deadline */
	size_t next; /* next place without a row */
	uint64_t next_address; /* of that place; UINT64_MAX: none */
	int err;
};

static void make_tables(struct run *run)
{
	const struct line_program *program = run->program;

	for (int opcode = program->opcode_base; opcode < 256; opcode++) {
		int code = opcode - program->opcode_base;

		run->advances[opcode] = (uint16_t)(code / program->line_range * program->instruction_size);
		run->line_advances[opcode] = (int16_t)(program->line_base + code % program->line_range);
	}
}

static void aim(struct run *run, size_t next)
{
	const struct source_batch *batch = run->batch;

	run->next = next;
	run->next_address = next < batch->places.nr ? batch->places.data[next].address : UINT64_MAX;
}

/* Finds the first place at or after the row; none for a sequence that begins outside the code, of a function that the linker dropped. */
static void seek(struct run *run)
{
	aim(run, run->is_live ? source_batch_from(run->batch, run->row.address) : run->batch->places.nr);
}

/* Checks the deadline now and then: a small program can pass many places again and again. */
static void count_step(struct run *run)
{
	if (!(++run->nr_steps % 65536) && !run->err)
		run->err = source_batch_late(run->batch);
}

/* Gives a place the line of the row before, unless it has a better one. */
static void take(struct run *run, uint32_t number)
{
	struct source_place *place = &run->batch->places.data[number];
	uint64_t program = run->program->offset;

	if (place->program != NO_PROGRAM && (place->wanted != program || place->program == program))
		return;
	place->program = program;
	place->file_number = run->before.file;
	place->line = run->before.line;
	if (!run->err)
		run->err = vec_try_push(&run->hits->places, number);
}

static void add_row(struct run *run)
{
	if (!run->in_sequence) {
		run->in_sequence = true;
		run->is_live = source_batch_is_code(run->batch, run->row.address);
		seek(run);
	} else if (run->row.address < run->before.address) {
		seek(run);
	}
	count_step(run);
	/* the row before extends to this one */
	for (; run->next_address < run->row.address && !run->err; aim(run, run->next + 1)) {
		count_step(run);
		take(run, (uint32_t)run->next);
	}
	run->before = run->row;
}

static void start_sequence(struct run *run)
{
	run->in_sequence = false;
	run->row = (struct row){ .file = 1, .line = 1 };
}

static void extended(struct run *run)
{
	struct byte_reader bytes = bytes_part(&run->bytes, bytes_uleb(&run->bytes));

	switch (bytes_byte(&bytes)) {
	case DW_LNE_end_sequence:
		add_row(run);
		start_sequence(run);
		break;
	case DW_LNE_set_address:
		if (bytes_left(&bytes) == 4 || bytes_left(&bytes) == 8)
			run->row.address = bytes_number(&bytes, bytes_left(&bytes));
		else
			bytes_fail(&run->bytes);
		break;
	default: /* irrelevant or unknown */
		break;
	}
}

static void standard(struct run *run, uint8_t opcode)
{
	switch (opcode) {
	case DW_LNS_copy:
		add_row(run);
		break;
	case DW_LNS_advance_pc:
		run->row.address += bytes_uleb(&run->bytes) * run->program->instruction_size;
		break;
	case DW_LNS_advance_line:
		run->row.line += (uint32_t)bytes_sleb(&run->bytes);
		break;
	case DW_LNS_set_file:
		run->row.file = (uint32_t)bytes_uleb(&run->bytes);
		break;
	case DW_LNS_const_add_pc:
		run->row.address += run->advances[255];
		break;
	case DW_LNS_fixed_advance_pc:
		run->row.address += bytes_number(&run->bytes, 2);
		break;
	default:
		for (int i = run->program->operands[opcode - 1]; i > 0; i--)
			bytes_uleb(&run->bytes);
	}
}

int line_program_run(const struct line_program *program, struct source_batch *batch, struct line_hits *hits)
{
	struct run run = { .program = program, .batch = batch, .hits = hits, .bytes = program->rows };

	make_tables(&run);
	start_sequence(&run);
	while (run.bytes.at < run.bytes.end && !run.err) {
		uint8_t opcode = *run.bytes.at++;

		if (opcode >= program->opcode_base) {
			run.row.address += run.advances[opcode];
			run.row.line += (uint32_t)run.line_advances[opcode];
			add_row(&run);
		} else if (opcode) {
			standard(&run, opcode);
		} else {
			extended(&run);
		}
	}
	return run.err;
}
