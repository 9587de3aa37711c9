/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose breakpoints are known: those of uprobe.multi links and of perf events by link (the kernel tells what they stand for from 6.8
 * and 6.6 on), of perf events that have a program (v4.18), and of tracefs.
 */
#include <dirent.h>
#include <errno.h>
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

struct known_file {
	uint64_t device, inode;
	bool is_there;
};

static struct known_file known_file(const char *path)
{
	struct known_file file = {};
	struct stat status;

	if (stat(path, &status))
		return file;
	file.device = status.st_dev;
	file.inode = status.st_ino;
	file.is_there = true;
	return file;
}

/* A path of another mount namespace, or of a file that was deleted, leads nowhere from here: its probes are not known. */
static bool is_file(const struct broken_file *broken, const struct known_file *known)
{
	return known->is_there && broken->identity.device == known->device && broken->identity.inode == known->inode;
}

static void mark(struct breakpoints *found, const struct known_file *known, uint64_t offset)
{
	size_t i = vec_nr_first(&found->places, element, element->offset < offset);

	for (; i < found->places.nr && found->places.data[i].offset == offset; i++)
		if (is_file(&found->files.data[found->places.data[i].file], known))
			found->places.data[i].known = true;
}

/* ---- links ---- */

static void mark_multi(struct breakpoints *found, int link, uint32_t nr)
{
	_cleanup_(freep) unsigned long *offsets = xcalloc(nr ? nr : 1, sizeof(*offsets));
	struct bpf_link_info info = {};
	uint32_t size = sizeof(info);
	struct known_file file;
	char path[PATH_MAX] = "";

	info.uprobe_multi.offsets = (uint64_t)(uintptr_t)offsets;
	info.uprobe_multi.count = nr;
	info.uprobe_multi.path = (uint64_t)(uintptr_t)path;
	info.uprobe_multi.path_size = sizeof(path);
	if (bpf_link_get_info_by_fd(link, &info, &size))
		return;
	file = known_file(path);
	for (uint32_t i = 0; i < nr; i++)
		mark(found, &file, offsets[i]);
}

static void mark_event(struct breakpoints *found, int link)
{
	struct bpf_link_info info = {};
	uint32_t size = sizeof(info);
	struct known_file file;
	char path[PATH_MAX] = "";

	info.perf_event.uprobe.file_name = (uint64_t)(uintptr_t)path;
	info.perf_event.uprobe.name_len = sizeof(path);
	if (bpf_link_get_info_by_fd(link, &info, &size) ||
	    (info.perf_event.type != BPF_PERF_EVENT_UPROBE && info.perf_event.type != BPF_PERF_EVENT_URETPROBE))
		return;
	file = known_file(path);
	mark(found, &file, info.perf_event.uprobe.offset);
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

/* The kernel keeps the path as it was given: ours leads through /proc/self of whoever asked. */
static struct known_file file_of_process(const char *path, int tgid)
{
	static const char self[] = "/proc/self/";
	_cleanup_(freep) char *theirs = NULL;

	if (strncmp(path, self, strlen(self)))
		return known_file(path);
	theirs = xasprintf("/proc/%d/%s", tgid, path + strlen(self));
	return known_file(theirs);
}

static void mark_descriptor(struct breakpoints *found, int tgid, int fd)
{
	__u32 room = PATH_MAX, program, type;
	__u64 offset, address;
	struct known_file file;
	char path[PATH_MAX] = "";

	if (bpf_task_fd_query(tgid, fd, 0, path, &room, &program, &type, &offset, &address) ||
	    (type != BPF_FD_TYPE_UPROBE && type != BPF_FD_TYPE_URETPROBE))
		return;
	file = file_of_process(path, tgid);
	mark(found, &file, offset);
}

static void mark_descriptors(struct breakpoints *found, int tgid)
{
	char path[64], target[64];
	struct dirent *entry;
	DIR *descriptors;
	ssize_t nr;

	snprintf(path, sizeof(path), "/proc/%d/fd", tgid);
	descriptors = opendir(path);
	while (descriptors && (entry = readdir(descriptors))) {
		nr = readlinkat(dirfd(descriptors), entry->d_name, target, sizeof(target) - 1);
		target[nr > 0 ? nr : 0] = '\0';
		if (strstr(target, "[perf_event]"))
			mark_descriptor(found, tgid, (int)strtol(entry->d_name, NULL, 10));
	}
	if (descriptors)
		closedir(descriptors);
}

static void mark_events(struct breakpoints *found)
{
	uint64_t until_ns = clock_monotonic_ns() + PATIENCE_NS;
	DIR *processes = opendir("/proc");
	struct dirent *entry;

	while (processes && clock_monotonic_ns() < until_ns && (entry = readdir(processes))) {
		int tgid = (int)strtol(entry->d_name, NULL, 10);

		if (tgid > 0)
			mark_descriptors(found, tgid);
	}
	if (processes)
		closedir(processes);
}

/* ---- tracefs ---- */

/* "p:GROUP/NAME PATH:0xOFFSET(0xSEMAPHORE) ARGUMENTS" */
static void mark_line(struct breakpoints *found, char *line)
{
	char *path = strchr(line, ' '), *colon = path ? strstr(path, ":0x") : NULL;
	struct known_file file;

	if (!colon)
		return;
	*colon = '\0';
	file = known_file(path + 1);
	mark(found, &file, strtoull(colon + 1, NULL, 16));
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
