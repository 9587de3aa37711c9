/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The beginning of the interpreter's loop in 3.11 and 3.12. The loop has a _PyCFrame on its stack, stores its address in the thread
 * state, and then fills it. The analysis follows one straight line of code, and tracks registers that point to the stack or to the
 * first argument.
 */
#include "symbolize/interpreter/python_layout.h"
#include "symbolize/x86/instruction.h"

enum {
	CODE_BYTES = 512,
	FILLED_LATER = 256, /* bytes, if the code is not understood: two known builds fill it earlier */
	CALLER_SAVED = 1 << X86_AX | 1 << X86_CX | 1 << X86_DX | 1 << X86_SI | 1 << X86_DI | 0xf00,
};

struct beginning {
	const struct python_layout *layout;
	struct {
		bool is_thread, is_stack; /* neither: unknown */
		int64_t place; /* offset on the stack from the return address */
	} registers[X86_NR_REGISTERS];
	uint32_t told_at; /* after the store to the thread state; 0: not found yet */
	int64_t cframe; /* its offset on the stack */
	bool is_filled;
};

static void forget(struct beginning *begin, unsigned int registers)
{
	for (unsigned int i = 0; i < X86_NR_REGISTERS; i++)
		if (registers >> i & 1)
			begin->registers[i] = (typeof(*begin->registers)){};
}

static void set_address(struct beginning *begin, uint8_t reg, uint8_t base, int64_t distance)
{
	bool is_stack = base < X86_NR_REGISTERS && begin->registers[base].is_stack;

	if (reg >= X86_NR_REGISTERS)
		return;
	begin->registers[reg] = (typeof(*begin->registers)){
		.is_stack = is_stack,
		.place = is_stack ? begin->registers[base].place + distance : 0,
	};
}

static void note_store(struct beginning *begin, const struct x86_instruction *is, uint32_t end)
{
	const struct python_layout *layout = begin->layout;
	bool is_word = is->kind == X86_STORE && is->reg < X86_NR_REGISTERS;
	int64_t at;

	if (!is->has_memory || is->index != X86_NONE || is->base >= X86_NR_REGISTERS)
		return;
	if (!begin->told_at) {
		if (is_word && begin->registers[is->base].is_thread && is->value == layout->thread_cframe &&
		    begin->registers[is->reg].is_stack) {
			begin->told_at = end;
			begin->cframe = begin->registers[is->reg].place;
		}
		return;
	}
	at = begin->registers[is->base].place + is->value;
	begin->is_filled |= begin->registers[is->base].is_stack && at <= begin->cframe + layout->thread_frame &&
			    at + (is_word ? 8 : is->nr_stored) >= begin->cframe + layout->thread_frame + 8;
}

static void step(struct beginning *begin, const struct x86_instruction *is, uint32_t end)
{
	switch (is->kind) {
	case X86_PUSH:
		begin->registers[X86_SP].place -= 8;
		return;
	case X86_COPY:
		begin->registers[is->reg] = begin->registers[is->from];
		return;
	case X86_ADDRESS:
		set_address(begin, is->reg, is->base, is->value);
		return;
	case X86_CALL:
	case X86_CALL_INDIRECT:
		forget(begin, CALLER_SAVED);
		return;
	case X86_STORE:
		note_store(begin, is, end);
		return;
	case X86_COMPARE:
	case X86_JUMP_IF:
		return;
	default:
		note_store(begin, is, end);
		forget(begin, is->writes);
		if (is->kind != X86_OTHER && is->reg < X86_NR_REGISTERS)
			forget(begin, 1u << is->reg);
	}
}

void python_loop_read(const struct elf_file *elf, struct python_layout *layout)
{
	struct beginning begin = { .layout = layout };
	uint8_t code[CODE_BYTES];
	struct x86_instruction is;
	uint64_t offset;

	if (layout->thread_cframe == PYTHON_NONE || !layout->loop)
		return;
	layout->unfilled_bytes = FILLED_LATER;
	if (elf_file_offset_of_address(elf, layout->loop, &offset) || elf_file_read(elf, offset, code, sizeof(code)))
		return;
	begin.registers[X86_SP].is_stack = begin.registers[X86_DI].is_thread = true;
	for (uint32_t at = 0; x86_decode(code + at, sizeof(code) - at, &is); at += is.nr_bytes) {
		if (begin.told_at && is.kind == X86_JUMP_IF) { /* everything before it is stored by now */
			if (!begin.is_filled || begin.cframe >= 0 || begin.cframe < INT16_MIN)
				return;
			layout->unfilled = (uint16_t)begin.told_at;
			layout->unfilled_bytes = (uint16_t)(at - begin.told_at);
			layout->cframe_below = (uint16_t)(8 - begin.cframe);
			return;
		}
		if (is.kind == X86_JUMP || is.kind == X86_JUMP_INDIRECT || is.kind == X86_RETURN ||
		    is.kind == X86_STOP || (begin.told_at && is.kind == X86_CALL))
			return;
		step(&begin, &is, at + is.nr_bytes);
	}
}
