/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Indexes of words in struct pt_regs of x86_64. */
enum {
	ST_PT_BP = 4,
	ST_PT_ORIG_AX = 15,
	ST_PT_IP = 16,
	ST_PT_CS = 17,
	ST_PT_SP = 19,
};

/* Indexes of words in struct sigcontext of x86_64, which a signal leaves on the stack. */
enum {
	ST_SIGCONTEXT_BP = 10,
	ST_SIGCONTEXT_SP = 15,
	ST_SIGCONTEXT_IP = 16,
	ST_SIGCONTEXT_WORDS = 17,
};

/* For each DWARF register number, four bits (the lowest for 0): its index in either structure. That of rsp is never used. */
#define ST_REGISTERS_PT 0x01236789f4ed5bcaULL
#define ST_REGISTERS_SIGCONTEXT 0x76543210fa89becdULL

#define ST_PAGE_BYTES 4096

#define ST_CS_USER_32 0x23 /* __USER32_CS */
#define ST_CS_USER_64 0x33 /* __USER_CS; it differs under Xen PV */
