/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saved profiles: what comes back, what is refused and in which words. */
#include "core/formats/stk.h"

#include <zlib.h>
#include <zstd.h>

#include "core/base/err.h"
#include "core/formats/profile_file.h"
#include "tests/golden/hand_made.h"
#include "tests/harness.h"

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
		  .count = 2,
		  .elided_least = 3,
		  .elided_most = 1921 },
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
	profile->records.data[0].lock = 0x7ffff7f12a40;
	profile->records.data[0].owner = 4125;
	profile->intervals.data[1].losses[1] = 77;
	profile->intervals.data[1].account = (struct profile_account){ .seen = 1, .missed = UINT64_MAX, .nr_cpus = 3 };
}

/* ---- files with other contents ---- */

/* A file with these bytes as its message, whatever they are. */
static void wrap(const void *message, size_t nr, struct buf *ret_bytes)
{
	size_t bound = ZSTD_compressBound(nr), packed;
	uint64_t length;
	uint32_t numbers[2] = { STK_VERSION };

	buf_clear(ret_bytes);
	vec_reserve(ret_bytes, STK_HEADER_BYTES + bound + 1);
	packed = ZSTD_compress(ret_bytes->data + STK_HEADER_BYTES, bound, message, nr, 1);
	assert_false(ZSTD_isError(packed));
	ret_bytes->nr = STK_HEADER_BYTES + packed;
	length = packed;
	numbers[1] =
		(uint32_t)crc32(0, (const unsigned char *)ret_bytes->data + STK_HEADER_BYTES, (unsigned int)packed);
	memcpy(ret_bytes->data, STK_MAGIC, STK_MAGIC_BYTES);
	memcpy(ret_bytes->data + STK_MAGIC_BYTES, numbers, sizeof(numbers));
	memcpy(ret_bytes->data + STK_MAGIC_BYTES + sizeof(numbers), &length, sizeof(length));
}

/* Makes length and checksum right again. */
static void sign(struct buf *bytes)
{
	uint64_t length = bytes->nr - STK_HEADER_BYTES;
	uint32_t checksum =
		(uint32_t)crc32(0, (const unsigned char *)bytes->data + STK_HEADER_BYTES, (unsigned int)length);

	memcpy(bytes->data + 12, &checksum, sizeof(checksum));
	memcpy(bytes->data + 16, &length, sizeof(length));
}

static void encode(struct buf *ret_bytes)
{
	_cleanup_(profile_done) struct profile profile;

	build(&profile);
	profile_encode(&profile, ret_bytes);
}

#define ENCODED_TEST(name) TEST_WITH(struct buf, bytes, name, encode, buf_done)

static Stk__Profile *message_of(const struct buf *bytes)
{
	const char *frame = bytes->data + STK_HEADER_BYTES;
	static uint8_t content[65536];
	size_t nr = ZSTD_decompress(content, sizeof(content), frame, bytes->nr - STK_HEADER_BYTES);
	Stk__Profile *message;

	assert_false(ZSTD_isError(nr));
	message = stk__profile__unpack(NULL, nr, content);
	assert_non_null(message);
	return message;
}

/* Writes and frees it. */
static void encode_message(Stk__Profile *message, struct buf *ret_bytes)
{
	static uint8_t content[65536];
	size_t nr = stk__profile__get_packed_size(message);

	assert_true(nr <= sizeof(content));
	stk__profile__pack(message, content);
	wrap(content, nr, ret_bytes);
	stk__profile__free_unpacked(message, NULL);
}

TEST(everything_comes_back)
{
	_cleanup_(profile_done) struct profile profile, loaded;
	_cleanup_(buf_done) struct buf bytes = {}, again = {};

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
	assert_int_equal(loaded.records.data[0].elided_least, 3);
	assert_int_equal(loaded.records.data[0].elided_most, 1921);
	assert_int_equal(loaded.records.data[0].lock, 0x7ffff7f12a40);
	assert_int_equal(loaded.records.data[0].owner, 4125);
	assert_string_equal(profile_string(&loaded, loaded.header), "Sampling");
	assert_int_equal(profile_find_record(&loaded, (struct profile_id){ 1, 1 }), 0);
}

