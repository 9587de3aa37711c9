/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/first_instruction.h"

#include <stdbool.h>

#ifdef __x86_64__

/* Segments and the size of addresses: all that may stand before a vector instruction. */
static bool is_prefix(uint8_t byte)
{
	return byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x64 || byte == 0x65 ||
	       byte == 0x67;
}

/* How many bytes stand before the opcode of a vector instruction; 0: it is none. */
static size_t vector_prefix(uint8_t first, uint8_t second)
{
	switch (first) {
	case 0xc5:
		return 2;
	case 0xc4:
		return 3;
	case 0x62:
		return 4;
	case 0x8f: /* XOP has a map from 8 on where pop has a register of 0 */
		return (second & 0x1f) >= 8 ? 3 : 0;
	default:
		return 0;
	}
}

/* Opcodes that the kernel emulates, or behind which it does not set the program counter right. */
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

enum first_instruction first_instruction(const uint8_t *code, size_t nr)
{
	size_t at = 0, prefix;

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
