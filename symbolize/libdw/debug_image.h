/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy of the debug sections of a file, unpacked and, for a kernel module, relocated, as an ELF file in memory. libdw reads the copy
 * instead of the file, so it maps no file, and finds no path of another file to open.
 */
#pragma once

#include "symbolize/elf/elf_file.h"

struct debug_image {
	unsigned char *bytes; /* freed by debug_image_done() */
	size_t nr_bytes;
	uint64_t lines, nr_lines; /* offset of .debug_line in `bytes`, and its size in bytes */
};

/* Returns the size in bytes of the line program at this offset of .debug_line; 0: no program is there. */
uint64_t debug_image_program_size(const struct debug_image *image, uint64_t offset);

/*
 * Makes the image. Returns 0, -ENODATA without .debug_info, -EBADMSG for malformed sections and for malformed or unknown relocations, or
 * -ENOMEM, also for more than 256 MB.
 */
int debug_image_make(const struct elf_file *elf, struct debug_image *ret_image);
void debug_image_done(struct debug_image *image);
