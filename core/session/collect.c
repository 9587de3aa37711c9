/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/session/collect.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/host/signals.h"

#define TICK_NS 50000000ULL /* the ring is read at least this often, because few records wake the reader */
#define TICKS_PER_SECOND 20

enum source {
	SOURCE_SIGNAL,
	SOURCE_TICK,
	SOURCE_INTERVAL,
	SOURCE_DURATION,
	SOURCE_RING,
	SOURCE_SPACES,
	SOURCE_TABLES,
	SOURCE_TARGET,
	SOURCE_KEYS,
};

/* A turn of the main loop: from the end of one wait to the begin of the next. */
struct turn {
	uint64_t ns;
	const char *what; /* static */
};

struct collector {
	const struct plan *plan;
	struct collector_sources sources;
	sigset_t saved_mask;
	bool look_is_due, rows_are_due;
	bool signalled;
	uint64_t nr_intervals; /* that are over */
	unsigned int nr_ticks;
	uint64_t turn_ns; /* begin of the turn; 0: no turn has begun */
	const char *turn_what;
	struct turn longest;
	int epoll_fd, signal_fd, tick_fd, interval_fd, duration_fd;
	int told_fd; /* of collector_give_signals(); -1: none */
};

static int add_source(struct collector *collector, int fd, enum source source)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = source };

	if (fd < 0)
		return 0;
	if (epoll_ctl(collector->epoll_fd, EPOLL_CTL_ADD, fd, &event))
		return fail(-errno, "epoll: %s", strerror(errno));
	return 0;
}

/*
 * Wakes the loop when the worker sends an unwind table. To be called repeatedly, because the worker may be replaced. EPOLLET, because other
 * functions read the worker's other answers.
 */
