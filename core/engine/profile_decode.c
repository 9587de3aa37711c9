/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a hostile file. The order of work keeps it simple: first the container (every section lies inside the bytes),
 * then the tables from the one that refers to nothing (strings) to those that refer to it, so that each index can be
 * checked against a table that is already complete. Arrays have the number of elements that their bytes make up: a
 * count that could lie does not exist, and memory is bounded by a small multiple of the file.
 */
#include "core/engine/profile_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/engine/profile_decode_private.h"
#include "core/engine/profile_pack.h"

/* What a file may hold when its sections are unpacked; as much as a file of version 1 may have. */
#define MAX_UNPACKED_BYTES (1ULL << 30)
#define RECORDS_AHEAD 8 /* whose place in the index is fetched while others are read */

int malformed(const struct decoder *decoder, const char *format, ...)
{
	_cleanup_(buf_done) struct buf what = {};
	va_list arguments;

	va_start(arguments, format);
	buf_vaddf(&what, format, arguments);
	va_end(arguments);
	return fail(-EBADMSG, "'%s': malformed profile: %s", decoder->name, buf_text(&what));
}

/* ---- the container ---- */

static bool checksum_holds(const unsigned char *bytes, size_t nr_bytes, uint32_t checksum)
{
	return (uint32_t)crc32_z(0, bytes, nr_bytes) == checksum;
}

static int check_header(struct decoder *decoder)
{
	const unsigned char *head = decoder->bytes;
	uint64_t length;

	if (decoder->nr_bytes < FORMAT_HEADER_BYTES || memcmp(head, FORMAT_MAGIC, FORMAT_MAGIC_BYTES) != 0)
		return fail(-EBADMSG, "'%s': not a saved profile", decoder->name);
	decoder->version = get32(head + 8);
	if (decoder->version < FORMAT_OLDEST || decoder->version > FORMAT_VERSION)
		return fail(-ENOTSUP, "'%s': format version %u, but this program reads versions %d to %d",
			    decoder->name, decoder->version, FORMAT_OLDEST, FORMAT_VERSION);
	if (!checksum_holds(head, 28, get32(head + 28)))
		return malformed(decoder, "damaged header");
	if (get32(head + 12) & ~(uint32_t)FORMAT_FLAGS_KNOWN)
		return fail(-ENOTSUP, "'%s': needs a newer version of this program (flags 0x%x)", decoder->name,
			    get32(head + 12));
	length = get64(head + 16);
	if (length > decoder->nr_bytes)
		return fail(-EBADMSG, "'%s': truncated profile: %zu of %ju bytes", decoder->name, decoder->nr_bytes,
			    (uintmax_t)length);
	if (length < decoder->nr_bytes)
		return malformed(decoder, "%ju bytes behind its end", (uintmax_t)(decoder->nr_bytes - length));
	return 0;
}

