/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What unwind_cfi_scan.c and unwind_cfi_run.c share. */
#pragma once

#include "symbolize/cfi/unwind_cfi.h"
#include "symbolize/elf/eh_pointer.h"

enum {
	WORD_BYTES = 8, /* of x86_64 */
};

/* Runs the instructions of a CIE to have the state that its FDEs start with. 0 or -EBADMSG. */
int cfi_initial(struct cfi_cie *cie);

/* What follows the pointer to the CIE in an FDE that the scan has found, and its address. */
struct byte_reader cfi_fde_body(const struct cfi *cfi, const struct cfi_fde *fde, uint64_t *ret_address);
