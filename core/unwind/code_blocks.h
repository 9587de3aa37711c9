/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that sljit has made, the compiler of PCRE's regular expressions (sljitExecAllocator.c): memory in chunks of whole pages. Each chunk
 * is a row of blocks with headers, so it is known where each function begins. A function has one block, and all of it is code.
 *
 * The code is not trusted and not decoded here: the symbol worker gets it as an ELF file in which each block is a function, and makes
 * rows from its instructions (docs/internals/unwind-synthesis.md).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

enum {
	CODE_BLOCKS_BYTES_MAX = 1 << 20, /* of one area */
	CODE_COPIES_BYTES_MAX = 32 << 20, /* of all copies that are there */
};

struct code_block {
	size_t start, end; /* of its code, in the area */
};

/* What an area of memory had at one time. */
struct code_copy {
	uint8_t *bytes; /* NULL: none */
	size_t nr;
	bool is_counted; /* in the bytes of all copies */
	VEC(struct code_block) blocks; /* those in use, by address */
};

void code_copy_done(struct code_copy *copy);

/*
 * Finds the blocks of a copy, those of the chunks that follow each other from its start on. 0, -ENODATA: it does not begin with a chunk;
 * -ENOMEM.
 */
int code_blocks_find(struct code_copy *copy);

enum {
	CODE_BLOCKS_BEGIN_BYTES = 40, /* the first bytes of an area, which show whether a chunk may begin there */
};

/* Whether an area of `nr` bytes that begins like this may begin with a chunk. */
bool code_blocks_may_begin(const uint8_t begin[CODE_BLOCKS_BEGIN_BYTES], size_t nr);

/*
 * Copies the code that a process has at [start, end) now, if it begins with a chunk. As code_blocks_find(), or -E2BIG beyond the limits, or the
 * errno of reading the code.
 */
int code_blocks_read(uint32_t tgid, uint64_t start, uint64_t end, struct code_copy *ret_copy);

/* Whether the block at this place of `before`, if there is one, has the same code in `now`. */
bool code_blocks_same(const struct code_copy *before, const struct code_copy *now, size_t place);

/* An ELF file with the blocks, whose addresses count from the start of the area; what is not in use is 0. A descriptor or an errno. */
int code_blocks_image(const struct code_copy *copy);
