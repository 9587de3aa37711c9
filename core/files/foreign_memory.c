/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/files/foreign_memory.h"

#include <errno.h>
#include <stdatomic.h>
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

/* ---- many places ---- */

struct reading_parts {
	pid_t task;
	_Atomic size_t at; /* the part that is being read */
	size_t nr;
	struct foreign_part parts[];
};

static int read_each(struct helper *helper, void *memory)
{
	struct reading_parts *reading = memory;

	for (; reading->at < reading->nr; reading->at++) {
		struct foreign_part *part = &reading->parts[reading->at];
		struct iovec here = { part->bytes, sizeof(part->bytes) },
			     there = { (void *)(uintptr_t)part->start, sizeof(part->bytes) };
		long got = syscall(SYS_process_vm_readv, reading->task, &here, 1, &there, 1, 0);

		part->err = got < 0 ? -errno : (size_t)got < sizeof(part->bytes) ? -EFAULT : 0;
		helper_progress(helper);
	}
	return 0;
}

static size_t parts_of_task(uint32_t task, struct foreign_part *parts, size_t nr)
{
	_cleanup_(helper_freep) struct helper *helper = helper_new(sizeof(struct reading_parts) + nr * sizeof(*parts));
	struct reading_parts *reading = helper ? helper_memory(helper) : NULL;
	int err = helper ? 0 : -ENOMEM;
	size_t nr_done = nr;

	if (!err) {
		reading->task = (pid_t)task;
		reading->nr = nr;
		memcpy(reading->parts, parts, nr * sizeof(*parts));
		err = helper_start(helper, read_each, true);
		err = err == -EBUSY ? -ETIMEDOUT : err;
	}
	if (!err) {
		helper_await(helper, -1);
		nr_done = helper_end(helper) ? reading->at : nr; /* the helper may go on yet */
		memcpy(parts, reading->parts, nr_done * sizeof(*parts));
	}
	for (size_t i = 0; err && i < nr; i++)
		parts[i].err = err;
	if (nr_done < nr)
		parts[nr_done].err = -ETIMEDOUT;
	return nr_done;
}

size_t foreign_memory_read_parts(uint32_t tgid, struct foreign_part *parts, size_t nr)
{
	size_t nr_done = nr ? parts_of_task(tgid, parts, nr) : 0;

	if (nr_done && parts[0].err == -ESRCH) /* the leader has ended, and other threads have not */
		nr_done = parts_of_task(process_living_task(tgid), parts, nr);
	return nr_done;
}