TEST(an_empty_profile_comes_back)
{
	_cleanup_(profile_done) struct profile profile, loaded;
	_cleanup_(buf_done) struct buf bytes = {};

	profile_init(&profile);
	profile_encode(&profile, &bytes);
	assert_int_equal(profile_decode(bytes.data, bytes.nr, "x", &loaded), 0);
	assert_int_equal(loaded.records.nr, 0);
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

ENCODED_TEST(every_truncation_is_refused)
{
	refused(bytes, 0, "not a saved profile");
	refused(bytes, 20, "not a saved profile");
	for (size_t nr = STK_HEADER_BYTES; nr < bytes->nr; nr++)
		refused(bytes, nr, "truncated profile");
}

ENCODED_TEST(every_truncation_that_lies_about_its_length_is_refused)
{
	for (size_t nr = bytes->nr - 1; nr >= STK_HEADER_BYTES; nr--) {
		bytes->nr = nr;
		sign(bytes);
		refused(bytes, nr, "malformed profile: not one Zstandard frame");
	}
}

/* Cut anywhere and packed again: no part of a message passes for a whole profile unless it is one. */
TEST(every_truncated_message_is_refused_or_read)
{
	_cleanup_(buf_done) struct buf bytes = {}, cut = {};
	static uint8_t content[65536];
	size_t nr;

	encode(&bytes);
	nr = ZSTD_decompress(content, sizeof(content), bytes.data + STK_HEADER_BYTES, bytes.nr - STK_HEADER_BYTES);
	assert_false(ZSTD_isError(nr));
	for (size_t i = 0; i < nr; i++) {
		struct profile loaded;

		wrap(content, i, &cut);
		err_clear();
		if (!profile_decode(cut.data, cut.nr, "x", &loaded))
			profile_done(&loaded);
		else
			assert_non_null(strstr(err_cause(), "malformed profile"));
	}
}

ENCODED_TEST(garbage_after_the_end_is_refused)
{
	buf_adds(bytes, "xx");
	refused(bytes, bytes->nr, "2 bytes after its end");
	sign(bytes);
	refused(bytes, bytes->nr, "not one Zstandard frame of a known size");
}

ENCODED_TEST(any_flipped_bit_is_noticed)
{
	for (size_t i = 0; i < bytes->nr; i++) {
		struct profile loaded;

		bytes->data[i] ^= 4;
		err_clear();
		assert_true(profile_decode(bytes->data, bytes->nr, "x", &loaded) < 0);
		bytes->data[i] ^= 4;
	}
	bytes->data[STK_HEADER_BYTES + 9] ^= 1;
	refused(bytes, bytes->nr, "checksum mismatch");
}

/* ---- contents ---- */

/* A file that make() has written, whose message `m` is changed by `damage`, is refused with this cause. */
#define REFUSED(make, damage, cause)                       \
	do {                                               \
		_cleanup_(buf_done) struct buf file_ = {}; \
		Stk__Profile *m;                           \
                                                           \
		make(&file_);                              \
		m = message_of(&file_);                    \
		damage;                                    \
		encode_message(m, &file_);                 \
		refused(&file_, file_.nr, cause);          \
	} while (0)

/* A column that is left out, since all of it is 0, is made before it is changed. */
#define SET(table, column, i, number)                                                  \
	({                                                                             \
		size_t nr_ = m->table->n_##column;                                     \
		if (nr_ <= (i)) {                                                      \
			m->table->column = calloc((i) + 8, sizeof(*m->table->column)); \
			m->table->n_##column = nr_of_##table(m);                       \
		}                                                                      \
		m->table->column[i] = (number);                                        \
	})

static size_t nr_of_files(const Stk__Profile *m)
{
	return m->files->n_path;
}

static size_t nr_of_frames(const Stk__Profile *m)
{
	return m->frames->n_where;
}

static size_t nr_of_records(const Stk__Profile *m)
{
	return m->records->n_id_lo;
}

static void need_news(Stk__Profile *m)
{
	m->needs = malloc(sizeof(*m->needs));
	m->needs[0] = strdup("news");
	m->n_needs = 1;
}

ENCODED_TEST(what_is_newer_is_refused)
{
	bytes->data[8] = STK_VERSION + 1;
	refused(bytes, bytes->nr, "format version 3, but this program reads version 2");
	bytes->data[8] = 0;
	refused(bytes, bytes->nr, "format version 0, but this program reads version 2");
	REFUSED(encode, need_news(m), "needs a newer version of this program");
	REFUSED(encode, m->view_flags |= 1u << 31, "needs a newer version of this program (view)");
	REFUSED(encode, m->style = 99, "needs a newer version of this program (view)");
}

/* As an older program reads a file with fields that came later: field 99 of the profile, a string. */
ENCODED_TEST(unknown_fields_are_skipped)
{
	static const uint8_t field[] = { 0x9a, 0x06, 3, 'n', 'e', 'w' };
	static uint8_t content[65536];
	struct profile loaded;
	size_t nr;

	nr = ZSTD_decompress(content, sizeof(content), bytes->data + STK_HEADER_BYTES, bytes->nr - STK_HEADER_BYTES);
	memcpy(content + nr, field, sizeof(field));
	wrap(content, nr + sizeof(field), bytes);
	assert_int_equal(profile_decode(bytes->data, bytes->nr, "x", &loaded), 0);
	assert_int_equal(loaded.records.nr, 2);
	profile_done(&loaded);
}

ENCODED_TEST(losses_are_known_by_name)
{
	struct profile loaded;
	Stk__Profile *message;

	message = message_of(bytes);
	memset(message->losses[1], 'D', 4);
	encode_message(message, bytes);
	refused(bytes, bytes->nr, "needs a newer version of this program (a kind of loss)");
	encode(bytes);
	message = message_of(bytes);
	memset(message->losses[0], 'D', 4); /* a kind that we do not have, but nothing of it was lost */
	encode_message(message, bytes);
	assert_int_equal(profile_decode(bytes->data, bytes->nr, "x", &loaded), 0);
	assert_int_equal(loaded.intervals.data[1].losses[1], 77);
	profile_done(&loaded);
}

static void drop_kinds_of_losses(Stk__Profile *m)
{
	while (m->n_losses > 1)
		free(m->losses[--m->n_losses]);
}

TEST(what_makes_no_sense_is_refused)
{
	REFUSED(encode, m->applet = 999, "the description refers to a missing string");
	REFUSED(encode, SET(files, build_id, 0, 999), "file 0 refers to a missing string");
	REFUSED(encode, SET(files, deleted, 0, 2), "files: 0 is out of range");
	REFUSED(encode, SET(frames, kind, 0, 9), "frame 0 is of an unknown kind");
	REFUSED(encode, SET(frames, reason, 0, 255), "frame 0 is of an unknown kind");
	REFUSED(encode, SET(frames, level, 0, 1 << 16), "frames: 0 is out of range");
	REFUSED(encode, SET(frames, name, 0, 999), "frame 0 refers to a missing string");
	REFUSED(encode, SET(frames, source, 0, 999), "frame 0 refers to a missing string");
	REFUSED(encode, SET(frames, file, 1, 1), "frame 1 refers to a missing file");
	REFUSED(encode, SET(records, comm, 0, 999), "record 0 refers to a missing string");
	REFUSED(encode, SET(records, program, 0, 255), "record 0 is of an unknown kind");
	REFUSED(encode, SET(records, context, 0, 4), "record 0 is of an unknown kind");
	REFUSED(encode, (SET(records, nr_kernel, 0, 65535), SET(records, nr_user, 0, 65535)),
		"record 0 has more frames than the file");
	REFUSED(encode, (SET(records, nr_kernel, 0, 0), SET(records, nr_user, 0, 0)), "3 frames belong to no record");
	REFUSED(encode, (SET(records, id_lo, 1, m->records->id_lo[0]), SET(records, id_hi, 1, m->records->id_hi[0])),
		"duplicate record 1");
	REFUSED(encode, m->records->n_tgid = 1, "records: columns differ in length");
	REFUSED(encode, m->records->n_id_hi = 1, "records: columns differ in length");
	REFUSED(encode, m->stack_frames[1] = 3, "stack position 1 refers to a missing frame");
	REFUSED(encode, m->n_stack_addresses--, "3 frames but 2 addresses");
	REFUSED(encode, m->strings.data[0] = 0, "string 1 is empty or a duplicate");
	REFUSED(encode, m->strings.data[m->strings.len - 1] = 'x', "the last string does not end");
	REFUSED(encode, m->intervals[0]->record[0] = 2, "a row refers to a missing record");
	REFUSED(encode, m->intervals[0]->record[0] = m->intervals[0]->record[1],
		"record 1 has two rows in an interval");
	REFUSED(encode, m->intervals[0]->n_count--, "rows: columns differ in length");
	REFUSED(encode, drop_kinds_of_losses(m), "an interval has more losses than there are kinds of losses");
}

/* ---- the host, and processes with their mappings ---- */

static void add_module(struct profile *profile, const char *name, const char *build_id)
{
	const struct profile_module module = {
		.name = profile_add_string(profile, name),
		.build_id = profile_add_string(profile, build_id),
	};

	assert_true(profile_add_module(profile, &module));
}

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
	profile_add_cgroup(profile, 1, profile_add_string(profile, "/a"));
	profile_add_cgroup(profile, 2, profile_add_string(profile, "/b"));
	add_module(profile, "ext4", "aabb");
	add_module(profile, "xfs", "");
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
}

