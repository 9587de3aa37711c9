/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <endian.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/replace.h"
#include "core/formats/stk.h"

enum {
	LEVEL = 3, /* zstd's default: level 19 makes real profiles 10 % smaller and takes 20 times as long */
	STAGE_BYTES = 1 << 16,
};

struct writer {
	const struct profile *profile;
	VEC(void *) columns; /* memory that the message refers to */
	struct buf strings;
	Stk__Profile message;
};

static void *new_column(struct writer *writer, size_t nr, size_t element_bytes)
{
	void *column = xcalloc(nr ? nr : 1, element_bytes);

	vec_push(&writer->columns, column);
	return column;
}

/* Omits a column of zeros, except the first one, which determines the number of elements. */
#define PUT(column)                                                       \
	for (size_t i = 0; !keep && i < nr; i++)                          \
		keep = from[i].column;                                    \
	if (keep) {                                                       \
		to->n_##column = nr;                                      \
		to->column = new_column(writer, nr, sizeof(*to->column)); \
		for (size_t i = 0; i < nr; i++)                           \
			to->column[i] = from[i].column;                   \
	}                                                                 \
	keep = false;

/* put_TABLE(): stores the profile's table in the message of the same name. */
#define TABLE(table, COLUMNS)                                                                   \
	static void put_##table(struct writer *writer)                                          \
	{                                                                                       \
		__typeof__(&writer->profile->table.data[0]) from = writer->profile->table.data; \
		__typeof__(writer->message.table) to = new_column(writer, 1, sizeof(*to));      \
		size_t nr = writer->profile->table.nr;                                          \
		bool keep = true;                                                               \
                                                                                                \
		stk__##table##__init(to);                                                       \
		COLUMNS(PUT)                                                                    \
		if (nr)                                                                         \
			writer->message.table = to;                                             \
	}

TABLE(files, FILE_COLUMNS)
TABLE(frames, FRAME_COLUMNS)
TABLE(pairs, PAIR_COLUMNS)
TABLE(cgroups, CGROUP_COLUMNS)
TABLE(modules, MODULE_COLUMNS)
TABLE(lives, LIFE_COLUMNS)
TABLE(mappings, MAPPING_COLUMNS)

static void put_records(struct writer *writer)
{
	const struct profile_record *from = writer->profile->records.data;
	Stk__Records *to = new_column(writer, 1, sizeof(*to));
	size_t nr = writer->profile->records.nr;
	bool keep = false;

	stk__records__init(to);
	to->n_id_lo = to->n_id_hi = nr;
	to->id_lo = new_column(writer, nr, sizeof(*to->id_lo));
	to->id_hi = new_column(writer, nr, sizeof(*to->id_hi));
	for (size_t i = 0; i < nr; i++) {
		to->id_lo[i] = from[i].id.lo;
		to->id_hi[i] = from[i].id.hi;
	}
	RECORD_COLUMNS(PUT)
	writer->message.records = to;
}

static void put_rows(struct writer *writer, const struct profile_interval *interval, Stk__Interval *to)
{
	const struct profile_row *from = interval->rows.data;
	size_t nr = interval->rows.nr;
	bool keep = true;

	ROW_COLUMNS(PUT)
}

/*
 * Stacks in the order of the records, so that the file needs no positions. Addresses are distances from the frame's `where`, which compress
 * well.
 */
static void put_stacks(struct writer *writer)
{
	const struct profile *profile = writer->profile;
	size_t nr = 0, to = 0;
	uint32_t *frames;
	uint64_t *addresses;

	for (size_t i = 0; i < profile->records.nr; i++)
		nr += (size_t)profile->records.data[i].nr_kernel + profile->records.data[i].nr_user;
	frames = new_column(writer, nr, sizeof(*frames));
	addresses = new_column(writer, nr, sizeof(*addresses));
	for (size_t i = 0; i < profile->records.nr; i++) {
		const struct profile_record *record = &profile->records.data[i];

		for (size_t at = record->first; at < record_end(record); at++, to++) {
			frames[to] = profile->stack_frames.data[at];
			addresses[to] = profile->stack_addresses.data[at] - profile->frames.data[frames[to]].where;
		}
	}
	writer->message.n_stack_frames = writer->message.n_stack_addresses = nr;
	writer->message.stack_frames = frames;
	writer->message.stack_addresses = addresses;
}