static void watch_tables(struct collector *collector)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.u32 = SOURCE_TABLES };
	int fd = unwinding_fd(collector->sources.unwinding);

	if (fd >= 0)
		epoll_ctl(collector->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static int add_timer(struct collector *collector, uint64_t first_ns, uint64_t period_ns, enum source source,
		     int *ret_fd)
{
	struct itimerspec when = {
		.it_value = { (time_t)(first_ns / NSEC_PER_SEC), (long)(first_ns % NSEC_PER_SEC) },
		.it_interval = { (time_t)(period_ns / NSEC_PER_SEC), (long)(period_ns % NSEC_PER_SEC) },
	};

	if (!first_ns)
		return 0;
	*ret_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (*ret_fd < 0 || timerfd_settime(*ret_fd, 0, &when, NULL))
		return fail(-errno, "timer: %s", strerror(errno));
	return add_source(collector, *ret_fd, source);
}

static int take_signals(struct collector *collector)
{
	sigset_t mask;

	signals_that_end(&mask);
	sigprocmask(SIG_BLOCK, &mask, &collector->saved_mask);
	collector->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (collector->signal_fd < 0)
		return fail(-errno, "signalfd: %s", strerror(errno));
	return add_source(collector, collector->signal_fd, SOURCE_SIGNAL);
}

/* Empties a timer, signalfd or pipe, which is readable until then. Returns whether it had anything to read. */
static bool consume(int fd)
{
	struct signalfd_siginfo info;
	bool any = false;

	while (read(fd, &info, sizeof(info)) > 0)
		any = true;
	return any;
}

int collector_new(const struct plan *plan, const struct collector_sources *sources, struct collector **ret_collector)
{
	struct collector *collector = xcalloc(1, sizeof(*collector));
	int err;

	*collector = (struct collector){
		.plan = plan,
		.sources = *sources,
		.signal_fd = -1,
		.told_fd = -1,
		.tick_fd = -1,
		.interval_fd = -1,
		.duration_fd = -1,
		.epoll_fd = epoll_create1(EPOLL_CLOEXEC),
	};
	err = take_signals(collector) ?: add_source(collector, drain_fd(sources->drain), SOURCE_RING) ?:
	      add_source(collector, spaces_fd(sources->spaces), SOURCE_SPACES) ?:
	      add_source(collector, sources->watch ? process_watch_fd(sources->watch) : -1, SOURCE_TARGET);
	if (err) {
		collector_free(collector);
		return err;
	}
	*ret_collector = collector;
	return 0;
}

int collector_watch_keys(struct collector *collector, int fd)
{
	return add_source(collector, fd, SOURCE_KEYS);
}

int collector_start(struct collector *collector)
{
	const struct plan *plan = collector->plan;

	watch_tables(collector);
	return add_timer(collector, TICK_NS, TICK_NS, SOURCE_TICK, &collector->tick_fd) ?:
	       add_timer(collector, plan->interval_ns, plan->interval_ns, SOURCE_INTERVAL, &collector->interval_fd) ?:
	       add_timer(collector, plan->duration_ns, 0, SOURCE_DURATION, &collector->duration_fd);
}

int collector_signal_fd(const struct collector *collector)
{
	return collector->signal_fd;
}

int collector_give_signals(struct collector *collector, int told_fd)
{
	epoll_ctl(collector->epoll_fd, EPOLL_CTL_DEL, collector->signal_fd, NULL);
	collector->told_fd = told_fd;
	return add_source(collector, told_fd, SOURCE_SIGNAL);
}

static void look_for_signal(struct collector *collector)
{
	collector->signalled |= consume(collector->told_fd >= 0 ? collector->told_fd : collector->signal_fd);
}

bool collector_signalled(struct collector *collector)
{
	look_for_signal(collector);
	return collector->signalled;
}

void collector_note_signal(struct collector *collector)
{
	collector->signalled = true;
}

void collector_free(struct collector *collector)
{
	if (!collector)
		return;
	if (collector_signalled(collector))
		signals_spare_none();
	else
		signals_spare_first();
	closep(&collector->signal_fd);
	closep(&collector->told_fd);
	closep(&collector->tick_fd);
	closep(&collector->interval_fd);
	closep(&collector->duration_fd);
	closep(&collector->epoll_fd);
	sigprocmask(SIG_SETMASK, &collector->saved_mask, NULL);
	free(collector);
}

/* Interval and duration have separate timers. If both end at the same moment, this interval is the last one. */
static enum collect_reason interval_over(struct collector *collector)
{
	const struct plan *plan = collector->plan;
	uint64_t nr = 0;

	if (read(collector->interval_fd, &nr, sizeof(nr)) == sizeof(nr))
		collector->nr_intervals += nr;
	if (plan->duration_ns && collector->nr_intervals * plan->interval_ns >= plan->duration_ns)
		return COLLECT_DURATION;
	return COLLECT_INTERVAL;
}

static bool ends_wait(struct collector *collector, enum source source, enum collect_reason *ret_reason)
{
	switch (source) {
	case SOURCE_SIGNAL:
		look_for_signal(collector);
		*ret_reason = COLLECT_SIGNAL;
		return true;
	case SOURCE_DURATION:
		*ret_reason = COLLECT_DURATION;
		return true;
	case SOURCE_INTERVAL:
		*ret_reason = interval_over(collector);
		return true;
	case SOURCE_KEYS:
		*ret_reason = COLLECT_KEYS;
		return true;
	case SOURCE_TICK: /* older kernels report only the end of a process, not of a single thread */
	case SOURCE_TARGET:
		consume(collector->tick_fd);
		*ret_reason = COLLECT_TARGET_GONE;
		return collector->sources.watch && !process_watch_left(collector->sources.watch);
	default:
		return false;
	}
}

static void tick(struct collector *collector)
{
	collector->nr_ticks++;
	watch_tables(collector);
	if (collector->nr_ticks % TICKS_PER_SECOND == 0)
		attachment_tick(collector->sources.attachment);
	collector->look_is_due = true;
}

static int handle(struct collector *collector, const struct drain_target *target, enum source source)
{
	struct drain *drain = collector->sources.drain;

	if (source == SOURCE_SPACES || source == SOURCE_TICK)
		spaces_update(collector->sources.spaces);
	if (source == SOURCE_SPACES || source == SOURCE_TABLES)
		unwinding_work(collector->sources.unwinding, 0);
	if (source == SOURCE_SPACES || source == SOURCE_TABLES)
		drain_copies_walk(drain, target, false, 0);
	if (source == SOURCE_TICK)
		tick(collector);
	if (source != SOURCE_RING && source != SOURCE_TICK)
		return 0;
	/* A swap is no report: the counts are added to the current interval. */
	return drain_ring(drain, target) ? drain_swap(drain, target) : 0;
}

/* If there are several reasons at once, the one with the highest rank is returned: the end of the run, then an interval, then keys. */
static int rank(enum collect_reason reason)
{
	if (reason == COLLECT_KEYS)
		return 0;
	return reason == COLLECT_INTERVAL ? 1 : 2;
}

/* ---- turns ---- */

static const char *name_of_source(enum source source)
{
	switch (source) {
	case SOURCE_TICK:
	case SOURCE_RING:
		return "reading events";
	case SOURCE_SPACES:
		return "reading mappings";
	case SOURCE_TABLES:
		return "taking unwind tables";
	default:
		return "a timer or a signal";
	}
}

static void end_turn(struct collector *collector)
{
	uint64_t ns = collector->turn_ns ? clock_monotonic_ns() - collector->turn_ns : 0;

	if (ns > collector->longest.ns)
		collector->longest = (struct turn){ ns, collector->turn_what };
}

static void begin_turn(struct collector *collector, enum source first)
{
	collector->turn_ns = clock_monotonic_ns();
	collector->turn_what = name_of_source(first);
}

uint64_t collector_longest_turn(const struct collector *collector, const char **ret_what)
{
	*ret_what = collector->longest.what;
	return collector->longest.ns;
}

int collector_wait(struct collector *collector, const struct drain_target *target, enum collect_reason *ret_reason)
{
	struct epoll_event events[8];
	size_t nr_rows = target->interval->rows.nr;
	bool ended = false;
	int err = 0;

	if (collector->rows_are_due) {
		collector->rows_are_due = false;
		*ret_reason = COLLECT_EVENTS;
		return 0;
	}
	if (collector->signalled) { /* taken by collector_signalled() before: no other comes */
		*ret_reason = COLLECT_SIGNAL;
		return 0;
	}
	while (!ended && !err) {
		bool has_rows;
		int nr;

		end_turn(collector);
		nr = epoll_wait(collector->epoll_fd, events, sizeof(events) / sizeof(events[0]), -1);
		if (nr < 0 && errno != EINTR)
			return fail(-errno, "epoll: %s", strerror(errno));
		begin_turn(collector, nr > 0 ? (enum source)events[0].data.u32 : SOURCE_SIGNAL);
		for (int i = 0; i < nr && !err; i++) {
			enum source source = (enum source)events[i].data.u32;
			enum collect_reason reason;

			if (ends_wait(collector, source, &reason)) {
				if (!ended || rank(reason) >= rank(*ret_reason))
					*ret_reason = reason;
				ended = true;
			}
			err = handle(collector, target, source);
		}
		has_rows = collector->plan->view.style == VIEW_SNOOP && target->interval->rows.nr > nr_rows;
		if (!ended && collector->look_is_due) {
			collector->look_is_due = false;
			collector->rows_are_due = has_rows;
			*ret_reason = COLLECT_LOOK;
			ended = true;
		} else if (!ended && has_rows) {
			*ret_reason = COLLECT_EVENTS;
			ended = true;
		}
	}
	if (ended && *ret_reason == COLLECT_INTERVAL)
		collector->turn_what = "a report";
	else if (ended && *ret_reason == COLLECT_EVENTS)
		collector->turn_what = "printing events";
	return err;
}
