/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of records. A pass first reads the clock, then how much of each ring was written, and returns the records older than that time.
 * What a task did before such a record was written by then, also on another CPU, because a task continues only when its record is complete.
 * So an exec is never returned before earlier mappings, nor a child before its fork. Younger records are left for the next pass.
 */
#include "core/spaces/sideband.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/vec.h"
#include "core/host/host.h"
#include "core/spaces/wakeups.h"
#include "core/spaces/perf_ring.h"

#define MAX_RING_ORDER 7 /* 128 pages, as in perf: about 3,400 records */
#define MIN_RING_ORDER 3
#define MANY_CPUS 16 /* with more, rings have half the size */
#define CPU_CHECK_NS NSEC_PER_SEC

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif

/* The ring of one CPU, and the record at its tail. */
struct cpu_stream {
	struct cpu_stream *next_stream; /* in the list of all */
	int cpu;
	int fd, build_id_fd;
	uint64_t build_id_event; /* its id (PERF_EVENT_IOC_ID); 0: none */
	uint64_t nr_lost_told; /* sum of the PERF_RECORD_LOST in the ring */
	uint64_t nr_lost; /* that, or the event's counter if that is higher */
	bool leaving; /* the CPU went offline: the ring is read to its end, then closed */
	struct perf_ring ring;
	struct sideband_record next;
	size_t next_bytes;
	struct sideband_record build_id; /* of the last record, for the mapping that follows it */
};

/* A stream with a record in this pass. The times are close together in memory, because all are compared for each record. */
struct queued {
	uint64_t time_ns;
	struct cpu_stream *stream;
};

struct sideband {
	int epoll_fd;
	unsigned int ring_order;
	bool build_ids;
	bool counts_lost; /* the number of lost records can be read from the event */
	struct cpu_stream *streams;
	VEC(struct queued) queue;
	struct queued *current; /* its record was returned last */
	struct wakeups *wakeups; /* NULL none */
	uint64_t cutoff_ns, cpus_checked_ns;
	uint64_t nr_lost;
	bool was_full; /* any ring */
	size_t nr_unwatched;
};

/* ---- opening ---- */

static struct perf_event_attr event_attributes(void)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
	};
}

static int open_event(struct perf_event_attr *attributes, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/*
 * Opens the largest ring that the limit on locked memory allows (kernel.perf_event_mlock_kb, RLIMIT_MEMLOCK).
 *
 * From v6.0 on, the number of lost records can be read (commit 119a784c8127 "perf/core: Add a new read format to get a number of lost
 * samples"). PERF_RECORD_LOST comes only with the next record of the CPU, and so perhaps never.
 */
static int open_ring(const struct sideband *sideband, struct cpu_stream *stream)
{
	struct perf_event_attr attributes = event_attributes();
	int err = 0;

	attributes.read_format = sideband->counts_lost ? PERF_FORMAT_LOST : 0;
	attributes.comm = attributes.comm_exec = attributes.task = attributes.ksymbol = 1;
	for (unsigned int order = sideband->ring_order; order >= MIN_RING_ORDER; order--) {
		_cleanup_(closep) int fd = -1;

		attributes.wakeup_watermark = (uint32_t)((size_t)sysconf(_SC_PAGESIZE) << order) / 4;
		fd = open_event(&attributes, stream->cpu);
		if (fd < 0)
			return fd;
		err = perf_ring_init(&stream->ring, fd, order);
		if (!err)
			stream->fd = take_fd(&fd);
		if (err != -EPERM && err != -ENOMEM)
			return err;
	}
	return err;
}

/* ---- streams ---- */

/* Build ids are optional: without them, device and inode identify a mapping. */
static void open_build_ids(struct sideband *sideband, struct cpu_stream *stream)
{
	struct perf_event_attr attributes = event_attributes();
	_cleanup_(closep) int fd = -1;

	attributes.build_id = 1;
	if (sideband->build_ids)
		fd = open_event(&attributes, stream->cpu);
	if (fd >= 0 && !ioctl(fd, PERF_EVENT_IOC_ID, &stream->build_id_event) &&
	    !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, stream->fd))
		stream->build_id_fd = take_fd(&fd);
	else
		sideband->build_ids = false;
}

static void stream_free(struct cpu_stream *stream)
{
	perf_ring_done(&stream->ring);
	closep(&stream->build_id_fd);
	closep(&stream->fd);
	free(stream);
}

