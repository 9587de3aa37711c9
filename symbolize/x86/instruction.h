/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes one instruction of 64-bit x86 code: its length, where it leads, and what it does to general registers and to memory at
 * a fixed distance from one of them. Everything else that an instruction does is left out.
 *
 * Intel SDM volume 2, chapter 2 and appendix A; AMD64 manual volume 3, appendix A (3DNow!, XOP). APX and the forms that 64-bit mode
 * does not have are refused, and so are near branches with a 16-bit operand, whose length depends on the maker of the CPU.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define X86_BYTES_MAX 15

/* Numbers of general registers, as instructions encode them. */
enum x86_register {
	X86_AX,
	X86_CX,
	X86_DX,
	X86_BX,
	X86_SP,
	X86_BP,
	X86_SI,
	X86_DI,
	X86_R8,
	X86_R15 = 15,
	X86_NR_REGISTERS,
	X86_IP, /* as a base only: the address after the instruction */
	X86_NONE,
};

enum x86_kind {
	X86_OTHER, /* goes on with the next instruction; `writes` and `nr_stored` are what it may do */
	X86_JUMP, /* to the next instruction + value */
	X86_JUMP_IF, /* the same, or on */
	X86_JUMP_INDIRECT, /* to `reg`, or to the word at the memory operand */
	X86_CALL, /* the next instruction + value */
	X86_CALL_INDIRECT,
	X86_RETURN, /* and adds `value` to rsp */
	X86_STOP, /* ends the flow: ud2, hlt, int3, and returns to other privilege levels */
	X86_PUSH, /* `reg`; or the word at the memory operand, or, with neither, another word */
	X86_POP, /* the same */
	X86_COPY, /* reg = from */
	X86_ADDRESS, /* reg = base + value: lea, and add or sub of a constant */
	X86_LOAD, /* reg = word at the memory operand */
	X86_LOAD_SIGNED, /* reg = signed 4 bytes at the memory operand: an entry of a jump table */
	X86_STORE, /* word at the memory operand = reg */
	X86_ADD, /* reg += from */
	X86_CONSTANT, /* reg = value */
	X86_ROUND, /* reg &= value */
	X86_COMPARE, /* reg with value */
	X86_LEAVE,
	X86_ENTER, /* with `value` bytes, no nesting */
};

struct x86_instruction {
	uint8_t nr_bytes;
	uint8_t kind; /* enum x86_kind */
	uint8_t opcode; /* the last byte of the opcode: the condition of a jump is in its low 4 bits */
	uint8_t reg, from; /* enum x86_register */
	bool has_memory; /* the memory operand is value + base + index * scale, of the current thread's flat memory */
	uint8_t base, index, scale; /* X86_NONE: without it */
	uint8_t nr_stored; /* bytes of the memory operand that it may write, at most; not for kinds with a meaning of their own */
	/* The parts of an instruction as encoded, for a reader that knows more opcodes than have a kind. */
	uint8_t map; /* of the opcode: 0 one byte, 1 after 0f */
	uint8_t operand; /* the register field of ModRM: a register, or in its low 3 bits the operation */
	uint8_t rm; /* the other register of ModRM; X86_NONE: memory, or no ModRM */
	uint8_t width; /* bytes of an operand that is neither a vector nor converted to another width */
	int32_t constant; /* of an instruction with ModRM, and of those with al and eax */
	uint16_t writes; /* a bit for each general register that it may change; for kinds other than OTHER, without `reg` */
	int64_t value; /* constant, distance of a branch, or distance of the memory operand */
};

/*
 * Decodes the first instruction of `nr` bytes. False if it is not known, or does not end within them. A kind with a meaning is only
 * reported for operands of 64 bits (a constant or a comparison: also of 32); the others are X86_OTHER.
 */
bool x86_decode(const uint8_t *code, size_t nr, struct x86_instruction *ret_instruction);

/* Whether it is made to do nothing: padding between functions. */
bool x86_is_padding(const uint8_t *code, const struct x86_instruction *instruction);
