/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/x86/decoder.h"

/* clang-format off */

/* Opcodes of one byte, 16 per row. */
#define ALU M | E | B, M | E, M | G | B, M | G, I1 | A, IZ | A
static const uint16_t one_byte[256] = {
	/* 00 */ ALU, BAD, BAD, ALU, BAD, BAD,
	/* 10 */ ALU, BAD, BAD, ALU, BAD, BAD,
	/* 20 */ ALU, BAD, BAD, ALU, BAD, BAD,
	/* 30 */ ALU, BAD, BAD, M, M, M, M, I1, X | IZ, BAD, BAD,
	/* 40 */ BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD,
	/* 50 */ X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
	/* 60 */ BAD, BAD, BAD, M | G | X, BAD, BAD, BAD, BAD, X | IZ, M | G | IZ, X | I1, M | G | I1, X, X, X, X,
	/* 70 */ X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
	/* 80 */ M | I1 | X | B, M | IZ | X, BAD, M | I1 | X, M, M, M | G | E | B, M | G | E, M | E | B, M | E | X,
		M | G | B, M | G | X, M | E, M | G | X, M, M | X,
	/* 90 */ X, X | A, X | A, X | A, X | A, X | A, X | A, X | A, A, D, BAD, 0, X, X, 0, A,
	/* a0 */ X | A, X | A, X, X, X, X, X, X, I1, IZ, X, X, X | A, X | A, X, X,
	/* b0 */ X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
	/* c0 */ M | E | I1 | B, M | E | I1, X, X, BAD, BAD, M | E | I1 | B | X, M | E | IZ | X, X, X, X, S, S, I1 | A, BAD, S,
	/* d0 */ M | E | B, M | E, M | E | B, M | E, BAD, BAD, BAD, A, M | X, M | X, M | X, M | X, M | X, M | X, M | X,
		M | X,
	/* e0 */ X, X, X, X, I1 | A, I1 | A, I1, I1, X, X, BAD, X, A, A, 0, 0,
	/* f0 */ BAD, 0, BAD, BAD, S, 0, M | X | B, M | X, 0, 0, 0, 0, 0, 0, M | E | B | X, M | E | X,
};

/* clang-format on */

/* Returns whether base and index give the address: no 32-bit address size, no segment base. */
static bool has_plain_memory(const struct decoder *decoder)
{
	return decoder->to->has_memory && !decoder->has_67 && !decoder->has_segment;
}

static size_t constant_bytes(const struct decoder *decoder)
{
	return decoder->has_66 && !x86_is_wide(decoder) ? 2 : 4;
}

/* 80, 81, 83: add, or, adc, sbb, and, sub, xor, cmp with the immediate that follows. */
static void alu_constant(struct decoder *decoder, uint8_t opcode)
{
	struct x86_instruction *to = decoder->to;
	uint8_t operation = decoder->modrm >> 3 & 7;
	int64_t constant = x86_take_signed(decoder, opcode == 0x81 ? constant_bytes(decoder) : 1);

	to->constant = (int32_t)constant;
	if (operation == 7) {
		if (decoder->is_register && opcode != 0x80 && !decoder->has_66) {
			x86_set(decoder, X86_COMPARE, decoder->rm, X86_NONE);
			to->value = constant;
		}
		return;
	}
	if (!decoder->is_register) {
		to->nr_stored = x86_operand_bytes(decoder);
		return;
	}
	if (opcode == 0x80)
		x86_write(decoder, x86_byte_register(decoder, decoder->rm));
	else
		x86_write(decoder, decoder->rm);
	if (!x86_is_wide(decoder) || opcode == 0x80)
		return;
	if (operation == 0 || operation == 5) {
		x86_set(decoder, X86_ADDRESS, decoder->rm, X86_NONE);
		to->base = decoder->rm;
		to->value = operation == 5 ? -constant : constant;
	} else if (operation == 4) {
		x86_set(decoder, X86_ROUND, decoder->rm, X86_NONE);
		to->value = constant;
	}
}

/* f6, f7: test, test, not, neg, mul, imul, div, idiv. */
static void unary(struct decoder *decoder, uint8_t opcode)
{
	uint8_t operation = decoder->modrm >> 3 & 7;

	if (operation < 2) {
		decoder->to->constant = (int32_t)x86_take_signed(decoder, opcode == 0xf6 ? 1 : constant_bytes(decoder));
	} else if (operation > 3) {
		x86_write(decoder, X86_AX);
		x86_write(decoder, X86_DX);
	} else if (decoder->is_register) {
		x86_write(decoder, opcode == 0xf6 ? x86_byte_register(decoder, decoder->rm) : decoder->rm);
	} else {
		decoder->to->nr_stored = x86_operand_bytes(decoder);
	}
}