static int add_stream(struct sideband *sideband, int cpu)
{
	struct epoll_event readable = { .events = EPOLLIN | EPOLLET };
	struct cpu_stream *stream = xmalloc(sizeof(*stream));
	int err;

	*stream = (struct cpu_stream){ .cpu = cpu, .fd = -1, .build_id_fd = -1 };
	err = open_ring(sideband, stream);
	if (err == -EINVAL && sideband->counts_lost) {
		sideband->counts_lost = false;
		err = open_ring(sideband, stream);
	}
	if (!err && epoll_ctl(sideband->epoll_fd, EPOLL_CTL_ADD, stream->fd, &readable))
		err = -errno;
	if (err) {
		stream_free(stream);
		return err;
	}
	open_build_ids(sideband, stream);
	if (sideband->wakeups)
		wakeups_add_cpu(sideband->wakeups, cpu);
	stream->next_stream = sideband->streams;
	sideband->streams = stream;
	return 0;
}

/* ---- CPUs come and go ---- */

static bool is_watched(const struct sideband *sideband, int cpu)
{
	const struct cpu_stream *stream = sideband->streams;

	while (stream && (stream->cpu != cpu || stream->leaving))
		stream = stream->next_stream;
	return stream;
}

/* The event of an offline CPU does not work when the CPU returns: its ring is read once more and closed. */
static void drop_offline_streams(struct sideband *sideband, const cpu_list *cpus)
{
	struct cpu_stream **link = &sideband->streams, *stream;

	while ((stream = *link)) {
		if (stream->leaving) {
			*link = stream->next_stream;
			stream_free(stream);
			continue;
		}
		stream->leaving = true;
		for (size_t i = 0; i < cpus->nr; i++)
			stream->leaving &= cpus->data[i] != stream->cpu;
		if (stream->leaving && sideband->wakeups)
			wakeups_remove_cpu(sideband->wakeups, stream->cpu);
		link = &stream->next_stream;
	}
}

static void follow_cpus(struct sideband *sideband)
{
	cpu_list cpus = {};

	if (!host_tells_online_cpus(&cpus))
		return;
	drop_offline_streams(sideband, &cpus);
	sideband->nr_unwatched = 0;
	for (size_t i = 0; i < cpus.nr; i++)
		if (!is_watched(sideband, cpus.data[i]) && add_stream(sideband, cpus.data[i]))
			sideband->nr_unwatched++;
	vec_done(&cpus);
}

/* ---- a pass ---- */

/*
 * The two events of a CPU report the same mapping one after the other, in either order (perf_iterate_sb() walks a list to whose head
 * attach_sb_event() adds). A build id that comes first is joined with its mapping; one that comes second stays a separate record.
 */
static void join_build_id(struct cpu_stream *stream)
{
	struct sideband_record *next = &stream->next, *build_id = &stream->build_id;

	if (next->kind == SIDEBAND_BUILD_ID)
		*build_id = *next;
	if (next->kind != SIDEBAND_MMAP || build_id->tid != next->tid || build_id->start != next->start ||
	    build_id->end != next->end)
		return;
	memcpy(next->build_id, build_id->build_id, sizeof(next->build_id));
	next->build_id_bytes = build_id->build_id_bytes;
	*build_id = (struct sideband_record){};
}

static void note_lost(struct sideband *sideband, struct cpu_stream *stream, uint64_t nr_lost)
{
	if (nr_lost <= stream->nr_lost)
		return;
	sideband->nr_lost += nr_lost - stream->nr_lost;
	stream->nr_lost = nr_lost;
}

/*
 * Decodes the record at the tail. False: none for this pass. A record that is more than a second in the future is dropped: it would block
 * this ring.
 */
static bool peek(struct sideband *sideband, struct cpu_stream *stream)
{
	uint64_t nr_broken = stream->ring.nr_broken;
	struct {
		uint64_t value, nr_lost;
	} counter;
	const void *bytes;

	while ((bytes = perf_ring_peek(&stream->ring, &stream->next_bytes))) {
		if (!sideband_decode(bytes, stream->next_bytes, stream->build_id_event, &stream->next) &&
		    (stream->next.time_ns <= sideband->cutoff_ns ||
		     stream->next.time_ns <= clock_monotonic_ns() + NSEC_PER_SEC)) {
			join_build_id(stream);
			return stream->next.time_ns <= sideband->cutoff_ns;
		}
		sideband->nr_lost++;
		perf_ring_pop(&stream->ring, stream->next_bytes);
	}
	sideband->nr_lost += stream->ring.nr_broken - nr_broken;
	if (stream->ring.was_full && sideband->counts_lost &&
	    read(stream->fd, &counter, sizeof(counter)) == sizeof(counter))
		note_lost(sideband, stream, counter.nr_lost);
	sideband->was_full |= stream->ring.was_full;
	stream->ring.was_full = false;
	return false;
}

