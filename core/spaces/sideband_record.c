/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/spaces/sideband_record.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)
#endif

/* Behind every record (sample_id_all), in the order that the kernel gives to PERF_SAMPLE_TID | TIME | ID | CPU. */
struct trailer {
	uint32_t tgid, tid;
	uint64_t time_ns;
	uint64_t event;
	uint32_t cpu, reserved;
};

/* struct perf_event_header and what follows it, up to the text of variable length. */
struct mmap2 {
	struct perf_event_header header;
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
};

struct task {
	struct perf_event_header header;
	uint32_t tgid, parent_tgid, tid, parent_tid;
	uint64_t time_ns;
};

struct comm {
	struct perf_event_header header;
	uint32_t tgid, tid;
};

/* Its name follows. */
struct ksymbol {
	struct perf_event_header header;
	uint64_t start;
	uint32_t length;
	uint16_t type, flags;
};

struct lost {
	struct perf_event_header header;
	uint64_t id, nr_lost;
};

_Static_assert(sizeof(struct trailer) == 32, "layout of sample_id");
_Static_assert(sizeof(struct mmap2) == 72, "layout of PERF_RECORD_MMAP2");
_Static_assert(sizeof(struct ksymbol) == 24, "layout of PERF_RECORD_KSYMBOL");
_Static_assert(sizeof(struct task) == 32, "layout of PERF_RECORD_FORK and PERF_RECORD_EXIT");

static int decode_mmap2(const uint8_t *bytes, size_t nr_bytes, struct mmap2 *ret_mmap2, struct sideband_record *record)
{
	const char *path = (const char *)bytes + sizeof(*ret_mmap2);

	if (nr_bytes <= sizeof(*ret_mmap2) || !memchr(path, '\0', nr_bytes - sizeof(*ret_mmap2)))
		return -EBADMSG;
	memcpy(ret_mmap2, bytes, sizeof(*ret_mmap2));
	if (!ret_mmap2->length || __builtin_add_overflow(ret_mmap2->start, ret_mmap2->length, &record->end))
		return -EBADMSG;
	record->tgid = ret_mmap2->tgid;
	record->tid = ret_mmap2->tid;
	record->start = ret_mmap2->start;
	record->file_offset = ret_mmap2->file_offset;
	record->path = path;
	return 0;
}

/*
 * PERF_RECORD_MISC_MMAP_BUILD_ID is not looked at: perf_event_mmap_output() sets it for an event that asks for build
 * ids and does not take it back for the next event that gets the same mapping (seen on v6.18).
 */
static int decode_mapping(const uint8_t *bytes, size_t nr_bytes, struct sideband_record *record)
{
	struct mmap2 mmap2;
	int err = decode_mmap2(bytes, nr_bytes, &mmap2, record);

	if (err)
		return err;
	record->kind = SIDEBAND_MMAP;
	record->device = (uint64_t)mmap2.major << 32 | mmap2.minor;
	record->inode = mmap2.inode;
	return 0;
}

/* A mapping without a build id comes in the other form here, too. */
static int decode_build_id(const uint8_t *bytes, size_t nr_bytes, struct sideband_record *record)
{
	struct mmap2 mmap2;
	int err = decode_mmap2(bytes, nr_bytes, &mmap2, record);

	if (err || !(mmap2.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID))
		return err;
	if (mmap2.build_id_bytes > SIDEBAND_BUILD_ID_BYTES)
		return -EBADMSG;
	record->kind = SIDEBAND_BUILD_ID;
	record->build_id_bytes = mmap2.build_id_bytes;
	memcpy(record->build_id, mmap2.build_id, sizeof(mmap2.build_id));
	return 0;
}

static int decode_task(enum sideband_kind kind, const uint8_t *bytes, size_t nr_bytes, struct sideband_record *record)
{
	struct task task;

	if (nr_bytes < sizeof(task))
		return -EBADMSG;
	memcpy(&task, bytes, sizeof(task));
	record->kind = kind;
	record->tgid = task.tgid;
	record->tid = task.tid;
	record->parent_tgid = task.parent_tgid;
	return 0;
}

