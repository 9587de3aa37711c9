/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/empty_uprobe.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "core/base/cleanup.h"
#include "core/host/host.h"
#include "core/host/signals.h"

struct empty_uprobe_ways empty_uprobe_ways(void)
{
	return (struct empty_uprobe_ways){ host_uprobe_event_type(), host_load_empty_uprobe_multi() };
}

void empty_uprobe_ways_done(struct empty_uprobe_ways *ways)
{
	closep(&ways->program);
}

static int open_event(int type, const char *path, uint64_t offset, pid_t process)
{
	int fd;
	struct perf_event_attr attributes = {
		.size = sizeof(attributes),
		.type = (uint32_t)type,
		.uprobe_path = (uint64_t)(uintptr_t)path,
		.probe_offset = offset,
	};

	if (type < 0)
		return type;
	fd = (int)syscall(SYS_perf_event_open, &attributes, process, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int empty_uprobes_open(const struct empty_uprobe_ways *ways, const char *path, const unsigned long *offsets, size_t nr,
		       pid_t process)
{
	_cleanup_(signals_release) sigset_t before;
	LIBBPF_OPTS(bpf_link_create_opts, options, .uprobe_multi.path = path, .uprobe_multi.offsets = offsets,
		    .uprobe_multi.cnt = (__u32)nr, .uprobe_multi.pid = (__u32)process);

	signals_hold(&before);
	return ways->program < 0 ? ways->program : bpf_link_create(ways->program, -1, BPF_TRACE_UPROBE_MULTI, &options);
}

int empty_uprobe_open(const struct empty_uprobe_ways *ways, const char *path, uint64_t offset, pid_t process)
{
	_cleanup_(signals_release) sigset_t before;
	const unsigned long place = offset;
	int fd;

	signals_hold(&before);
	fd = open_event(ways->event_type, path, offset, process);
	return fd == -EACCES || fd == -EPERM || fd == -ENOENT ? empty_uprobes_open(ways, path, &place, 1, process) : fd;
}

void empty_uprobe_close(int fd)
{
	_cleanup_(signals_release) sigset_t before;

	signals_hold(&before);
	closep(&fd);
}
