/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saved profiles from anyone: load, print in several views, save again, and load what was saved. Random bytes never
 * pass a checksum, so the checksums are made right first.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/engine/profile_file.h"
#include "core/engine/profile_format.h"
#include "core/render/render.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_all(const struct profile *profile, const struct profile_view *view)
{
	_cleanup_(freep) char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	render_header(profile, view, out);
	for (size_t i = 0; i < profile->intervals.nr; i++) {
		render_report(profile, &profile->intervals.data[i], view, out);
		render_notes(profile, &profile->intervals.data[i], out);
	}
	render_footer(profile, view, out);
	fclose(out);
	for (size_t i = 0; i < length; i++) {
		bool begins_line = !i || text[i - 1] == '\n';

		if ((unsigned char)text[i] >= 0x20 || text[i] == '\n' || (text[i] == '\t' && begins_line))
			continue;
		fprintf(stderr, "a byte 0x%02x at %zu of:\n%.*s\n", (unsigned char)text[i], i, (int)length, text);
		abort();
	}
}

static void put_checksum(uint8_t *at, const uint8_t *from, size_t nr_bytes)
{
	uint32_t checksum = (uint32_t)crc32_z(0, from, nr_bytes);

	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(checksum >> 8 * i);
}

/* Signs the header and every section that lies inside the bytes. */
static void sign(uint8_t *bytes, size_t size)
{
	size_t at = FORMAT_HEADER_BYTES;

	if (size < FORMAT_HEADER_BYTES)
		return;
	put_checksum(bytes + 28, bytes, 28);
	while (size - at >= FORMAT_SECTION_BYTES) {
		uint8_t *head = bytes + at;
		size_t left = size - at - FORMAT_SECTION_BYTES;
		uint64_t length;

		memcpy(&length, head + 8, sizeof(length));
		if (length > left || format_padding(length) > left - length)
			return;
		put_checksum(head + 16, head + FORMAT_SECTION_BYTES, length);
		at += FORMAT_SECTION_BYTES + length + format_padding(length);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(freep) uint8_t *signed_data = malloc(size ? size : 1);
	_cleanup_(buf_done) struct buf bytes = {};
	struct profile profile, again;
	struct profile_view view;

	if (size)
		memcpy(signed_data, data, size);
	sign(signed_data, size);
	err_clear();
	if (profile_decode(signed_data, size, "fuzz", &profile))
		return 0;
	print_all(&profile, &profile.view);
	view = profile.view;
	view.by_name = !view.by_name;
	view.folded = !view.folded;
	print_all(&profile, &view);
	profile_encode(&profile, &bytes);
	if (profile_decode(bytes.data, bytes.nr, "again", &again))
		abort();
	profile_done(&again);
	profile_done(&profile);
	return 0;
}
