/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a hostile file: the container, then the message, by protobuf-c within a memory budget. Then the tables, each after those that it
 * refers to (strings first), so that each index can be checked. The length of a table is that of its first column; there are no separate
 * counts.
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/formats/stk.h"
#include "stk_packed.pb-c.h"

#define MAX_UNPACKED_BYTES (1ULL << 30) /* limit of the unpacked message */
#define MAX_MESSAGE_BYTES (2ULL << 30) /* limit of the memory for protobuf-c and the tables */
#define MAX_LOSSES 64   /* limit of kinds of losses in a file */
#define RECORDS_AHEAD 8 /* distance at which the index is prefetched */

struct reader {
	const char *name; /* for messages */
	struct profile *profile;
	ProtobufCAllocator allocator;
	uint64_t nr_left; /* bytes that may still be allocated */
	StkPacked__Profile *message;
	size_t losses[MAX_LOSSES]; /* the enum st_loss of each loss of the file; ST_NR_LOSSES: unknown here */
	size_t nr_losses;
	const StkPacked__Interval *interval; /* the one that is being read */
	uint32_t *last_rows; /* for each record, the last interval with a row of it, counted from 1 */
};

/* Records that the file is malformed, and how. Returns -EBADMSG. */
__attribute__((format(printf, 2, 3))) static int malformed(const struct reader *reader, const char *format, ...)
{
	_cleanup_(buf_done) struct buf what = {};
	va_list arguments;

	va_start(arguments, format);
	buf_vaddf(&what, format, arguments);
	va_end(arguments);
	return fail(-EBADMSG, "'%s': malformed profile: %s", reader->name, buf_text(&what));
}

static int too_new(const struct reader *reader, const char *what)
{
	return fail(-ENOTSUP, "'%s': needs a newer version of this program (%s)", reader->name, what);
}

static uint64_t number_at(const unsigned char *at, size_t nr_bytes)
{
	uint64_t number = 0;

	memcpy(&number, at, nr_bytes);
	return le64toh(number);
}

static int check_header(const struct reader *reader, const unsigned char *head, size_t nr_bytes)
{
	uint64_t version, length;
	size_t nr_frame;

	if (nr_bytes < STK_HEADER_BYTES || memcmp(head, STK_MAGIC, STK_MAGIC_BYTES) != 0)
		return fail(-EBADMSG, "'%s': not a saved profile", reader->name);
	version = number_at(head + 8, 4);
	length = number_at(head + 16, 8);
	nr_frame = nr_bytes - STK_HEADER_BYTES;
	if (version != STK_VERSION)
		return fail(-ENOTSUP, "'%s': format version %u, but this program reads version %d", reader->name,
			    (unsigned int)version, STK_VERSION);
	if (length > nr_frame)
		return fail(-EBADMSG, "'%s': truncated profile: %zu of %ju bytes", reader->name, nr_bytes,
			    (uintmax_t)length + STK_HEADER_BYTES);
	if (length < nr_frame)
		return malformed(reader, "%ju bytes after its end", (uintmax_t)(nr_frame - length));
	if ((uint32_t)crc32_z(0, head + STK_HEADER_BYTES, nr_frame) != number_at(head + 12, 4))
		return malformed(reader, "checksum mismatch");
	return 0;
}

/* Checks the size before it allocates: a few bytes can unpack to gigabytes of zeros. */
static int unpack_frame(const struct reader *reader, const void *frame, size_t nr_frame, struct buf *ret_bytes)
{
	unsigned long long nr = ZSTD_getFrameContentSize(frame, nr_frame);

	if (ZSTD_findFrameCompressedSize(frame, nr_frame) != nr_frame || nr == ZSTD_CONTENTSIZE_ERROR ||
	    nr == ZSTD_CONTENTSIZE_UNKNOWN)
		return malformed(reader, "not one Zstandard frame of a known size");
	if (nr > MAX_UNPACKED_BYTES)
		return fail(-EFBIG, "'%s': more than %llu MB when unpacked", reader->name, MAX_UNPACKED_BYTES >> 20);
	ret_bytes->data = malloc(nr ? nr : 1);
	if (!ret_bytes->data)
		return fail(-ENOMEM, "'%s': out of memory", reader->name);
	ret_bytes->nr = ret_bytes->room = nr;
	if (ZSTD_decompress(ret_bytes->data, nr, frame, nr_frame) != nr)
		return malformed(reader, "cannot be unpacked");
	return 0;
}

