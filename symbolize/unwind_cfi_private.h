/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What unwind_cfi_scan.c and unwind_cfi_run.c share. */
#pragma once

#include "symbolize/unwind_cfi.h"
#include "symbolize/unwind_pointer.h"

/* Runs the instructions of a CIE to have the state that its FDEs start with. 0 or -EBADMSG. */
int cfi_initial(struct cfi_cie *cie, struct unwind_bytes instructions);

/* What follows the pointer to the CIE in an FDE that the scan has found, and its address. */
struct unwind_bytes cfi_fde_body(const struct cfi *cfi, const struct cfi_fde *fde, uint64_t *ret_address);
