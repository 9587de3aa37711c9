/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/interpreter/accessor.h"

#include <errno.h>
#include <string.h>

#include "symbolize/x86/instruction.h"

enum {
	STEPS_MAX = 4000, /* instructions of all paths */
	PATH_STEPS_MAX = 120, /* of one path */
	PATHS_MAX = 64,
	CODE_BYTES = 1024,
	CALLER_SAVED = 1 << X86_AX | 1 << X86_CX | 1 << X86_DX | 1 << X86_SI | 1 << X86_DI | 0xf00,
};

/* A path still to follow. */
struct path {
	uint64_t at;
	uint16_t nr_steps;
	uint16_t registers[X86_NR_REGISTERS]; /* nodes */
};

struct reader {
	struct accessor *accessor;
	const struct elf_file *elf;
	struct path paths[PATHS_MAX]; /* in this order, so that what is after a loop is not far behind its turns */
	size_t nr_paths;
	size_t nr_steps;
	uint64_t code_at;
	size_t nr_code;
	uint8_t code[CODE_BYTES];
};

/* ---- expressions ---- */

static uint16_t node_of(struct accessor *accessor, struct expression expression)
{
	for (uint16_t i = 0; i < accessor->nr_nodes; i++) {
		const struct expression *same = &accessor->nodes[i];

		if (same->kind == expression.kind && same->width == expression.width && same->base == expression.base &&
		    same->value == expression.value)
			return i;
	}
	if (accessor->nr_nodes == ACCESSOR_NODES_MAX)
		return 0;
	accessor->nodes[accessor->nr_nodes] = expression;
	return accessor->nr_nodes++;
}

uint16_t accessor_argument(struct accessor *accessor, int64_t number)
{
	return node_of(accessor, (struct expression){ .kind = EXPRESSION_ARGUMENT, .value = number });
}

uint16_t accessor_number(struct accessor *accessor, int64_t value)
{
	return node_of(accessor, (struct expression){ .kind = EXPRESSION_NUMBER, .value = value });
}

static uint16_t sum(struct accessor *accessor, uint16_t base, int64_t distance)
{
	struct expression to = accessor->nodes[base];

	if (!base || !distance)
		return base;
	if (to.kind != EXPRESSION_SUM && to.kind != EXPRESSION_NUMBER)
		to = (struct expression){ .kind = EXPRESSION_SUM, .base = base };
	to.value = (int64_t)((uint64_t)to.value + (uint64_t)distance);
	return to.kind == EXPRESSION_SUM && !to.value ? to.base : node_of(accessor, to);
}

/* The constant is part of the load, so that equal places are equal nodes. */
static uint16_t load(struct accessor *accessor, uint16_t place, uint8_t width)
{
	const struct expression *at = &accessor->nodes[place];
	struct expression to = { .kind = EXPRESSION_LOAD, .width = width, .base = place };

	if (!place)
		return 0;
	if (at->kind == EXPRESSION_SUM) {
		to.base = at->base;
		to.value = at->value;
	}
	return node_of(accessor, to);
}

uint16_t accessor_load(struct accessor *accessor, uint16_t base, int64_t distance, uint8_t width)
{
	return load(accessor, sum(accessor, base, distance), width);
}

static uint16_t masked(struct accessor *accessor, uint16_t base, int64_t mask)
{
	if (!base)
		return 0;
	return node_of(accessor, (struct expression){ .kind = EXPRESSION_MASKED, .base = base, .value = mask });
}

static void note_return(struct accessor *accessor, uint16_t node)
{
	for (uint16_t i = 0; i < accessor->nr_returns; i++)
		if (accessor->returns[i] == node)
			return;
	if (accessor->nr_returns < ACCESSOR_FACTS_MAX)
		accessor->returns[accessor->nr_returns++] = node;
}

static void note_compare(struct accessor *accessor, uint16_t node, int64_t with)
{
	if (!node)
		return;
	for (uint16_t i = 0; i < accessor->nr_compares; i++)
		if (accessor->compares[i].node == node && accessor->compares[i].with == with)
			return;
	if (accessor->nr_compares == ACCESSOR_FACTS_MAX)
		return;
	accessor->compares[accessor->nr_compares].node = node;
	accessor->compares[accessor->nr_compares++].with = with;
}

