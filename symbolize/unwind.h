/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables of files, made by the symbol worker of symbolize/symbolize.h. Their format is the one that the kernel side
 * walks by (bpf/unwind_abi.h), which is why they have a header of their own.
 */
#pragma once

#include "symbolize/cfi/unwind_table.h"
#include "symbolize/symbolize.h"

/* A requested unwind table. */
struct symbol_unwind {
	uint32_t number;
	enum symbol_status status; /* SYMBOL_NO_TABLE: the file has nothing to unwind by */
	struct unwind_table table; /* the receiver's, for unwind_table_done(); nothing but `needs` unless SYMBOL_OK */
};

/*
 * Requests the unwind table of a file, under a number that is the caller's own and has nothing to do with those of
 * symbolizer_add_file(). Takes ownership of `fd`, in any case, and never waits. 0, -EAGAIN when so many are being made
 * that some have to be taken first, -ENOMEM. `root`: as of symbolizer_add_file().
 */
int symbolizer_want_unwind(struct symbolizer *symbolizer, uint32_t number, int fd, uint32_t root);

/*
 * The next table, for files of one owner in the order of the requests; waits up to `timeout_ms` for it, 0 to only look. False when there is none
 * yet, or none was requested. What comes has been checked: unwind_table_is_valid().
 */
bool symbolizer_next_unwind(struct symbolizer *symbolizer, int timeout_ms, struct symbol_unwind *ret_unwind);

/*
 * To wait for together with other things: readable when symbolizer_next_unwind() may have something. The symbolizer's own.
 */
int symbolizer_socket(const struct symbolizer *symbolizer);
