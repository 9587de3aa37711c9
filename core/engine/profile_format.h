/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of .stk files, versions 1 and 2, for the files that know it: profile_encode.c, profile_decode.c and
 * profile_decode_beside.c. All numbers are little endian, whatever the host. docs/formats.md is the prose of it.
 */
#pragma once

#include <stdint.h>

#define FORMAT_MAGIC "\x89STK\r\n\x1a\n" /* as PNG's: damaged by text conversions, never text */
#define FORMAT_MAGIC_BYTES 8

enum {
	FORMAT_VERSION = 2, /* that is written; 1 has no packed sections */
	FORMAT_OLDEST = 1,
	FORMAT_HEADER_BYTES = 32,  /* magic, version, flags, file length, number of sections, checksum of these */
	FORMAT_SECTION_BYTES = 24, /* tag, flags, length, checksum, zero; the payload follows, padded to 8 bytes */
	FORMAT_ALIGNMENT = 8,
};

/* Header flags; a reader refuses those it does not know. None yet. */
enum {
	FORMAT_FLAGS_KNOWN = 0
};

/* Section flags. */
enum {
	SECTION_REQUIRED = 1 << 0, /* a reader that does not know the tag must refuse the file */
	SECTION_PACKED = 1 << 1,   /* from version 2: the payload is one Zstandard frame of what is described */
};

/*
 * Sections that a file has exactly once; INTV, which it has once per interval; PAIR, only where there are any; and those
 * that came later and are not required, so that older readers skip them.
 */
#define FORMAT_SECTIONS(X) \
	X(INFO)            \
	X(STRS)            \
	X(FILE)            \
	X(FRAM)            \
	X(RECS)            \
	X(STKF)            \
	X(STKA)            \
	X(LOSS)            \
	X(INTV)            \
	X(PAIR)            \
	X(CGRP)            \
	X(HOST)            \
	X(CLKS)            \
	X(LIFE)            \
	X(MAPS)            \
	X(LINE)

enum section {
#define X(tag) SECTION_##tag,
	FORMAT_SECTIONS(X)
#undef X
	NR_SECTIONS
};

/* Bytes of one element of a section that is an array, and of the fixed parts of the others. */
enum {
	INFO_BYTES = 44,
	FILE_BYTES = 32,
	FRAM_BYTES = 40,
	RECS_BYTES = 80,
	STKF_BYTES = 4,
	STKA_BYTES = 8,
	PAIR_BYTES = 16,
	CGRP_BYTES = 16,
	HOST_BYTES = 16, /* at least: later versions may put more behind it, as behind CLKS */
	CLKS_BYTES = 40,
	LIFE_BYTES = 24,
	MAPS_BYTES = 40,
	LINE_BYTES = 12,
	INTV_HEAD_BYTES = 96,
	INTV_LOSS_BYTES = 8,
	INTV_ROW_BYTES = 24,
};

/* Flags inside elements. */
enum {
	FILE_DELETED = 1 << 0,
	FILE_FLAGS_KNOWN = FILE_DELETED,
	FRAME_EXACT = 1 << 0,
	FRAME_TRACER = 1 << 1,
	FRAME_INLINED = 1 << 2, /* frames of the same place with a level follow from it */
	FRAME_FLAGS_KNOWN = FRAME_EXACT | FRAME_TRACER | FRAME_INLINED,
	CLOCKS_PERIOD_IS_TIME = 1 << 0,
	RECORD_FOREIGN = 1 << 0,
	RECORD_STACK_LOST = 1 << 1,
	RECORD_CONTEXT_SHIFT = 2, /* two bits: enum event_context */
	RECORD_CONTEXT_MASK = 3,
	RECORD_EXPANDED = 1 << 4, /* inlined calls are in its stacks */
	RECORD_FLAGS_KNOWN = RECORD_FOREIGN | RECORD_STACK_LOST | RECORD_EXPANDED |
			     RECORD_CONTEXT_MASK << RECORD_CONTEXT_SHIFT,
};

/* The bits of the view, in this order. New ones go to the end. */
#define FORMAT_VIEW_FLAGS(X) \
	X(folded)            \
	X(delimited)         \
	X(annotate)          \
	X(offsets)           \
	X(modules)           \
	X(addresses)         \
	X(per_process)       \
	X(by_name)           \
	X(timestamps)        \
	X(want_kernel)       \
	X(want_user)         \
	X(no_header)         \
	X(no_process_line)   \
	X(verbose)           \
	X(times)             \
	X(histogram)         \
	X(by_thread)         \
	X(lines)             \
	X(inlines)

enum view_flag {
#define X(name) VIEW_FLAG_##name,
	FORMAT_VIEW_FLAGS(X)
#undef X
	NR_VIEW_FLAGS
};

/* The strings of INFO, in this order. */
#define FORMAT_INFO_STRINGS(X) \
	X(applet)              \
	X(header)              \
	X(footer)              \
	X(event)               \
	X(unit)                \
	X(hostname)            \
	X(kernel_release)      \
	X(tool_version)

/* The numbers of an interval's account, in this order. */
#define FORMAT_ACCOUNT(X) \
	X(seen)           \
	X(filtered)       \
	X(in_map)         \
	X(spilled)        \
	X(counted)        \
	X(expected)       \
	X(taken)          \
	X(missed)

static inline uint64_t format_padding(uint64_t length)
{
	return -length & (FORMAT_ALIGNMENT - 1);
}