/* ---- instructions ---- */

/* The address of a memory operand. Without base, index and displacement, it is in a segment or unknown. */
static uint16_t place_of(struct accessor *accessor, const struct path *path, const struct x86_instruction *is)
{
	if (!is->has_memory || is->index != X86_NONE)
		return 0;
	if (is->base == X86_NONE)
		return is->value ? accessor_number(accessor, is->value) : 0;
	if (is->base == X86_IP)
		return accessor_number(accessor, (int64_t)(path->at + is->nr_bytes + (uint64_t)is->value));
	return sum(accessor, path->registers[is->base], is->value);
}

/* The value of the low `width` bytes of a register: its node if that was loaded with at most `width` bytes; else 0, unknown. */
static uint16_t narrowed(const struct accessor *accessor, uint16_t node, uint8_t width)
{
	const struct expression *expression = &accessor->nodes[node];

	return expression->kind == EXPRESSION_LOAD && expression->width <= width ? node : 0;
}

/* The node of the r/m operand of ModRM. */
static uint16_t operand(struct accessor *accessor, const struct path *path, const struct x86_instruction *is,
			uint8_t width)
{
	return is->rm < X86_NR_REGISTERS ? narrowed(accessor, path->registers[is->rm], width)
					 : load(accessor, place_of(accessor, path, is), width);
}

/* How many bytes movzb, movzw, movsb, movsw or a mov of 1 to 4 bytes loads into the register `operand`; 0: another instruction. */
static uint8_t moved_width(const struct x86_instruction *is)
{
	if (is->map == 1 && (is->opcode & ~9) == 0xb6)
		return is->opcode & 1 ? 2 : 1;
	if (is->map == 0 && is->opcode == 0x8a && (is->operand < 4 || is->operand > 7)) /* they may be ah to bh */
		return 1;
	return is->map == 0 && is->opcode == 0x8b ? is->width : 0;
}

/* The result of add, sub and and with rax and an immediate, in the form without ModRM; 0: another instruction, or unknown. */
static uint16_t short_form(struct accessor *accessor, const struct path *path, const struct x86_instruction *is)
{
	uint16_t value = path->registers[X86_AX];

	if (is->map != 0 || is->width != 8)
		return 0;
	switch (is->opcode) {
	case 0x05:
		return sum(accessor, value, is->constant);
	case 0x2d:
		return sum(accessor, value, -(int64_t)is->constant);
	case 0x25:
		return masked(accessor, value, is->constant);
	default:
		return 0;
	}
}

/* X86_OTHER: moves and comparisons of fewer than 8 bytes, and instructions that read memory. */
static void step_other(struct accessor *accessor, struct path *path, const struct x86_instruction *is)
{
	const bool is_al = is->map == 0 && is->opcode == 0x3c; /* cmp of al */
	const bool is_compare = is->map == 0 && (is->opcode == 0x80 || is->opcode == 0x81 || is->opcode == 0x83) &&
				(is->operand & 7) == 7;
	uint8_t width = moved_width(is);
	uint16_t value = width ? operand(accessor, path, is, width) : short_form(accessor, path, is);

	if (is_al)
		note_compare(accessor, narrowed(accessor, path->registers[X86_AX], 1), is->constant);
	else if (is_compare)
		note_compare(accessor, operand(accessor, path, is, is->width), is->constant);
	else if (!width && is->has_memory && is->width)
		load(accessor, place_of(accessor, path, is), is->width);
	for (uint8_t i = 0; i < X86_NR_REGISTERS; i++)
		if (is->writes >> i & 1 && !is_al)
			path->registers[i] = 0;
	if (width)
		path->registers[is->operand & 15] = value;
	else if (value)
		path->registers[X86_AX] = value;
}

static void forget(struct path *path, unsigned int registers)
{
	for (uint8_t i = 0; i < X86_NR_REGISTERS; i++)
		if (registers >> i & 1)
			path->registers[i] = 0;
}

