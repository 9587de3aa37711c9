/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A disassembler for the instructions that clang makes of bpf/: Documentation/bpf/standardization/instruction-set.rst.
 * What it does not know it prints as numbers.
 */
#include "core/session/bpf_disasm.h"

static const char *const alu_signs[16] = {
	[BPF_ADD >> 4] = "+=", [BPF_SUB >> 4] = "-=", [BPF_MUL >> 4] = "*=",  [BPF_DIV >> 4] = "/=",
	[BPF_OR >> 4] = "|=",  [BPF_AND >> 4] = "&=", [BPF_LSH >> 4] = "<<=", [BPF_RSH >> 4] = ">>=",
	[BPF_MOD >> 4] = "%=", [BPF_XOR >> 4] = "^=", [BPF_MOV >> 4] = "=",   [BPF_ARSH >> 4] = "s>>=",
};

static const char *const jump_signs[16] = {
	[BPF_JEQ >> 4] = "==", [BPF_JGT >> 4] = ">",   [BPF_JGE >> 4] = ">=",   [BPF_JSET >> 4] = "&",
	[BPF_JNE >> 4] = "!=", [BPF_JSGT >> 4] = "s>", [BPF_JSGE >> 4] = "s>=", [BPF_JLT >> 4] = "<",
	[BPF_JLE >> 4] = "<=", [BPF_JSLT >> 4] = "s<", [BPF_JSLE >> 4] = "s<=",
};

static const char *size_name(unsigned int code)
{
	static const char *const names[] = { "u32", "u16", "u8", "u64" };

	return names[(code >> 3) & 3];
}

static void add_unknown(const struct bpf_insn *insn, struct buf *text)
{
	buf_addf(text, "code=%#04x dst=r%u src=r%u off=%d imm=%d", insn->code, insn->dst_reg, insn->src_reg, insn->off,
		 insn->imm);
}

static void add_alu(const struct bpf_insn *insn, struct buf *text)
{
	char letter = BPF_CLASS(insn->code) == BPF_ALU64 ? 'r' : 'w';
	const char *sign = alu_signs[BPF_OP(insn->code) >> 4];

	if (BPF_OP(insn->code) == BPF_NEG)
		buf_addf(text, "%c%u = -%c%u", letter, insn->dst_reg, letter, insn->dst_reg);
	else if (!sign)
		add_unknown(insn, text);
	else if (BPF_SRC(insn->code) == BPF_X)
		buf_addf(text, "%c%u %s %c%u", letter, insn->dst_reg, sign, letter, insn->src_reg);
	else
		buf_addf(text, "%c%u %s %d", letter, insn->dst_reg, sign, insn->imm);
}

static void add_condition(const struct bpf_insn *insn, struct buf *text)
{
	char letter = BPF_CLASS(insn->code) == BPF_JMP ? 'r' : 'w';
	const char *sign = jump_signs[BPF_OP(insn->code) >> 4];

	if (!sign)
		add_unknown(insn, text);
	else if (BPF_SRC(insn->code) == BPF_X)
		buf_addf(text, "if %c%u %s %c%u goto %+d", letter, insn->dst_reg, sign, letter, insn->src_reg,
			 insn->off);
	else
		buf_addf(text, "if %c%u %s %d goto %+d", letter, insn->dst_reg, sign, insn->imm, insn->off);
}

static void add_jump(const struct bpf_insn *insn, struct buf *text)
{
	switch (BPF_OP(insn->code)) {
	case BPF_EXIT:
		buf_adds(text, "exit");
		break;
	case BPF_JA:
		buf_addf(text, "goto %+d", insn->off);
		break;
	case BPF_CALL:
		buf_addf(text, insn->src_reg == BPF_PSEUDO_CALL ? "call pc%+d" : "call helper#%d", insn->imm);
		break;
	default:
		add_condition(insn, text);
	}
}

static void add_memory(const struct bpf_insn *insn, struct buf *text)
{
	const char *size = size_name(insn->code);

	switch (BPF_CLASS(insn->code) | BPF_MODE(insn->code)) {
	case BPF_LDX | BPF_MEM:
		buf_addf(text, "r%u = *(%s *)(r%u %+d)", insn->dst_reg, size, insn->src_reg, insn->off);
		break;
	case BPF_STX | BPF_MEM:
		buf_addf(text, "*(%s *)(r%u %+d) = r%u", size, insn->dst_reg, insn->off, insn->src_reg);
		break;
	case BPF_ST | BPF_MEM:
		buf_addf(text, "*(%s *)(r%u %+d) = %d", size, insn->dst_reg, insn->off, insn->imm);
		break;
	case BPF_STX | BPF_ATOMIC:
		buf_addf(text, "lock *(%s *)(r%u %+d) %s r%u", size, insn->dst_reg, insn->off,
			 insn->imm == BPF_ADD ? "+=" : "?", insn->src_reg);
		break;
	default:
		add_unknown(insn, text);
	}
}

/* The only instruction of two slots: a 64-bit constant, which is a map, a place in one, or a number. */
static void add_wide(const struct bpf_insn *insn, struct buf *text)
{
	unsigned long long value = (unsigned int)insn[0].imm | (unsigned long long)(unsigned int)insn[1].imm << 32;

	if (insn->src_reg == BPF_PSEUDO_MAP_FD || insn->src_reg == BPF_PSEUDO_MAP_VALUE)
		buf_addf(text, "r%u = map[%d]%+d", insn->dst_reg, insn[0].imm, insn[1].imm);
	else
		buf_addf(text, "r%u = %#llx ll", insn->dst_reg, value);
}

static void add_instruction(const struct bpf_insn *insn, struct buf *text)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		add_alu(insn, text);
		break;
	case BPF_JMP:
	case BPF_JMP32:
		add_jump(insn, text);
		break;
	default:
		add_memory(insn, text);
	}
}

void bpf_disassemble(const char *name, const struct bpf_insn *code, size_t nr, struct buf *ret_text)
{
	buf_addf(ret_text, "program %s: %zu instructions\n", name, nr);
	for (size_t i = 0; i < nr; i++) {
		bool wide = code[i].code == (BPF_LD | BPF_IMM | BPF_DW) && i + 1 < nr;

		buf_addf(ret_text, "%5zu: ", i);
		if (wide)
			add_wide(&code[i], ret_text);
		else
			add_instruction(&code[i], ret_text);
		buf_addc(ret_text, '\n');
		i += wide;
	}
}
