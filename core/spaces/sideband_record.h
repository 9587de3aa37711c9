/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes one record of the perf side-band into a plain value. No system call is made, so tests can write the bytes by
 * hand.
 *
 * The layouts are those of <linux/perf_event.h> for an event with sample_id_all and PERF_SAMPLE_TID | TIME | ID | CPU,
 * as sideband.c opens it: 32 bytes follow every record.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sideband_kind {
	SIDEBAND_OTHER,    /* of no interest */
	SIDEBAND_MMAP,     /* an executable mapping was made, or made executable */
	SIDEBAND_BUILD_ID, /* the build id of the mapping in the SIDEBAND_MMAP record just before or after */
	SIDEBAND_EXEC,     /* the process runs another program now */
	SIDEBAND_FORK,     /* a process or a thread was born */
	SIDEBAND_EXIT,     /* a thread ended */
	SIDEBAND_KSYMBOL,  /* the kernel has generated code, or removed it */
	SIDEBAND_LOST,     /* the ring was full */
};

#define SIDEBAND_BUILD_ID_BYTES 20

struct sideband_record {
	enum sideband_kind kind;
	uint32_t cpu;
	uint64_t time_ns;      /* CLOCK_MONOTONIC */
	uint32_t tgid, tid;    /* in the pid namespace of the process that opened the event; tgid 0: not in it */
	uint32_t parent_tgid;  /* SIDEBAND_FORK: equals tgid for a thread */
	uint64_t nr_lost;      /* SIDEBAND_LOST */

	/* SIDEBAND_MMAP and SIDEBAND_BUILD_ID; of SIDEBAND_KSYMBOL start, end and, as `path`, the name */
	uint64_t start, end, file_offset;
	uint64_t device, inode; /* major << 32 | minor; SIDEBAND_MMAP only */
	bool gone;              /* SIDEBAND_KSYMBOL: the code is removed, not made */
	const char *path;       /* inside the bytes that were decoded; raw, with " (deleted)" */
	uint8_t build_id[SIDEBAND_BUILD_ID_BYTES];
	uint8_t build_id_bytes; /* 0: none known */
};

/*
 * Decodes the record that starts at `bytes`; `nr_bytes` is its whole length. `build_id_event` is the id
 * (PERF_EVENT_IOC_ID) of the event that asks for build ids, of whose mappings only the build ids are reported. -EBADMSG
 * when the record is too short for its kind, or its path does not end inside it.
 */
int sideband_decode(const void *bytes, size_t nr_bytes, uint64_t build_id_event, struct sideband_record *ret_record);
