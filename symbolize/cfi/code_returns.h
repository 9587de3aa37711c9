/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a function returns, judged by its branches and calls. exit() and functions that end in it do not; the bytes after a call of such
 * a function may belong to another function.
 */
#pragma once

#include "symbolize/elf/elf_file.h"

enum {
	CODE_RETURNS_WINDOW = 1024,
	CODE_RETURNS_KNOWN = 4096, /* size of the cache; a power of two */
	CODE_RETURNS_BUDGET = 1 << 20, /* instructions decoded for one file: about 30 ms */
};

enum code_end {
	CODE_NEVER_RETURNS, /* all its ends were reached, and none is a return or a jump to an unknown place */
	CODE_MAY_RETURN,
	CODE_RETURNS, /* it reaches a return without a call that may never return */
};

struct code_returns {
	const struct elf_file *elf;
	uint8_t window[CODE_RETURNS_WINDOW]; /* code from window_start on */
	uint64_t window_start;
	size_t nr_window;
	uint64_t known[CODE_RETURNS_KNOWN]; /* a cache: address << 2 | enum code_end; 0: empty */
	uint64_t nr_visits;
};

/* How a call of this address ends. */
enum code_end code_returns(struct code_returns *it, uint64_t address);
