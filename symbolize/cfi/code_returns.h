/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a function returns, by its branches and calls alone: exit() and all that end in it do not, and what is after a call of them
 * may be another function.
 */
#pragma once

#include "symbolize/elf/elf_file.h"

enum {
	CODE_RETURNS_WINDOW = 1024,
	CODE_RETURNS_KNOWN = 4096, /* answers that are kept; a power of two */
	CODE_RETURNS_BUDGET = 1 << 20, /* instructions that are looked at for one file: about 30 ms */
};

enum code_end {
	CODE_NEVER_RETURNS, /* it was followed to all its ends, and none is a return or a jump to an unknown place */
	CODE_MAY_RETURN, /* not known */
	CODE_RETURNS, /* a return is reached without a call that may never return */
};

struct code_returns {
	const struct elf_file *elf;
	uint8_t window[CODE_RETURNS_WINDOW]; /* bytes of code from window_start on */
	uint64_t window_start;
	size_t nr_window;
	uint64_t known[CODE_RETURNS_KNOWN]; /* address << 2 | enum code_end; 0: none. Others may take its place */
	uint64_t nr_visits;
};

/* How a call of this address ends. */
enum code_end code_returns(struct code_returns *it, uint64_t address);
