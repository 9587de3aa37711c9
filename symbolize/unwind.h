/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind tables of files, compiled by symbol workers (symbolize/symbolize.h). BPF programs share their format (bpf/unwind_abi.h). */
#pragma once

#include "symbolize/cfi/unwind_table.h"
#include "symbolize/symbolize.h"

struct symbol_unwind {
	uint32_t number;
	enum symbol_status status; /* SYMBOL_NO_TABLE: the file has no unwind information */
	struct unwind_table table; /* owned by the receiver: unwind_table_done(); only `needs` is set unless SYMBOL_OK */
};

/*
 * Requests the unwind table of a file. `number` is the caller's and unrelated to those of symbolizer_add_file(). Takes ownership of `fd`,
 * also on failure, and never waits. `root` as in symbolizer_add_file(). Returns 0, -EAGAIN if there are too many requests (take finished
 * tables first), or -ENOMEM.
 */
int symbolizer_want_unwind(struct symbolizer *symbolizer, uint32_t number, int fd, uint32_t root);

/*
 * Takes the next table; those for files of one owner come in request order. Waits up to `timeout_ms`. Returns false if none is ready or
 * none was requested. The table is valid by unwind_table_is_valid().
 */
bool symbolizer_next_unwind(struct symbolizer *symbolizer, int timeout_ms, struct symbol_unwind *ret_unwind);

/* A descriptor for epoll or poll: readable if symbolizer_next_unwind() may have a table. It belongs to the symbolizer. */
int symbolizer_socket(const struct symbolizer *symbolizer);
