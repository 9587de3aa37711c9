/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF notes (gABI, "Note Section"), of files and of the running kernel, and the build id that one of them tells. */
#pragma once

#include "core/base/byte_reader.h"

struct note {
	uint32_t type;
	struct byte_reader owner, content; /* the owner with its NUL */
};

struct notes {
	struct byte_reader bytes;
	const uint8_t *start;
	size_t alignment;
};

/* Notes in memory, borrowed; `alignment` as the header of their section or segment has it: anything but 8 is 4. */
struct notes notes_of(const void *bytes, size_t nr_bytes, uint64_t alignment);

/* The next one: 0, -ENODATA at the end, -EBADMSG for one that does not end there. */
int notes_next(struct notes *notes, struct note *ret_note);

bool note_is(const struct note *note, const char *owner, uint32_t type);

#define BUILD_ID_MAX 64
struct build_id {
	uint32_t nr_bytes; /* 0: none */
	unsigned char bytes[BUILD_ID_MAX];
};

/* Room for a build id as lower-case hex. */
#define BUILD_ID_HEX_SIZE (2 * BUILD_ID_MAX + 1)

/* The GNU build id among the notes, of 3 to 64 bytes. As notes_next(). */
int notes_build_id(struct notes notes, struct build_id *ret_id);

/* Writes lower-case hex. */
void build_id_format(const struct build_id *id, char ret_hex[BUILD_ID_HEX_SIZE]);
bool build_id_same(const struct build_id *a, const struct build_id *b);