static void check_processes(const struct profile *loaded)
{
	assert_string_equal(profile_string(loaded, loaded->host.kernel_build_id), "00ff");
	assert_int_equal(loaded->host.nr_cpus, 2);
	assert_int_equal(loaded->clocks.real_ns, 3);
	assert_int_equal(loaded->clocks.period, 10000000);
	assert_true(loaded->clocks.period_is_time);
	assert_int_equal(loaded->lives.nr, 2);
	assert_int_equal(loaded->lives.data[1].end_ns, 99);
	assert_int_equal(loaded->mappings.nr, 2);
	assert_int_equal(loaded->mappings.data[0].file_offset, 0x1000);
	assert_int_equal(loaded->mappings.data[1].file, PROFILE_NONE);
}

TEST(processes_come_back)
{
	_cleanup_(profile_done) struct profile loaded;
	_cleanup_(buf_done) struct buf bytes = {}, again = {};

	encode_processes(&bytes);
	assert_int_equal(profile_decode(bytes.data, bytes.nr, "x", &loaded), 0);
	check_processes(&loaded);
	assert_int_equal(loaded.modules.nr, 2);
	assert_string_equal(profile_string(&loaded, loaded.modules.data[0].name), "ext4");
	assert_string_equal(profile_string(&loaded, loaded.modules.data[0].build_id), "aabb");
	profile_encode(&loaded, &again);
	assert_int_equal(bytes.nr, again.nr);
	assert_memory_equal(bytes.data, again.data, bytes.nr);
}

