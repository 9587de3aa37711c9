/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The format of unwind tables: symbolize/cfi/ compiles a file into a table, core/unwind/ copies it into maps, and bpf/unwind_step.h reads
 * it. docs/internals/unwind-tables.md has the reasons.
 *
 * A table has, for each instruction of a file, the rule by which the caller's registers are found. Addresses are those of the file's
 * program headers. A page is 4 KiB of them:
 *
 *   directory   one st_unwind_page per page: where its rows are; a page without rows has no rules
 *   rows        one u32 each, sorted by the address within the page. The first row of a page has address 0, so the search never
 *               needs another page. A row applies up to the next one.
 *   rules       rows refer to them; rule 0 is ST_UNWIND_INVALID in every table
 *
 * In a compiled table, rows and rules are numbered from 0; core/unwind adds their place in the maps. For a return address, the row of
 * address - 1 applies, the last byte of the call; for an address that was interrupted, also by a signal, its own row.
 *
 * Register numbers are DWARF's for x86_64 (System V psABI, "DWARF Register Number Mapping"): 0 rax, 1 rdx, 2 rcx, 3 rbx, 4 rsi, 5 rdi, 6
 * rbp, 7 rsp, 8 to 15 r8 to r15.
 */
#pragma once

#include <linux/types.h>

#define ST_UNWIND_PAGE_SHIFT 12
#define ST_UNWIND_RULE_BITS 20 /* the low bits of a row */
#define ST_UNWIND_RULES_MAX (1u << ST_UNWIND_RULE_BITS)
#define ST_UNWIND_PAGE_ROWS_MAX 2047 /* of one page: a search of 11 steps finds as many */

/* A row, its parts, and the key of a search: the row of an address is the last one that is <= ST_UNWIND_KEY(address). */
#define ST_UNWIND_ROW(address, rule)                                                        \
	((((__u32)(address) & ((1u << ST_UNWIND_PAGE_SHIFT) - 1)) << ST_UNWIND_RULE_BITS) | \
	 ((__u32)(rule) & (ST_UNWIND_RULES_MAX - 1)))
#define ST_UNWIND_KEY(address) ST_UNWIND_ROW(address, ST_UNWIND_RULES_MAX - 1)
#define ST_UNWIND_ROW_ADDRESS(row) ((row) >> ST_UNWIND_RULE_BITS)
#define ST_UNWIND_ROW_RULE(row) ((row) & (ST_UNWIND_RULES_MAX - 1))

/* A page of the directory. One word, so that it is never read half written. */
typedef __u64 st_unwind_page;
#define ST_UNWIND_PAGE(first, nr) ((st_unwind_page)(__u32)(nr) << 32 | (__u32)(first))
#define ST_UNWIND_PAGE_FIRST(page) ((__u32)(page))
#define ST_UNWIND_PAGE_NR(page) ((__u32)((page) >> 32))

/*
 * How the CFA is computed, which is the caller's stack pointer after the return. With SIGNAL, all registers come from the signal frame.
 * INVALID, STOP and UNSUPPORTED have no CFA. For the others, st_unwind_rule.how says how rbp and the return address are found.
 */
enum st_unwind_kind {
	ST_UNWIND_INVALID = 0, /* no rule: a gap, or invalid CFI */
	ST_UNWIND_STOP, /* the return address is undefined: the outermost frame */
	ST_UNWIND_SP, /* rsp + offset */
	ST_UNWIND_BP, /* rbp + offset */
	ST_UNWIND_REGISTER, /* register + offset; only in an interrupted frame (also by a signal) */
	ST_UNWIND_PLT, /* rsp + at + (address & 15 >= add ? 8 : 0): each entry of a PLT pushes a word at `add` */
	ST_UNWIND_DEREF_SP, /* (u64 at rsp + at) + add */
	ST_UNWIND_DEREF_BP, /* (u64 at rbp + at) + add */
	ST_UNWIND_DEREF_INDEXED, /* (u64 at rsp + at + 8 * register) + add; restricted like REGISTER */
	ST_UNWIND_SIGNAL, /* struct sigcontext at rsp + offset has all registers */
	ST_UNWIND_UNSUPPORTED, /* no CFA: these kinds cannot express the rule of the file */
	ST_UNWIND_NR_KINDS
};

enum st_unwind_bp {
	ST_UNWIND_BP_SAME = 0,
	ST_UNWIND_BP_AT_CFA, /* u64 at CFA + bp_offset */
	ST_UNWIND_BP_AT_BP, /* u64 at rbp + bp_offset: functions that realign their stack */
	ST_UNWIND_BP_LOST, /* unknown: rules with rbp and frame pointers cannot find the callers */
};

enum st_unwind_ra {
	/*
	 * u64 at CFA - 8, where a call puts it. If the CFA is rsp, the return address was popped. In the interrupted frame it is still in
	 * memory (musl's vfork). In other frames a call has overwritten it, and the frame is a root (musl's clone).
	 */
	ST_UNWIND_RA_AT_CFA = 0,
	ST_UNWIND_RA_REGISTER, /* in a register; restricted like ST_UNWIND_REGISTER (vfork keeps it in rdi) */
	ST_UNWIND_RA_ELSEWHERE, /* like AT_CFA, but the caller's stack is another one, which may be lower (Go's systemstack) */
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
#define ST_UNWIND_HOW_REG(how) \
	((how) >> 4) /* the register of kind REGISTER or DEREF_INDEXED, or of RA_REGISTER; a rule has at most one */

_Static_assert(sizeof(struct st_unwind_rule) == 8, "struct st_unwind_rule changed size");
_Static_assert(__builtin_offsetof(struct st_unwind_rule, offset) == 4, "offset of a rule");
_Static_assert(__builtin_offsetof(struct st_unwind_rule, add) == 6, "add of a rule");
_Static_assert(ST_UNWIND_PAGE_SHIFT + ST_UNWIND_RULE_BITS == 32, "a row is 32 bits");
_Static_assert(ST_UNWIND_NR_KINDS <= 16, "kinds");
_Static_assert(ST_UNWIND_RA_REGISTER == 1 && ST_UNWIND_RA_ELSEWHERE == 2, "one bit each");