/* A name set with prctl() comes as the same record without the exec bit; it changes no address. */
static int decode_comm(const uint8_t *bytes, size_t nr_bytes, struct sideband_record *record)
{
	struct comm comm;

	if (nr_bytes < sizeof(comm))
		return -EBADMSG;
	memcpy(&comm, bytes, sizeof(comm));
	if (comm.header.misc & PERF_RECORD_MISC_COMM_EXEC)
		record->kind = SIDEBAND_EXEC;
	record->tgid = comm.tgid;
	record->tid = comm.tid;
	return 0;
}

static int decode_ksymbol(const uint8_t *bytes, size_t nr_bytes, struct sideband_record *record)
{
	const char *name = (const char *)bytes + sizeof(struct ksymbol);
	struct ksymbol ksymbol;

	if (nr_bytes <= sizeof(ksymbol) || !memchr(name, '\0', nr_bytes - sizeof(ksymbol)))
		return -EBADMSG;
	memcpy(&ksymbol, bytes, sizeof(ksymbol));
	if (__builtin_add_overflow(ksymbol.start, ksymbol.length, &record->end))
		return -EBADMSG;
	record->kind = SIDEBAND_KSYMBOL;
	record->start = ksymbol.start;
	record->gone = ksymbol.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	record->path = name;
	return 0;
}

static int decode_lost(const uint8_t *bytes, size_t nr_bytes, struct sideband_record *record)
{
	struct lost lost;

	if (nr_bytes < sizeof(lost))
		return -EBADMSG;
	memcpy(&lost, bytes, sizeof(lost));
	record->kind = SIDEBAND_LOST;
	record->nr_lost = lost.nr_lost;
	return 0;
}

static int decode_body(uint32_t type, const uint8_t *bytes, size_t nr_bytes, struct sideband_record *record)
{
	switch (type) {
	case PERF_RECORD_MMAP2:
		return decode_mapping(bytes, nr_bytes, record);
	case PERF_RECORD_COMM:
		return decode_comm(bytes, nr_bytes, record);
	case PERF_RECORD_FORK:
		return decode_task(SIDEBAND_FORK, bytes, nr_bytes, record);
	case PERF_RECORD_EXIT:
		return decode_task(SIDEBAND_EXIT, bytes, nr_bytes, record);
	case PERF_RECORD_KSYMBOL:
		return decode_ksymbol(bytes, nr_bytes, record);
	case PERF_RECORD_LOST:
		return decode_lost(bytes, nr_bytes, record);
	default:
		return 0;
	}
}

/*
 * Where the trailer is: at the end, but for KSYMBOL. perf_event_ksymbol_output() adds the trailer's size to the header that it
 * keeps for the next event (seen on v6.18; the other kinds take it back), so that of several listeners the second has 32 bytes
 * behind the trailer that nobody wrote, the third 64. There it follows the name, which is padded to words.
 */
static size_t nr_bytes_of_body(uint32_t type, const uint8_t *bytes, size_t nr_bytes)
{
	size_t nr_body = nr_bytes - sizeof(struct trailer), nr_name, nr;

	if (type != PERF_RECORD_KSYMBOL || nr_body < sizeof(struct ksymbol))
		return nr_body;
	nr_name = strnlen((const char *)bytes + sizeof(struct ksymbol), nr_body - sizeof(struct ksymbol));
	nr = sizeof(struct ksymbol) + (nr_name / 8 + 1) * 8;
	return nr < nr_body ? nr : nr_body;
}

int sideband_decode(const void *bytes, size_t nr_bytes, uint64_t build_id_event, struct sideband_record *ret_record)
{
	struct sideband_record record = { .kind = SIDEBAND_OTHER };
	struct perf_event_header header;
	struct trailer trailer;
	size_t nr_body;
	int err = 0;

	if (nr_bytes < sizeof(header) + sizeof(trailer))
		return -EBADMSG;
	memcpy(&header, bytes, sizeof(header));
	if (header.size != nr_bytes)
		return -EBADMSG;
	nr_body = nr_bytes_of_body(header.type, bytes, nr_bytes);
	memcpy(&trailer, (const uint8_t *)bytes + nr_body, sizeof(trailer));
	record.time_ns = trailer.time_ns;
	record.cpu = trailer.cpu;
	if (trailer.event != build_id_event || header.type == PERF_RECORD_LOST)
		err = decode_body(header.type, bytes, nr_body, &record);
	else if (header.type == PERF_RECORD_MMAP2)
		err = decode_build_id(bytes, nr_body, &record);
	if (!err)
		*ret_record = record;
	return err;
}
