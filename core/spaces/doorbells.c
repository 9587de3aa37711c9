/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/spaces/doorbells.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/vec.h"
#include "core/spaces/perf_ring.h"

struct doorbell {
	int cpu, fd;
	struct perf_ring ring;
};

struct doorbells {
	int all_fd; /* epoll: the bells and the end of the rest */
	int bells_fd; /* epoll: the bells, so that muting them is one call */
	int rest_fd; /* a timer */
	bool resting; /* the bells are muted */
	uint64_t saved_ns; /* looks that may follow at once, DOORBELLS_REST_NS each */
	uint64_t answered_ns;
	VEC(struct doorbell) bells;
};

static int listen_to_bells(const struct doorbells *doorbells, int operation, bool on)
{
	struct epoll_event readable = { .events = on ? EPOLLIN : 0 };

	return epoll_ctl(doorbells->all_fd, operation, doorbells->bells_fd, &readable);
}

static int open_all(struct doorbells *doorbells)
{
	struct epoll_event readable = { .events = EPOLLIN };

	doorbells->all_fd = epoll_create1(EPOLL_CLOEXEC);
	doorbells->bells_fd = epoll_create1(EPOLL_CLOEXEC);
	doorbells->rest_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (doorbells->all_fd < 0 || doorbells->bells_fd < 0 || doorbells->rest_fd < 0 ||
	    epoll_ctl(doorbells->all_fd, EPOLL_CTL_ADD, doorbells->rest_fd, &readable))
		return -errno;
	return listen_to_bells(doorbells, EPOLL_CTL_ADD, true) ? -errno : 0;
}

struct doorbells *doorbells_new(void)
{
	struct doorbells *doorbells = xcalloc(1, sizeof(*doorbells));

	doorbells->all_fd = doorbells->bells_fd = doorbells->rest_fd = -1;
	if (!open_all(doorbells))
		return doorbells;
	doorbells_free(doorbells);
	return NULL;
}

static void bell_done(struct doorbell *bell)
{
	perf_ring_done(&bell->ring);
	closep(&bell->fd);
}

void doorbells_free(struct doorbells *doorbells)
{
	if (!doorbells)
		return;
	for (size_t i = 0; i < doorbells->bells.nr; i++)
		bell_done(&doorbells->bells.data[i]);
	vec_done(&doorbells->bells);
	closep(&doorbells->bells_fd);
	closep(&doorbells->rest_fd);
	closep(&doorbells->all_fd);
	free(doorbells);
}

int doorbells_fd(const struct doorbells *doorbells)
{
	return doorbells->all_fd;
}

void doorbells_add_cpu(struct doorbells *doorbells, int cpu)
{
	struct perf_event_attr attributes = {
		.size = sizeof(attributes),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.mmap = 1,
		.watermark = 1,
		.wakeup_watermark = 1,
	};
	struct epoll_event readable = { .events = EPOLLIN | EPOLLET };
	struct doorbell bell = { .cpu = cpu };

	bell.fd = (int)syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (bell.fd < 0 || perf_ring_init(&bell.ring, bell.fd, 0) ||
	    epoll_ctl(doorbells->bells_fd, EPOLL_CTL_ADD, bell.fd, &readable))
		bell_done(&bell);
	else
		vec_push(&doorbells->bells, bell);
}

void doorbells_remove_cpu(struct doorbells *doorbells, int cpu)
{
	size_t nr = 0;

	for (size_t i = 0; i < doorbells->bells.nr; i++) {
		if (doorbells->bells.data[i].cpu == cpu)
			bell_done(&doorbells->bells.data[i]);
		else
			doorbells->bells.data[nr++] = doorbells->bells.data[i];
	}
	doorbells->bells.nr = nr;
}

/* Makes room for the next records: none is written, and nobody woken, when the ring is full. Whether it has rung. */
static bool empty(struct doorbell *bell)
{
	uint64_t nr_bytes;

	perf_ring_load(&bell->ring);
	nr_bytes = bell->ring.head - bell->ring.tail;
	if (nr_bytes)
		perf_ring_pop(&bell->ring, nr_bytes);
	return nr_bytes;
}

/* Clears what epoll remembers of them, too; what rings after that will be seen. */
static bool empty_all(struct doorbells *doorbells)
{
	struct epoll_event ignored[64];
	bool rung = false;

	while (epoll_wait(doorbells->bells_fd, ignored, sizeof(ignored) / sizeof(*ignored), 0) > 0)
		;
	for (size_t i = 0; i < doorbells->bells.nr; i++)
		rung |= empty(&doorbells->bells.data[i]);
	return rung;
}

static bool still_rests(const struct doorbells *doorbells)
{
	uint64_t nr_over;

	return doorbells->resting && read(doorbells->rest_fd, &nr_over, sizeof(nr_over)) != sizeof(nr_over);
}

/* Whether there may be a look at once after this one, which is then spent. */
static bool may_go_on(struct doorbells *doorbells)
{
	const uint64_t most_ns = (uint64_t)DOORBELLS_BURST * DOORBELLS_REST_NS, now_ns = clock_monotonic_ns();

	doorbells->saved_ns += now_ns - doorbells->answered_ns;
	doorbells->answered_ns = now_ns;
	if (doorbells->saved_ns > most_ns)
		doorbells->saved_ns = most_ns;
	if (doorbells->saved_ns >= 2 * DOORBELLS_REST_NS) {
		doorbells->saved_ns -= DOORBELLS_REST_NS;
		return true;
	}
	doorbells->saved_ns = 0; /* what the rest saves is spent at its end */
	return false;
}

static void set_resting(struct doorbells *doorbells, bool rests)
{
	const struct itimerspec rest = { .it_value.tv_nsec = DOORBELLS_REST_NS };

	if (rests && timerfd_settime(doorbells->rest_fd, 0, &rest, NULL))
		rests = false;
	if (rests != doorbells->resting)
		listen_to_bells(doorbells, EPOLL_CTL_MOD, !rests);
	doorbells->resting = rests;
}

void doorbells_answer(struct doorbells *doorbells)
{
	if (!still_rests(doorbells))
		set_resting(doorbells, empty_all(doorbells) && !may_go_on(doorbells));
}
