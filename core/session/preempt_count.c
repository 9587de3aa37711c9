/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/session/preempt_count.h"

#include <stdbool.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/abi.h"
#include "core/base/alloc.h"
#include "core/base/cleanup.h"

/* A 64-bit constant takes two instruction slots, each with one half. */
static bool is_mark(const struct bpf_insn *code)
{
	return code[0].code == (BPF_LD | BPF_IMM | BPF_DW) && !code[0].src_reg &&
	       code[0].imm == (int32_t)ST_PREEMPT_COUNT_MARK && code[1].imm == (int32_t)(ST_PREEMPT_COUNT_MARK >> 32);
}

int preempt_count_name(struct bpf_program *program, uint32_t variable)
{
	size_t nr = bpf_program__insn_cnt(program);
	_cleanup_(freep) struct bpf_insn *code = xcalloc(nr, sizeof(*code));

	memcpy(code, bpf_program__insns(program), nr * sizeof(*code));
	for (size_t i = 0; i + 1 < nr; i++) {
		if (!is_mark(&code[i]))
			continue;
		code[i].src_reg = BPF_PSEUDO_BTF_ID;
		code[i].imm = (int32_t)variable;
		code[i + 1].imm = 0; /* in the kernel itself, not in a module */
	}
	return bpf_program__set_insns(program, code, nr);
}
