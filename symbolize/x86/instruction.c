/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/x86/decoder.h"

uint64_t x86_take(struct decoder *decoder, size_t nr)
{
	uint64_t value = 0;

	if ((size_t)(decoder->end - decoder->at) < nr) {
		decoder->bad = true;
		return 0;
	}
	memcpy(&value, decoder->at, nr);
	decoder->at += nr;
	return value;
}

int64_t x86_take_signed(struct decoder *decoder, size_t nr)
{
	uint64_t value = x86_take(decoder, nr);

	return nr == 8 ? (int64_t)value : (int64_t)(value << (64 - 8 * nr)) >> (64 - 8 * nr);
}

static void take_sib(struct decoder *decoder, uint8_t mod)
{
	struct x86_instruction *to = decoder->to;
	uint8_t sib = (uint8_t)x86_take(decoder, 1);
	uint8_t index = (uint8_t)((sib >> 3 & 7) | (decoder->rex & REX_X ? 8 : 0));

	to->base = (uint8_t)((sib & 7) | (decoder->rex & REX_B ? 8 : 0));
	to->index = index == X86_SP ? X86_NONE : index;
	to->scale = (uint8_t)(1 << (sib >> 6));
	if ((sib & 7) == 5 && mod == 0) {
		to->base = X86_NONE;
		to->value = x86_take_signed(decoder, 4);
	}
}

void x86_take_modrm(struct decoder *decoder)
{
	struct x86_instruction *to = decoder->to;
	uint8_t mod, low;

	decoder->modrm = (uint8_t)x86_take(decoder, 1);
	mod = decoder->modrm >> 6;
	low = decoder->modrm & 7;
	decoder->reg = (uint8_t)((decoder->modrm >> 3 & 7) | (decoder->rex & REX_R ? 8 : 0));
	decoder->rm = (uint8_t)(low | (decoder->rex & REX_B ? 8 : 0));
	decoder->is_register = mod == 3;
	to->operand = decoder->reg;
	if (decoder->is_register) {
		to->rm = decoder->rm;
		return;
	}
	to->has_memory = true;
	to->base = decoder->rm;
	if (low == 4) {
		take_sib(decoder, mod);
	} else if (low == 5 && mod == 0) {
		to->base = X86_IP;
		to->value = x86_take_signed(decoder, 4);
	}
	if (mod == 1)
		to->value = x86_take_signed(decoder, 1);
	else if (mod == 2)
		to->value = x86_take_signed(decoder, 4);
	/* EVEX scales a displacement of one byte by the vector size. The address is not needed, only that it is unknown. */
	if (decoder->has_67 || decoder->has_segment || (decoder->has_evex && mod == 1)) {
		to->base = to->index = X86_NONE;
		to->value = 0;
	}
}

void x86_set(struct decoder *decoder, enum x86_kind kind, uint8_t reg, uint8_t from)
{
	decoder->to->kind = (uint8_t)kind;
	decoder->to->reg = reg;
	decoder->to->from = from;
}

void x86_branch(struct decoder *decoder, enum x86_kind kind, size_t nr)
{
	if (decoder->has_66 && !x86_is_wide(decoder))
		decoder->bad = true;
	x86_set(decoder, kind, X86_NONE, X86_NONE);
	decoder->to->value = x86_take_signed(decoder, nr);
}

void x86_push_or_pop(struct decoder *decoder, enum x86_kind kind, uint8_t reg)
{
	if (decoder->has_66)
		x86_write(decoder, X86_SP);
	else
		x86_set(decoder, kind, reg, X86_NONE);
	if (kind == X86_POP && reg < X86_NR_REGISTERS)
		x86_write(decoder, reg);
}

void x86_apply(struct decoder *decoder, unsigned int bits)
{
	bool bytes = bits & B;

	decoder->to->width = bytes ? 1 : x86_operand_bytes(decoder);
	if (bits & S)
		x86_set(decoder, X86_STOP, X86_NONE, X86_NONE);
	if (bits & A)
		x86_write(decoder, X86_AX);
	if (bits & D)
		x86_write(decoder, X86_DX);
	if (bits & G)
		x86_write(decoder,
			  bytes && decoder->map == MAP_ONE ? x86_byte_register(decoder, decoder->reg) : decoder->reg);
	if (bits & E && decoder->is_register)
		x86_write(decoder, bytes ? x86_byte_register(decoder, decoder->rm) : decoder->rm);
	else if (bits & E)
		decoder->to->nr_stored = bytes ? 1 : x86_operand_bytes(decoder);
}

static void decode_opcode(struct decoder *decoder)
{
	uint8_t opcode = (uint8_t)x86_take(decoder, 1);

	if (decoder->map == MAP_ONE && opcode == 0x0f) {
		decoder->map = MAP_0F;
		opcode = (uint8_t)x86_take(decoder, 1);
		if (opcode == 0x38 || opcode == 0x3a) {
			decoder->map = opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
			opcode = (uint8_t)x86_take(decoder, 1);
		}
	}
	decoder->to->opcode = opcode;
	decoder->to->map = decoder->map;
	switch (decoder->map) {
	case MAP_ONE:
		x86_decode_one_byte(decoder, opcode);
		break;
	case MAP_0F:
		x86_decode_0f(decoder, opcode);
		break;
	case MAP_0F38:
	case MAP_FP16_6:
		x86_decode_0f38(decoder, opcode);
		break;
	case MAP_0F3A:
		x86_decode_0f3a(decoder, opcode);
		break;
	case MAP_FP16_5: /* stores are as in map 0f (11); 2c, 2d, 78, 79 and 7e write general registers */
		x86_take_modrm(decoder);
		x86_write(decoder, decoder->reg);
		if (decoder->is_register)
			x86_write(decoder, decoder->rm);
		else
			decoder->to->nr_stored = (uint8_t)decoder->vector_bytes;
		break;
	case MAP_XOP_8:
	case MAP_XOP_9:
	case MAP_XOP_A: /* they include AMD's TBM */
		x86_take_modrm(decoder);
		x86_take(decoder, decoder->map == MAP_XOP_8 ? 1 : decoder->map == MAP_XOP_A ? 4 : 0);
		x86_write(decoder, decoder->reg);
		x86_write(decoder, decoder->third);
		if (decoder->is_register)
			x86_write(decoder, decoder->rm);
		break;
	default:
		decoder->bad = true;
	}
}

