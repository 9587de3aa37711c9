/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The format of unwind tables: symbolize/cfi/ compiles a file into one, core/unwind/ copies it into maps, and
 * bpf/unwind.bpf.c reads it. docs/internals/unwind-tables.md has the reasons.
 *
 * A table tells, for each instruction of a file, how to find the caller's registers. Addresses are the file's own
 * (link-time, as in its program headers). A page is 4 KiB of them:
 *
 *   directory   one st_unwind_page per page: where its rows are; no rows: nothing is known of the page
 *   rows        one u32 each, rising by the address within the page; the first row of a page has address 0, so the search
 *               never looks at another page. A row holds until the next one.
 *   rules       what rows point at; rule 0 is ST_UNWIND_INVALID in every table
 *
 * A table as compiled counts rows and rules from 0; the publisher adds where it put them. A row is looked up by the
 * last byte of a call (return address - 1), but by the address itself for the interrupted frame and the one under a
 * signal frame.
 *
 * Register numbers are DWARF's for x86_64 (System V psABI, "DWARF Register Number Mapping"): 0 rax, 1 rdx, 2 rcx, 3 rbx,
 * 4 rsi, 5 rdi, 6 rbp, 7 rsp, 8 to 15 as they are called.
 */
#pragma once

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#define ST_UNWIND_PAGE_SHIFT 12
#define ST_UNWIND_RULE_BITS 20 /* of a row, the low ones */
#define ST_UNWIND_RULES_MAX (1u << ST_UNWIND_RULE_BITS)
#define ST_UNWIND_PAGE_ROWS_MAX 2047 /* of one page: what an 11-step search can tell apart */

/* The row of an address within its page, and the parts of a row. A row is the wanted one when it is the last <= KEY. */
#define ST_UNWIND_ROW(address, rule)                                                        \
	((((__u32)(address) & ((1u << ST_UNWIND_PAGE_SHIFT) - 1)) << ST_UNWIND_RULE_BITS) | \
	 ((__u32)(rule) & (ST_UNWIND_RULES_MAX - 1)))
#define ST_UNWIND_KEY(address) ST_UNWIND_ROW(address, ST_UNWIND_RULES_MAX - 1)
#define ST_UNWIND_ROW_ADDRESS(row) ((row) >> ST_UNWIND_RULE_BITS)
#define ST_UNWIND_ROW_RULE(row) ((row) & (ST_UNWIND_RULES_MAX - 1))

/* A page of the directory, read and written as one word, so that it is there or not. */
typedef __u64 st_unwind_page;
#define ST_UNWIND_PAGE(first, nr) ((st_unwind_page)(__u32)(nr) << 32 | (__u32)(first))
#define ST_UNWIND_PAGE_FIRST(page) ((__u32)(page))
#define ST_UNWIND_PAGE_NR(page) ((__u32)((page) >> 32))

/*
 * How the CFA is found: the stack pointer that the caller has after the return. The caller's rsp is the CFA in all kinds
 * but SIGNAL. But for INVALID, STOP and UNSUPPORTED, `bp` and `ra` of st_unwind_rule say where the other two registers are.
 */
enum st_unwind_kind {
	ST_UNWIND_INVALID = 0, /* no rule for this address: a gap, or instructions that make no sense */
	ST_UNWIND_STOP, /* the return address is undefined: the outermost frame of a thread */
	ST_UNWIND_SP, /* rsp + offset */
	ST_UNWIND_BP, /* rbp + offset */
	ST_UNWIND_REGISTER, /* register + offset; known in the interrupted frame, or directly under a signal frame */
	ST_UNWIND_PLT, /* rsp + at + (address & 15 >= add ? 8 : 0): the entries of a PLT push on their way */
	ST_UNWIND_DEREF_SP, /* u64 at (rsp + at) + add */
	ST_UNWIND_DEREF_BP, /* u64 at (rbp + at) + add */
	ST_UNWIND_SIGNAL, /* all registers were saved by the kernel: a struct sigcontext at rsp + offset */
	ST_UNWIND_UNSUPPORTED, /* as INVALID; the file has a rule that these cannot express */
	ST_UNWIND_NR_KINDS
};

/* The caller's rbp. */
enum st_unwind_bp {
	ST_UNWIND_BP_SAME = 0,
	ST_UNWIND_BP_AT_CFA, /* u64 at CFA + bp_offset */
	ST_UNWIND_BP_AT_BP, /* u64 at rbp + bp_offset: functions that realign their stack */
	ST_UNWIND_BP_LOST, /* cannot be told: rules on rbp and frame pointers are of no use above this frame */
};

/* The return address. */
enum st_unwind_ra {
	/*
	 * u64 at CFA - 8, where a call puts it. Where the CFA is rsp itself it was popped: still there in the interrupted frame
	 * (musl's vfork), but overwritten where a call was made since, and that is a root (musl's clone).
	 */
	ST_UNWIND_RA_AT_CFA = 0,
	ST_UNWIND_RA_REGISTER, /* in `reg`; known as for ST_UNWIND_REGISTER (vfork keeps it in rdi) */
	ST_UNWIND_RA_ELSEWHERE, /* as AT_CFA, and the caller is on another stack, which may lie below this one (Go's systemstack) */
};

struct st_unwind_rule {
	__u8 kind; /* enum st_unwind_kind */
	__u8 how; /* ST_UNWIND_HOW(): bp in bits 0 and 1, ra in bits 2 and 3, the register in bits 4 to 7 */
	__s16 bp_offset;
	union {
		__s32 offset;
		struct {
			__s16 at, add; /* PLT and DEREF */
		};
	};
};

#define ST_UNWIND_HOW(bp, ra, reg) ((__u8)((bp) | (ra) << 2 | (reg) << 4))
#define ST_UNWIND_HOW_BP(how) ((how) & 3)
#define ST_UNWIND_HOW_RA(how) ((how) >> 2 & 3)
#define ST_UNWIND_HOW_REG(how) ((how) >> 4) /* of kind REGISTER, or of RA_REGISTER; a rule has one at most */

_Static_assert(sizeof(struct st_unwind_rule) == 8, "struct st_unwind_rule changed size");
_Static_assert(__builtin_offsetof(struct st_unwind_rule, offset) == 4, "offset of a rule");
_Static_assert(__builtin_offsetof(struct st_unwind_rule, add) == 6, "add of a rule");
_Static_assert(ST_UNWIND_PAGE_SHIFT + ST_UNWIND_RULE_BITS == 32, "a row is 32 bits");
_Static_assert(ST_UNWIND_NR_KINDS <= 16, "kinds");
_Static_assert(ST_UNWIND_RA_REGISTER == 1 && ST_UNWIND_RA_ELSEWHERE == 2, "one bit each");
