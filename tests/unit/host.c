// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/host.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "tests/harness.h"

bool may_watch_the_host(void)
{
	struct perf_event_attr attributes = {
		.size = sizeof(attributes),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.mmap = 1,
	};
	_cleanup_(closep) int fd = (int)syscall(SYS_perf_event_open, &attributes, -1, 0, -1, 0);

	if (fd < 0)
		print_message("perf_event_open is not permitted here\n");
	return fd >= 0;
}
