/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Order. A pass takes the time first and then looks how far each ring was written; it hands out what is older than that
 * time. Whatever a task did before an event that the pass hands out was written by then, also on another CPU, because a
 * task moves on only after its record is complete. So an exec is never handed out before the mappings that precede it,
 * or a child before its birth. What is younger waits for the next pass.
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
#include "core/spaces/doorbells.h"
#include "core/spaces/perf_ring.h"

#define MAX_RING_ORDER 7 /* 128 pages: what perf takes, and about 3,400 records */
#define MIN_RING_ORDER 3
#define MANY_CPUS 16 /* that get half of it each */
#define CPU_CHECK_NS NSEC_PER_SEC

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif

/* The ring of one CPU and the record at its tail. */
struct lane {
	struct lane *other; /* the next in the list of all */
	int cpu;
	int fd, build_id_fd;
	uint64_t build_id_event; /* its id; 0 none */
	uint64_t nr_lost_told;   /* by records in the ring */
	uint64_t nr_lost;        /* by them or the event's counter, whichever is more */
	bool leaving; /* the CPU went offline: read to the end, then closed */
	struct perf_ring ring;
	struct sideband_record next;
	size_t next_bytes;
	struct sideband_record build_id; /* the last one that came, for the mapping that follows */
};

struct queued {
	uint64_t time_ns;
	struct lane *lane;
};

struct sideband {
	int epoll_fd;
	unsigned int ring_order;
	bool build_ids;
	bool counts_lost; /* the number of lost records can be read */
	struct lane *lanes;
	VEC(struct queued) heap; /* lanes with a record in this pass, the oldest record first */
	struct lane *given;      /* whose record the caller holds */
	struct doorbells *doorbells; /* NULL none */
	uint64_t cutoff_ns, cpus_checked_ns;
	uint64_t nr_lost;
	size_t nr_unwatched;
};

/* ---- opening ---- */

static int open_event(struct perf_event_attr *attributes, pid_t tid, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attributes, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

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

/*
 * The number of lost records can be read from v6.0 on (commit 119a784c8127 "perf/core: Add a new read format to get a
 * number of lost samples"). PERF_RECORD_LOST tells it only with the next record of the same CPU, which may never come.
 */
static int open_lane_event(const struct sideband *sideband, int cpu, unsigned int order)
{
	struct perf_event_attr attributes = event_attributes();

	attributes.read_format = sideband->counts_lost ? PERF_FORMAT_LOST : 0;
	attributes.comm = 1;
	attributes.comm_exec = 1;
	attributes.task = 1;
	attributes.ksymbol = 1;
	attributes.wakeup_watermark = (uint32_t)((size_t)sysconf(_SC_PAGESIZE) << order) / 4;
	return open_event(&attributes, -1, cpu);
}

/* The largest ring that the limit on locked memory allows (kernel.perf_event_mlock_kb, RLIMIT_MEMLOCK). */
static int open_ring(const struct sideband *sideband, struct lane *lane)
{
	int err = 0;

	for (unsigned int order = sideband->ring_order; order >= MIN_RING_ORDER; order--) {
		_cleanup_(closep) int fd = open_lane_event(sideband, lane->cpu, order);

		if (fd < 0)
			return fd;
		err = perf_ring_init(&lane->ring, fd, order);
		if (!err)
			lane->fd = take_fd(&fd);
		if (err != -EPERM && err != -ENOMEM)
			return err;
	}
	return err;
}

/* ---- lanes ---- */

/* Build ids are a gain, not a need: whatever fails here leaves mappings known by device and inode. */
static void open_build_ids(struct sideband *sideband, struct lane *lane)
{
	struct perf_event_attr attributes = event_attributes();
	_cleanup_(closep) int fd = -1;

	attributes.build_id = 1;
	if (sideband->build_ids)
		fd = open_event(&attributes, -1, lane->cpu);
	if (fd >= 0 && !ioctl(fd, PERF_EVENT_IOC_ID, &lane->build_id_event) &&
	    !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, lane->fd))
		lane->build_id_fd = take_fd(&fd);
	else
		sideband->build_ids = false;
}

static void lane_free(struct lane *lane)
{
	perf_ring_done(&lane->ring);
	closep(&lane->build_id_fd);
	closep(&lane->fd);
	free(lane);
}

