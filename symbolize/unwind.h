/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables of files, made by the symbol worker of symbolize/symbolize.h. They have their own header because BPF
 * programs share their format (bpf/unwind_abi.h).
 */
#pragma once

#include "symbolize/cfi/unwind_table.h"
#include "symbolize/symbolize.h"

/* A requested unwind table. */
struct symbol_unwind {
	uint32_t number;
	enum symbol_status status; /* SYMBOL_NO_TABLE: the file has no unwind information */
	struct unwind_table table; /* owned by the receiver: unwind_table_done(); has only `needs` unless SYMBOL_OK */
};

/*
 * Requests the unwind table of a file, under a number of the caller's that is unrelated to those of
 * symbolizer_add_file(). Takes ownership of `fd` in any case, and never waits. 0, -EAGAIN if there are too many
 * requests (take finished ones first), -ENOMEM. `root` as in symbolizer_add_file().
 */
int symbolizer_want_unwind(struct symbolizer *symbolizer, uint32_t number, int fd, uint32_t root);

/*
 * Takes the next table; those for files of one owner come in the order of the requests. Waits for it up to
 * `timeout_ms`. False if none is ready, or none was requested. The table has been checked: unwind_table_is_valid().
 */
bool symbolizer_next_unwind(struct symbolizer *symbolizer, int timeout_ms, struct symbol_unwind *ret_unwind);

/*
 * A descriptor for epoll or poll: readable if symbolizer_next_unwind() may have a table. It belongs to the symbolizer.
 */
int symbolizer_socket(const struct symbolizer *symbolizer);
