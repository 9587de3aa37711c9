/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame instructions (DWARF 5, 6.4) of x86_64, as far as rsp, rbp and the return address go.
 *
 * A section is a row of entries: CIEs with what is common, and FDEs, each with the instructions of one range of code.
 * unwind_cfi_scan() finds them, unwind_cfi_run() interprets one FDE.
 */
#pragma once

#include "bpf/unwind_abi.h"
#include "core/base/vec.h"
#include "symbolize/elf/frame_section.h"

/* Where the CFA, rbp and the return address are, in the middle of a function. */
struct cfi_state {
	struct cfi_cfa {
		enum {
			CFA_UNKNOWN, /* nothing has said so far */
			CFA_REGISTER, /* reg + offset */
			CFA_DEREF, /* word at (reg + offset), + add */
			CFA_PLT, /* reg + offset + (address & 15 >= add ? 8 : 0) */
			CFA_OTHERWISE, /* an expression of another shape */
		} kind;
		uint32_t reg;
		int64_t offset, add;
	} cfa;
	struct cfi_saved {
		enum cfi_where {
			SAVED_UNSAID,
			SAVED_SAME,
			SAVED_UNDEFINED,
			SAVED_AT_CFA, /* word at CFA + offset */
			SAVED_AT_REGISTER, /* word at (reg + offset) */
			SAVED_IN_REGISTER, /* in reg */
			SAVED_OTHERWISE,
		} where;
		uint32_t reg;
		int64_t offset;
	} bp, ra;
};

struct cfi_cie {
	uint32_t position; /* in the section */
	bool usable;
	struct frame_cie common;
	struct cfi_state initial;
};

/* An FDE; 16 bytes, for radix_sort(). */
struct cfi_fde {
	uint64_t start;
	uint32_t position; /* in the section */
	uint32_t cie;
};

struct cfi {
	struct frame_section section;
	VEC(struct cfi_cie) cies; /* by position */
	VEC(struct cfi_fde) fdes; /* as they come */
};

struct cfi_row {
	uint64_t address;
	struct st_unwind_rule rule;
};

struct cfi_rows {
	uint64_t end; /* where the last row ends */
	VEC(struct cfi_row) rows;
};

/*
 * Takes the section over, and finds what is in it. Entries that make no sense are passed over, and after a length that
 * leads out of the section there is nothing more. 0 or -ENOMEM.
 */
int unwind_cfi_scan(struct cfi *cfi, struct frame_section *section);
void unwind_cfi_done(struct cfi *cfi);

/*
 * The rows of an FDE, rising by address, the first one at its start; `rows` is emptied first. Where the instructions
 * make no sense, it is one row without a rule. 0, -EBADMSG for that case, or -ENOMEM.
 */
int unwind_cfi_run(const struct cfi *cfi, const struct cfi_fde *fde, struct cfi_rows *rows);
