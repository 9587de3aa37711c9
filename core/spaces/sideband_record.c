/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/spaces/sideband_record.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)
#endif

/* Follows every record (sample_id_all): PERF_SAMPLE_TID | TIME | ID | CPU, in the kernel's order. */
struct trailer {
	uint32_t tgid, tid;
	uint64_t time_ns;
	uint64_t event;
	uint32_t cpu, reserved;
};

/* What follows struct perf_event_header, without the variable text. */
union body {
	struct {
		uint32_t tgid, tid;
		uint64_t start, length, file_offset;
		union {
			struct {
				uint32_t major, minor;
				uint64_t inode, generation;
			};
			struct {
				uint8_t build_id_bytes, reserved1;
				uint16_t reserved2;
				uint8_t build_id[SIDEBAND_BUILD_ID_BYTES];
			};
		};
		uint32_t protection, flags;
	} mmap2;
	struct {
		uint32_t tgid, parent_tgid, tid, parent_tid;
		uint64_t time_ns;
	} task;
	struct {
		uint32_t tgid, tid;
	} comm;
	struct {
		uint64_t start;
		uint32_t length;
		uint16_t type, flags;
	} ksymbol;
	struct {
		uint64_t id, nr_lost;
	} lost;
};

static const struct {
	uint8_t nr_bytes; /* minimum size of the body; 0: not used */
	bool has_text; /* ends with NUL */
} kinds[] = {
	[PERF_RECORD_MMAP2] = { sizeof((union body){}.mmap2), true },
	[PERF_RECORD_COMM] = { sizeof((union body){}.comm) },
	[PERF_RECORD_FORK] = { sizeof((union body){}.task) },
	[PERF_RECORD_EXIT] = { sizeof((union body){}.task) },
	[PERF_RECORD_KSYMBOL] = { sizeof((union body){}.ksymbol), true },
	[PERF_RECORD_LOST] = { sizeof((union body){}.lost) },
};

_Static_assert(sizeof(struct trailer) == 32, "layout of sample_id");
_Static_assert(sizeof((union body){}.mmap2) == 64, "layout of PERF_RECORD_MMAP2");
_Static_assert(sizeof((union body){}.ksymbol) == 16, "layout of PERF_RECORD_KSYMBOL");
_Static_assert(sizeof((union body){}.task) == 24, "layout of PERF_RECORD_FORK and PERF_RECORD_EXIT");

/*
 * PERF_RECORD_MISC_MMAP_BUILD_ID only counts in records of the event for build ids: perf_event_mmap_output() sets it for that event and
 * leaves it set for the next event that gets the mapping (seen on v6.18). A mapping without a build id comes from that event without the
 * bit, and is ignored.
 */
static int take_mapping(const union body *body, bool with_build_id, uint16_t misc, struct sideband_record *record)
{
	if (!body->mmap2.length || __builtin_add_overflow(body->mmap2.start, body->mmap2.length, &record->end))
		return -EBADMSG;
	record->tgid = body->mmap2.tgid;
	record->tid = body->mmap2.tid;
	record->start = body->mmap2.start;
	record->file_offset = body->mmap2.file_offset;
	if (!with_build_id) {
		record->kind = SIDEBAND_MMAP;
		record->device = (uint64_t)body->mmap2.major << 32 | body->mmap2.minor;
		record->inode = body->mmap2.inode;
	} else if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		if (body->mmap2.build_id_bytes > SIDEBAND_BUILD_ID_BYTES)
			return -EBADMSG;
		record->kind = SIDEBAND_BUILD_ID;
		record->build_id_bytes = body->mmap2.build_id_bytes;
		memcpy(record->build_id, body->mmap2.build_id, sizeof(record->build_id));
	}
	return 0;
}

/* Of the event for build ids, only build ids and lost records are used. */
static int decode_body(const struct perf_event_header *header, const uint8_t *bytes, size_t nr_bytes,
		       bool with_build_id, struct sideband_record *record)
{
	size_t nr = header->type < sizeof(kinds) / sizeof(*kinds) ? kinds[header->type].nr_bytes : 0;
	union body body;

	if (!nr || (with_build_id && header->type != PERF_RECORD_MMAP2 && header->type != PERF_RECORD_LOST))
		return 0;
	if (nr_bytes < nr)
		return -EBADMSG;
	memcpy(&body, bytes, nr);
	if (kinds[header->type].has_text) {
		record->path = (const char *)bytes + nr;
		if (!memchr(record->path, '\0', nr_bytes - nr))
			return -EBADMSG;
	}
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		return take_mapping(&body, with_build_id, header->misc, record);
	case PERF_RECORD_KSYMBOL:
		record->kind = SIDEBAND_KSYMBOL;
		record->start = body.ksymbol.start;
		record->gone = body.ksymbol.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
		return __builtin_add_overflow(record->start, body.ksymbol.length, &record->end) ? -EBADMSG : 0;
	case PERF_RECORD_COMM: /* without the exec bit, it is a prctl() that sets a name */
		record->kind = header->misc & PERF_RECORD_MISC_COMM_EXEC ? SIDEBAND_EXEC : SIDEBAND_OTHER;
		record->tgid = body.comm.tgid;
		record->tid = body.comm.tid;
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		record->kind = header->type == PERF_RECORD_FORK ? SIDEBAND_FORK : SIDEBAND_EXIT;
		record->tgid = body.task.tgid;
		record->tid = body.task.tid;
		record->parent_tgid = body.task.parent_tgid;
		break;
	case PERF_RECORD_LOST:
		record->kind = SIDEBAND_LOST;
		record->nr_lost = body.lost.nr_lost;
		break;
	}
	return 0;
}

/*
 * The offset of the trailer: at the end, except in KSYMBOL records. perf_event_ksymbol_output() adds the trailer's size to the header that
 * it keeps for the next event (seen on v6.18), so the second listener gets 32 undefined bytes after the trailer, the third one 64. In these
 * records the trailer follows the name, which is padded to 8 bytes. `bytes` and the result count from the header.
 */
static size_t place_of_trailer(uint32_t type, const uint8_t *bytes, size_t nr_bytes)
{
	const size_t nr_fixed = sizeof(struct perf_event_header) + sizeof((union body){}.ksymbol);
	size_t last = nr_bytes - sizeof(struct trailer), place;

	if (type != PERF_RECORD_KSYMBOL || last < nr_fixed)
		return last;
	place = nr_fixed + (strnlen((const char *)bytes + nr_fixed, last - nr_fixed) / 8 + 1) * 8;
	return place < last ? place : last;
}

int sideband_decode(const void *bytes, size_t nr_bytes, uint64_t build_id_event, struct sideband_record *ret_record)
{
	struct sideband_record record = { .kind = SIDEBAND_OTHER };
	struct perf_event_header header;
	struct trailer trailer;
	size_t end;
	int err;

	if (nr_bytes < sizeof(header) + sizeof(trailer))
		return -EBADMSG;
	memcpy(&header, bytes, sizeof(header));
	if (header.size != nr_bytes)
		return -EBADMSG;
	end = place_of_trailer(header.type, bytes, nr_bytes);
	memcpy(&trailer, (const uint8_t *)bytes + end, sizeof(trailer));
	record.time_ns = trailer.time_ns;
	record.cpu = trailer.cpu;
	err = decode_body(&header, (const uint8_t *)bytes + sizeof(header), end - sizeof(header),
			  trailer.event == build_id_event, &record);
	if (!err)
		*ret_record = record;
	return err;
}
