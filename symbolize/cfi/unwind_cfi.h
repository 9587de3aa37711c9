/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame instructions (DWARF 5, 6.4) of x86_64. Only rsp, rbp and the return address are followed.
 *
 * A section has two kinds of entries. An FDE has the instructions for one range of code. A CIE has what several FDEs share.
 * unwind_cfi_scan() finds the entries, unwind_cfi_run() interprets an FDE.
 */
#pragma once

#include "bpf/unwind_abi.h"
#include "core/base/vec.h"
#include "symbolize/elf/frame_section.h"

/* Where the CFA, the caller's rbp and the return address are, at one instruction. */
struct cfi_state {
	struct cfi_cfa {
		enum {
			CFA_UNKNOWN, /* no instruction has set it yet */
			CFA_REGISTER, /* reg + offset */
			CFA_DEREF, /* word at (reg + offset), + add */
			CFA_DEREF_INDEXED, /* word at (reg + offset + 8 * index), + add */
			CFA_PLT, /* reg + offset + (address & 15 >= add ? 8 : 0) */
			CFA_OTHERWISE, /* an expression that is none of these */
		} kind;
		uint32_t reg, index; /* registers; `index` of CFA_DEREF_INDEXED only */
		int64_t offset, add;
	} cfa;
	struct cfi_saved {
		enum cfi_where {
			SAVED_UNSAID, /* no instruction has set it yet */
			SAVED_SAME, /* unchanged, in its own register */
			SAVED_UNDEFINED, /* cannot be recovered; for the return address: there is no caller */
			SAVED_AT_CFA, /* word at CFA + offset */
			SAVED_AT_REGISTER, /* word at (reg + offset) */
			SAVED_IN_REGISTER, /* in reg */
			SAVED_OTHERWISE, /* an expression that is none of these */
		} where;
		uint32_t reg;
		int64_t offset;
	} bp, ra;
};

struct cfi_cie {
	uint32_t position; /* in the section */
	bool usable; /* false: malformed or of an unknown kind, so its FDEs are skipped */
	struct frame_cie common;
	struct cfi_state initial; /* after the instructions of the CIE, where its FDEs begin */
};

/* An FDE; 16 bytes, for radix_sort(). */
struct cfi_fde {
	uint64_t start;
	uint32_t position; /* in the section */
	uint32_t cie; /* index into cfi.cies */
};

struct cfi {
	struct frame_section section;
	VEC(struct cfi_cie) cies; /* by position */
	VEC(struct cfi_fde) fdes; /* in the order of the section */
};

struct cfi_row {
	uint64_t address;
	struct st_unwind_rule rule;
};

struct cfi_rows {
	uint64_t end; /* address at which the last row ends */
	VEC(struct cfi_row) rows;
};

/*
 * Takes the section over, and finds its entries. Malformed entries are skipped; an entry whose length leads out of the
 * section ends the scan. 0 or -ENOMEM (then *cfi is empty).
 */
int unwind_cfi_scan(struct cfi *cfi, struct frame_section *section);
void unwind_cfi_done(struct cfi *cfi);

/*
 * Replaces `rows` by the rows of an FDE, by ascending address from its start on; none if its range is empty. 0, -EBADMSG for
 * malformed instructions (then `rows` is one row without a rule), or -ENOMEM.
 */
int unwind_cfi_run(const struct cfi *cfi, const struct cfi_fde *fde, struct cfi_rows *rows);
