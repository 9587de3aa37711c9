/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The writer of JSON, with jansson as the reader, and documents that are written in pieces. */

#include "core/base/json.h"
#include "core/base/stream.h"
#include "core/render/documents.h"

#include <jansson.h>

#include "tests/harness.h"

TEST(values_are_separated_and_named)
{
	_cleanup_(buf_done) struct buf text = {};
	struct json json = { .text = &text };

	json_begin(&json, NULL, '{');
	json_number(&json, "most", UINT64_MAX);
	json_begin(&json, "none", '[');
	json_end(&json, ']');
	json_begin(&json, "list", '[');
	json_number(&json, NULL, 1);
	json_begin(&json, NULL, '{');
	json_bool(&json, "yes", true);
	json_text(&json, "nothing", NULL);
	json_end(&json, '}');
	json_bool(&json, NULL, false);
	json_end(&json, ']');
	json_key(&json, "own");
	buf_adds(&text, "1.5");
	json_end(&json, '}');
	assert_string_equal(
		buf_text(&text),
		"{\"most\":18446744073709551615,\"none\":[],\"list\":[1,\n{\"yes\":true,\"nothing\":null},false],"
		"\"own\":1.5}");
}

TEST(any_text_is_a_string_in_ascii)
{
	static const struct {
		const char *text, *read; /* NULL: the same */
	} cases[] = {
		{ "", NULL },
		{ "\"\\/<>&'\x01\x7f\n", NULL },
		{ "gr\xc3\xbc\xc3\x9f", NULL },
		{ "\xe2\x82\xac \xf0\x9f\x94\xa5", NULL },
		{ "cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xff\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" }, /* no lead, an overlong form */
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" }, /* a surrogate */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_(buf_done) struct buf text = {};
		struct json json = { .text = &text };
		json_t *read;

		json_text(&json, NULL, cases[i].text);
		for (size_t at = 0; at < text.nr; at++)
			assert_true(text.data[at] >= 0x20 && text.data[at] < 0x7f && !strchr("<>&'", text.data[at]));
		read = json_loadb(text.data, text.nr, JSON_DECODE_ANY, NULL);
		assert_non_null(read);
		assert_string_equal(json_string_value(read), cases[i].read ? cases[i].read : cases[i].text);
		json_decref(read);
	}
}

static ssize_t count_bytes(void *cookie, const char *bytes, size_t nr)
{
	*(size_t *)cookie += nr;
	return (ssize_t)nr;
}

/* A row after the other: the memory does not follow the length of the document. */
TEST(documents_are_written_in_pieces)
{
	enum {
		NR = 40000,
	};
	static const struct output_options options;
	size_t nr_bytes[3] = {};
	_cleanup_(profile_done) struct profile profile;

	profile_init(&profile);
	vec_push(&profile.intervals, (struct profile_interval){});
	for (uint32_t i = 1; i <= NR; i++) {
		char name[32];
		uint64_t address = i;
		uint32_t frame;

		snprintf(name, sizeof(name), "function_%u", i);
		frame = profile_add_frame(&profile, &(struct profile_frame){
							    .kind = FRAME_KERNEL,
							    .where = i,
							    .name = profile_add_string(&profile, name),
						    });
		profile_add_record(&profile,
				   &(struct profile_record){ .id = { i }, .kernel_status = STACK_OK, .nr_kernel = 1 },
				   &frame, &address);
		profile_count(&profile, profile.intervals.data, (struct profile_id){ i }, i, 0);
	}
	for (int form = 0; form < 3; form++) {
		_cleanup_(stream_done) struct stream stream = {
			.out = fopencookie(&nr_bytes[form], "w", (cookie_io_functions_t){ .write = count_bytes }),
		};

		assert_non_null(stream.out);
		if (form == 0)
			document_json(&profile, profile.intervals.data, 1, &stream);
		else if (form == 1)
			document_speedscope(&profile, &options, profile.intervals.data, 1, &stream);
		else
			document_perf(&profile, profile.intervals.data, 1, &stream);
		assert_int_equal(stream_finish(&stream), 0);
		fclose(stream.out);
		assert_true(nr_bytes[form] > 1500000);
		assert_true(stream.text.room < 600000);
	}
}

static ssize_t refuse(void *cookie, const char *bytes, size_t nr)
{
	errno = ENOSPC;
	return 0;
}

TEST(the_first_failure_of_a_write_stays)
{
	_cleanup_(stream_done) struct stream stream = {
		.out = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = refuse }),
	};

	assert_non_null(stream.out);
	setvbuf(stream.out, NULL, _IONBF, 0);
	buf_adds(&stream.text, "text");
	assert_int_equal(stream_finish(&stream), -ENOSPC);
	assert_int_equal(stream.text.nr, 0);
	errno = 0;
	assert_int_equal(stream_finish(&stream), -ENOSPC);
	fclose(stream.out);
}
