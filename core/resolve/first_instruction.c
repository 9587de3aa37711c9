/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/resolve/first_instruction.h"

#include <stdbool.h>

#ifdef __x86_64__

#define NOP5_BYTES 5

/* Prefixes of vector instructions: segment and address size. */
static bool is_prefix(uint8_t byte)
{
	return byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x64 || byte == 0x65 ||
	       byte == 0x67;
}

/* The bytes before the opcode of a vector instruction; 0: it is another instruction. */
static size_t vector_prefix(uint8_t first, uint8_t second)
{
	switch (first) {
	case 0xc5:
		return 2;
	case 0xc4:
		return 3;
	case 0x62:
		return 4;
	case 0x8f: /* XOP if these bits are 8 or more, else pop */
		return (second & 0x1f) >= 8 ? 3 : 0;
	default:
		return 0;
	}
}

/* One-byte opcodes that the kernel emulates, or after which it does not adjust the program counter. */
static bool is_special(uint8_t opcode)
{
	static const uint8_t special[] = {
		0x90, 0x9a, 0x9d, 0xc2, 0xc3, 0xca, 0xcb, 0xe8, 0xe9, 0xea, 0xeb, 0xff,
	};

	if (opcode >= 0x70 && opcode <= 0x7f)
		return true;
	for (size_t i = 0; i < sizeof(special); i++)
		if (special[i] == opcode)
			return true;
	return false;
}

static bool is_prefix_of_nop(uint8_t byte)
{
	return is_prefix(byte) || byte == 0x66 || byte == 0xf2 || byte == 0xf3 || (byte & 0xf0) == 0x40;
}

/* The bytes of ModRM, SIB and displacement. */
static size_t operand_bytes(uint8_t modrm, uint8_t sib)
{
	unsigned int mod = modrm >> 6, rm = modrm & 7;
	size_t nr = mod != 3 && rm == 4 ? 2 : 1;

	if (mod == 1)
		return nr + 1;
	if (mod == 2 || (mod == 0 && (rm == 5 || (rm == 4 && (sib & 7) == 5))))
		return nr + 4;
	return nr;
}

static bool is_nop5(const uint8_t *code, size_t nr)
{
	size_t at = 0;

	if (nr < NOP5_BYTES)
		return false;
	while (at < NOP5_BYTES - 1 && is_prefix_of_nop(code[at]))
		at++;
	if (code[at] == 0x90)
		return at == NOP5_BYTES - 1;
	return at + 3 <= NOP5_BYTES && code[at] == 0x0f && code[at + 1] == 0x1f && !(code[at + 2] & 0x38) &&
	       at + 2 + operand_bytes(code[at + 2], at + 3 < nr ? code[at + 3] : 0) == NOP5_BYTES;
}

enum first_instruction first_instruction(const uint8_t *code, size_t nr)
{
	size_t at = 0, prefix;

	if (is_nop5(code, nr))
		return FIRST_NOP5;
	while (at < nr && is_prefix(code[at]))
		at++;
	if (at + 1 >= nr)
		return FIRST_DOUBTFUL;
	if (code[at] == 0xf0)
		return FIRST_DOUBTFUL;
	prefix = vector_prefix(code[at], code[at + 1]);
	if (!prefix)
		return FIRST_TAKEN;
	return at + prefix >= nr || is_special(code[at + prefix]) ? FIRST_MISREAD : FIRST_DOUBTFUL;
}

#else

enum first_instruction first_instruction(const uint8_t *code, size_t nr)
{
	(void)code;
	(void)nr;
	return FIRST_TAKEN;
}

#endif

const char *first_instruction_obstacle(enum first_instruction first)
{
	switch (first) {
	case FIRST_MISREAD:
		return "this kernel misdecodes the vector instruction there as a jump or return; a probe would "
		       "crash the program";
	case FIRST_NOP5:
		return "this kernel replaces the 5-byte nop there by a call, which overwrites data below the "
		       "program's stack pointer";
	case FIRST_UNTRIED:
		return "some kernels replace the 5-byte nop there by a call that breaks the program, and this "
		       "kernel could not be tested";
	default:
		return NULL;
	}
}
