/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/descriptors.h"

#include <stdbool.h>
#include <sys/resource.h>

#define OF_THE_REST 1024 /* descriptors that descriptors_allow() does not count */

static struct {
	uint64_t wanted;
	bool is_changed;
	struct rlimit before;
} descriptors = { .wanted = OF_THE_REST };

static bool set(struct rlimit limit)
{
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return false;
	descriptors.is_changed = true;
	return true;
}

void descriptors_allow(uint64_t nr_more)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > RLIM_INFINITY - nr_more)
		return;
	if (!descriptors.is_changed)
		descriptors.before = limit;
	limit.rlim_cur = (limit.rlim_cur < OF_THE_REST ? OF_THE_REST : limit.rlim_cur) + nr_more;
	if (descriptors.wanted < limit.rlim_cur)
		descriptors.wanted = limit.rlim_cur;
	if (limit.rlim_max < limit.rlim_cur)
		limit.rlim_max = limit.rlim_cur;
	if (set(limit) || getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max; /* without CAP_SYS_RESOURCE, or above fs.nr_open */
	set(limit);
}

uint64_t descriptors_wanted(void)
{
	return descriptors.wanted;
}

void descriptors_restore(void)
{
	if (descriptors.is_changed)
		setrlimit(RLIMIT_NOFILE, &descriptors.before);
}