/*
 * What encode_processes() wrote when version 2 was new. Every later program reads it; with WRITE_SAVED in the environment the
 * file is written, which is right for a new version only.
 */
TEST(files_of_the_first_program_of_this_version_are_read)
{
	_cleanup_(profile_done) struct profile loaded;
	_cleanup_(freep) char *path = NULL;
	_cleanup_(buf_done) struct buf notes = {};

	if (!getenv("SOURCE"))
		skip();
	assert_true(asprintf(&path, "%s/tests/golden/saved/version-%d", getenv("SOURCE"), STK_VERSION) > 0);
	if (getenv("WRITE_SAVED")) {
		_cleanup_(profile_done) struct profile profile;

		build_processes(&profile);
		assert_int_equal(profile_save(&profile, path), 0);
	}
	assert_int_equal(profile_read(path, &loaded, &notes), 0);
	check_processes(&loaded);
	assert_int_equal(loaded.records.nr, 2);
	assert_int_equal(loaded.records.data[0].nr_user, 2);
	assert_string_equal(profile_string(&loaded, loaded.frames.data[1].name), "there");
	assert_int_equal(loaded.frames.data[1].offset, 3);
	assert_int_equal(loaded.stack_addresses.data[0], here.address);
	assert_int_equal(loaded.intervals.data[0].rows.data[1].count, 9);
	assert_int_equal(loaded.intervals.data[1].losses[1], 77);
	assert_true(loaded.view.folded && loaded.view.want_user && !loaded.view.want_kernel);
}

TEST(wrong_processes_are_refused)
{
	REFUSED(encode_processes, m->host->kernel_build_id = 999, "the host refers to a missing string");
	REFUSED(encode_processes, m->lives->begin_ns[1] = 0, "duplicate process 1");
	REFUSED(encode_processes, m->mappings->life[0] = 2, "mapping 0 refers to a missing process");
	REFUSED(encode_processes, m->mappings->file[0] = 2, "mapping 0 refers to a missing file");
	REFUSED(encode_processes, m->cgroups->id[1] = 1, "duplicate cgroup 1");
	REFUSED(encode_processes, m->cgroups->path[1] = 999, "cgroup 1 refers to a missing string");
	REFUSED(encode_processes, m->modules->name[1] = m->modules->name[0], "duplicate module 1");
	REFUSED(encode_processes, m->modules->name[1] = 999, "module 1 refers to a missing string");
	REFUSED(encode_processes, m->modules->build_id[1] = 999, "module 1 refers to a missing string");
	REFUSED(encode_processes, m->mappings->end[1] = 0x400000, "mapping 1 ends before it starts");
	REFUSED(encode_processes, m->mappings->file[1] = 0, "duplicate mapping 1");
}

