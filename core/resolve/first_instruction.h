/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decides by the bytes of an instruction of user code whether the kernel can put a breakpoint on it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum first_instruction {
	FIRST_TAKEN,    /* the kernel can probe it, as far as is known */
	FIRST_DOUBTFUL, /* the kernel may refuse it */
	FIRST_MISREAD,  /* the kernel would accept it, and the program would crash */
	FIRST_NOP5, /* a nop of five bytes. In struct probe_place: and a probe on it breaks programs (core/host/red_zone.h) */
	FIRST_UNTRIED, /* only in struct probe_place: a nop of five bytes, and it is unknown whether a probe breaks programs */
};

#define FIRST_INSTRUCTION_BYTES 8

/*
 * Classifies the instruction at `code`; looks at most at FIRST_INSTRUCTION_BYTES.
 *
 * When the kernel sets a breakpoint, it decides by the opcode how the program will continue after the instruction
 * (arch_uprobe_analyze_insn(), arch/x86/kernel/uprobes.c, all versions up to v6.18). It treats the opcode of a vector instruction
 * (VEX, EVEX, XOP) as a one-byte opcode: it emulates vpbroadcastb (7a) as jp and skips an instruction with 90 as a nop; after c2,
 * which it takes for a return, the program would continue in the kernel's copy of the instruction. The kernel accepts such breakpoints,
 * so stacktool must not ask for them.
 *
 * A nop of five bytes is what insn_is_nop() of the kernel accepts (arch/x86/kernel/alternative.c): prefixes, and 0f 1f /0 or 90.
 */
enum first_instruction first_instruction(const uint8_t *code, size_t nr);

/* Why no probe may be set on such an instruction; NULL: one is tried. */
const char *first_instruction_obstacle(enum first_instruction first);