uint64_t sideband_begin(struct sideband *sideband)
{
	struct epoll_event ignored;

	if (sideband->wakeups)
		wakeups_acknowledge(sideband->wakeups);
	sideband->cutoff_ns = clock_monotonic_ns();
	epoll_wait(sideband->epoll_fd, &ignored, 1, 0); /* clears the readiness that the caller's epoll has seen */
	if (sideband->cutoff_ns - sideband->cpus_checked_ns >= CPU_CHECK_NS) {
		follow_cpus(sideband);
		sideband->cpus_checked_ns = sideband->cutoff_ns;
	}
	sideband->current = NULL;
	sideband->queue.nr = 0;
	for (struct cpu_stream *stream = sideband->streams; stream; stream = stream->next_stream) {
		perf_ring_load(&stream->ring);
		if (peek(sideband, stream))
			vec_push(&sideband->queue, (struct queued){ stream->next.time_ns, stream });
	}
	return sideband->cutoff_ns;
}

/* Removes the record that was returned last from its ring. */
static void finish_current(struct sideband *sideband)
{
	struct queued *current = sideband->current;

	sideband->current = NULL;
	perf_ring_pop(&current->stream->ring, current->stream->next_bytes);
	if (peek(sideband, current->stream))
		current->time_ns = current->stream->next.time_ns;
	else
		*current = sideband->queue.data[--sideband->queue.nr];
}

const struct sideband_record *sideband_next(struct sideband *sideband)
{
	struct cpu_stream *stream;

	if (sideband->current)
		finish_current(sideband);
	for (size_t i = 0; i < sideband->queue.nr; i++)
		if (!sideband->current || sideband->queue.data[i].time_ns < sideband->current->time_ns)
			sideband->current = &sideband->queue.data[i];
	if (!sideband->current)
		return NULL;
	stream = sideband->current->stream;
	if (stream->next.kind == SIDEBAND_LOST) {
		stream->nr_lost_told += stream->next.nr_lost;
		note_lost(sideband, stream, stream->nr_lost_told);
	}
	return &stream->next;
}

/* ---- opening and closing ---- */

void sideband_ring(struct sideband *sideband)
{
	if (sideband->wakeups)
		return;
	sideband->wakeups = wakeups_new(sideband->epoll_fd);
	for (const struct cpu_stream *stream = sideband->streams; sideband->wakeups && stream;
	     stream = stream->next_stream)
		wakeups_add_cpu(sideband->wakeups, stream->cpu);
}

static int open_all(struct sideband *sideband)
{
	cpu_list cpus = {};
	int err = host_online_cpus(&cpus);

	sideband->ring_order = cpus.nr > MANY_CPUS ? MAX_RING_ORDER - 1 : MAX_RING_ORDER;
	for (size_t i = 0; !err && i < cpus.nr; i++) {
		err = add_stream(sideband, cpus.data[i]);
		if (err == -ENODEV) /* it went offline in between */
			err = 0;
		else if (err)
			fail_host(err, "side-band: perf_event_open: %s", strerror(-err));
		if (err == -EACCES || err == -EPERM)
			hint("needs CAP_PERFMON, or CAP_SYS_ADMIN where kernel.perf_event_paranoid is above 2");
	}
	vec_done(&cpus);
	return err;
}

int sideband_new(struct sideband **ret_sideband)
{
	struct sideband *sideband = xcalloc(1, sizeof(*sideband));
	int err;

	sideband->build_ids = sideband->counts_lost = true;
	sideband->cpus_checked_ns = clock_monotonic_ns();
	sideband->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (sideband->epoll_fd < 0)
		err = fail(-errno, "side-band: epoll_create: %s", strerror(errno));
	else
		err = open_all(sideband);
	if (err)
		sideband_free(sideband);
	else
		*ret_sideband = sideband;
	return err;
}

void sideband_free(struct sideband *sideband)
{
	if (!sideband)
		return;
	while (sideband->streams) {
		struct cpu_stream *stream = sideband->streams;

		sideband->streams = stream->next_stream;
		stream_free(stream);
	}
	wakeups_free(sideband->wakeups);
	vec_done(&sideband->queue);
	closep(&sideband->epoll_fd);
	free(sideband);
}

int sideband_open_again(struct sideband **sideband)
{
	bool rings = (*sideband)->wakeups;
	int err;

	sideband_free(*sideband); /* first, because memory for rings is limited */
	*sideband = NULL;
	err = sideband_new(sideband);
	if (!err && rings)
		sideband_ring(*sideband);
	return err;
}

int sideband_fd(const struct sideband *sideband)
{
	return sideband->epoll_fd;
}

uint64_t sideband_lost(const struct sideband *sideband)
{
	return sideband->nr_lost;
}

bool sideband_is_whole(const struct sideband *sideband)
{
	return !sideband->nr_lost && !sideband->was_full;
}

size_t sideband_nr_unwatched(const struct sideband *sideband)
{
	return sideband->nr_unwatched;
}

bool sideband_has_build_ids(const struct sideband *sideband)
{
	return sideband->build_ids;
}
