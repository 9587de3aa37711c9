/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame instructions (DWARF 5, 6.4) of x86_64: follows only rsp, rbp and the return address.
 *
 * An FDE has the instructions for one range of code, a CIE what several FDEs share. unwind_cfi_scan() finds these entries, unwind_cfi_run()
 * runs an FDE.
 */
#pragma once

#include "bpf/unwind_abi.h"
#include "core/base/vec.h"
#include "symbolize/elf/frame_section.h"

/* Where the CFA, the caller's rbp and the return address are, at one instruction. */
struct cfi_state {
	struct cfi_cfa {
		enum {
			CFA_UNKNOWN, /* not set by an instruction */
			CFA_REGISTER, /* reg + offset */
			CFA_DEREF, /* word at (reg + offset), + add */
			CFA_DEREF_INDEXED, /* word at (reg + offset + 8 * index), + add */
			CFA_PLT, /* reg + offset + (address & 15 >= add ? 8 : 0) */
			CFA_OTHERWISE, /* another expression */
		} kind;
		uint32_t reg, index; /* `index`: for CFA_DEREF_INDEXED only */
		int64_t offset, add;
	} cfa;
	struct cfi_saved {
		enum cfi_where {
			SAVED_UNSAID, /* not set by an instruction */
			SAVED_SAME, /* unchanged, in its own register */
			SAVED_UNDEFINED, /* not recoverable; as return address: there is no caller */
			SAVED_AT_CFA, /* word at CFA + offset */
			SAVED_AT_REGISTER, /* word at (reg + offset) */
			SAVED_IN_REGISTER,
			SAVED_OTHERWISE, /* another expression */
		} where;
		uint32_t reg;
		int64_t offset;
	} bp, ra;
};

struct cfi_cie {
	uint32_t position; /* in the section */
	bool usable; /* false: malformed or of an unknown kind; its FDEs are skipped */
	struct frame_cie common;
	struct cfi_state initial; /* after the instructions of the CIE */
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
	uint64_t end; /* end of the last row */
	VEC(struct cfi_row) rows;
};

/*
 * Takes over the section and finds its entries. Skips malformed entries, and stops at an entry whose length exceeds the section. Returns 0,
 * or -ENOMEM with *cfi empty.
 */
int unwind_cfi_scan(struct cfi *cfi, struct frame_section *section);
void unwind_cfi_done(struct cfi *cfi);

/*
 * Replaces `rows` by those of an FDE, ascending from its start; none if its range is empty. Returns 0, -EBADMSG for malformed instructions
 * (with one row without a rule), or -ENOMEM.
 */
int unwind_cfi_run(const struct cfi *cfi, const struct cfi_fde *fde, struct cfi_rows *rows);