static void *allocate(void *context, size_t nr_bytes)
{
	struct reader *reader = context;

	if (nr_bytes > reader->nr_left)
		return NULL;
	reader->nr_left -= nr_bytes;
	return malloc(nr_bytes ? nr_bytes : 1);
}

static void release(void *context, void *pointer)
{
	(void)context;
	free(pointer);
}

static int unpack_message(struct reader *reader, const unsigned char *bytes, size_t nr_bytes)
{
	_cleanup_(buf_done) struct buf unpacked = {};
	int err = check_header(reader, bytes, nr_bytes);

	if (!err)
		err = unpack_frame(reader, bytes + STK_HEADER_BYTES, nr_bytes - STK_HEADER_BYTES, &unpacked);
	if (err)
		return err;
	reader->nr_left = MAX_MESSAGE_BYTES;
	reader->allocator = (ProtobufCAllocator){ allocate, release, reader };
	reader->message = stk_packed__profile__unpack(&reader->allocator, unpacked.nr, (const uint8_t *)unpacked.data);
	if (!reader->message)
		return malformed(reader, "not a profile message, or too large");
	if (reader->message->n_needs)
		return too_new(reader, "it requires a feature that this one lacks");
	return 0;
}

/* The number of varints in a column: each ends with a byte below 0x80. Eight bytes at a time. */
static size_t nr_numbers(const ProtobufCBinaryData *column)
{
	const uint64_t ones = 0x0101010101010101;
	size_t nr = 0, i = 0;
	uint64_t bytes;

	for (; column->len - i >= sizeof(bytes); i += sizeof(bytes)) {
		memcpy(&bytes, column->data + i, sizeof(bytes));
		nr += (~bytes >> 7 & ones) * ones >> 56;
	}
	for (; i < column->len; i++)
		nr += column->data[i] < 0x80;
	return nr;
}

/* Whether next_number() may be called `nr` times. */
static bool has_numbers(const ProtobufCBinaryData *column, size_t nr)
{
	return nr_numbers(column) == nr && (!column->len || column->data[column->len - 1] < 0x80);
}

/* No writer makes a varint of more than 64 bits; its value is arbitrary here. */
static uint64_t next_large_number(const uint8_t **at)
{
	const uint8_t *byte = *at;
	uint64_t number = 0;
	unsigned int shift = 0;

	for (; *byte >= 0x80; byte++, shift += 7)
		number |= (uint64_t)(*byte & 0x7f) << (shift & 63);
	*at = byte + 1;
	return number | (uint64_t)*byte << (shift & 63);
}

static inline uint64_t next_number(const uint8_t **at)
{
	return **at < 0x80 ? *(*at)++ : next_large_number(at);
}

#define FITS(column) &&(!from->column.len || has_numbers(&from->column, nr))
#define BEGIN(column) const uint8_t *column = from->column.data;

/* Clears `fits` if the member cannot hold the value. */
#define TAKE(column)                                    \
	if (column) {                                   \
		uint64_t number = next_number(&column); \
                                                        \
		row.column = number;                    \
		fits = fits && row.column == number;    \
	}

