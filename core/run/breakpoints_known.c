/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/breakpoints_known.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/host/host.h"

#define PATIENCE_NS (3 * NSEC_PER_SEC)

enum {
	MAX_OFFSETS = 1 << 20, /* per link */
};

struct listener {
	known_probe *found;
	void *context;
};

static void tell(const struct listener *listener, const char *path, const unsigned long *offsets, size_t nr)
{
	struct stat status;

	if (stat(path, &status))
		return;
	for (size_t i = 0; i < nr; i++)
		listener->found(listener->context, status.st_dev, status.st_ino, offsets[i]);
}

static void tell_multi(const struct listener *listener, int link, uint32_t nr)
{
	_cleanup_(freep) unsigned long *offsets = xcalloc(nr ? nr : 1, sizeof(*offsets));
	struct bpf_link_info info = {};
	uint32_t size = sizeof(info);
	char path[PATH_MAX] = "";

	info.uprobe_multi.offsets = (uint64_t)(uintptr_t)offsets;
	info.uprobe_multi.count = nr;
	info.uprobe_multi.path = (uint64_t)(uintptr_t)path;
	info.uprobe_multi.path_size = sizeof(path);
	if (!bpf_link_get_info_by_fd(link, &info, &size))
		tell(listener, path, offsets, nr);
}

static void tell_event(const struct listener *listener, int link)
{
	struct bpf_link_info info = {};
	uint32_t size = sizeof(info);
	unsigned long offset;
	char path[PATH_MAX] = "";

	info.perf_event.uprobe.file_name = (uint64_t)(uintptr_t)path;
	info.perf_event.uprobe.name_len = sizeof(path);
	if (bpf_link_get_info_by_fd(link, &info, &size) ||
	    (info.perf_event.type != BPF_PERF_EVENT_UPROBE && info.perf_event.type != BPF_PERF_EVENT_URETPROBE))
		return;
	offset = info.perf_event.uprobe.offset;
	tell(listener, path, &offset, 1);
}

static void tell_links(const struct listener *listener)
{
	uint32_t id = 0;

	while (!bpf_link_get_next_id(id, &id)) {
		_cleanup_(closep) int link = bpf_link_get_fd_by_id(id);
		struct bpf_link_info info = {};
		uint32_t size = sizeof(info);

		if (link < 0 || bpf_link_get_info_by_fd(link, &info, &size))
			continue;
		if (info.type == BPF_LINK_TYPE_UPROBE_MULTI && info.uprobe_multi.count <= MAX_OFFSETS)
			tell_multi(listener, link, info.uprobe_multi.count);
		else if (info.type == BPF_LINK_TYPE_PERF_EVENT)
			tell_event(listener, link);
	}
}

static void tell_descriptor(const struct listener *listener, int tgid, int fd)
{
	static const char self[] = "/proc/self/";
	__u32 room = PATH_MAX, program, type;
	__u64 from, address;
	unsigned long offset;
	char path[PATH_MAX] = "";
	_cleanup_(freep) char *theirs = NULL;

	if (bpf_task_fd_query(tgid, fd, 0, path, &room, &program, &type, &from, &address) ||
	    (type != BPF_FD_TYPE_UPROBE && type != BPF_FD_TYPE_URETPROBE))
		return;
	offset = from;
	/* the path is as it was given: /proc/self means the process that gave it */
	if (!strncmp(path, self, strlen(self)))
		theirs = xasprintf("/proc/%d/%s", tgid, path + strlen(self));
	tell(listener, theirs ? theirs : path, &offset, 1);
}

static void tell_descriptors(const struct listener *listener, int tgid)
{
	_cleanup_(closedirp) DIR *descriptors = NULL;
	char path[64], target[64];
	struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%d/fd", tgid);
	descriptors = opendir(path);
	while (descriptors && (entry = readdir(descriptors))) {
		ssize_t nr = readlinkat(dirfd(descriptors), entry->d_name, target, sizeof(target) - 1);

		target[nr > 0 ? nr : 0] = '\0';
		if (strstr(target, "[perf_event]"))
			tell_descriptor(listener, tgid, (int)strtol(entry->d_name, NULL, 10));
	}
}

static void tell_events(const struct listener *listener)
{
	uint64_t until_ns = clock_monotonic_ns() + PATIENCE_NS;
	_cleanup_(closedirp) DIR *processes = opendir("/proc");
	struct dirent *entry;

	while (processes && clock_monotonic_ns() < until_ns && (entry = readdir(processes))) {
		int tgid = (int)strtol(entry->d_name, NULL, 10);

		if (tgid > 0)
			tell_descriptors(listener, tgid);
	}
}

/* A line "p:GROUP/NAME PATH:0xOFFSET(0xSEMAPHORE) ARGUMENTS". */
static void tell_line(const struct listener *listener, char *line)
{
	char *path = strchr(line, ' '), *colon = path ? strstr(path, ":0x") : NULL;
	unsigned long offset;

	if (!colon)
		return;
	*colon = '\0';
	offset = strtoull(colon + 1, NULL, 16);
	tell(listener, path + 1, &offset, 1);
}

static void tell_tracefs(const struct listener *listener)
{
	_cleanup_(fclosep) FILE *events = NULL;
	_cleanup_(freep) char *line = NULL;
	char path[PATH_MAX];
	size_t room = 0;

	snprintf(path, sizeof(path), "%s/uprobe_events", host_tracefs() ? host_tracefs() : "");
	events = fopen(path, "re");
	while (events && getline(&line, &room, events) > 0)
		tell_line(listener, line);
}

void known_probes(known_probe *found, void *context)
{
	const struct listener listener = { found, context };

	tell_links(&listener);
	tell_tracefs(&listener);
	tell_events(&listener);
}
