/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pointers in .eh_frame and .eh_frame_hdr: Linux Standard Base, "DWARF Exception Header Encoding" (DW_EH_PE_*). */
#pragma once

#include "core/base/byte_reader.h"

enum {
	POINTER_ABSOLUTE = 0x00, /* a word of the file */
	POINTER_ULEB = 0x01,
	POINTER_U16 = 0x02,
	POINTER_U32 = 0x03,
	POINTER_U64 = 0x04,
	POINTER_SLEB = 0x09,
	POINTER_S16 = 0x0a,
	POINTER_S32 = 0x0b,
	POINTER_S64 = 0x0c,
	POINTER_SIGNED = 0x08,
	POINTER_FORMAT = 0x0f,
	POINTER_RELATIVE = 0x10, /* relative to its own address */
	POINTER_BASE = 0x70,
	POINTER_INDIRECT = 0x80,
	POINTER_OMITTED = 0xff,
};

/* The number without its base. `word`: 4 or 8, by the class of the file. */
static inline uint64_t eh_pointer_value(struct byte_reader *bytes, uint8_t encoding, size_t word)
{
	switch (encoding & POINTER_FORMAT) {
	case POINTER_ABSOLUTE:
		return bytes_number(bytes, word);
	case POINTER_U64:
	case POINTER_S64:
		return bytes_number(bytes, 8);
	case POINTER_ULEB:
		return bytes_uleb(bytes);
	case POINTER_SLEB:
		return (uint64_t)bytes_sleb(bytes);
	case POINTER_U16:
		return bytes_number(bytes, 2);
	case POINTER_S16:
		return (uint64_t)(int16_t)bytes_number(bytes, 2);
	case POINTER_U32:
		return bytes_number(bytes, 4);
	case POINTER_S32:
		return (uint64_t)(int32_t)bytes_number(bytes, 4);
	default:
		return bytes_fail(bytes);
	}
}

/* A pointer that is at `address`. Indirect ones are refused, and those relative to anything but their own address. */
static inline uint64_t eh_pointer(struct byte_reader *bytes, uint8_t encoding, size_t word, uint64_t address)
{
	uint64_t value = eh_pointer_value(bytes, encoding, word);

	if (encoding & POINTER_INDIRECT || (encoding & POINTER_BASE && (encoding & POINTER_BASE) != POINTER_RELATIVE))
		return bytes_fail(bytes);
	value += encoding & POINTER_RELATIVE ? address : 0;
	return word == 4 ? (uint32_t)value : value;
}
