/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/descriptors.h"

#include <sys/resource.h>

#define OF_THE_REST 1024 /* what a run opens besides */

void descriptors_allow(uint64_t nr_more)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > RLIM_INFINITY - nr_more)
		return;
	limit.rlim_cur = (limit.rlim_cur < OF_THE_REST ? OF_THE_REST : limit.rlim_cur) + nr_more;
	if (limit.rlim_max < limit.rlim_cur)
		limit.rlim_max = limit.rlim_cur;
	if (!setrlimit(RLIMIT_NOFILE, &limit) || getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max; /* without CAP_SYS_RESOURCE, or above fs.nr_open */
	setrlimit(RLIMIT_NOFILE, &limit);
}
