/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose breakpoints are known: those of uprobe.multi links (from kernel 6.8 on) and of perf events by link (from 6.6 on), of perf
 * events that have a program (from 4.18 on), and of tracefs.
 */
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
#include "core/run/breakpoints.h"

#define PATIENCE_NS (3 * NSEC_PER_SEC)

enum {
	MAX_OFFSETS = 1 << 20, /* of a link */
};

/*
 * Marks the places of these offsets in a file. A path of another mount namespace, or of a file that was deleted, leads nowhere
 * from here: its probes are not known.
 */
static void mark(struct breakpoints *found, const char *path, const unsigned long *offsets, size_t nr)
{
	struct stat status;

	if (stat(path, &status))
		return;
	for (size_t k = 0; k < nr; k++) {
		size_t i = vec_nr_first(&found->places, element, element->offset < offsets[k]);

		for (; i < found->places.nr && found->places.data[i].offset == offsets[k]; i++) {
			struct broken_place *place = &found->places.data[i];
			const struct file_identity *identity = &found->files.data[place->file].identity;

			place->known |= identity->device == status.st_dev && identity->inode == status.st_ino;
		}
	}
}

/* ---- links ---- */

static void mark_multi(struct breakpoints *found, int link, uint32_t nr)
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
		mark(found, path, offsets, nr);
}

static void mark_event(struct breakpoints *found, int link)
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
	mark(found, path, &offset, 1);
}

static void mark_links(struct breakpoints *found)
{
	uint32_t id = 0;

	while (!bpf_link_get_next_id(id, &id)) {
		_cleanup_(closep) int link = bpf_link_get_fd_by_id(id);
		struct bpf_link_info info = {};
		uint32_t size = sizeof(info);

		if (link < 0 || bpf_link_get_info_by_fd(link, &info, &size))
			continue;
		if (info.type == BPF_LINK_TYPE_UPROBE_MULTI && info.uprobe_multi.count <= MAX_OFFSETS)
			mark_multi(found, link, info.uprobe_multi.count);
		else if (info.type == BPF_LINK_TYPE_PERF_EVENT)
			mark_event(found, link);
	}
}

/* ---- perf events ---- */

static void mark_descriptor(struct breakpoints *found, int tgid, int fd)
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
	/* The kernel keeps the path as it was given: /proc/self is the process that gave it. */
	if (!strncmp(path, self, strlen(self)))
		theirs = xasprintf("/proc/%d/%s", tgid, path + strlen(self));
	mark(found, theirs ? theirs : path, &offset, 1);
}

static void mark_descriptors(struct breakpoints *found, int tgid)
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
			mark_descriptor(found, tgid, (int)strtol(entry->d_name, NULL, 10));
	}
}

static void mark_events(struct breakpoints *found)
{
	uint64_t until_ns = clock_monotonic_ns() + PATIENCE_NS;
	_cleanup_(closedirp) DIR *processes = opendir("/proc");
	struct dirent *entry;

	while (processes && clock_monotonic_ns() < until_ns && (entry = readdir(processes))) {
		int tgid = (int)strtol(entry->d_name, NULL, 10);

		if (tgid > 0)
			mark_descriptors(found, tgid);
	}
}

/* ---- tracefs ---- */

/* "p:GROUP/NAME PATH:0xOFFSET(0xSEMAPHORE) ARGUMENTS" */
static void mark_line(struct breakpoints *found, char *line)
{
	char *path = strchr(line, ' '), *colon = path ? strstr(path, ":0x") : NULL;
	unsigned long offset;

	if (!colon)
		return;
	*colon = '\0';
	offset = strtoull(colon + 1, NULL, 16);
	mark(found, path + 1, &offset, 1);
}

static void mark_tracefs(struct breakpoints *found)
{
	_cleanup_(fclosep) FILE *events = NULL;
	_cleanup_(freep) char *line = NULL;
	char path[PATH_MAX];
	size_t room = 0;

	snprintf(path, sizeof(path), "%s/uprobe_events", host_tracefs() ? host_tracefs() : "");
	events = fopen(path, "re");
	while (events && getline(&line, &room, events) > 0)
		mark_line(found, line);
}

void breakpoints_mark_known(struct breakpoints *found)
{
	mark_links(found);
	mark_tracefs(found);
	mark_events(found);
}
