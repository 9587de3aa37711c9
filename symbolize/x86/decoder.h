/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the decoder. */
#pragma once

#include <string.h>

#include "symbolize/x86/instruction.h"

/* The bytes after an opcode, and the effects of the instruction. */
enum {
	M = 1 << 0, /* has ModRM, with SIB and displacement */
	I1 = 1 << 1, /* a constant of one byte */
	S = 1 << 2, /* ends the flow: ud2, hlt, int3, and changes of the privilege level */
	IZ = 1 << 3, /* a constant of the operand's size, at most 4 bytes */
	G = 1 << 4, /* writes the reg operand of ModRM */
	E = 1 << 5, /* writes the r/m operand of ModRM, a register or memory */
	B = 1 << 6, /* operands are bytes */
	A = 1 << 7, /* writes rax */
	D = 1 << 8, /* writes rdx */
	X = 1 << 9, /* has code of its own in special*() */
	V = 1 << 10, /* a vector instruction that stores to its memory operand */
	BAD = 1 << 15,
};

enum {
	MAP_ONE, /* opcodes of one byte */
	MAP_0F,
	MAP_0F38,
	MAP_0F3A,
	MAP_FP16_5 = 5, /* EVEX only */
	MAP_FP16_6,
	MAP_XOP_8 = 8,
	MAP_XOP_9,
	MAP_XOP_A,
};

enum {
	REX_B = 1,
	REX_X = 2,
	REX_R = 4,
	REX_W = 8,
};

struct decoder {
	const uint8_t *at, *end;
	struct x86_instruction *to;
	uint8_t rex; /* from VEX or EVEX: the same bits */
	bool has_rex, has_vex, has_evex, has_66, has_67, has_segment;
	uint8_t repeat; /* f2, f3 or 0; from the pp field of VEX or EVEX */
	uint8_t map, third; /* third: the register in vvvv */
	unsigned int vector_bytes;
	uint8_t modrm;
	bool is_register; /* ModRM names a register, not memory */
	uint8_t reg, rm;
	bool bad;
};

/* Take the next `nr` bytes, at most 8. Return 0 and set `bad` if there are fewer. */
uint64_t x86_take(struct decoder *decoder, size_t nr);
int64_t x86_take_signed(struct decoder *decoder, size_t nr);

/* Reads ModRM, SIB and the displacement. */
void x86_take_modrm(struct decoder *decoder);

void x86_set(struct decoder *decoder, enum x86_kind kind, uint8_t reg, uint8_t from);

/* Decodes a branch with a displacement of `nr` bytes. */
void x86_branch(struct decoder *decoder, enum x86_kind kind, size_t nr);

/* A push or pop of 16 bits makes rsp unknown. */
void x86_push_or_pop(struct decoder *decoder, enum x86_kind kind, uint8_t reg);

/* Applies the effects given by the bits of a table. */
void x86_apply(struct decoder *decoder, unsigned int bits);

/* Decode the opcodes of one byte, and those after 0f, 0f 38 and 0f 3a. `opcode` is the last byte taken. */
void x86_decode_one_byte(struct decoder *decoder, uint8_t opcode);
void x86_decode_0f(struct decoder *decoder, uint8_t opcode);
void x86_decode_0f38(struct decoder *decoder, uint8_t opcode);
void x86_decode_0f3a(struct decoder *decoder, uint8_t opcode);

static inline void x86_write(struct decoder *decoder, uint8_t reg)
{
	decoder->to->writes |= (uint16_t)(1u << (reg & 15));
}

/* Without REX, the byte registers 4 to 7 are the second bytes of registers 0 to 3. */
static inline uint8_t x86_byte_register(const struct decoder *decoder, uint8_t reg)
{
	return !decoder->has_rex && reg >= 4 && reg < 8 ? reg - 4 : reg;
}

static inline bool x86_is_wide(const struct decoder *decoder)
{
	return decoder->rex & REX_W;
}

/* The size in bytes of an operand that is neither a byte nor a vector. */
static inline uint8_t x86_operand_bytes(const struct decoder *decoder)
{
	return x86_is_wide(decoder) ? 8 : decoder->has_66 ? 2 : 4;
}