/* fe, ff: inc, dec, call, far call, jmp, far jmp, push. */
static void group_5(struct decoder *decoder, uint8_t opcode)
{
	uint8_t operation = decoder->modrm >> 3 & 7, reg = decoder->is_register ? decoder->rm : X86_NONE;
	bool is_far = operation == 3 || operation == 5;

	if (operation < 2) {
		if (!decoder->is_register) {
			decoder->to->nr_stored = x86_operand_bytes(decoder);
			return;
		}
		x86_write(decoder, opcode == 0xfe ? x86_byte_register(decoder, decoder->rm) : decoder->rm);
		if (opcode != 0xff || !x86_is_wide(decoder))
			return;
		x86_set(decoder, X86_ADDRESS, decoder->rm, X86_NONE);
		decoder->to->base = decoder->rm;
		decoder->to->value = operation ? -1 : 1;
	} else if (opcode == 0xfe || operation == 7 || (is_far && decoder->is_register)) {
		decoder->bad = true;
	} else if (operation == 2 || operation == 3) {
		x86_set(decoder, X86_CALL_INDIRECT, reg, X86_NONE);
	} else if (operation == 4 || operation == 5) {
		decoder->bad |= decoder->has_66 && operation == 4;
		x86_set(decoder, X86_JUMP_INDIRECT, reg, X86_NONE);
	} else {
		x86_push_or_pop(decoder, X86_PUSH, reg);
	}
}

/* String instructions, which advance rsi and rdi. */
static void string(struct decoder *decoder)
{
	x86_write(decoder, X86_SI);
	x86_write(decoder, X86_DI);
	if (decoder->repeat)
		x86_write(decoder, X86_CX);
}

/* Opcodes with X and ModRM, after x86_apply(). */
static void special_modrm(struct decoder *decoder, uint8_t opcode)
{
	struct x86_instruction *to = decoder->to;

	switch (opcode) {
	case 0x63: /* movslq */
		if (x86_is_wide(decoder) && has_plain_memory(decoder))
			x86_set(decoder, X86_LOAD_SIGNED, decoder->reg, X86_NONE);
		break;
	case 0x80:
	case 0x81:
	case 0x83:
		alu_constant(decoder, opcode);
		break;
	case 0x89:
		if (x86_is_wide(decoder) && decoder->is_register)
			x86_set(decoder, X86_COPY, decoder->rm, decoder->reg);
		else if (x86_is_wide(decoder) && has_plain_memory(decoder))
			x86_set(decoder, X86_STORE, decoder->reg, X86_NONE);
		break;
	case 0x8b:
		if (x86_is_wide(decoder) && decoder->is_register)
			x86_set(decoder, X86_COPY, decoder->reg, decoder->rm);
		else if (x86_is_wide(decoder) && has_plain_memory(decoder))
			x86_set(decoder, X86_LOAD, decoder->reg, X86_NONE);
		break;
	case 0x8d:
		if (decoder->is_register)
			decoder->bad = true;
		else if (x86_is_wide(decoder) && has_plain_memory(decoder) && to->index == X86_NONE &&
			 to->base != X86_NONE)
			x86_set(decoder, X86_ADDRESS, decoder->reg, X86_NONE);
		break;
	case 0x8f: /* pop; XOP was handled with the prefixes */
		if (decoder->modrm >> 3 & 7)
			decoder->bad = true;
		x86_push_or_pop(decoder, X86_POP, decoder->is_register ? decoder->rm : X86_NONE);
		break;
	case 0xc6:
	case 0xc7:
		if (decoder->modrm == 0xf8)
			/* xabort, xbegin: after an abort, execution continues at another address with the old registers */
			x86_write(decoder, X86_AX);
		else if (decoder->modrm >> 3 & 7)
			decoder->bad = true;
		break;
	case 0xf6:
	case 0xf7:
		unary(decoder, opcode);
		break;
	case 0xfe:
	case 0xff:
		group_5(decoder, opcode);
		break;
	default: /* x87: stores of up to 108 bytes; fnstsw %ax */
		to->nr_stored = decoder->is_register ? 0 : 128;
		if (opcode == 0xdf && decoder->modrm == 0xe0)
			x86_write(decoder, X86_AX);
	}
}

