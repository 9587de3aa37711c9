/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the kernel can put a breakpoint on an instruction of user code, as far as its bytes tell. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum first_instruction {
	FIRST_TAKEN,    /* as far as is known */
	FIRST_DOUBTFUL, /* the kernel may refuse it */
	FIRST_MISREAD,  /* the kernel would take it, and break the program */
	FIRST_NOP5,     /* a nop of five bytes; of a place: and to probe it does harm here (core/host/red_zone.h) */
	FIRST_UNTRIED,  /* of a place: a nop of five bytes, and it could not be tried whether a probe does harm */
};

#define FIRST_INSTRUCTION_BYTES 8

/*
 * Of the first bytes of a function; at most FIRST_INSTRUCTION_BYTES are looked at.
 *
 * Before it puts a breakpoint on an instruction, the kernel decides by its opcode how to go on behind it
 * (arch_uprobe_analyze_insn(), arch/x86/kernel/uprobes.c, all versions up to v6.18). It looks at the opcode of a vector
 * instruction (VEX, EVEX, XOP) as if it were the one-byte opcode of that value: vpbroadcastb, 7a, is emulated as jp; a
 * nop, 90, is skipped; behind what looks like a return, c2, the program goes on in the kernel's copy. None of these
 * may be asked for, for the kernel agrees.
 *
 * A nop of five bytes is one by insn_is_nop() of the kernel (arch/x86/kernel/alternative.c): any prefixes, and 0f 1f /0 or 90.
 */
enum first_instruction first_instruction(const uint8_t *code, size_t nr);

/* Why no probe is put on such an instruction; NULL: it is tried. */
const char *first_instruction_obstacle(enum first_instruction first);
