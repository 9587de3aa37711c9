/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF notes (gABI, "Note Section") of files and of the running kernel, and the build id among them. */
#pragma once

#include "core/base/byte_reader.h"

struct note {
	uint32_t type;
	struct byte_reader owner, content; /* the owner includes its NUL */
};

struct notes {
	struct byte_reader bytes;
	const uint8_t *start;
	size_t alignment;
};

/* Notes in memory, which must outlive the result. `alignment`: of the section or segment; any value but 8 means 4. */
struct notes notes_of(const void *bytes, size_t nr_bytes, uint64_t alignment);

/* Reads the next note. Returns 0, -ENODATA at the end, or -EBADMSG for a note that is longer than the rest. */
int notes_next(struct notes *notes, struct note *ret_note);

bool note_is(const struct note *note, const char *owner, uint32_t type);

#define BUILD_ID_MAX 64
struct build_id {
	uint32_t nr_bytes; /* 0: none */
	unsigned char bytes[BUILD_ID_MAX];
};

/* Room for a build id as lower-case hex. */
#define BUILD_ID_HEX_SIZE (2 * BUILD_ID_MAX + 1)

/* Finds the GNU build id, of 3 to 64 bytes. Errors as notes_next(). */
int notes_build_id(struct notes notes, struct build_id *ret_id);

void build_id_format(const struct build_id *id, char ret_hex[BUILD_ID_HEX_SIZE]);
bool build_id_same(const struct build_id *a, const struct build_id *b);
