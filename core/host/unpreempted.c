/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sched.h>
#include <sys/resource.h>

#include "core/host/unpreempted.h"

#define LOWEST 1

void unpreempted_permit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_RTPRIO, &limit) || limit.rlim_cur >= LOWEST)
		return;
	limit.rlim_cur = LOWEST;
	limit.rlim_max = limit.rlim_max < LOWEST ? LOWEST : limit.rlim_max;
	(void)!setrlimit(RLIMIT_RTPRIO, &limit);
}

struct unpreempted unpreempted_begin(void)
{
	const struct sched_param lowest = { .sched_priority = LOWEST };
	int policy = sched_getscheduler(0);
	bool is_ordinary = policy >= 0 && (policy & ~SCHED_RESET_ON_FORK) == SCHED_OTHER;

	return (struct unpreempted){ is_ordinary && !sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest) };
}

/* SCHED_RESET_ON_FORK stays set: clearing it needs a dropped privilege. */
void unpreempted_end(struct unpreempted *unpreempted)
{
	const struct sched_param none = { .sched_priority = 0 };

	if (unpreempted->is_raised)
		(void)!sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none);
}
