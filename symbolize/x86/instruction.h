/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes one instruction of 64-bit x86 code: its length, its branch target, and its effects on general registers and on memory at a fixed
 * distance from one of them. Other effects are left out.
 *
 * Sources: Intel SDM volume 2, chapter 2 and appendix A; AMD64 manual volume 3, appendix A (3DNow!, XOP). Rejected: APX, forms that 64-bit
 * mode does not have, and near branches with a 16-bit operand, whose length differs between Intel and AMD.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define X86_BYTES_MAX 15

/* Numbers of general registers in instructions. */
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
	X86_IP, /* only as a base: the address after the instruction */
	X86_NONE,
};

enum x86_kind {
	X86_OTHER, /* continues with the next instruction; `writes` and `nr_stored` have its effects */
	X86_JUMP, /* target: next instruction + value */
	X86_JUMP_IF, /* target: next instruction + value, or the next instruction */
	X86_JUMP_INDIRECT, /* target: `reg`, or the word at the memory operand */
	X86_CALL, /* target: next instruction + value */
	X86_CALL_INDIRECT,
	X86_RETURN, /* and adds `value` to rsp */
	X86_STOP, /* ends the flow: ud2, hlt, int3, and returns to other privilege levels */
	X86_PUSH, /* pushes `reg`, or the word at the memory operand, or, without both, another word */
	X86_POP, /* pops to `reg`, or to the memory operand, or, without both, elsewhere */
	X86_COPY, /* reg = from */
	X86_ADDRESS, /* reg = base + value: lea, and add or sub of a constant */
	X86_LOAD, /* reg = word at the memory operand */
	X86_LOAD_SIGNED, /* reg = signed 4 bytes at the memory operand: an entry of a jump table */
	X86_STORE, /* word at the memory operand = reg */
	X86_ADD, /* reg += from */
	X86_CONSTANT, /* reg = value */
	X86_ROUND, /* reg &= value */
	X86_COMPARE, /* compares reg with value */
	X86_LEAVE,
	X86_ENTER, /* with `value` bytes, nesting level 0 */
};

struct x86_instruction {
	uint8_t nr_bytes;
	uint8_t kind; /* enum x86_kind */
	uint8_t opcode; /* the last byte of the opcode; the low 4 bits of a conditional jump are its condition */
	uint8_t reg, from; /* enum x86_register */
	bool has_memory; /* the memory operand is at value + base + index * scale, without segment base */
	uint8_t base, index, scale; /* X86_NONE: none */
	uint8_t nr_stored; /* maximum number of bytes that it may write to the memory operand; only for X86_OTHER */
	/* Parts of the encoding, for callers that interpret further opcodes. */
	uint8_t map; /* of the opcode: 0: one byte, 1: after 0f */
	uint8_t operand; /* the reg field of ModRM: a register, or in its low 3 bits the operation */
	uint8_t rm; /* the register in the r/m field of ModRM; X86_NONE: memory, or no ModRM */
	uint8_t width; /* size in bytes of an operand that is neither a vector nor converted to another width */
	int32_t constant; /* the immediate of an instruction with ModRM, or with al or eax */
	/* a bit for each general register that it may change; for kinds other than X86_OTHER, the bit of `reg` may be missing */
	uint16_t writes;
	int64_t value; /* immediate, displacement of a branch, or displacement of the memory operand */
};

/*
 * Decodes the first instruction of `nr` bytes. Returns false if it is unknown or incomplete. Kinds other than X86_OTHER are reported only
 * for 64-bit operands, X86_CONSTANT and X86_COMPARE also for 32 bits.
 */
bool x86_decode(const uint8_t *code, size_t nr, struct x86_instruction *ret_instruction);

/* Returns whether the instruction is padding between functions: nop or int3. */
bool x86_is_padding(const uint8_t *code, const struct x86_instruction *instruction);
