/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/priority.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/cleanup.h"

void priority_set(int pid, int nice, int session_nice)
{
	_cleanup_(closep) int fd = -1;
	char text[64];
	int nr;

	if (setpriority(PRIO_PROCESS, (id_t)pid, nice))
		return;
	snprintf(text, sizeof(text), "/proc/%d/autogroup", pid);
	fd = open(text, O_WRONLY | O_CLOEXEC); /* CONFIG_SCHED_AUTOGROUP */
	nr = snprintf(text, sizeof(text), "%d", session_nice);
	if (fd >= 0)
		(void)!write(fd, text, (size_t)nr);
}
