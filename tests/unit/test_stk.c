/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saved profiles: what comes back, what is refused and in which words. */
#include "core/engine/profile_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/engine/profile_format.h"
#include "tests/golden/hand_made.h"

#include <cmocka.h> /* last: it makes fail() a macro */

static const struct place here = { .address = 0xffffffff81000010, .name = "here", .module = "kernel", .kernel = true };
static const struct place there = { .address = 0x1000, .name = "there", .module = "app", .offset = 3 };
static const struct place gone = { .address = 0x2000, .reason = REASON_EXITED };

#define PLACES(...) ((const struct place *const[]){ __VA_ARGS__, NULL })

static void build(struct profile *profile)
{
	const struct event events[] = {
		{ .id = 1,
		  .comm = "one",
		  .tgid = 7,
		  .kernel = { STACK_OK, PLACES(&here) },
		  .user = { STACK_TRUNCATED, PLACES(&there, &gone) },
		  .time_ns = 5,
		  .count = 2 },
		{ .id = 2, .count = 9, .lost = true },
		{},
	};

	profile_init(profile);
	profile->applet = profile_add_string(profile, "profile");
	profile->header = profile_add_string(profile, "Sampling");
	profile->utc_offset_s = (uint32_t)-3600;
	profile->view =
		(struct profile_view){ .style = VIEW_PROFILE, .folded = true, .want_user = true, .verbose = true };
	hand_interval(profile, events, 123);
	hand_interval(profile, events, 456);
	profile->intervals.data[1].losses[1] = 77;
	profile->intervals.data[1].account = (struct profile_account){ .seen = 1, .missed = UINT64_MAX, .nr_cpus = 3 };
}

static void put32_at(struct buf *bytes, size_t at, uint32_t number)
{
	for (int i = 0; i < 4; i++)
		bytes->data[at + (size_t)i] = (char)(number >> 8 * i);
}