/* Returns, other ends of the flow, enter and leave. */
static void flow(struct decoder *decoder, uint8_t opcode)
{
	struct x86_instruction *to = decoder->to;

	switch (opcode) {
	case 0xc2:
		to->value = (int64_t)x86_take(decoder, 2);
		x86_set(decoder, X86_RETURN, X86_NONE, X86_NONE);
		break;
	case 0xc3:
		x86_set(decoder, X86_RETURN, X86_NONE, X86_NONE);
		break;
	case 0xc8:
		to->value = (int64_t)x86_take(decoder, 2);
		if (x86_take(decoder, 1) & 31 || decoder->has_66)
			x86_write(decoder, X86_SP);
		else
			x86_set(decoder, X86_ENTER, X86_NONE, X86_NONE);
		x86_write(decoder, X86_BP);
		break;
	case 0xc9:
		if (decoder->has_66)
			x86_write(decoder, X86_SP);
		else
			x86_set(decoder, X86_LEAVE, X86_NONE, X86_NONE);
		x86_write(decoder, X86_BP);
		break;
	case 0xca:
		x86_take(decoder, 2);
		x86_set(decoder, X86_STOP, X86_NONE, X86_NONE);
		break;
	default:
		decoder->bad = true;
	}
}

static void special(struct decoder *decoder, uint8_t opcode)
{
	uint8_t low = (uint8_t)((opcode & 7) | (decoder->rex & REX_B ? 8 : 0));
	struct x86_instruction *to = decoder->to;

	switch (opcode) {
	case 0x3d: /* cmp with rax */
		to->value = x86_take_signed(decoder, constant_bytes(decoder));
		if (!decoder->has_66)
			x86_set(decoder, X86_COMPARE, X86_AX, X86_NONE);
		break;
	case 0x50 ... 0x57:
		x86_push_or_pop(decoder, X86_PUSH, low);
		break;
	case 0x58 ... 0x5f:
		x86_push_or_pop(decoder, X86_POP, low);
		break;
	case 0x68:
	case 0x6a:
		x86_take(decoder, opcode == 0x6a ? 1 : constant_bytes(decoder));
		x86_push_or_pop(decoder, X86_PUSH, X86_NONE);
		break;
	case 0x6c ... 0x6f:
	case 0xa4 ... 0xa7:
	case 0xaa ... 0xaf:
		string(decoder);
		break;
	case 0x70 ... 0x7f:
	case 0xe0 ... 0xe3:
		x86_branch(decoder, X86_JUMP_IF, 1);
		if (opcode >= 0xe0 && opcode < 0xe3)
			x86_write(decoder, X86_CX);
		break;
	case 0x90 ... 0x97:
		x86_write(decoder, low);
		if (low == X86_AX)
			to->writes = 0; /* a nop */
		break;
	case 0x9c:
		x86_push_or_pop(decoder, X86_PUSH, X86_NONE);
		break;
	case 0x9d:
		x86_push_or_pop(decoder, X86_POP, X86_NONE);
		break;
	case 0xa0 ... 0xa3:
		x86_take(decoder, decoder->has_67 ? 4 : 8);
		break;
	case 0xb0 ... 0xb7:
		x86_take(decoder, 1);
		x86_write(decoder, x86_byte_register(decoder, low));
		break;
	case 0xb8 ... 0xbf:
		x86_write(decoder, low);
		to->value = (int64_t)x86_take(decoder, x86_is_wide(decoder) ? 8 : constant_bytes(decoder));
		if (!decoder->has_66)
			x86_set(decoder, X86_CONSTANT, low, X86_NONE);
		break;
	case 0xe8:
		x86_branch(decoder, X86_CALL, 4);
		break;
	case 0xe9:
		x86_branch(decoder, X86_JUMP, 4);
		break;
	case 0xeb:
		x86_branch(decoder, X86_JUMP, 1);
		break;
	default:
		flow(decoder, opcode);
	}
}

void x86_decode_one_byte(struct decoder *decoder, uint8_t opcode)
{
	unsigned int bits = one_byte[opcode];

	decoder->bad |= bits == BAD;
	if (bits & M)
		x86_take_modrm(decoder);
	if (bits & X && !(bits & M)) {
		if (bits & A)
			x86_write(decoder, X86_AX);
		special(decoder, opcode);
		return;
	}
	x86_apply(decoder, bits);
	if (bits & X)
		special_modrm(decoder, opcode);
	if (opcode == 0x31 || opcode == 0x33) /* xor of a register with itself */
		if (decoder->is_register && decoder->reg == decoder->rm && !decoder->has_66)
			x86_set(decoder, X86_CONSTANT, decoder->rm, X86_NONE);
	if ((opcode == 0x01 || opcode == 0x03) && x86_is_wide(decoder) && decoder->is_register)
		x86_set(decoder, X86_ADD, opcode == 0x01 ? decoder->rm : decoder->reg,
			opcode == 0x01 ? decoder->reg : decoder->rm);
	if (bits & I1 && !(opcode == 0x80 || opcode == 0x83))
		decoder->to->constant = (int32_t)x86_take_signed(decoder, 1);
	if (bits & IZ && opcode != 0x81)
		decoder->to->constant = (int32_t)x86_take_signed(decoder, constant_bytes(decoder));
}
