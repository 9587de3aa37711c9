/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/waiting.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/timerfd.h>

#include "core/base/clock.h"

static int timer = -1; /* readable after the deadline: wakes waits in progress */
static _Atomic uint64_t at = UINT64_MAX; /* CLOCK_MONOTONIC */
static _Atomic bool is_unwanted;

void waiting_can_end(void)
{
	if (timer < 0)
		timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
}

static void end_at(uint64_t end)
{
	struct itimerspec when = { .it_value = { (time_t)(end / NSEC_PER_SEC), (long)(end % NSEC_PER_SEC) } };

	at = end;
	timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
}

void waiting_end_in(uint64_t ns)
{
	uint64_t end = clock_monotonic_ns() + ns;

	is_unwanted |= !ns;
	if (end < at)
		end_at(end);
}

void waiting_put_off(uint64_t ns)
{
	if (at != UINT64_MAX)
		end_at(at + ns);
}

uint64_t waiting_left_ns(void)
{
	uint64_t end = at, now = clock_monotonic_ns();

	if (end == UINT64_MAX)
		return UINT64_MAX;
	return end > now ? end - now : 0;
}

bool waiting_has_ended(void)
{
	return !waiting_left_ns();
}

bool waiting_is_unwanted(void)
{
	return is_unwanted;
}

int waiting_poll(int fd, short events, int64_t timeout_ms)
{
	struct pollfd waits[] = { { .fd = fd, .events = events }, { .fd = timer, .events = POLLIN } };
	int nr;

	if (waiting_has_ended())
		return -ECANCELED;
	nr = poll(waits, 2, timeout_ms < 0 ? -1 : timeout_ms < INT_MAX ? (int)timeout_ms : INT_MAX);
	if (nr < 0)
		return errno == EINTR ? 0 : -errno;
	if (!nr)
		return -ETIMEDOUT;
	return waits[0].revents || !waiting_has_ended() ? 0 : -ECANCELED;
}
