/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saved profiles from anyone: load, print in several views, save again, and load what was saved. The input is the message
 * of the file (core/formats/stk.proto); random bytes would never pass the checksum around it.
 */
#include <zlib.h>
#include <zstd.h>

#include "core/base/err.h"
#include "core/formats/stk.h"
#include "core/render/render.h"
#include "tests/fuzz/fuzz.h"

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

/* A file with this message in it. */
static void wrap(const uint8_t *message, size_t nr, struct buf *ret_bytes)
{
	size_t bound = ZSTD_compressBound(nr), packed;
	uint32_t numbers[2] = { STK_VERSION };
	uint64_t length;

	vec_reserve(ret_bytes, STK_HEADER_BYTES + bound + 1);
	packed = ZSTD_compress(ret_bytes->data + STK_HEADER_BYTES, bound, message, nr, 1);
	if (ZSTD_isError(packed))
		abort();
	length = packed;
	ret_bytes->nr = STK_HEADER_BYTES + packed;
	numbers[1] = (uint32_t)crc32_z(0, (const uint8_t *)ret_bytes->data + STK_HEADER_BYTES, packed);
	memcpy(ret_bytes->data, STK_MAGIC, STK_MAGIC_BYTES);
	memcpy(ret_bytes->data + STK_MAGIC_BYTES, numbers, sizeof(numbers));
	memcpy(ret_bytes->data + STK_MAGIC_BYTES + sizeof(numbers), &length, sizeof(length));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(buf_done) struct buf file = {}, bytes = {};
	struct profile profile, again;
	struct profile_view view;

	err_clear();
	if (!profile_decode(data, size, "raw", &profile)) /* the container, too */
		profile_done(&profile);
	wrap(size ? data : (const uint8_t *)"", size, &file);
	err_clear();
	if (profile_decode(file.data, file.nr, "fuzz", &profile))
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