static void put_interval(struct writer *writer, const struct profile_interval *interval, size_t number)
{
	const struct profile_account *from = &interval->account;
	Stk__Account *to = new_column(writer, 1, sizeof(*to));
	Stk__Interval *message = new_column(writer, 1, sizeof(*message));

	stk__account__init(to);
	ACCOUNT_VALUES(COPY)
	stk__interval__init(message);
	message->start_ns = interval->start_ns;
	message->end_ns = interval->end_ns;
	message->wall_end_ns = interval->wall_end_ns;
	message->account = to;
	message->n_losses = ST_NR_LOSSES;
	message->losses = (uint64_t *)interval->losses;
	put_rows(writer, interval, message);
	writer->message.intervals[number] = message;
}

static void put_intervals(struct writer *writer)
{
	size_t nr = writer->profile->intervals.nr;

	writer->message.intervals = new_column(writer, nr, sizeof(*writer->message.intervals));
	writer->message.n_intervals = nr;
	for (size_t i = 0; i < nr; i++)
		put_interval(writer, &writer->profile->intervals.data[i], i);
}

/* Losses by name, so that their list may change between versions. */
static void put_loss_names(struct writer *writer)
{
	writer->message.n_losses = ST_NR_LOSSES;
	writer->message.losses = new_column(writer, ST_NR_LOSSES, sizeof(*writer->message.losses));
	for (size_t i = 0; i < ST_NR_LOSSES; i++)
		writer->message.losses[i] = (char *)profile_losses[i].name;
}

static void put_strings(struct writer *writer)
{
	for (string_id id = 1; id <= writer->profile->strings.offsets.nr; id++) {
		const char *text = profile_string(writer->profile, id);

		buf_add(&writer->strings, text, strlen(text) + 1);
	}
	writer->message.strings.data = (uint8_t *)writer->strings.data;
	writer->message.strings.len = writer->strings.nr;
}

static uint32_t view_flags(const struct profile_view *view)
{
	uint32_t flags = 0;

#define X(name) flags |= view->name ? 1u << VIEW_FLAG_##name : 0;
	VIEW_FLAGS(X)
#undef X
	return flags;
}

static void put_description(struct writer *writer)
{
	const struct profile *from = writer->profile;
	Stk__Profile *to = &writer->message;

	PROFILE_STRINGS(COPY)
	to->utc_offset_s = (int32_t)from->utc_offset_s;
	to->style = from->view.style;
	to->view_flags = view_flags(&from->view);
	to->limit_ns = from->view.limit_ns;
}

/* put_PART(): stores single values in a message of their own. */
#define PART(part, VALUES)                                                                \
	static void put_##part(struct writer *writer)                                     \
	{                                                                                 \
		__typeof__(&writer->profile->part) from = &writer->profile->part;         \
		__typeof__(writer->message.part) to = new_column(writer, 1, sizeof(*to)); \
                                                                                          \
		stk__##part##__init(to);                                                  \
		VALUES(COPY)                                                              \
		writer->message.part = to;                                                \
	}

PART(host, HOST_VALUES)
PART(clocks, CLOCK_VALUES)

/* Collects the small writes of protobuf-c, and compresses larger pieces. */
struct packer {
	ProtobufCBuffer base;
	ZSTD_CCtx *zstd;
	struct buf *to;
	size_t nr_staged;
	uint8_t stage[STAGE_BYTES];
};

