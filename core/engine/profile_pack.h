/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sections of .stk files as Zstandard frames (RFC 8878), for the two files that know the layout. A frame names the size of
 * its content, so a reader knows what it will need before it unpacks anything.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buf.h"

/* Appends the packed bytes when they are fewer; otherwise appends nothing and returns false. */
bool section_pack(const void *bytes, size_t nr_bytes, struct buf *ret_packed);

/* The size of the content of bytes that are exactly one frame; UINT64_MAX when they are not, or do not say. */
uint64_t section_unpacked_bytes(const void *packed, size_t nr_packed);

/* Unpacks into `room` of exactly that size. -EBADMSG when the frame holds anything else. */
int section_unpack(const void *packed, size_t nr_packed, void *room, size_t nr_room);
