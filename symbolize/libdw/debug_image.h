/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debug sections of a file as an ELF file in memory: unpacked, relocated if the file is a kernel module, and nothing
 * else. libdw gets this in place of the file: it maps no file, and finds no path of another one to look for.
 */
#pragma once

#include "symbolize/elf/elf_file.h"

struct debug_image {
	unsigned char *bytes;
	size_t nr_bytes;
	uint64_t lines, nr_lines; /* where .debug_line is in it, and its size */
};

/* The size of the line program at an offset of .debug_line; 0 when there is none. */
uint64_t debug_image_program_size(const struct debug_image *image, uint64_t offset);

/*
 * Makes it. 0, -ENODATA without .debug_info, -EBADMSG for sections or relocations that make no sense or are not known,
 * -ENOMEM, also for more than 256 MB.
 */
int debug_image_make(const struct elf_file *elf, struct debug_image *ret_image);
void debug_image_done(struct debug_image *image);