/* As a file of a program that knew nothing of them. */
TEST(without_them_the_rest_is_read)
{
	_cleanup_(profile_done) struct profile loaded;
	_cleanup_(buf_done) struct buf bytes = {};
	Stk__Profile *message;

	encode_processes(&bytes);
	message = message_of(&bytes);
	stk__host__free_unpacked(message->host, NULL);
	stk__clocks__free_unpacked(message->clocks, NULL);
	stk__lives__free_unpacked(message->lives, NULL);
	stk__mappings__free_unpacked(message->mappings, NULL);
	message->host = NULL;
	message->clocks = NULL;
	message->lives = NULL;
	message->mappings = NULL;
	encode_message(message, &bytes);
	assert_int_equal(profile_decode(bytes.data, bytes.nr, "x", &loaded), 0);
	assert_int_equal(loaded.lives.nr + loaded.mappings.nr + loaded.host.nr_cpus, 0);
	assert_int_equal(loaded.clocks.period, 0);
	assert_int_equal(loaded.records.nr, 2);
}

/* ---- size ---- */

/* A file that holds these bytes where the frame should be. */
static void file_of_frame(const void *frame, size_t nr, struct buf *ret_bytes)
{
	encode(ret_bytes);
	ret_bytes->nr = STK_HEADER_BYTES;
	buf_add(ret_bytes, frame, nr);
	sign(ret_bytes);
}

TEST(what_is_no_whole_frame_is_refused)
{
	_cleanup_(buf_done) struct buf bytes = {};
	char packed[256];
	size_t nr = ZSTD_compress(packed, sizeof(packed), "abc\0abc\0abc", 12, 3);

	file_of_frame(packed, 0, &bytes);
	refused(&bytes, bytes.nr, "not one Zstandard frame of a known size");
	file_of_frame(packed, nr - 1, &bytes);
	refused(&bytes, bytes.nr, "not one Zstandard frame of a known size");
	memcpy(packed + nr, packed, nr); /* two frames */
	file_of_frame(packed, 2 * nr, &bytes);
	refused(&bytes, bytes.nr, "not one Zstandard frame of a known size");
	packed[5] = 99; /* the size of the content */
	file_of_frame(packed, nr, &bytes);
	refused(&bytes, bytes.nr, "cannot be unpacked");
	wrap("no message", 10, &bytes);
	refused(&bytes, bytes.nr, "not a profile message, or too large");
}

/* 2 GB of zeros in 70 KB: refused by what it says, before anything is unpacked. */
TEST(bombs_are_refused)
{
	static char zeros[1 << 20], packed[1 << 17];
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ZSTD_outBuffer out = { packed, sizeof(packed), 0 };
	_cleanup_(buf_done) struct buf bytes = {};
	size_t left = 1;

	ZSTD_CCtx_setPledgedSrcSize(context, 1ULL << 31);
	for (int i = 0; i < 2048; i++) {
		ZSTD_inBuffer in = { zeros, sizeof(zeros), 0 };

		while (in.pos < in.size || (i == 2047 && left))
			left = ZSTD_compressStream2(context, &out, &in, i == 2047 ? ZSTD_e_end : ZSTD_e_continue);
	}
	ZSTD_freeCCtx(context);
	file_of_frame(packed, out.pos, &bytes);
	refused(&bytes, bytes.nr, "more than 1024 MB when unpacked");
}

static void add_length(struct buf *bytes, size_t length)
{
	for (; length > 127; length >>= 7)
		buf_addc(bytes, (char)(length | 128));
	buf_addc(bytes, (char)length);
}

/* 20 million records of which nothing but ids of zeros is there: some 10 KB in the file, 2 GB in memory. */
TEST(records_that_take_too_much_are_refused)
{
	_cleanup_(buf_done) struct buf bytes = {}, content = {}, column = {};
	const size_t nr_bytes = (20 << 20) * sizeof(uint64_t);

	buf_addc(&column, 1 << 3 | 2); /* id_lo; id_hi has the same bytes but this one */
	add_length(&column, nr_bytes);
	vec_reserve(&column, column.nr + nr_bytes + 1);
	memset(column.data + column.nr, 0, nr_bytes);
	column.nr += nr_bytes;
	buf_adds(&content, "\x82\x01"); /* the records */
	add_length(&content, 2 * column.nr);
	buf_add(&content, column.data, column.nr);
	column.data[0] = 2 << 3 | 2;
	buf_add(&content, column.data, column.nr);
	wrap(content.data, content.nr, &bytes);
	assert_true(bytes.nr < 1 << 20);
	refused(&bytes, bytes.nr, "too many records");
}
