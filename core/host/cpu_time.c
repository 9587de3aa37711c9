/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/cpu_time.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"

#define SHARE 1000 /* reading the sums takes at most 1/1000 of the time */

void cpu_time_init(struct cpu_time *time, const struct u32_list *tgids, const struct u32_list *tids)
{
	*time = (struct cpu_time){ .tgids = tgids, .tids = tids };
	for (size_t i = 0; i < tgids->nr + tids->nr; i++)
		vec_push(&time->used, 0);
}

void cpu_time_done(struct cpu_time *time)
{
	vec_done(&time->used);
}

/* /proc/PID/stat has ticks of 10 ms; this clock has nanoseconds. */
uint64_t cpu_time_of_process(uint32_t tgid)
{
	clockid_t clock;

	return clock_getcpuclockid((pid_t)tgid, &clock) ? 0 : clock_now_ns(clock);
}

/* The kernel shows a thread's clock only to its own process, so this reads schedstat. */
static uint64_t of_thread(uint32_t tid)
{
	_cleanup_(closep) int fd = -1;
	char path[64], text[64];
	ssize_t nr;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/schedstat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	nr = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (nr <= 0)
		return 0;
	text[nr] = '\0';
	return strtoull(text, NULL, 10);
}

uint64_t cpu_time_read(struct cpu_time *time)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < time->used.nr; i++) {
		bool is_thread = i >= time->tgids->nr;
		uint64_t now = is_thread ? of_thread(time->tids->data[i - time->tgids->nr])
					 : cpu_time_of_process(time->tgids->data[i]);

		if (now > time->used.data[i])
			time->used.data[i] = now;
		sum += time->used.data[i];
	}
	return sum;
}

static void read_rate(struct cpu_time *time, uint64_t now_ns)
{
	uint64_t began_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID), before_ns = time->sum_ns;

	time->sum_ns = cpu_time_read(time);
	if (time->read_ns && now_ns > time->read_ns) {
		time->rate = (double)(time->sum_ns - before_ns) / (double)(now_ns - time->read_ns);
		time->due_ns = now_ns + SHARE * (clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns);
	}
	time->read_ns = now_ns;
}

uint64_t cpu_time_used(struct cpu_time *time, uint64_t elapsed_ns)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (now_ns >= time->due_ns)
		read_rate(time, now_ns);
	return (uint64_t)((double)elapsed_ns * time->rate);
}