static int add_lane(struct sideband *sideband, int cpu)
{
	struct epoll_event readable = { .events = EPOLLIN | EPOLLET };
	struct lane *lane = xmalloc(sizeof(*lane));
	int err;

	*lane = (struct lane){ .cpu = cpu, .fd = -1, .build_id_fd = -1 };
	err = open_ring(sideband, lane);
	if (err == -EINVAL && sideband->counts_lost) {
		sideband->counts_lost = false;
		err = open_ring(sideband, lane);
	}
	if (!err && epoll_ctl(sideband->epoll_fd, EPOLL_CTL_ADD, lane->fd, &readable))
		err = -errno;
	if (err) {
		lane_free(lane);
		return err;
	}
	open_build_ids(sideband, lane);
	if (sideband->doorbells)
		doorbells_add_cpu(sideband->doorbells, cpu);
	lane->other = sideband->lanes;
	sideband->lanes = lane;
	return 0;
}

/* ---- CPUs come and go ---- */

static struct lane *lane_of_cpu(const struct sideband *sideband, int cpu)
{
	struct lane *lane = sideband->lanes;

	while (lane && (lane->cpu != cpu || lane->leaving))
		lane = lane->other;
	return lane;
}

static bool has_cpu(const cpu_list *cpus, int cpu)
{
	for (size_t i = 0; i < cpus->nr; i++)
		if (cpus->data[i] == cpu)
			return true;
	return false;
}

/* An event does not come back with its CPU: its ring is read once more and closed. */
static void drop_offline_lanes(struct sideband *sideband, const cpu_list *cpus)
{
	struct lane **link = &sideband->lanes, *lane;

	while ((lane = *link)) {
		if (lane->leaving) {
			*link = lane->other;
			lane_free(lane);
			continue;
		}
		lane->leaving = !has_cpu(cpus, lane->cpu);
		if (lane->leaving && sideband->doorbells)
			doorbells_remove_cpu(sideband->doorbells, lane->cpu);
		link = &lane->other;
	}
}

static void follow_cpus(struct sideband *sideband)
{
	cpu_list cpus = {};

	if (!host_tells_online_cpus(&cpus))
		return;
	drop_offline_lanes(sideband, &cpus);
	sideband->nr_unwatched = 0;
	for (size_t i = 0; i < cpus.nr; i++)
		if (!lane_of_cpu(sideband, cpus.data[i]) && add_lane(sideband, cpus.data[i]))
			sideband->nr_unwatched++;
	vec_done(&cpus);
}

/* ---- a pass: the lanes in a heap by the time of their next record ---- */

static void sift_down(struct sideband *sideband, size_t i)
{
	struct queued *heap = sideband->heap.data;
	size_t nr = sideband->heap.nr;

	for (size_t child = 2 * i + 1; child < nr; i = child, child = 2 * i + 1) {
		struct queued queued = heap[i];

		if (child + 1 < nr && heap[child + 1].time_ns < heap[child].time_ns)
			child++;
		if (heap[child].time_ns >= queued.time_ns)
			return;
		heap[i] = heap[child];
		heap[child] = queued;
	}
}

/*
 * The two events of a CPU write about the same mapping one after the other; which goes first is the kernel's affair
 * (perf_iterate_sb() walks a list that attach_sb_event() adds to at its head). Here a build id joins the mapping behind
 * it; one that comes after its mapping goes out as a record of its own.
 */
static void join_build_id(struct lane *lane)
{
	struct sideband_record *next = &lane->next, *build_id = &lane->build_id;

	if (next->kind == SIDEBAND_BUILD_ID)
		*build_id = *next;
	if (next->kind != SIDEBAND_MMAP || build_id->tid != next->tid || build_id->start != next->start ||
	    build_id->end != next->end)
		return;
	memcpy(next->build_id, build_id->build_id, sizeof(next->build_id));
	next->build_id_bytes = build_id->build_id_bytes;
	*build_id = (struct sideband_record){};
}

static void note_lost(struct sideband *sideband, struct lane *lane, uint64_t nr_lost)
{
	if (nr_lost <= lane->nr_lost)
		return;
	sideband->nr_lost += nr_lost - lane->nr_lost;
	lane->nr_lost = nr_lost;
}

static void read_lost(struct sideband *sideband, struct lane *lane)
{
	struct {
		uint64_t value, nr_lost;
	} counter;

	lane->ring.was_full = false;
	if (sideband->counts_lost && read(lane->fd, &counter, sizeof(counter)) == sizeof(counter))
		note_lost(sideband, lane, counter.nr_lost);
}

/* A time that nobody can have seen yet, with room for clocks that differ: waiting for it would silence the CPU. */
static bool is_to_come(const struct sideband *sideband, const struct sideband_record *record)
{
	return record->time_ns > sideband->cutoff_ns && record->time_ns > clock_monotonic_ns() + NSEC_PER_SEC;
}

