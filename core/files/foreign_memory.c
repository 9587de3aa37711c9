/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/files/foreign_memory.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/files/helper.h"
#include "core/host/process.h"

struct reading {
	pid_t task;
	uint64_t start;
	size_t nr;
	char bytes[];
};

static int read_all(struct helper *helper, void *memory)
{
	struct reading *reading = memory;
	struct iovec here = { reading->bytes, reading->nr }, there = { (void *)(uintptr_t)reading->start, reading->nr };
	long got = syscall(SYS_process_vm_readv, reading->task, &here, 1, &there, 1, 0);

	(void)helper;
	return got < 0 ? -errno : (size_t)got < reading->nr ? -EFAULT : 0;
}

static int read_of_task(uint32_t task, uint64_t start, void *to, size_t nr)
{
	_cleanup_(helper_freep) struct helper *helper = helper_new(sizeof(struct reading) + nr);
	struct reading *reading;
	int err;

	if (!helper)
		return -ENOMEM;
	reading = helper_memory(helper);
	reading->task = (pid_t)task;
	reading->start = start;
	reading->nr = nr;
	err = helper_start(helper, read_all, true);
	if (err)
		return err == -EBUSY ? -ETIMEDOUT : err;
	helper_await(helper, -1);
	err = helper_end(helper);
	if (!err)
		memcpy(to, reading->bytes, nr);
	return err;
}

int foreign_memory_read(uint32_t tgid, uint64_t start, void *to, size_t nr)
{
	int err = read_of_task(tgid, start, to, nr);

	/* the leader has ended, and other threads have not */
	return err == -ESRCH ? read_of_task(process_living_task(tgid), start, to, nr) : err;
}