static uint8_t repeat_of(uint8_t pp)
{
	return pp == 2 ? 0xf3 : pp == 3 ? 0xf2 : 0;
}

/* VEX of two bytes (c5) or three bytes (c4), or XOP (8f), which has the form of c4. */
static void take_vex(struct decoder *decoder, uint8_t first)
{
	uint8_t second = (uint8_t)x86_take(decoder, 1), last = second;

	decoder->has_vex = true;
	decoder->rex = second & 0x80 ? 0 : REX_R;
	decoder->map = MAP_0F;
	if (first != 0xc5) {
		last = (uint8_t)x86_take(decoder, 1);
		decoder->rex |= (uint8_t)((second & 0x40 ? 0 : REX_X) | (second & 0x20 ? 0 : REX_B) |
					  (last & 0x80 ? REX_W : 0));
		decoder->map = second & 31;
		if (first == 0xc4 && (decoder->map < MAP_0F || decoder->map > MAP_0F3A))
			decoder->bad = true;
	}
	decoder->third = (uint8_t)(~last >> 3 & 15);
	decoder->vector_bytes = last & 4 ? 32 : 16;
	decoder->repeat = repeat_of(last & 3);
	decoder->has_66 = (last & 3) == 1;
}

static void take_evex(struct decoder *decoder)
{
	uint8_t first = (uint8_t)x86_take(decoder, 1), second = (uint8_t)x86_take(decoder, 1),
		third = (uint8_t)x86_take(decoder, 1);

	decoder->has_evex = true;
	decoder->rex = (uint8_t)((first & 0x80 ? 0 : REX_R) | (first & 0x40 ? 0 : REX_X) | (first & 0x20 ? 0 : REX_B) |
				 (second & 0x80 ? REX_W : 0));
	decoder->map = first & 7;
	decoder->third = (uint8_t)(~second >> 3 & 15);
	decoder->vector_bytes = third & 0x60 ? (third & 0x40 ? 64 : 32) : 16;
	decoder->repeat = repeat_of(second & 3);
	decoder->has_66 = (second & 3) == 1;
	if (first & 8 || !(second & 4) || decoder->map == MAP_ONE || decoder->map == 4) /* APX */
		decoder->bad = true;
}

/* Reads prefixes, including VEX, EVEX and XOP. The opcode is next. */
static void take_prefixes(struct decoder *decoder)
{
	while (decoder->at < decoder->end) {
		uint8_t byte = *decoder->at;

		if ((byte & 0xf0) == 0x40) { /* REX is valid only directly before the opcode */
			decoder->rex = byte & 15;
			decoder->has_rex = true;
			decoder->at++;
			continue;
		}
		if (byte == 0x66)
			decoder->has_66 = true;
		else if (byte == 0x67)
			decoder->has_67 = true;
		else if (byte == 0xf2 || byte == 0xf3)
			decoder->repeat = byte;
		else if (byte == 0x64 || byte == 0x65)
			decoder->has_segment = true;
		else if (byte != 0xf0 && byte != 0x26 && byte != 0x2e && byte != 0x36 && byte != 0x3e)
			break;
		decoder->at++;
		decoder->rex = 0;
		decoder->has_rex = false;
	}
	if (decoder->end - decoder->at < 2)
		return;
	if (*decoder->at == 0xc4 || *decoder->at == 0xc5 ||
	    (*decoder->at == 0x8f && (decoder->at[1] & 31) >= MAP_XOP_8)) {
		uint8_t first = (uint8_t)x86_take(decoder, 1);

		decoder->bad |= decoder->has_rex || decoder->has_66 || decoder->repeat;
		take_vex(decoder, first);
	} else if (*decoder->at == 0x62) {
		decoder->bad |= decoder->has_rex || decoder->has_66 || decoder->repeat;
		x86_take(decoder, 1);
		take_evex(decoder);
	}
}

bool x86_decode(const uint8_t *code, size_t nr, struct x86_instruction *ret_instruction)
{
	struct decoder decoder = {
		.at = code,
		.end = code + (nr < X86_BYTES_MAX ? nr : X86_BYTES_MAX),
		.to = ret_instruction,
		.vector_bytes = 16,
	};

	*ret_instruction = (struct x86_instruction){
		.reg = X86_NONE, .from = X86_NONE, .base = X86_NONE, .index = X86_NONE, .scale = 1, .rm = X86_NONE
	};
	take_prefixes(&decoder);
	decode_opcode(&decoder);
	ret_instruction->nr_bytes = (uint8_t)(decoder.at - code);
	return !decoder.bad;
}

bool x86_is_padding(const uint8_t *code, const struct x86_instruction *instruction)
{
	size_t nr = instruction->nr_bytes, at = 0;

	while (at + 1 < nr && (code[at] == 0x66 || code[at] == 0x2e))
		at++;
	if (at + 1 == nr)
		return code[at] == 0x90 || (!at && code[at] == 0xcc);
	return at + 2 < nr && code[at] == 0x0f && code[at + 1] == 0x1f;
}