static void pack(struct packer *packer, const void *bytes, size_t nr, ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = { bytes, nr, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = {};

		vec_reserve(packer->to, packer->to->nr + ZSTD_CStreamOutSize());
		out.dst = packer->to->data + packer->to->nr;
		out.size = packer->to->room - packer->to->nr;
		left = ZSTD_compressStream2(packer->zstd, &out, &in, end);
		xcheck(ZSTD_isError(left) ? NULL : packer); /* fails only without memory */
		packer->to->nr += out.pos;
	} while (in.pos < in.size || (end == ZSTD_e_end && left));
}

static void pack_staged(struct packer *packer)
{
	pack(packer, packer->stage, packer->nr_staged, ZSTD_e_continue);
	packer->nr_staged = 0;
}

static void pack_more(ProtobufCBuffer *buffer, size_t nr, const uint8_t *bytes)
{
	struct packer *packer = (struct packer *)buffer;

	if (nr > STAGE_BYTES - packer->nr_staged)
		pack_staged(packer);
	if (nr > STAGE_BYTES) {
		pack(packer, bytes, nr, ZSTD_e_continue);
		return;
	}
	memcpy(packer->stage + packer->nr_staged, bytes, nr);
	packer->nr_staged += nr;
}

static void pack_message(const Stk__Profile *message, struct buf *to)
{
	struct packer *packer = xcalloc(1, sizeof(*packer));

	packer->base.append = pack_more;
	packer->to = to;
	packer->zstd = xcheck(ZSTD_createCCtx());
	ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setPledgedSrcSize(packer->zstd, stk__profile__get_packed_size(message));
	stk__profile__pack_to_buffer(message, &packer->base);
	pack(packer, packer->stage, packer->nr_staged, ZSTD_e_end);
	ZSTD_freeCCtx(packer->zstd);
	free(packer);
}

static void put_header(struct buf *bytes)
{
	const unsigned char *frame = (const unsigned char *)bytes->data + STK_HEADER_BYTES;
	uint64_t length = htole64(bytes->nr - STK_HEADER_BYTES);
	uint32_t numbers[2] = {
		htole32(STK_VERSION),
		htole32((uint32_t)crc32_z(0, frame, bytes->nr - STK_HEADER_BYTES)),
	};

	memcpy(bytes->data, STK_MAGIC, STK_MAGIC_BYTES);
	memcpy(bytes->data + STK_MAGIC_BYTES, numbers, sizeof(numbers));
	memcpy(bytes->data + STK_MAGIC_BYTES + sizeof(numbers), &length, sizeof(length));
}

static void writer_done(struct writer *writer)
{
	for (size_t i = 0; i < writer->columns.nr; i++)
		free(writer->columns.data[i]);
	vec_done(&writer->columns);
	buf_done(&writer->strings);
}

void profile_encode(const struct profile *profile, struct buf *ret_bytes)
{
	static const char header[STK_HEADER_BYTES];
	_cleanup_(writer_done) struct writer writer = {
		.profile = profile,
		.message = STK__PROFILE__INIT,
	};

	put_description(&writer);
	put_strings(&writer);
	put_files(&writer);
	put_frames(&writer);
	put_records(&writer);
	put_stacks(&writer);
	put_loss_names(&writer);
	put_intervals(&writer);
	put_pairs(&writer);
	put_cgroups(&writer);
	put_modules(&writer);
	put_host(&writer);
	put_clocks(&writer);
	put_lives(&writer);
	put_mappings(&writer);
	buf_clear(ret_bytes);
	buf_add(ret_bytes, header, sizeof(header));
	pack_message(&writer.message, ret_bytes);
	put_header(ret_bytes);
}

static int write_bytes(void *context, const char *path)
{
	const struct buf *bytes = context;

	return replace_file(path, bytes->data, bytes->nr);
}

int profile_save(const struct profile *profile, const char *path)
{
	_cleanup_(buf_done) struct buf bytes = {};

	profile_encode(profile, &bytes);
	return replace_or_keep(path, write_bytes, &bytes);
}
