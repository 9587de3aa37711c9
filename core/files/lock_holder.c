/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/files/lock_holder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/files/helper.h"

#define PROCESSES_MAX 65536

struct look {
	_Atomic size_t at;
	size_t nr;
	struct {
		uint32_t tgid;
		char path[sizeof("/proc//cmdline") + 10];
	} processes[];
};

/* Runs in a helper with a descriptor table of its own: if it is killed, an open descriptor is closed. */
static int look_at_each(struct helper *helper, void *memory)
{
	struct look *look = memory;

	for (; look->at < look->nr; look->at++) {
		long fd = syscall(SYS_openat, AT_FDCWD, look->processes[look->at].path, O_RDONLY | O_CLOEXEC);
		char byte;

		if (fd >= 0) {
			syscall(SYS_read, fd, &byte, 1);
			syscall(SYS_close, fd);
		}
		helper_progress(helper);
	}
	return 0;
}

static size_t list(struct look *look, size_t max)
{
	_cleanup_(closedirp) DIR *directory = opendir("/proc");
	struct dirent *entry;
	size_t nr = 0;

	while (directory && (entry = readdir(directory))) {
		uint32_t tgid = (uint32_t)strtoul(entry->d_name, NULL, 10); /* 0: the name is no number */

		if (!tgid)
			continue;
		if (nr == max)
			break;
		if (look) {
			look->processes[nr].tgid = tgid;
			snprintf(look->processes[nr].path, sizeof(look->processes[nr].path), "/proc/%u/cmdline", tgid);
		}
		nr++;
	}
	return nr;
}

uint32_t lock_holder_find(void)
{
	size_t max = list(NULL, PROCESSES_MAX);
	_cleanup_(helper_freep) struct helper *helper =
		helper_new(sizeof(struct look) + max * sizeof(((struct look *)NULL)->processes[0]));
	struct look *look = helper ? helper_memory(helper) : NULL;
	size_t at;

	if (!look)
		return 0;
	look->nr = list(look, max);
	if (helper_start(helper, look_at_each, true) || !helper_await(helper, -1))
		return 0;
	at = *(volatile size_t *)&look->at; /* the helper may still run */
	return at < look->nr ? look->processes[at].tgid : 0;
}