/* Decodes the record at the tail. False when there is none that belongs to this pass. */
static bool peek(struct sideband *sideband, struct lane *lane)
{
	uint64_t nr_broken = lane->ring.nr_broken;
	const void *bytes;

	while ((bytes = perf_ring_peek(&lane->ring, &lane->next_bytes))) {
		if (!sideband_decode(bytes, lane->next_bytes, lane->build_id_event, &lane->next) &&
		    !is_to_come(sideband, &lane->next)) {
			join_build_id(lane);
			return lane->next.time_ns <= sideband->cutoff_ns;
		}
		sideband->nr_lost++;
		perf_ring_pop(&lane->ring, lane->next_bytes);
	}
	sideband->nr_lost += lane->ring.nr_broken - nr_broken;
	if (lane->ring.was_full)
		read_lost(sideband, lane);
	return false;
}

uint64_t sideband_begin(struct sideband *sideband)
{
	struct epoll_event ignored;

	if (sideband->doorbells)
		doorbells_answer(sideband->doorbells);
	sideband->cutoff_ns = clock_monotonic_ns();
	epoll_wait(sideband->epoll_fd, &ignored, 1, 0); /* clears the readiness that the caller's epoll saw */
	if (sideband->cutoff_ns - sideband->cpus_checked_ns >= CPU_CHECK_NS) {
		follow_cpus(sideband);
		sideband->cpus_checked_ns = sideband->cutoff_ns;
	}
	sideband->given = NULL;
	sideband->heap.nr = 0;
	for (struct lane *lane = sideband->lanes; lane; lane = lane->other) {
		perf_ring_load(&lane->ring);
		if (peek(sideband, lane))
			vec_push(&sideband->heap, (struct queued){ lane->next.time_ns, lane });
	}
	for (size_t i = sideband->heap.nr / 2; i-- > 0;)
		sift_down(sideband, i);
	return sideband->cutoff_ns;
}

/* The lane at the top of the heap gives up the record that the caller has read. */
static void finish_given(struct sideband *sideband)
{
	struct lane *lane = sideband->given;

	sideband->given = NULL;
	perf_ring_pop(&lane->ring, lane->next_bytes);
	if (peek(sideband, lane))
		sideband->heap.data[0].time_ns = lane->next.time_ns;
	else
		sideband->heap.data[0] = sideband->heap.data[--sideband->heap.nr];
	sift_down(sideband, 0);
}

const struct sideband_record *sideband_next(struct sideband *sideband)
{
	struct lane *lane;

	if (sideband->given)
		finish_given(sideband);
	if (!sideband->heap.nr)
		return NULL;
	lane = sideband->given = sideband->heap.data[0].lane;
	if (lane->next.kind == SIDEBAND_LOST) {
		lane->nr_lost_told += lane->next.nr_lost;
		note_lost(sideband, lane, lane->nr_lost_told);
	}
	return &lane->next;
}

/* ---- the whole ---- */

void sideband_ring(struct sideband *sideband)
{
	struct doorbells *doorbells = sideband->doorbells ? NULL : doorbells_new();
	struct epoll_event readable = { .events = EPOLLIN };

	if (!doorbells)
		return;
	if (epoll_ctl(sideband->epoll_fd, EPOLL_CTL_ADD, doorbells_fd(doorbells), &readable)) {
		doorbells_free(doorbells);
		return;
	}
	sideband->doorbells = doorbells;
	for (const struct lane *lane = sideband->lanes; lane; lane = lane->other)
		doorbells_add_cpu(doorbells, lane->cpu);
}

static int explain(int err)
{
	fail_host(err, "side-band: perf_event_open: %s", strerror(-err));
	if (err == -EACCES || err == -EPERM)
		hint("needs CAP_PERFMON, or CAP_SYS_ADMIN where kernel.perf_event_paranoid is above 2");
	return err;
}

static int open_all(struct sideband *sideband)
{
	cpu_list cpus = {};
	int err = host_online_cpus(&cpus);

	sideband->ring_order = cpus.nr > MANY_CPUS ? MAX_RING_ORDER - 1 : MAX_RING_ORDER;
	for (size_t i = 0; !err && i < cpus.nr; i++) {
		err = add_lane(sideband, cpus.data[i]);
		if (err == -ENODEV) /* went offline since it was listed */
			err = 0;
		else if (err)
			explain(err);
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
	while (sideband->lanes) {
		struct lane *lane = sideband->lanes;

		sideband->lanes = lane->other;
		lane_free(lane);
	}
	doorbells_free(sideband->doorbells);
	vec_done(&sideband->heap);
	closep(&sideband->epoll_fd);
	free(sideband);
}

int sideband_fd(const struct sideband *sideband)
{
	return sideband->epoll_fd;
}

uint64_t sideband_lost(const struct sideband *sideband)
{
	return sideband->nr_lost;
}

size_t sideband_nr_unwatched(const struct sideband *sideband)
{
	return sideband->nr_unwatched;
}

bool sideband_has_build_ids(const struct sideband *sideband)
{
	return sideband->build_ids;
}