static uint32_t get32_at(const struct buf *bytes, size_t at)
{
	const unsigned char *from = (const unsigned char *)bytes->data + at;

	return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static void sign_header(struct buf *bytes)
{
	put32_at(bytes, 16, (uint32_t)bytes->nr);
	put32_at(bytes, 28, (uint32_t)crc32(0, (const unsigned char *)bytes->data, 28));
}

static void add_section(struct buf *bytes, const char *tag, uint32_t flags, const void *payload, size_t nr)
{
	static const char zeros[FORMAT_SECTION_BYTES];
	size_t head = bytes->nr;

	buf_add(bytes, zeros, sizeof(zeros));
	memcpy(bytes->data + head, tag, 4);
	put32_at(bytes, head + 4, flags);
	put32_at(bytes, head + 8, (uint32_t)nr);
	put32_at(bytes, head + 16, (uint32_t)crc32(0, payload, (unsigned int)nr));
	buf_add(bytes, payload, nr);
	buf_add(bytes, zeros, format_padding(nr));
}

static void add_unpacked(struct buf *plain, const struct buf *packed, size_t at)
{
	const char *payload = packed->data + at + FORMAT_SECTION_BYTES;
	uint32_t flags = get32_at(packed, at + 4), nr = get32_at(packed, at + 8);
	static char content[65536];
	size_t nr_content;

	if (!(flags & SECTION_PACKED)) {
		add_section(plain, packed->data + at, flags, payload, nr);
		return;
	}
	nr_content = ZSTD_decompress(content, sizeof(content), payload, nr);
	assert_false(ZSTD_isError(nr_content));
	add_section(plain, packed->data + at, flags & ~(uint32_t)SECTION_PACKED, content, nr_content);
}

/* The same file with nothing packed. */
static void unpack_all(struct buf *bytes)
{
	struct buf plain = {};

	buf_add(&plain, bytes->data, FORMAT_HEADER_BYTES);
	for (size_t at = FORMAT_HEADER_BYTES; at < bytes->nr;) {
		uint32_t length = get32_at(bytes, at + 8);

		add_unpacked(&plain, bytes, at);
		at += FORMAT_SECTION_BYTES + length + format_padding(length);
	}
	sign_header(&plain);
	buf_done(bytes);
	*bytes = plain;
}

static void encode_packed(struct buf *ret_bytes)
{
	struct profile profile;

	build(&profile);
	profile_encode(&profile, ret_bytes);
	profile_done(&profile);
}

/* With payloads that a test can change. */
static void encode(struct buf *ret_bytes)
{
	encode_packed(ret_bytes);
	unpack_all(ret_bytes);
}

static void everything_comes_back(void **state)
{
	struct profile profile, loaded;
	struct buf bytes = {}, again = {};

	build(&profile);
	profile_encode(&profile, &bytes);
	assert_int_equal(profile_decode(bytes.data, bytes.nr, "x", &loaded), 0);
	profile_encode(&loaded, &again);
	assert_int_equal(bytes.nr, again.nr);
	assert_memory_equal(bytes.data, again.data, bytes.nr);
	assert_memory_equal(&loaded.view, &profile.view, sizeof(loaded.view));
	assert_int_equal(loaded.intervals.nr, 2);
	assert_int_equal(loaded.intervals.data[1].losses[1], 77);
	assert_int_equal(loaded.intervals.data[1].account.nr_cpus, 3);
	assert_int_equal(loaded.records.nr, 2);
	assert_true(loaded.records.data[1].stack_lost);
	assert_string_equal(profile_string(&loaded, loaded.header), "Sampling");
	assert_int_equal(profile_find_record(&loaded, (struct profile_id){ 1, 1 }), 0);
	profile_done(&loaded);
	profile_done(&profile);
	buf_done(&bytes);
	buf_done(&again);
}

static void an_empty_profile_comes_back(void **state)
{
	struct profile profile, loaded;
	struct buf bytes = {};

	profile_init(&profile);
	profile_encode(&profile, &bytes);
	assert_int_equal(profile_decode(bytes.data, bytes.nr, "x", &loaded), 0);
	assert_int_equal(loaded.records.nr, 0);
	profile_done(&loaded);
	profile_done(&profile);
	buf_done(&bytes);
}

/* ---- refusals ---- */

static void refused(const struct buf *bytes, size_t nr_bytes, const char *cause)
{
	struct profile loaded;
	void *copy = malloc(nr_bytes ? nr_bytes : 1); /* exact, so that the sanitizer sees one byte too far */

	memcpy(copy, bytes->data, nr_bytes);
	err_clear();
	assert_true(profile_decode(copy, nr_bytes, "x.stk", &loaded) < 0);
	if (!strstr(err_cause(), cause))
		fail_msg("said: %s, not: %s", err_cause(), cause);
	assert_null(strchr(err_cause(), '\n'));
	free(copy);
}

/* Where a section's head is. */
static size_t find_section(const struct buf *bytes, const char *tag)
{
	size_t at = FORMAT_HEADER_BYTES;

	while (at < bytes->nr && memcmp(bytes->data + at, tag, 4) != 0) {
		uint32_t length = get32_at(bytes, at + 8);

		at += FORMAT_SECTION_BYTES + length + format_padding(length);
	}
	assert_true(at < bytes->nr);
	return at;
}

/* Changes a number inside a section and signs the section again. */
static void change(struct buf *bytes, const char *tag, size_t offset, uint32_t number)
{
	size_t head = find_section(bytes, tag), payload = head + FORMAT_SECTION_BYTES;

	put32_at(bytes, payload + offset, number);
	put32_at(bytes, head + 16,
		 (uint32_t)crc32(0, (const unsigned char *)bytes->data + payload, get32_at(bytes, head + 8)));
}

static void every_truncation_is_refused(void **state)
{
	struct buf bytes = {};

	encode(&bytes);
	refused(&bytes, 0, "not a saved profile");
	refused(&bytes, 20, "not a saved profile");
	for (size_t nr = FORMAT_HEADER_BYTES; nr < bytes.nr; nr++)
		refused(&bytes, nr, "truncated profile");
	buf_done(&bytes);
}

static void every_truncation_that_lies_about_its_length_is_refused(void **state)
{
	struct buf bytes = {};

	encode(&bytes);
	for (size_t nr = bytes.nr - 1; nr >= FORMAT_HEADER_BYTES; nr--) {
		bytes.nr = nr;
		sign_header(&bytes);
		refused(&bytes, nr, "malformed profile");
	}
	buf_done(&bytes);
}

static void what_is_newer_is_refused(void **state)
{
	struct buf bytes = {};

	encode(&bytes);
	put32_at(&bytes, 8, 3);
	refused(&bytes, bytes.nr, "format version 3, but this program reads versions 1 to 2");
	put32_at(&bytes, 8, 0);
	refused(&bytes, bytes.nr, "format version 0, but this program reads versions 1 to 2");
	encode(&bytes);
	put32_at(&bytes, 12, 1);
	sign_header(&bytes);
	refused(&bytes, bytes.nr, "needs a newer version of this program (flags 0x1)");
	encode(&bytes);
	memcpy(bytes.data + find_section(&bytes, "FILE"), "NEWS", 4);
	refused(&bytes, bytes.nr, "needs a newer version of this program (section NEWS)");
	encode(&bytes);
	memcpy(bytes.data + find_section(&bytes, "FILE"), "\x1b[2J", 4);
	refused(&bytes, bytes.nr, "(section 0x4a325b1b)");
	encode(&bytes);
	change(&bytes, "INFO", 40, 1u << 31);
	refused(&bytes, bytes.nr, "needs a newer version of this program (view)");
	encode(&bytes);
	change(&bytes, "INFO", 36, 99);
	refused(&bytes, bytes.nr, "needs a newer version of this program (view)");
	buf_done(&bytes);
}

static void optional_sections_may_be_unknown(void **state)
{
	static const char section[FORMAT_SECTION_BYTES + 8] = { 'N', 'E', 'W', 'S', 0, 0, 0, 0, 5 };
	struct profile loaded;
	struct buf bytes = {};

	encode(&bytes);
	buf_add(&bytes, section, sizeof(section));
	put32_at(&bytes, 24, get32_at(&bytes, 24) + 1);
	sign_header(&bytes);
	assert_int_equal(profile_decode(bytes.data, bytes.nr, "x", &loaded), 0);
	profile_done(&loaded);
	buf_done(&bytes);
}

static void losses_are_known_by_name(void **state)
{
	struct profile loaded;
	struct buf bytes = {};
	size_t nr = profile_nr_losses();
	size_t second = strlen(profile_loss_name(0)) + 1;

	encode(&bytes);
	change(&bytes, "LOSS", second, 0x44444444);
	refused(&bytes, bytes.nr, "needs a newer version of this program (loss 1)");
	encode(&bytes);
	change(&bytes, "LOSS", 0, 0x44444444); /* a kind that we do not have, but nothing of it was lost */
	assert_int_equal(profile_decode(bytes.data, bytes.nr, "x", &loaded), 0);
	assert_int_equal(loaded.intervals.data[1].losses[1], 77);
	assert_int_equal(nr, profile_nr_losses());
	profile_done(&loaded);
	buf_done(&bytes);
}

static void garbage_behind_the_end_is_refused(void **state)
{
	struct buf bytes = {};

	encode(&bytes);
	buf_adds(&bytes, "xx");
	refused(&bytes, bytes.nr, "2 bytes behind its end");
	sign_header(&bytes);
	refused(&bytes, bytes.nr, "2 bytes behind the last section");
	buf_done(&bytes);
}

static void any_flipped_bit_is_noticed(void **state)
{
	struct buf bytes = {};

	encode(&bytes);
	for (size_t i = 0; i < bytes.nr; i++) {
		struct profile loaded;

		bytes.data[i] ^= 4;
		err_clear();
		assert_true(profile_decode(bytes.data, bytes.nr, "x", &loaded) < 0);
		bytes.data[i] ^= 4;
	}
	bytes.data[find_section(&bytes, "RECS") + FORMAT_SECTION_BYTES + 3] ^= 1;
	refused(&bytes, bytes.nr, "damaged section RECS");
	buf_done(&bytes);
}

/* A number of a file that makes no sense, and what is said of it. */
struct damage {
	const char *tag;
	size_t offset;
	uint32_t number;
	const char *cause;
};

static void refused_each(void (*make)(struct buf *bytes), const struct damage *cases, size_t nr)
{
	_cleanup_(buf_done) struct buf bytes = {};

	for (size_t i = 0; i < nr; i++) {
		make(&bytes);
		change(&bytes, cases[i].tag, cases[i].offset, cases[i].number);
		refused(&bytes, bytes.nr, cases[i].cause);
	}
}

static void indexes_out_of_range_are_refused(void **state)
{
	static const struct damage cases[] = {
		{ "INFO", 0, 999, "no such string in section INFO" },
		{ "FILE", 4, 999, "no such string in file 0" },
		{ "FRAM", 0, 0x09, "frame 0 is of an unknown kind" },
		{ "FRAM", 0, 0xff00, "frame 0 is of an unknown kind" },
		{ "FRAM", 12, 999, "no such string in frame 0" },
		{ "FRAM", 40 + 4, 1, "no such file in frame 1" },
		{ "RECS", 64, 999, "no such string in record 0" },
		{ "RECS", 72, 0xff, "record 0 is of an unknown kind" },
		{ "RECS", 76, 0xffffffff, "record 0 has more frames than there are" },
		{ "RECS", 76, 0, "3 frames belong to no record" },
		{ "RECS", 80, 1, "record 1 is there twice" },
		{ "STKF", 4, 3, "no such frame in stack position 1" },
		{ "STRS", 0, 0, "string 1 is empty or there twice" },
	};
	struct buf bytes = {};

	refused_each(encode, cases, sizeof(cases) / sizeof(cases[0]));
	encode(&bytes);
	change(&bytes, "INTV", INTV_HEAD_BYTES + INTV_LOSS_BYTES * profile_nr_losses(), 2);
	refused(&bytes, bytes.nr, "no such record in a row");
	change(&bytes, "INTV", INTV_HEAD_BYTES + INTV_LOSS_BYTES * profile_nr_losses(), 1);
	refused(&bytes, bytes.nr, "record 1 has two rows in an interval");
	buf_done(&bytes);
}

static void a_control_group_is_there_once(void **state)
{
	struct profile profile;
	struct buf bytes = {};

	build(&profile);
	profile_add_cgroup(&profile, 1, "/a");
	profile_add_cgroup(&profile, 2, "/b");
	profile_encode(&profile, &bytes);
	unpack_all(&bytes);
	change(&bytes, "CGRP", CGRP_BYTES, 1);
	refused(&bytes, bytes.nr, "control group 1 is there twice");
	profile_done(&profile);
	buf_done(&bytes);
}

/* ---- the host, and processes with their mappings ---- */

static void build_processes(struct profile *profile)
{
	struct profile_mapping mapping = { 1, 0, 0x400000, 0x500000, 0x1000, 12 };

	build(profile);
	profile->host = (struct profile_host){
		.machine = profile_add_string(profile, "x86_64"),
		.kernel_version = profile_add_string(profile, "#1 SMP"),
		.kernel_build_id = profile_add_string(profile, "00ff"),
		.nr_cpus = 2,
	};
	profile->clocks = (struct profile_clocks){ 1, 2, 3, 10000000, true };
	profile_add_life(profile, &(struct profile_life){ 7, 1, 0, UINT64_MAX });
	profile_add_life(profile, &(struct profile_life){ 7, 0, 11, 99 });
	profile_add_mapping(profile, &mapping);
	mapping.file = PROFILE_NONE;
	profile_add_mapping(profile, &mapping);
}

static void encode_processes(struct buf *ret_bytes)
{
	_cleanup_(profile_done) struct profile profile;

	build_processes(&profile);
	profile_encode(&profile, ret_bytes);
	unpack_all(ret_bytes);
}

static void processes_come_back(void **state)
{
	_cleanup_(profile_done) struct profile loaded;
	_cleanup_(buf_done) struct buf bytes = {}, again = {};

	encode_processes(&bytes);
	assert_int_equal(profile_decode(bytes.data, bytes.nr, "x", &loaded), 0);
	assert_string_equal(profile_string(&loaded, loaded.host.kernel_build_id), "00ff");
	assert_int_equal(loaded.host.nr_cpus, 2);
	assert_int_equal(loaded.clocks.real_ns, 3);
	assert_int_equal(loaded.clocks.period, 10000000);
	assert_true(loaded.clocks.period_is_time);
	assert_int_equal(loaded.lives.nr, 2);
	assert_int_equal(loaded.lives.data[1].end_ns, 99);
	assert_int_equal(loaded.mappings.nr, 2);
	assert_int_equal(loaded.mappings.data[0].file_offset, 0x1000);
	assert_int_equal(loaded.mappings.data[1].file, PROFILE_NONE);
	profile_encode(&loaded, &again);
	unpack_all(&again);
	assert_int_equal(bytes.nr, again.nr);
	assert_memory_equal(bytes.data, again.data, bytes.nr);
}

static void wrong_processes_are_refused(void **state)
{
	static const struct damage cases[] = {
		{ "HOST", 8, 999, "no such string in section HOST" },
		{ "LIFE", LIFE_BYTES + 8, 0, "process 1 is there twice" },
		{ "MAPS", 0, 2, "no such process in mapping 0" },
		{ "MAPS", 4, 2, "no such file in mapping 0" },
		{ "MAPS", MAPS_BYTES + 16, 0x400000, "mapping 1 ends before it starts" },
		{ "MAPS", MAPS_BYTES + 4, 0, "mapping 1 is there twice" },
	};

	refused_each(encode_processes, cases, sizeof(cases) / sizeof(cases[0]));
}

/* As a program reads it that does not know these sections: they are not required. */
static void without_them_the_rest_is_read(void **state)
{
	_cleanup_(profile_done) struct profile loaded;
	_cleanup_(buf_done) struct buf bytes = {};
	static const char *const tags[] = { "HOST", "CLKS", "LIFE", "MAPS" };

	encode_processes(&bytes);
	for (size_t i = 0; i < 4; i++)
		memcpy(bytes.data + find_section(&bytes, tags[i]), "NEWS", 4);
	assert_int_equal(profile_decode(bytes.data, bytes.nr, "x", &loaded), 0);
	assert_int_equal(loaded.lives.nr + loaded.mappings.nr + loaded.host.nr_cpus, 0);
	assert_int_equal(loaded.clocks.period, 0);
	assert_int_equal(loaded.records.nr, 2);
}

/* ---- packed sections ---- */

static void version_1_is_read(void **state)
{
	struct profile loaded;
	struct buf bytes = {}, again = {}, packed = {};

	encode_packed(&packed);
	encode(&bytes);
	put32_at(&bytes, 8, 1);
	sign_header(&bytes);
	change(&bytes, "STKA", 0, (uint32_t)here.address); /* raw addresses, not distances */
	change(&bytes, "STKA", 4, (uint32_t)(here.address >> 32));
	change(&bytes, "STKA", 8, (uint32_t)there.address);
	change(&bytes, "STKA", 16, (uint32_t)gone.address);
	assert_int_equal(profile_decode(bytes.data, bytes.nr, "x", &loaded), 0);
	profile_encode(&loaded, &again);
	assert_int_equal(again.nr, packed.nr);
	assert_memory_equal(again.data, packed.data, packed.nr);
	profile_done(&loaded);
	put32_at(&bytes, find_section(&bytes, "FRAM") + 4, SECTION_REQUIRED | SECTION_PACKED);
	refused(&bytes, bytes.nr, "needs a newer version of this program (flags of section FRAM)");
	buf_done(&bytes);
	buf_done(&again);
	buf_done(&packed);
}

static void every_truncation_of_a_packed_file_is_refused(void **state)
{
	struct buf bytes = {};

	encode_packed(&bytes);
	assert_true(get32_at(&bytes, find_section(&bytes, "FRAM") + 4) & SECTION_PACKED);
	for (size_t nr = FORMAT_HEADER_BYTES; nr < bytes.nr; nr++)
		refused(&bytes, nr, "truncated profile");
	buf_done(&bytes);
}

/* A file whose first section is `nr` bytes that claim to be packed strings. */
static void packed_section(struct buf *ret_bytes, const void *payload, size_t nr)
{
	buf_clear(ret_bytes);
	encode(ret_bytes);
	ret_bytes->nr = FORMAT_HEADER_BYTES;
	add_section(ret_bytes, "STRS", SECTION_REQUIRED | SECTION_PACKED, payload, nr);
	put32_at(ret_bytes, 24, 1);
	sign_header(ret_bytes);
}

static void what_is_no_whole_frame_is_refused(void **state)
{
	char packed[256];
	struct buf bytes = {};
	size_t nr = ZSTD_compress(packed, sizeof(packed), "abc\0abc\0abc", 12, 3);

	packed_section(&bytes, packed, 0);
	refused(&bytes, bytes.nr, "section STRS is not one Zstandard frame of a known size");
	packed_section(&bytes, packed, nr - 1);
	refused(&bytes, bytes.nr, "section STRS is not one Zstandard frame of a known size");
	memcpy(packed + nr, packed, nr); /* two frames */
	packed_section(&bytes, packed, 2 * nr);
	refused(&bytes, bytes.nr, "section STRS is not one Zstandard frame of a known size");
	packed[5] = 99; /* the size of the content */
	packed_section(&bytes, packed, nr);
	refused(&bytes, bytes.nr, "section STRS cannot be unpacked");
	buf_done(&bytes);
}

/* 2 GB of zeros in 70 KB: refused by what it says, before anything is unpacked. */
static void bombs_are_refused(void **state)
{
	static char zeros[1 << 20], packed[1 << 17];
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ZSTD_outBuffer out = { packed, sizeof(packed), 0 };
	struct buf bytes = {};
	size_t left = 1;

	ZSTD_CCtx_setPledgedSrcSize(context, 1ULL << 31);
	for (int i = 0; i < 2048; i++) {
		ZSTD_inBuffer in = { zeros, sizeof(zeros), 0 };

		while (in.pos < in.size || (i == 2047 && left))
			left = ZSTD_compressStream2(context, &out, &in, i == 2047 ? ZSTD_e_end : ZSTD_e_continue);
	}
	ZSTD_freeCCtx(context);
	packed_section(&bytes, packed, out.pos);
	refused(&bytes, bytes.nr, "more than 1024 MB when unpacked");
	buf_done(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_comes_back),
		cmocka_unit_test(an_empty_profile_comes_back),
		cmocka_unit_test(every_truncation_is_refused),
		cmocka_unit_test(every_truncation_that_lies_about_its_length_is_refused),
		cmocka_unit_test(what_is_newer_is_refused),
		cmocka_unit_test(optional_sections_may_be_unknown),
		cmocka_unit_test(losses_are_known_by_name),
		cmocka_unit_test(garbage_behind_the_end_is_refused),
		cmocka_unit_test(any_flipped_bit_is_noticed),
		cmocka_unit_test(indexes_out_of_range_are_refused),
		cmocka_unit_test(a_control_group_is_there_once),
		cmocka_unit_test(processes_come_back),
		cmocka_unit_test(wrong_processes_are_refused),
		cmocka_unit_test(without_them_the_rest_is_read),
		cmocka_unit_test(version_1_is_read),
		cmocka_unit_test(every_truncation_of_a_packed_file_is_refused),
		cmocka_unit_test(what_is_no_whole_frame_is_refused),
		cmocka_unit_test(bombs_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
