/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/spaces/wakeups.h"

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

struct wakeup {
	int cpu, fd;
	struct perf_ring ring;
};

struct wakeups {
	int epoll_fd; /* the caller's: gets the events, and the timer that ends the muting */
	int events_fd; /* an epoll descriptor for all events, so that one call mutes them */
	int mute_fd; /* a timer */
	bool muted;
	uint64_t saved_ns; /* unused wakeups, as time: WAKEUPS_MUTE_NS each */
	uint64_t acknowledged_ns;
	VEC(struct wakeup) events;
};

static int listen_to_events(const struct wakeups *wakeups, int operation, bool on)
{
	struct epoll_event readable = { .events = on ? EPOLLIN : 0 };

	return epoll_ctl(wakeups->epoll_fd, operation, wakeups->events_fd, &readable);
}

struct wakeups *wakeups_new(int epoll_fd)
{
	struct wakeups *wakeups = xcalloc(1, sizeof(*wakeups));
	struct epoll_event readable = { .events = EPOLLIN };

	wakeups->epoll_fd = epoll_fd;
	wakeups->events_fd = epoll_create1(EPOLL_CLOEXEC);
	wakeups->mute_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (wakeups->events_fd >= 0 && wakeups->mute_fd >= 0 &&
	    !epoll_ctl(epoll_fd, EPOLL_CTL_ADD, wakeups->mute_fd, &readable) &&
	    !listen_to_events(wakeups, EPOLL_CTL_ADD, true))
		return wakeups;
	wakeups_free(wakeups);
	return NULL;
}

static void wakeup_done(struct wakeup *wakeup)
{
	perf_ring_done(&wakeup->ring);
	closep(&wakeup->fd);
}

void wakeups_free(struct wakeups *wakeups)
{
	if (!wakeups)
		return;
	for (size_t i = 0; i < wakeups->events.nr; i++)
		wakeup_done(&wakeups->events.data[i]);
	vec_done(&wakeups->events);
	closep(&wakeups->events_fd);
	closep(&wakeups->mute_fd);
	free(wakeups);
}

void wakeups_add_cpu(struct wakeups *wakeups, int cpu)
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
	struct wakeup wakeup = { .cpu = cpu };

	wakeup.fd = (int)syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (wakeup.fd < 0 || perf_ring_init(&wakeup.ring, wakeup.fd, 0) ||
	    epoll_ctl(wakeups->events_fd, EPOLL_CTL_ADD, wakeup.fd, &readable))
		wakeup_done(&wakeup);
	else
		vec_push(&wakeups->events, wakeup);
}

void wakeups_remove_cpu(struct wakeups *wakeups, int cpu)
{
	size_t nr = 0;

	for (size_t i = 0; i < wakeups->events.nr; i++) {
		if (wakeups->events.data[i].cpu == cpu)
			wakeup_done(&wakeups->events.data[i]);
		else
			wakeups->events.data[nr++] = wakeups->events.data[i];
	}
	wakeups->events.nr = nr;
}

/* Empties the rings, because a full one wakes nobody, and clears their readiness. Returns whether there were records. */
static bool empty_all(struct wakeups *wakeups)
{
	struct epoll_event ignored[64];
	bool any = false;

	while (epoll_wait(wakeups->events_fd, ignored, sizeof(ignored) / sizeof(*ignored), 0) > 0)
		;
	for (size_t i = 0; i < wakeups->events.nr; i++) {
		struct perf_ring *ring = &wakeups->events.data[i].ring;

		perf_ring_load(ring);
		if (ring->head == ring->tail)
			continue;
		perf_ring_pop(ring, ring->head - ring->tail);
		any = true;
	}
	return any;
}

/* Whether the next wakeup may come at once, which uses up a saved one. */
static bool may_go_on(struct wakeups *wakeups)
{
	const uint64_t most_ns = (uint64_t)WAKEUPS_BURST * WAKEUPS_MUTE_NS, now_ns = clock_monotonic_ns();

	wakeups->saved_ns += now_ns - wakeups->acknowledged_ns;
	wakeups->acknowledged_ns = now_ns;
	if (wakeups->saved_ns > most_ns)
		wakeups->saved_ns = most_ns;
	if (wakeups->saved_ns >= 2 * WAKEUPS_MUTE_NS) {
		wakeups->saved_ns -= WAKEUPS_MUTE_NS;
		return true;
	}
	wakeups->saved_ns = 0; /* the muted time counts for the wakeup at its end */
	return false;
}

static void set_muted(struct wakeups *wakeups, bool mute)
{
	const struct itimerspec end = { .it_value.tv_nsec = WAKEUPS_MUTE_NS };

	if (mute && timerfd_settime(wakeups->mute_fd, 0, &end, NULL))
		mute = false;
	if (mute != wakeups->muted)
		listen_to_events(wakeups, EPOLL_CTL_MOD, !mute);
	wakeups->muted = mute;
}

void wakeups_acknowledge(struct wakeups *wakeups)
{
	uint64_t nr_over;

	if (!wakeups->muted || read(wakeups->mute_fd, &nr_over, sizeof(nr_over)) == sizeof(nr_over))
		set_muted(wakeups, empty_all(wakeups) && !may_go_on(wakeups));
}
