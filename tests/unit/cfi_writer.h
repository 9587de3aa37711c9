/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes call frame information byte by byte, and an ELF file around it, whose code is CFI_CODE_SIZE bytes at CFI_CODE.
 *
 *	struct cfi_writer writer = {};
 *	cfi_writer_cie(&writer, "", INSTRUCTIONS(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
 *	cfi_writer_fde(&writer, CFI_CODE, 0x100, INSTRUCTIONS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16));
 *	fd = cfi_writer_fd(&writer, ".eh_frame", 0);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

enum {
	CFI_CODE = 0x400000, /* address of the code; its offset in the file is 0 */
	CFI_CODE_SIZE = 0x10000,
	CFI_SECTION_OFFSET = 0x20000, /* of the section in the file, in no segment */
	CFI_HEADER_OFFSET = 0x2000, /* of .eh_frame_hdr, in the segment of the code; .eh_frame is after it */
};

#define INSTRUCTIONS(...) ((const uint8_t[]){ __VA_ARGS__ }), sizeof((const uint8_t[]){ __VA_ARGS__ })
#define NO_INSTRUCTIONS NULL, 0

struct cfi_writer {
	bool is_debug; /* .debug_frame */
	VEC(uint8_t) bytes;
	uint32_t cie; /* position of the last CIE */
	bool has_augmentation;
};

void cfi_writer_done(struct cfi_writer *writer);

/* A CIE with factors 1 and -8; addresses of its FDEs are 8 bytes. */
void cfi_writer_cie(struct cfi_writer *writer, const char *augmentation, const uint8_t *instructions, size_t nr);
void cfi_writer_fde(struct cfi_writer *writer, uint64_t start, uint64_t length, const uint8_t *instructions, size_t nr);

/* A file in memory with the bytes as a section of this name and flags. */
int cfi_writer_fd(const struct cfi_writer *writer, const char *name, uint64_t flags);
/* The same without sections: found by PT_GNU_EH_FRAME. The FDEs are as they are, so no pointer is relative. */
int cfi_writer_segment_fd(const struct cfi_writer *writer);