static enum section section_of(const unsigned char *tag)
{
#define X(name)                     \
	if (!memcmp(tag, #name, 4)) \
		return SECTION_##name;
	FORMAT_SECTIONS(X)
#undef X
	return NR_SECTIONS;
}

/* A tag for a message: from a hostile file, so shown in hex unless it is what tags are made of. */
static void tag_text(const unsigned char *tag, char ret_text[16])
{
	bool plain = true;

	for (int i = 0; i < 4; i++)
		plain = plain && tag[i] >= 'A' && tag[i] <= 'Z';
	if (plain)
		snprintf(ret_text, 16, "%.4s", (const char *)tag);
	else
		snprintf(ret_text, 16, "0x%08x", get32(tag));
}

/* Gives the memory of a section back as soon as its table has been read. */
static void forget(struct payload *payload)
{
	free(payload->unpacked);
	*payload = (struct payload){};
}

static uint32_t known_flags(const struct decoder *decoder)
{
	return SECTION_REQUIRED | (decoder->version > 1 ? SECTION_PACKED : 0);
}

/*
 * Replaces a packed payload by what is in it. The size is bounded for the file as a whole before memory is taken: a few
 * bytes can stand for gigabytes of zeros.
 */
static int unpack(struct decoder *decoder, const char *tag, struct payload *payload)
{
	uint64_t nr_bytes = section_unpacked_bytes(payload->bytes, payload->nr_bytes);
	void *room;

	if (nr_bytes == UINT64_MAX)
		return malformed(decoder, "section %s is not one Zstandard frame of a known size", tag);
	if (nr_bytes > MAX_UNPACKED_BYTES - decoder->nr_unpacked)
		return fail(-EFBIG, "'%s': more than %llu MB when unpacked", decoder->name, MAX_UNPACKED_BYTES >> 20);
	room = malloc(nr_bytes ? nr_bytes : 1);
	if (!room)
		return fail(-ENOMEM, "'%s': out of memory", decoder->name);
	if (section_unpack(payload->bytes, payload->nr_bytes, room, nr_bytes)) {
		free(room);
		return malformed(decoder, "section %s cannot be unpacked", tag);
	}
	decoder->nr_unpacked += nr_bytes;
	payload->unpacked = room;
	payload->bytes = room;
	payload->nr_bytes = nr_bytes;
	return 0;
}

static int keep_section(struct decoder *decoder, const unsigned char *head, struct payload payload)
{
	enum section section = section_of(head);
	char tag[16];

	tag_text(head, tag);
	if (get32(head + 4) & ~known_flags(decoder) || get32(head + 20))
		return fail(-ENOTSUP, "'%s': needs a newer version of this program (flags of section %s)",
			    decoder->name, tag);
	if (section == NR_SECTIONS) {
		if (!(get32(head + 4) & SECTION_REQUIRED))
			return 0; /* an addition that may be left out */
		return fail(-ENOTSUP, "'%s': needs a newer version of this program (section %s)", decoder->name, tag);
	}
	if (!checksum_holds(payload.bytes, payload.nr_bytes, get32(head + 16)))
		return malformed(decoder, "damaged section %s", tag);
	if (section != SECTION_INTV && decoder->sections[section].found)
		return malformed(decoder, "section %s is there twice", tag);
	if (get32(head + 4) & SECTION_PACKED) {
		int err = unpack(decoder, tag, &payload);

		if (err)
			return err;
	}
	if (section == SECTION_INTV)
		vec_push(&decoder->intervals, payload);
	else
		decoder->sections[section] = payload;
	return 0;
}

/* Takes the section at *at and moves on behind it. */
static int take_section(struct decoder *decoder, size_t *at)
{
	size_t left = decoder->nr_bytes - *at;
	const unsigned char *head = decoder->bytes + *at;
	uint64_t length, padded;

	if (left < FORMAT_SECTION_BYTES)
		return malformed(decoder, "a section begins behind the end");
	left -= FORMAT_SECTION_BYTES;
	length = get64(head + 8);
	if (length > left || format_padding(length) > left - length)
		return malformed(decoder, "a section reaches behind the end");
	padded = length + format_padding(length);
	for (size_t i = length; i < padded; i++)
		if (head[FORMAT_SECTION_BYTES + i])
			return malformed(decoder, "a section is not padded with zeros");
	*at += FORMAT_SECTION_BYTES + padded;
	return keep_section(decoder, head, (struct payload){ head + FORMAT_SECTION_BYTES, length, true, NULL });
}

static int find_sections(struct decoder *decoder)
{
	uint32_t nr = get32(decoder->bytes + 24);
	size_t at = FORMAT_HEADER_BYTES;
	int err = 0;

	for (uint32_t i = 0; !err && i < nr; i++)
		err = take_section(decoder, &at);
	if (err)
		return err;
	if (at != decoder->nr_bytes)
		return malformed(decoder, "%zu bytes behind the last section", decoder->nr_bytes - at);
	for (int i = 0; i < SECTION_INTV; i++)
		if (!decoder->sections[i].found)
			return malformed(decoder, "a section is missing");
	return 0;
}

/* ---- tables ---- */

/* The number of elements of an array section. */
static int array_of(struct decoder *decoder, enum section section, size_t element_bytes, size_t *ret_nr)
{
	size_t nr_bytes = decoder->sections[section].nr_bytes;

	if (nr_bytes % element_bytes)
		return malformed(decoder, "a table ends within an element");
	*ret_nr = nr_bytes / element_bytes;
	return 0;
}

bool is_string(const struct decoder *decoder, uint32_t id)
{
	return id <= decoder->profile->strings.offsets.nr;
}

static int decode_strings(struct decoder *decoder)
{
	const struct payload *payload = &decoder->sections[SECTION_STRS];
	const char *at = (const char *)payload->bytes, *end = at + payload->nr_bytes;

	if (payload->nr_bytes && end[-1])
		return malformed(decoder, "the last string does not end");
	for (uint32_t id = 1; at < end; id++) {
		size_t length = strlen(at);

		if (strtab_addn(&decoder->profile->strings, at, length) != id)
			return malformed(decoder, "string %u is empty or there twice", id);
		at += length + 1;
	}
	forget(&decoder->sections[SECTION_STRS]);
	return 0;
}

static int decode_view(struct decoder *decoder, uint32_t style, uint32_t flags)
{
	struct profile_view *view = &decoder->profile->view;

	if (style >= VIEW_NR_STYLES || flags >> NR_VIEW_FLAGS)
		return fail(-ENOTSUP, "'%s': needs a newer version of this program (view)", decoder->name);
	view->style = (uint8_t)style;
#define X(name) view->name = flags & (1u << VIEW_FLAG_##name);
	FORMAT_VIEW_FLAGS(X)
#undef X
	return 0;
}

static int decode_info(struct decoder *decoder)
{
	const unsigned char *at = decoder->sections[SECTION_INFO].bytes;
	struct profile *profile = decoder->profile;
	bool strings = true;

	if (decoder->sections[SECTION_INFO].nr_bytes != INFO_BYTES)
		return malformed(decoder, "section INFO has a wrong length");
#define X(name)                                                 \
	profile->name = get32(at);                              \
	strings = strings && is_string(decoder, profile->name); \
	at += 4;
	FORMAT_INFO_STRINGS(X)
#undef X
	if (!strings)
		return malformed(decoder, "no such string in section INFO");
	profile->utc_offset_s = get32(at);
	return decode_view(decoder, get32(at + 4), get32(at + 8));
}

static int decode_file(struct decoder *decoder, const unsigned char *at, size_t i)
{
	struct profile_file file = {
		.path = get32(at),
		.build_id = get32(at + 4),
		.device = get64(at + 8),
		.inode = get64(at + 16),
		.deleted = get32(at + 24) & FILE_DELETED,
	};

	if (get32(at + 24) & ~(uint32_t)FILE_FLAGS_KNOWN)
		return malformed(decoder, "file %zu is of an unknown kind", i);
	if (!is_string(decoder, file.path) || !is_string(decoder, file.build_id))
		return malformed(decoder, "no such string in file %zu", i);
	vec_push(&decoder->profile->files, file);
	return 0;
}

static int decode_frame(struct decoder *decoder, const unsigned char *at, size_t i)
{
	const struct profile_view *view = &decoder->profile->view;
	struct profile_frame frame = {
		.kind = at[0],
		.reason = at[1],
		.exact = at[2] & FRAME_EXACT,
		.tracer = at[2] & FRAME_TRACER,
		.has_inlined = at[2] & FRAME_INLINED,
		.line_reason = view->lines || view->inlines ? at[3] : LINES_NOT_TRIED,
		.file = get32(at + 4),
		.space = get32(at + 8),
		.name = get32(at + 12),
		.module = get32(at + 16),
		.level = view->inlines ? get16(at + 20) : 0,
		.where = get64(at + 24),
		.offset = get64(at + 32),
	};

	if (frame.kind > FRAME_TEXT || frame.reason >= REASON_NR || frame.line_reason >= LINES_NR ||
	    at[2] & ~FRAME_FLAGS_KNOWN)
		return malformed(decoder, "frame %zu is of an unknown kind", i);
	if (frame.kind == FRAME_USER_FILE && frame.file >= decoder->profile->files.nr)
		return malformed(decoder, "no such file in frame %zu", i);
	if (!is_string(decoder, frame.name) || !is_string(decoder, frame.module))
		return malformed(decoder, "no such string in frame %zu", i);
	if (profile_add_frame(decoder->profile, &frame) != i)
		return malformed(decoder, "frame %zu is there twice", i);
	return 0;
}

static struct profile_record get_record(const unsigned char *at)
{
	return (struct profile_record){
		.id = { get64(at), get64(at + 8) },
		.start_time_ns = get64(at + 16),
		.exec_id = get64(at + 24),
		.cgroup_id = get64(at + 32),
		.probe = get64(at + 40),
		.time_ns = get64(at + 48),
		.tgid = get32(at + 56),
		.tid = get32(at + 60),
		.comm = get32(at + 64),
		.cpu = get32(at + 68),
		.program = at[72],
		.kernel_status = at[73],
		.user_status = at[74],
		.foreign = at[75] & RECORD_FOREIGN,
		.stack_lost = at[75] & RECORD_STACK_LOST,
		.expanded = at[75] & RECORD_EXPANDED,
		.context = at[75] >> RECORD_CONTEXT_SHIFT & RECORD_CONTEXT_MASK,
		.nr_kernel = get16(at + 76),
		.nr_user = get16(at + 78),
	};
}

static int check_record(struct decoder *decoder, const struct profile_record *record, uint8_t flags, size_t i)
{
	if (flags & ~RECORD_FLAGS_KNOWN || record->program > PROGRAM_TEST || record->kernel_status > STACK_TRUNCATED ||
	    record->user_status > STACK_TRUNCATED)
		return malformed(decoder, "record %zu is of an unknown kind", i);
	if (!is_string(decoder, record->comm) || record->probe > UINT32_MAX ||
	    !is_string(decoder, (uint32_t)record->probe))
		return malformed(decoder, "no such string in record %zu", i);
	if (profile_find_record(decoder->profile, record->id) != PROFILE_NONE)
		return malformed(decoder, "record %zu is there twice", i);
	return 0;
}

/*
 * The tables of frames and addresses are what the two stack sections are, once numbers have the order of this machine: the
 * memory of a packed section becomes the table.
 */
static int take_table(struct decoder *decoder, enum section section, void **ret_table)
{
	struct payload *payload = &decoder->sections[section];

	if (!payload->unpacked) {
		payload->unpacked = malloc(payload->nr_bytes ? payload->nr_bytes : 1);
		if (!payload->unpacked)
			return fail(-ENOMEM, "'%s': out of memory", decoder->name);
		if (payload->nr_bytes)
			memcpy(payload->unpacked, payload->bytes, payload->nr_bytes);
	}
	*ret_table = payload->unpacked;
	payload->unpacked = NULL;
	return 0;
}

static int take_stacks(struct decoder *decoder, size_t nr)
{
	struct profile *profile = decoder->profile;
	void *frames = NULL, *addresses = NULL;
	int err = take_table(decoder, SECTION_STKF, &frames);

	profile->stack_frames.data = frames;
	if (!err)
		err = take_table(decoder, SECTION_STKA, &addresses);
	profile->stack_addresses.data = addresses;
	if (err)
		return err;
	profile->stack_frames.nr = profile->stack_frames.room = nr;
	profile->stack_addresses.nr = profile->stack_addresses.room = nr;
	for (size_t i = 0; i < nr; i++) {
		uint32_t *frame = &profile->stack_frames.data[i];
		uint64_t *address = &profile->stack_addresses.data[i];

		*frame = le32toh(*frame);
		*address = le64toh(*address);
		if (*frame >= profile->frames.nr)
			return malformed(decoder, "no such frame in stack position %zu", i);
		if (decoder->version > 1)
			*address += profile->frames.data[*frame].where;
	}
	return 0;
}

/* A record's frames begin where those of the one before ended. */
static int decode_record(struct decoder *decoder, const unsigned char *at, size_t i, size_t *first)
{
	struct profile_record record = get_record(at);
	size_t nr = (size_t)record.nr_kernel + record.nr_user;
	int err = check_record(decoder, &record, at[75], i);

	if (!err && nr > decoder->profile->stack_frames.nr - *first)
		err = malformed(decoder, "record %zu has more frames than there are", i);
	if (err)
		return err;
	record.first = (uint32_t)*first;
	*first += nr;
	profile_append_record(decoder->profile, &record);
	return 0;
}

/* How many frames all stacks have; both sections must say the same. */
static int count_stack_frames(struct decoder *decoder, size_t *ret_nr)
{
	size_t nr_frames = 0, nr_addresses = 0;
	int err = array_of(decoder, SECTION_STKF, STKF_BYTES, &nr_frames);

	if (!err)
		err = array_of(decoder, SECTION_STKA, STKA_BYTES, &nr_addresses);
	if (!err && nr_frames != nr_addresses)
		err = malformed(decoder, "%zu frames but %zu addresses", nr_frames, nr_addresses);
	*ret_nr = nr_frames;
	return err;
}

static void expect_record(struct decoder *decoder, size_t i)
{
	const unsigned char *at = decoder->sections[SECTION_RECS].bytes + i * RECS_BYTES;

	profile_expect_record(decoder->profile, (struct profile_id){ get64(at), get64(at + 8) });
}

static int decode_records(struct decoder *decoder)
{
	size_t nr_records = 0, nr_frames = 0, first = 0;
	int err = array_of(decoder, SECTION_RECS, RECS_BYTES, &nr_records);

	if (!err)
		err = count_stack_frames(decoder, &nr_frames);
	if (!err)
		err = take_stacks(decoder, nr_frames);
	if (err)
		return err;
	vec_reserve(&decoder->profile->records, nr_records);
	hashidx_reserve(&decoder->profile->record_index, nr_records);
	for (size_t i = 0; !err && i < nr_records; i++) {
		if (i + RECORDS_AHEAD < nr_records)
			expect_record(decoder, i + RECORDS_AHEAD);
		err = decode_record(decoder, decoder->sections[SECTION_RECS].bytes + i * RECS_BYTES, i, &first);
	}
	if (!err && first != nr_frames)
		err = malformed(decoder, "%zu frames belong to no record", nr_frames - first);
	forget(&decoder->sections[SECTION_RECS]);
	return err;
}

/* Calls `decode` for each element of an array section. */
int decode_array(struct decoder *decoder, enum section section, size_t element_bytes,
		 int (*decode)(struct decoder *decoder, const unsigned char *at, size_t i))
{
	size_t nr = 0;
	int err = array_of(decoder, section, element_bytes, &nr);

	for (size_t i = 0; !err && i < nr; i++)
		err = decode(decoder, decoder->sections[section].bytes + i * element_bytes, i);
	forget(&decoder->sections[section]);
	return err;
}

/* ---- intervals ---- */

static size_t loss_by_name(const char *name)
{
	for (size_t i = 0; i < profile_nr_losses(); i++)
		if (!strcmp(profile_loss_name(i), name))
			return i;
	return profile_nr_losses();
}

static int decode_loss_names(struct decoder *decoder)
{
	const struct payload *payload = &decoder->sections[SECTION_LOSS];
	const char *at = (const char *)payload->bytes, *end = at + payload->nr_bytes;

	if (payload->nr_bytes && end[-1])
		return malformed(decoder, "the last loss does not end");
	for (; at < end; at += strlen(at) + 1) {
		if (decoder->nr_losses == PROFILE_MAX_LOSSES)
			return malformed(decoder, "too many kinds of losses");
		decoder->losses[decoder->nr_losses++] = loss_by_name(at);
	}
	return 0;
}

static int decode_losses(struct decoder *decoder, const unsigned char *at, struct profile_interval *interval)
{
	for (size_t i = 0; i < decoder->nr_losses; i++) {
		uint64_t number = get64(at + i * INTV_LOSS_BYTES);

		if (!number)
			continue;
		if (decoder->losses[i] == profile_nr_losses())
			return fail(-ENOTSUP, "'%s': needs a newer version of this program (loss %zu)", decoder->name,
				    i);
		interval->losses[decoder->losses[i]] = number;
	}
	return 0;
}

/* One row per record, as profile_count() makes them: rows pack to nothing, and each costs the work of a whole stack. */
static int decode_rows(struct decoder *decoder, const unsigned char *at, const unsigned char *end,
		       struct profile_interval *interval)
{
	uint32_t number = (uint32_t)decoder->profile->intervals.nr + 1;

	vec_reserve(&interval->rows, (size_t)(end - at) / INTV_ROW_BYTES);
	for (; at < end; at += INTV_ROW_BYTES) {
		struct profile_row row = { .record = get32(at), .count = get64(at + 8), .sum = get64(at + 16) };

		if (row.record >= decoder->profile->records.nr)
			return malformed(decoder, "no such record in a row");
		if (decoder->last_rows[row.record] == number)
			return malformed(decoder, "record %u has two rows in an interval", row.record);
		decoder->last_rows[row.record] = number;
		vec_push(&interval->rows, row);
	}
	return 0;
}

static void decode_interval_head(const unsigned char *at, struct profile_interval *interval)
{
	interval->start_ns = get64(at);
	interval->end_ns = get64(at + 8);
	interval->wall_end_ns = get64(at + 16);
	at += 24;
#define X(name)                             \
	interval->account.name = get64(at); \
	at += 8;
	FORMAT_ACCOUNT(X)
#undef X
	interval->account.nr_cpus = get32(at);
}

static int decode_interval(struct decoder *decoder, const struct payload *payload)
{
	size_t fixed = INTV_HEAD_BYTES + decoder->nr_losses * INTV_LOSS_BYTES;
	const unsigned char *losses = payload->bytes + INTV_HEAD_BYTES, *end = payload->bytes + payload->nr_bytes;
	struct profile_interval interval = {};
	int err;

	if (payload->nr_bytes < fixed || (payload->nr_bytes - fixed) % INTV_ROW_BYTES)
		return malformed(decoder, "an interval has a wrong length");
	decode_interval_head(payload->bytes, &interval);
	err = decode_losses(decoder, losses, &interval);
	if (!err)
		err = decode_rows(decoder, payload->bytes + fixed, end, &interval);
	vec_push(&decoder->profile->intervals, interval); /* frees it with the rest, whatever came of it */
	return err;
}

static int decode_intervals(struct decoder *decoder)
{
	int err = decode_loss_names(decoder);

	decoder->last_rows = calloc(decoder->profile->records.nr + 1, sizeof(*decoder->last_rows));
	if (!err && !decoder->last_rows)
		err = fail(-ENOMEM, "'%s': out of memory", decoder->name);
	for (size_t i = 0; !err && i < decoder->intervals.nr; i++)
		err = decode_interval(decoder, &decoder->intervals.data[i]);
	return err;
}

/* ---- all of it ---- */

static void decoder_done(struct decoder *decoder)
{
	for (int i = 0; i < NR_SECTIONS; i++)
		forget(&decoder->sections[i]);
	for (size_t i = 0; i < decoder->intervals.nr; i++)
		forget(&decoder->intervals.data[i]);
	vec_done(&decoder->intervals);
	free(decoder->last_rows);
}

static int decode_all(struct decoder *decoder)
{
	int err = check_header(decoder);

	if (!err)
		err = find_sections(decoder);
	if (!err)
		err = decode_strings(decoder);
	if (!err)
		err = decode_info(decoder);
	if (!err)
		err = decode_array(decoder, SECTION_FILE, FILE_BYTES, decode_file);
	if (!err)
		err = decode_array(decoder, SECTION_FRAM, FRAM_BYTES, decode_frame);
	if (!err)
		err = decode_records(decoder);
	if (!err)
		err = decode_beside(decoder);
	return err ? err : decode_intervals(decoder);
}

int profile_decode(const void *bytes, size_t nr_bytes, const char *name, struct profile *ret_profile)
{
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(decoder_done) struct decoder decoder = {
		.name = name,
		.profile = &profile,
		.bytes = bytes,
		.nr_bytes = nr_bytes,
	};
	int err;

	profile_init(&profile);
	err = decode_all(&decoder);
	if (err)
		return err;
	*ret_profile = profile;
	profile_init(&profile);
	return 0;
}