/* take_TABLE(): calls add_TABLE() for each of the `count` elements of the table in `message`. The elements have the type of `rows`. */
#define TABLE_OF(table, message, rows, count, COLUMNS)                                     \
	static int take_##table(struct reader *reader)                                     \
	{                                                                                  \
		static const __typeof__(*(message)) nothing;                               \
		const __typeof__(nothing) *from = (message) ?: &nothing;                   \
		size_t nr = count;                                                         \
		int err = 0;                                                               \
                                                                                           \
		if (!(true COLUMNS(FITS)))                                                 \
			return malformed(reader, #table ": columns differ in length");     \
		if (nr > reader->nr_left / sizeof(*(rows).data)) /* zeros compress well */ \
			return fail(-EFBIG, "'%s': too many " #table, reader->name);       \
		reader->nr_left -= nr * sizeof(*(rows).data);                              \
		COLUMNS(BEGIN)                                                             \
		for (size_t i = 0; !err && i < nr; i++) {                                  \
			__typeof__(*(rows).data) row = {};                                 \
			bool fits = true;                                                  \
                                                                                           \
			COLUMNS(TAKE)                                                      \
			err = fits ? add_##table(reader, &row, i)                          \
				   : malformed(reader, #table ": %zu is out of range", i); \
		}                                                                          \
		return err;                                                                \
	}
#define TABLE(table, count, COLUMNS) TABLE_OF(table, reader->message->table, reader->profile->table, count, COLUMNS)

static bool is_string(const struct reader *reader, uint64_t id)
{
	return id <= reader->profile->strings.offsets.nr;
}

static int take_strings(struct reader *reader)
{
	const char *at = (const char *)reader->message->strings.data, *end = at + reader->message->strings.len;

	if (at < end && end[-1])
		return malformed(reader, "the last string does not end");
	for (string_id id = 1; at < end; id++) {
		size_t length = strlen(at);

		if (strtab_addn(&reader->profile->strings, at, length) != id)
			return malformed(reader, "string %u is empty or a duplicate", id);
		at += length + 1;
	}
	return 0;
}

static int take_description(struct reader *reader)
{
	const StkPacked__Profile *from = reader->message;
	struct profile *profile = reader->profile;
	bool strings = true;

	if (from->style >= VIEW_NR_STYLES || from->view_flags >> NR_VIEW_FLAGS)
		return too_new(reader, "view");
#define X(member)                       \
	profile->member = from->member; \
	strings = strings && is_string(reader, from->member);
	PROFILE_STRINGS(X)
#undef X
	profile->utc_offset_s = (uint32_t)from->utc_offset_s;
	profile->view.style = (uint8_t)from->style;
	profile->view.limit_ns = from->limit_ns;
#define X(flag) profile->view.flag = from->view_flags & (1u << VIEW_FLAG_##flag);
	VIEW_FLAGS(X)
#undef X
	return strings ? 0 : malformed(reader, "the description refers to a missing string");
}

static int take_host(struct reader *reader)
{
	struct profile_host *to = &reader->profile->host;
	const StkPacked__Host *from = reader->message->host;

	if (!from)
		return 0;
	HOST_VALUES(COPY)
	if (!is_string(reader, to->machine) || !is_string(reader, to->kernel_version) ||
	    !is_string(reader, to->kernel_build_id))
		return malformed(reader, "the host refers to a missing string");
	return 0;
}

static int take_clocks(struct reader *reader)
{
	struct profile_clocks *to = &reader->profile->clocks;
	const StkPacked__Clocks *from = reader->message->clocks;

	if (from) {
		CLOCK_VALUES(COPY)
	}
	return 0;
}

static int add_files(struct reader *reader, const struct profile_file *file, size_t i)
{
	if (!is_string(reader, file->path) || !is_string(reader, file->build_id))
		return malformed(reader, "file %zu refers to a missing string", i);
	vec_push(&reader->profile->files, *file);
	return 0;
}

TABLE(files, nr_numbers(&from->path), FILE_COLUMNS)

static int add_frames(struct reader *reader, struct profile_frame *frame, size_t i)
{
	struct profile *profile = reader->profile;

	if (!profile->view.inlines)
		frame->level = 0;
	if (frame->kind > FRAME_INTERPRETER || frame->reason >= REASON_NR || frame->line_reason >= LINES_NR)
		return malformed(reader, "frame %zu is of an unknown kind", i);
	if (frame->kind == FRAME_USER_FILE && frame->file >= profile->files.nr)
		return malformed(reader, "frame %zu refers to a missing file", i);
	if (!is_string(reader, frame->name) || !is_string(reader, frame->module) || !is_string(reader, frame->source))
		return malformed(reader, "frame %zu refers to a missing string", i);
	if (profile_add_frame(profile, frame) != i)
		return malformed(reader, "duplicate frame %zu", i);
	return 0;
}

TABLE(frames, nr_numbers(&from->where), FRAME_COLUMNS)

/* Takes the addresses over from the message. */
static int take_stacks(struct reader *reader)
{
	struct profile *profile = reader->profile;
	StkPacked__Profile *from = reader->message;
	const struct profile_frame *places = profile->frames.data;
	const uint8_t *number = from->stack_frames.data;
	uint64_t *addresses = from->stack_addresses;
	uint32_t *frames;
	size_t nr = from->n_stack_addresses;

	if (!has_numbers(&from->stack_frames, nr) || nr > UINT32_MAX)
		return malformed(reader, "%zu frames but %zu addresses", nr_numbers(&from->stack_frames), nr);
	from->n_stack_addresses = 0;
	from->stack_addresses = NULL;
	profile->stack_addresses.data = addresses;
	profile->stack_addresses.nr = profile->stack_addresses.room = nr;
	vec_reserve(&profile->stack_frames, nr);
	profile->stack_frames.nr = nr;
	frames = profile->stack_frames.data;
	for (size_t i = 0; i < nr; i++) {
		uint64_t frame = next_number(&number);

		if (frame >= profile->frames.nr)
			return malformed(reader, "stack position %zu refers to a missing frame", i);
		frames[i] = (uint32_t)frame;
		addresses[i] += places[frame].where;
	}
	return 0;
}

static struct profile_id id_of(const StkPacked__Records *from, size_t i)
{
	return (struct profile_id){ from->id_lo[i], from->id_hi[i] };
}

/* A record's frames follow those of the record before. */
static int add_records(struct reader *reader, struct profile_record *record, size_t i)
{
	const StkPacked__Records *from = reader->message->records;
	struct profile *profile = reader->profile;
	size_t nr = (size_t)record->nr_kernel + record->nr_user,
	       first = i ? record_end(&vec_last(&profile->records)) : 0;

	if (i + RECORDS_AHEAD < from->n_id_lo)
		profile_expect_record(profile, id_of(from, i + RECORDS_AHEAD));
	record->id = id_of(from, i);
	record->first = (uint32_t)first;
	if (record->program > PROGRAM_CALL || record->kernel_status > STACK_TRUNCATED ||
	    record->user_status > STACK_TRUNCATED || record->context > CONTEXT_NMI)
		return malformed(reader, "record %zu is of an unknown kind", i);
	if (!is_string(reader, record->comm) || !is_string(reader, record->probe))
		return malformed(reader, "record %zu refers to a missing string", i);
	if (nr > profile->stack_frames.nr - first)
		return malformed(reader, "record %zu has more frames than the file", i);
	if (!profile_append_record(profile, record))
		return malformed(reader, "duplicate record %zu", i);
	return 0;
}

TABLE(records, from->n_id_lo, RECORD_COLUMNS)

static int take_all_records(struct reader *reader)
{
	const StkPacked__Records *from = reader->message->records;
	struct profile *profile = reader->profile;
	size_t nr = from ? from->n_id_lo : 0, nr_frames;
	int err = take_stacks(reader);

	if (!err && from && from->n_id_hi != nr)
		err = malformed(reader, "records: columns differ in length");
	if (err)
		return err;
	if (nr > reader->nr_left / sizeof(struct profile_record)) /* ids compress well */
		return fail(-EFBIG, "'%s': too many records", reader->name);
	vec_reserve(&profile->records, nr);
	hashidx_reserve(&profile->record_index, nr);
	err = take_records(reader);
	if (err)
		return err;
	nr_frames = nr ? record_end(&vec_last(&profile->records)) : 0;
	if (nr_frames != profile->stack_frames.nr)
		return malformed(reader, "%zu frames belong to no record", profile->stack_frames.nr - nr_frames);
	return 0;
}

static bool is_record(const struct reader *reader, uint32_t record)
{
	return record < reader->profile->records.nr;
}

static int add_pairs(struct reader *reader, const struct profile_pair *pair, size_t i)
{
	if (pair->reason >= WAKER_NR_REASONS)
		return malformed(reader, "pair %zu is of an unknown kind", i);
	if (!is_record(reader, pair->record) || !is_record(reader, pair->sleeper) ||
	    (pair->waker != PROFILE_NONE && !is_record(reader, pair->waker)) ||
	    reader->profile->records.data[pair->record].pair)
		return malformed(reader, "pair %zu refers to a missing record", i);
	profile_set_pair(reader->profile, pair);
	return 0;
}

TABLE(pairs, nr_numbers(&from->record), PAIR_COLUMNS)

/* Parts of a pair must not be pairs themselves; this is known only after the last pair. */
static int take_all_pairs(struct reader *reader)
{
	const struct profile *profile = reader->profile;
	int err = take_pairs(reader);

	for (size_t i = 0; !err && i < profile->pairs.nr; i++) {
		const struct profile_pair *pair = &profile->pairs.data[i];

		if (profile->records.data[pair->sleeper].pair ||
		    (pair->waker != PROFILE_NONE && profile->records.data[pair->waker].pair))
			err = malformed(reader, "pair %zu refers to a missing record", i);
	}
	return err;
}

static int add_cgroups(struct reader *reader, const struct profile_cgroup *cgroup, size_t i)
{
	if (!is_string(reader, cgroup->path))
		return malformed(reader, "cgroup %zu refers to a missing string", i);
	if (!profile_add_cgroup(reader->profile, cgroup->id, cgroup->path))
		return malformed(reader, "duplicate cgroup %zu", i);
	return 0;
}

TABLE(cgroups, nr_numbers(&from->id), CGROUP_COLUMNS)

static int add_modules(struct reader *reader, const struct profile_module *module, size_t i)
{
	if (!is_string(reader, module->name) || !is_string(reader, module->build_id))
		return malformed(reader, "module %zu refers to a missing string", i);
	if (!profile_add_module(reader->profile, module))
		return malformed(reader, "duplicate module %zu", i);
	return 0;
}

TABLE(modules, nr_numbers(&from->name), MODULE_COLUMNS)

static int add_lives(struct reader *reader, const struct profile_life *life, size_t i)
{
	if (profile_add_life(reader->profile, life) != i)
		return malformed(reader, "duplicate process %zu", i);
	return 0;
}

TABLE(lives, nr_numbers(&from->tgid), LIFE_COLUMNS)

static int add_mappings(struct reader *reader, const struct profile_mapping *mapping, size_t i)
{
	if (mapping->life >= reader->profile->lives.nr)
		return malformed(reader, "mapping %zu refers to a missing process", i);
	if (mapping->file != PROFILE_NONE && mapping->file >= reader->profile->files.nr)
		return malformed(reader, "mapping %zu refers to a missing file", i);
	if (mapping->start >= mapping->end)
		return malformed(reader, "mapping %zu ends before it starts", i);
	if (profile_add_mapping(reader->profile, mapping) != i)
		return malformed(reader, "duplicate mapping %zu", i);
	return 0;
}

TABLE(mappings, nr_numbers(&from->life), MAPPING_COLUMNS)

static int take_loss_names(struct reader *reader)
{
	const StkPacked__Profile *from = reader->message;

	if (from->n_losses > MAX_LOSSES)
		return malformed(reader, "too many kinds of losses");
	for (; reader->nr_losses < from->n_losses; reader->nr_losses++) {
		size_t *loss = &reader->losses[reader->nr_losses];

		while (*loss < ST_NR_LOSSES && strcmp(profile_losses[*loss].name, from->losses[reader->nr_losses]))
			++*loss;
	}
	return 0;
}

/* An unknown kind of loss is an error if its count is not 0. */
static int take_losses(struct reader *reader, const StkPacked__Interval *from, struct profile_interval *interval)
{
	const uint8_t *number = from->losses.data;
	size_t nr = nr_numbers(&from->losses);

	if (nr > reader->nr_losses || !has_numbers(&from->losses, nr))
		return malformed(reader, "an interval has more losses than there are kinds of losses");
	for (size_t i = 0; i < nr; i++) {
		uint64_t lost = next_number(&number);

		if (!lost)
			continue;
		if (reader->losses[i] == ST_NR_LOSSES)
			return too_new(reader, "a kind of loss");
		interval->losses[reader->losses[i]] = lost;
	}
	return 0;
}

/* Accepts one row per record, as profile_count() makes them: rows compress to nothing, but each costs the work of a stack. */
static int add_rows(struct reader *reader, const struct profile_row *row, size_t i)
{
	uint32_t number = (uint32_t)reader->profile->intervals.nr;

	(void)i;
	if (row->record >= reader->profile->records.nr)
		return malformed(reader, "a row refers to a missing record");
	if (reader->last_rows[row->record] == number)
		return malformed(reader, "record %u has two rows in an interval", row->record);
	reader->last_rows[row->record] = number;
	vec_push(&vec_last(&reader->profile->intervals).rows, *row);
	return 0;
}

TABLE_OF(rows, reader->interval, vec_last(&reader->profile->intervals).rows, nr_numbers(&from->record), ROW_COLUMNS)

static void copy_account(const StkPacked__Account *from, struct profile_account *to)
{
	ACCOUNT_VALUES(COPY)
}

static int take_interval(struct reader *reader, const StkPacked__Interval *from)
{
	struct profile_interval interval = {
		.start_ns = from->start_ns,
		.end_ns = from->end_ns,
		.wall_end_ns = from->wall_end_ns,
	};
	size_t nr_records = reader->profile->records.nr; /* the most rows of an interval */
	int err = take_losses(reader, from, &interval);

	if (from->account)
		copy_account(from->account, &interval.account);
	if (err)
		return err;
	reader->interval = from;
	vec_reserve(&interval.rows, from->record.len < nr_records ? from->record.len : nr_records);
	vec_push(&reader->profile->intervals, interval);
	return take_rows(reader);
}

static int take_intervals(struct reader *reader)
{
	int err = take_loss_names(reader);

	reader->last_rows = calloc(reader->profile->records.nr + 1, sizeof(*reader->last_rows));
	if (!err && !reader->last_rows)
		err = fail(-ENOMEM, "'%s': out of memory", reader->name);
	for (size_t i = 0; !err && i < reader->message->n_intervals; i++)
		err = take_interval(reader, reader->message->intervals[i]);
	return err;
}

static void reader_done(struct reader *reader)
{
	if (reader->message)
		stk_packed__profile__free_unpacked(reader->message, &reader->allocator);
	free(reader->last_rows);
}

static int take_all(struct reader *reader)
{
	static int (*const steps[])(struct reader *reader) = {
		take_strings,   take_description, take_files,     take_frames, take_all_records,
		take_all_pairs, take_cgroups,     take_modules,   take_host,   take_clocks,
		take_lives,     take_mappings,    take_intervals,
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(steps) / sizeof(*steps); i++)
		err = steps[i](reader);
	return err;
}

int profile_decode(const void *bytes, size_t nr_bytes, const char *name, struct profile *ret_profile)
{
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(reader_done) struct reader reader = { .name = name, .profile = &profile };
	int err;

	profile_init(&profile);
	err = unpack_message(&reader, bytes, nr_bytes);
	if (!err)
		err = take_all(&reader);
	if (err)
		return err;
	*ret_profile = profile;
	profile_init(&profile);
	return 0;
}
