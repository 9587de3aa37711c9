/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/x86/decoder.h"

/* clang-format off */

/* Opcodes after 0f, also with VEX and EVEX. */
static const uint16_t two_bytes[256] = {
	/* 00 */ M | E, M | X, M | G, M | G, BAD, X, 0, S, 0, 0, BAD, S, BAD, M, 0, M | I1,
	/* 10 */ M, M | V, M, M | V, M, M, M, M | V, M, M, M, M, M, M, M | X, M,
	/* 20 */ M | E, M | E, M, M, BAD, BAD, BAD, BAD, M, M | V, M, M | V, M | X, M | X, M, M,
	/* 30 */ 0, A | D, A | D, A | D, S, S, BAD, A, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD,
	/* 40 */ M | G, M | G, M | G, M | G, M | G, M | G, M | G, M | G, M | G, M | G, M | G, M | G, M | G, M | G, M | G,
		M | G,
	/* 50 */ M | G, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 60 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 70 */ M | I1, M | I1, M | I1, M | I1, M, M, M, 0, M | X, M | X, BAD, BAD, M, M, M | V, M | V,
	/* 80 */ X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
	/* 90 */ M | E | B, M | E | B, M | E | B, M | E | B, M | E | B, M | E | B, M | E | B, M | E | B, M | E | B,
		M | E | B, M | E | B, M | E | B, M | E | B, M | E | B, M | E | B, M | E | B,
	/* a0 */ X, X, X, M, M | E | I1, M | E, M | X, M | X, X, X, S, M | E, M | E | I1, M | E, M | X, M | G,
	/* b0 */ M | E | B | A, M | E | A, M | G, M | E, M | G, M | G, M | G, M | G, M | G, M | S, M | I1 | X, M | E, M | G,
		M | G, M | G, M | G,
	/* c0 */ M | G | E | B, M | G | E, M | I1, M | E, M | I1, M | G | I1, M | I1, M | X, X, X, X, X, X, X, X, X,
	/* d0 */ M, M, M, M, M, M, M | V, M | G, M, M, M, M, M, M, M, M,
	/* e0 */ M, M, M, M, M, M, M, M | V, M, M, M, M, M, M, M, M,
	/* f0 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M | S,
};

/* clang-format on */

static uint8_t stored_by_vector(const struct decoder *decoder, uint8_t opcode)
{
	switch (opcode) {
	case 0x11:
		return decoder->repeat ? 8 : (uint8_t)decoder->vector_bytes;
	case 0x13:
	case 0x17:
	case 0x7e:
	case 0xd6:
		return 8;
	default:
		return (uint8_t)decoder->vector_bytes;
	}
}

/* Opcodes after 0f whose effects depend on more than the opcode. */
static void special_0f(struct decoder *decoder, uint8_t opcode)
{
	uint8_t operation = decoder->modrm >> 3 & 7;
	struct x86_instruction *to = decoder->to;

	switch (opcode) {
	case 0x01: /* many system instructions; those without memory may write registers */
		to->nr_stored = decoder->is_register ? 0 : 16;
		to->writes |= decoder->is_register ? 1 << X86_AX | 1 << X86_BX | 1 << X86_CX | 1 << X86_DX : 0;
		if (decoder->is_register && operation == 4)
			x86_write(decoder, decoder->rm);
		break;
	case 0x05: /* syscall */
		to->writes |= 1 << X86_AX | 1 << X86_CX | 1 << 11;
		break;
	case 0x1e: /* nops, except rdssp */
		if (decoder->repeat == 0xf3 && decoder->is_register && operation == 1)
			x86_write(decoder, decoder->rm);
		break;
	case 0x2c:
	case 0x2d:
		if (decoder->repeat)
			x86_write(decoder, decoder->reg);
		break;
	case 0x78: /* vmread; with a prefix SSE4a */
	case 0x79:
		if (!decoder->has_vex && !decoder->has_evex && opcode == 0x78 &&
		    (decoder->has_66 || decoder->repeat == 0xf2))
			x86_take(decoder, 2);
		else if (decoder->has_evex && decoder->repeat)
			x86_write(decoder, decoder->reg);
		else if (opcode == 0x78 && decoder->is_register)
			x86_write(decoder, decoder->rm);
		to->nr_stored = 8;
		break;
	case 0x80 ... 0x8f:
		x86_branch(decoder, X86_JUMP_IF, 4);
		break;
	case 0xa0 ... 0xa1:
	case 0xa8 ... 0xa9:
		x86_push_or_pop(decoder, opcode & 1 ? X86_POP : X86_PUSH, X86_NONE);
		break;
	case 0xa2: /* cpuid */
		to->writes |= 1 << X86_AX | 1 << X86_BX | 1 << X86_CX | 1 << X86_DX;
		break;
	case 0xa6: /* VIA's cryptography */
	case 0xa7:
		to->writes |= 1 << X86_AX | 1 << X86_CX | 1 << X86_DX | 1 << X86_SI | 1 << X86_DI;
		break;
	case 0xae: /* fences, saves of vector registers, base registers */
		if (!decoder->is_register)
			to->nr_stored = operation == 3                     ? 4
					: operation == 2 || operation == 7 ? 0
									   : 255; /* stmxcsr; ldmxcsr; clflush */
		else if (decoder->repeat == 0xf3 && operation < 2)
			x86_write(decoder, decoder->rm);
		break;
	case 0xba:
		x86_take(decoder, 1);
		if (operation < 4)
			decoder->bad = true;
		else if (operation > 4 && decoder->is_register)
			x86_write(decoder, decoder->rm);
		else if (operation > 4)
			to->nr_stored = 8;
		break;
	case 0xc7: /* cmpxchg16b, rdrand, saves of vector registers */
		if (decoder->is_register)
			x86_write(decoder, decoder->rm);
		else
			to->writes |= 1 << X86_AX | 1 << X86_DX;
		to->nr_stored = decoder->is_register ? 0 : operation == 1 ? 16 : 255;
		break;
	case 0xc8 ... 0xcf: /* bswap */
		x86_write(decoder, (uint8_t)((opcode & 7) | (decoder->rex & REX_B ? 8 : 0)));
		break;
	default:
		decoder->bad = true;
	}
}

/* Opcodes after 0f that have other register operands with VEX and EVEX: mask instructions, and 7e. */
static void vector_0f(struct decoder *decoder, unsigned int bits, uint8_t opcode)
{
	bool wide_move = opcode == 0x7e && decoder->repeat != 0xf3;

	if (bits & V && !decoder->is_register)
		decoder->to->nr_stored = stored_by_vector(decoder, opcode);
	if (wide_move && decoder->is_register)
		x86_write(decoder, decoder->rm);
	if ((decoder->has_vex || decoder->has_evex) && opcode == 0x93)
		x86_write(decoder, decoder->reg);
	if ((decoder->has_vex || decoder->has_evex) && opcode == 0x91)
		decoder->to->nr_stored = 8;
}

void x86_decode_0f(struct decoder *decoder, uint8_t opcode)
{
	bool vector = decoder->has_vex || decoder->has_evex;
	unsigned int bits = two_bytes[opcode];

	/* VEX mask instructions are 41 to 4b and 90 to 99: no immediates, and only 93 writes a general register */
	if (vector && ((opcode >= 0x41 && opcode <= 0x4b) || (opcode >= 0x90 && opcode <= 0x99)))
		bits = M;
	if (vector && (opcode == 0x0f || opcode == 0x05 || opcode == 0x0b || (opcode >= 0x80 && opcode < 0x90)))
		bits = BAD;
	if (decoder->has_evex && (opcode == 0x7a || opcode == 0x7b))
		bits = M;
	decoder->bad |= bits == BAD;
	if (bits & M)
		x86_take_modrm(decoder);
	if (opcode >= 0x20 && opcode <= 0x23 && !decoder->is_register) { /* control and debug registers */
		decoder->bad = true;
		return;
	}
	x86_apply(decoder, bits);
	vector_0f(decoder, bits, opcode);
	if (bits & X)
		special_0f(decoder, opcode);
	if (bits & I1 && opcode != 0xba)
		x86_take(decoder, 1);
}

void x86_decode_0f38(struct decoder *decoder, uint8_t opcode)
{
	bool vector = decoder->has_vex || decoder->has_evex;

	x86_take_modrm(decoder);
	/* movbe, crc32, adcx, adox, andn, bzhi, pext, mulx, shlx and so on; vector instructions do not use these numbers */
	if (opcode >= 0xf0 && opcode <= 0xf7) {
		x86_write(decoder, decoder->reg);
		if (vector)
			x86_write(decoder, decoder->third);
	}
	if (decoder->has_vex && opcode >= 0xe0 && opcode <= 0xef) /* cmpccxadd */
		x86_write(decoder, decoder->reg);
	/* stores: movbe, wrss, direct stores; masked, scattered and narrowing vector stores */
	if (!decoder->is_register &&
	    (opcode >= 0xe0 || opcode == 0x2e || opcode == 0x2f || opcode == 0x8e ||
	     (decoder->has_evex && (decoder->repeat == 0xf3 || (opcode >= 0x60 && opcode < 0xb0)))))
		decoder->to->nr_stored = (uint8_t)decoder->vector_bytes;
}

void x86_decode_0f3a(struct decoder *decoder, uint8_t opcode)
{
	bool vector = decoder->has_vex || decoder->has_evex;

	x86_take_modrm(decoder);
	x86_take(decoder, 1);
	if (opcode >= 0x14 && opcode <= 0x17 && decoder->is_register)
		x86_write(decoder, decoder->rm);
	if (opcode >= 0x60 && opcode <= 0x63) /* pcmpistri and pcmpestri, which write ecx, and their mask forms */
		x86_write(decoder, X86_CX);
	if (vector && opcode == 0xf0) /* rorx */
		x86_write(decoder, decoder->reg);
	if (!decoder->is_register && ((opcode >= 0x14 && opcode <= 0x1d) || (opcode >= 0x39 && opcode <= 0x3b)))
		decoder->to->nr_stored = (uint8_t)decoder->vector_bytes;
}
