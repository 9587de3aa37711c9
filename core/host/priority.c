/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/priority.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"

void priority_set(int pid, int nice, int session_nice)
{
	_cleanup_(closep) int fd = -1;
	char text[64];
	ssize_t written = -1;
	int nr;

	if (setpriority(PRIO_PROCESS, (id_t)pid, nice))
		return;
	snprintf(text, sizeof(text), "/proc/%d/autogroup", pid);
	fd = open(text, O_WRONLY | O_CLOEXEC); /* exists with CONFIG_SCHED_AUTOGROUP */
	nr = snprintf(text, sizeof(text), "%d", session_nice);
	/* Without CAP_SYS_ADMIN only one write in 100 ms is accepted: proc_sched_autogroup_set_nice() in kernel/sched/autogroup.c. */
	for (int i = 0; fd >= 0 && written < 0 && i < 2; i++) {
		written = write(fd, text, (size_t)nr);
		if (written < 0 && errno == EAGAIN)
			nanosleep(&(struct timespec){ .tv_nsec = 110 * NSEC_PER_MSEC }, NULL);
	}
}
