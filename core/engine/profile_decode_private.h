/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What profile_decode.c and profile_decode_beside.c share: a file that is being read. Nothing else includes this. */
#pragma once

#include <endian.h>
#include <string.h>

#include "core/engine/profile.h"
#include "core/engine/profile_format.h"

struct payload {
	const unsigned char *bytes;
	size_t nr_bytes;
	bool found;
	void *unpacked; /* its memory, if it was packed */
};

struct decoder {
	const char *name; /* of the file, for messages */
	struct profile *profile;
	const unsigned char *bytes;
	size_t nr_bytes;
	struct payload sections[NR_SECTIONS];
	VEC(struct payload) intervals;
	uint32_t version;
	uint64_t nr_unpacked; /* bytes of it */
	uint32_t *last_rows; /* for each record the last interval with a row of it, + 1 */
	size_t losses[PROFILE_MAX_LOSSES]; /* our number of each loss of the file; profile_nr_losses(): unknown here */
	size_t nr_losses;
};

static inline uint16_t get16(const unsigned char *at)
{
	uint16_t number;

	memcpy(&number, at, sizeof(number));
	return le16toh(number);
}

static inline uint32_t get32(const unsigned char *at)
{
	uint32_t number;

	memcpy(&number, at, sizeof(number));
	return le32toh(number);
}

static inline uint64_t get64(const unsigned char *at)
{
	uint64_t number;

	memcpy(&number, at, sizeof(number));
	return le64toh(number);
}

/* Records that the file is malformed and how; -EBADMSG. */
__attribute__((format(printf, 2, 3))) int malformed(const struct decoder *decoder, const char *format, ...);

/* Whether the profile has a string of this number; 0 is the empty one. */
bool is_string(const struct decoder *decoder, uint32_t id);

/* Calls `decode` for each element of an array section, and gives its memory back. 0 or a recorded failure. */
int decode_array(struct decoder *decoder, enum section section, size_t element_bytes,
		 int (*decode)(struct decoder *decoder, const unsigned char *at, size_t i));

/* The sections that stand beside strings, files, frames and records, which are complete. 0 or a recorded failure. */
int decode_beside(struct decoder *decoder);
