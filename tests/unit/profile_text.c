/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/profile_text.h"

#include <zlib.h>

#include "core/formats/text_read.h"
#include "core/render/documents.h"
#include "tests/harness.h"

void profile_of_text(const char *folded, struct profile *ret_profile)
{
	_cleanup_(buf_done) struct buf notes = {};

	assert_int_equal(folded_decode(folded, strlen(folded), "test", ret_profile, &notes), 0);
}

char *printed(const struct profile *profile, int (*print)(const struct profile *profile, FILE *out))
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_int_equal(print(profile, out), 0);
	fclose(out);
	return text;
}

int print_report(const struct profile *profile, FILE *out)
{
	return render_report(profile, &profile->intervals.data[0], &profile->view, out);
}

int print_notes(const struct profile *profile, FILE *out)
{
	return render_notes(profile, &profile->intervals.data[0], out);
}

void expect_report(const struct profile *profile, const char *expected)
{
	_cleanup_(freep) char *text = printed(profile, print_report);

	assert_string_equal(text, expected);
}

void expect_notes(const struct profile *profile, const char *expected)
{
	_cleanup_(freep) char *text = printed(profile, print_notes);

	assert_string_equal(text, expected);
}

size_t loss_number(const char *name)
{
	for (size_t i = 0; i < ST_NR_LOSSES; i++)
		if (!strcmp(profile_losses[i].name, name))
			return i;
	fail_msg("no loss %s", name);
	return 0;
}

Pprof__Profile *pprof_of(const struct profile *profile)
{
	static unsigned char plain[1 << 16];
	_cleanup_(buf_done) struct buf packed = {};
	z_stream stream = { .next_out = plain, .avail_out = sizeof(plain) };
	Pprof__Profile *message;

	assert_int_equal(document_pprof(profile, profile->intervals.data, profile->intervals.nr, &packed), 0);
	stream.next_in = (Bytef *)packed.data;
	stream.avail_in = (uInt)packed.nr;
	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	message = pprof__profile__unpack(NULL, stream.total_out, plain);
	inflateEnd(&stream);
	assert_non_null(message);
	return message;
}