/* The effects on registers of an instruction that does not branch. */
static void step(struct accessor *accessor, struct path *path, const struct x86_instruction *is)
{
	uint16_t *registers = path->registers, value = 0;

	switch (is->kind) {
	case X86_COPY:
		value = registers[is->from];
		break;
	case X86_ADDRESS:
		value = is->base == X86_IP
				? accessor_number(accessor, (int64_t)(path->at + is->nr_bytes + (uint64_t)is->value))
			: is->base < X86_NONE ? sum(accessor, registers[is->base], is->value)
					      : 0;
		break;
	case X86_LOAD:
	case X86_LOAD_SIGNED:
		value = load(accessor, place_of(accessor, path, is), is->kind == X86_LOAD ? 8 : 4);
		break;
	case X86_ADD:
		if (accessor->nodes[registers[is->from]].kind == EXPRESSION_NUMBER)
			value = sum(accessor, registers[is->reg], accessor->nodes[registers[is->from]].value);
		break;
	case X86_CONSTANT:
		value = accessor_number(accessor, is->value);
		break;
	case X86_ROUND:
		value = masked(accessor, registers[is->reg], is->value);
		break;
	case X86_COMPARE:
		note_compare(accessor, registers[is->reg], is->value);
		return;
	case X86_CALL:
	case X86_CALL_INDIRECT:
		forget(path, CALLER_SAVED);
		return;
	default:
		step_other(accessor, path, is);
		return;
	}
	forget(path, is->writes);
	if (is->reg < X86_NR_REGISTERS)
		registers[is->reg] = value;
}

/* ---- paths ---- */

/* The code of the file from an address on; NULL: no code is there. */
static const uint8_t *code_at(struct reader *reader, uint64_t address, size_t *ret_nr)
{
	uint64_t at = address - reader->code_at, left;
	const Elf64_Phdr *segment;

	if (at >= reader->nr_code || reader->nr_code - at < X86_BYTES_MAX) {
		segment = elf_file_segment_at(reader->elf, address, PF_X);
		if (!segment)
			return NULL;
		at = address - segment->p_vaddr;
		left = segment->p_filesz - at;
		reader->nr_code = left < CODE_BYTES ? (size_t)left : CODE_BYTES;
		reader->code_at = address;
		if (elf_file_read(reader->elf, segment->p_offset + at, reader->code, reader->nr_code)) {
			reader->nr_code = 0;
			return NULL;
		}
		at = 0;
	}
	*ret_nr = reader->nr_code - (size_t)at;
	return reader->code + at;
}

static void follow(struct reader *reader, struct path *path)
{
	struct x86_instruction is;
	const uint8_t *code;
	size_t nr;

	for (; path->nr_steps < PATH_STEPS_MAX && reader->nr_steps < STEPS_MAX; path->nr_steps++, reader->nr_steps++) {
		code = code_at(reader, path->at, &nr);
		if (!code || !x86_decode(code, nr, &is) || is.kind == X86_STOP || is.kind == X86_JUMP_INDIRECT)
			return;
		if (is.kind == X86_RETURN) {
			note_return(reader->accessor, path->registers[X86_AX]);
			return;
		}
		if (is.kind == X86_JUMP_IF && reader->nr_paths < PATHS_MAX) {
			struct path *other = &reader->paths[reader->nr_paths++];

			*other = *path;
			other->at += is.nr_bytes + (uint64_t)is.value;
			other->nr_steps++;
		}
		if (is.kind != X86_JUMP_IF && is.kind != X86_JUMP)
			step(reader->accessor, path, &is);
		path->at += is.nr_bytes + (is.kind == X86_JUMP ? (uint64_t)is.value : 0);
	}
}

int accessor_read(struct accessor *accessor, const struct elf_file *elf, uint64_t address)
{
	struct reader reader = { .accessor = accessor, .elf = elf, .nr_paths = 1 };
	struct path path = { .at = address };
	size_t nr;

	*accessor = (struct accessor){ .nr_nodes = 1 };
	path.registers[X86_DI] = accessor_argument(accessor, 0);
	path.registers[X86_SI] = accessor_argument(accessor, 1);
	if (!code_at(&reader, address, &nr))
		return -ENODATA;
	reader.paths[0] = path;
	for (size_t i = 0; i < reader.nr_paths; i++) {
		path = reader.paths[i];
		follow(&reader, &path);
	}
	return 0;
}
