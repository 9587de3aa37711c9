/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes one record of the perf side-band, without system calls, so tests can build records by hand. The layouts are those of
 * <linux/perf_event.h> for an event with sample_id_all and PERF_SAMPLE_TID | TIME | ID | CPU, as opened by sideband.c: 32 bytes follow
 * every record.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sideband_kind {
	SIDEBAND_OTHER,    /* not used */
	SIDEBAND_MMAP, /* memory was mapped executable */
	SIDEBAND_BUILD_ID, /* the build id of the mapping in the SIDEBAND_MMAP record just before or after */
	SIDEBAND_EXEC, /* the process executes another program */
	SIDEBAND_FORK,     /* a process or a thread was created */
	SIDEBAND_EXIT,     /* a thread ended */
	SIDEBAND_KSYMBOL,  /* the kernel has generated code, or removed it */
	SIDEBAND_LOST,     /* the ring was full */
};

#define SIDEBAND_BUILD_ID_BYTES 20

struct sideband_record {
	enum sideband_kind kind;
	uint32_t cpu;
	uint64_t time_ns;      /* CLOCK_MONOTONIC */
	uint32_t tgid, tid; /* in the pid namespace of the event's opener; tgid 0: the task is not in it */
	uint32_t parent_tgid; /* SIDEBAND_FORK: equal to tgid for a thread */
	uint64_t nr_lost;      /* SIDEBAND_LOST */

	/* SIDEBAND_MMAP and SIDEBAND_BUILD_ID. SIDEBAND_KSYMBOL has start, end and, in `path`, the name. */
	uint64_t start, end, file_offset;
	uint64_t device, inode; /* major << 32 | minor; SIDEBAND_MMAP only */
	bool gone;              /* SIDEBAND_KSYMBOL: the code was removed */
	const char *path; /* points into the decoded bytes; unescaped, with " (deleted)" */
	uint8_t build_id[SIDEBAND_BUILD_ID_BYTES];
	uint8_t build_id_bytes; /* 0: unknown */
};

/*
 * Decodes a record of `nr_bytes`. `build_id_event` is the id (PERF_EVENT_IOC_ID) of the event for build ids; of its records only build ids
 * and losses are returned. 0; -EBADMSG: the record is too short for its kind, or its path does not end inside it.
 */
int sideband_decode(const void *bytes, size_t nr_bytes, uint64_t build_id_event, struct sideband_record *ret_record);
