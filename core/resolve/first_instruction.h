/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum first_instruction {
	FIRST_TAKEN, /* the kernel can probe it, as far as known */
	FIRST_DOUBTFUL, /* the kernel may refuse it */
	FIRST_MISREAD, /* the kernel would accept it, and the program would crash */
	FIRST_NOP5, /* a five-byte nop; in struct probe_place: where a probe breaks programs (core/host/red_zone.h) */
	FIRST_UNTRIED, /* only in struct probe_place: a five-byte nop where a probe may break programs; that could not be tested */
};

#define FIRST_INSTRUCTION_BYTES 8

/*
 * Classifies the user instruction at `code` by what the kernel does with a breakpoint there; reads at most FIRST_INSTRUCTION_BYTES.
 *
 * The kernel decides by the opcode how a program continues after a probed instruction (arch_uprobe_analyze_insn(),
 * arch/x86/kernel/uprobes.c, all versions up to v6.18). It takes the opcode of a vector instruction (VEX, EVEX, XOP) for a one-byte opcode:
 * it emulates vpbroadcastb (7a) as jp, and skips an instruction with 90 as a nop; c2 is a return for it, so the program would continue in
 * the kernel's copy of the instruction. The kernel accepts such breakpoints, so stacktool must not set them.
 *
 * A five-byte nop is what insn_is_nop() of the kernel accepts (arch/x86/kernel/alternative.c): prefixes, and 0f 1f /0 or 90.
 */
enum first_instruction first_instruction(const uint8_t *code, size_t nr);

/* Why such an instruction is not probed; NULL: it is. */
const char *first_instruction_obstacle(enum first_instruction first);
