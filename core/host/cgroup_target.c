/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/cgroup_target.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"

#define CONTAINER_ID_LEAST 12 /* the digits that docker ps shows */
#define CONTAINER_ID_DIGITS 64
#define MAX_DEPTH 32
#define HANDLE_KERNFS 0xfe /* FILEID_KERNFS, include/linux/exportfs.h, v5.8: an id of 8 bytes */

/* The fifth word of "36 35 0:30 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw". The path of cgroup2 must have no space. */
char *cgroup_mount_point(const char *mountinfo)
{
	_cleanup_(fclosep) FILE *file = fopen(mountinfo, "re");
	char line[4096], path[sizeof(line)];

	while (file && fgets(line, sizeof(line), file)) {
		const char *type = strstr(line, " - ");

		if (type && !strncmp(type + 3, "cgroup2 ", 8) && sscanf(line, "%*s %*s %*s %*s %4095s", path) == 1)
			return xstrdup(path);
	}
	return NULL;
}

static int mount_point(char **ret_path)
{
	*ret_path = cgroup_mount_point("/proc/self/mountinfo");
	if (*ret_path)
		return 0;
	fail_host(-ENOENT, "cgroups: no cgroup v2 file system is mounted");
	hint("mount -t cgroup2 cgroup2 /sys/fs/cgroup");
	return -ENOENT;
}

static int open_path(const char *root, const char *text)
{
	_cleanup_(freep) char *path = *text == '/' ? xstrdup(text) : xasprintf("%s/%s", root, text);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	fail(-errno, "cgroup '%s': %s", text, strerror(errno));
	hint("give a path below %s, or the id of the cgroup: ls -di %s/…", root, root);
	return -ENOENT;
}

int cgroup_open_number(int mount, uint64_t number)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(uint64_t)];
	} id = { .handle = { .handle_bytes = sizeof(uint64_t), .handle_type = HANDLE_KERNFS } };
	int fd;

	memcpy(id.room + sizeof(struct file_handle), &number, sizeof(number));
	fd = open_by_handle_at(mount, &id.handle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int cgroup_open(const char *text)
{
	_cleanup_(freep) char *root = NULL;
	_cleanup_(closep) int mount = -1;
	int fd, err = mount_point(&root);

	if (err)
		return err;
	if (!*text || strspn(text, "0123456789") < strlen(text))
		return open_path(root, text);
	mount = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = cgroup_open_number(mount, strtoull(text, NULL, 10));
	return fd >= 0 ? fd : fail(fd, "cgroup '%s': no cgroup has this id: %s", text, strerror(-fd));
}

bool cgroup_is_container(const char *name, const char *prefix)
{
	for (const char *at = name; *at; at++) {
		bool begins = at == name || !isalnum((unsigned char)at[-1]);

		if (begins && strspn(at, "0123456789abcdef") == CONTAINER_ID_DIGITS)
			return !strncmp(at, prefix, strlen(prefix));
	}
	return false;
}

struct container_search {
	const char *prefix;
	char *found;
	size_t nr;
};

/* Cgroups below that of a container belong to the container, so they are not searched. */
static void search_below(struct container_search *search, const char *path, unsigned int depth)
{
	_cleanup_(closedirp) DIR *directory = opendir(path);
	const struct dirent *entry;

	while (directory && depth < MAX_DEPTH && (entry = readdir(directory))) {
		_cleanup_(freep) char *below = NULL;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		below = xasprintf("%s/%s", path, entry->d_name);
		if (!cgroup_is_container(entry->d_name, search->prefix))
			search_below(search, below, depth + 1);
		else if (!search->nr++)
			search->found = take_ptr(below);
	}
}

static int check_prefix(const char *prefix)
{
	size_t length = strlen(prefix);

	if (length >= CONTAINER_ID_LEAST && length <= CONTAINER_ID_DIGITS &&
	    strspn(prefix, "0123456789abcdef") == length)
		return 0;
	return fail_usage(
		"argument --container: '%s' is not a container id: give its first 12 to 64 hexadecimal digits "
		"('docker ps' shows 12)",
		prefix);
}

int cgroup_open_container(const char *prefix)
{
	struct container_search search = { .prefix = prefix };
	_cleanup_(freep) char *root = NULL;
	int err = check_prefix(prefix);

	err = err ?: mount_point(&root);
	if (err)
		return err;
	search_below(&search, root, 0);
	if (!search.nr)
		err = fail(-ENOENT, "container '%s': no cgroup found below %s", prefix, root);
	else if (search.nr > 1)
		err = fail_usage("container '%s': %zu cgroups match: give more digits", prefix, search.nr);
	else
		err = open_path(root, search.found);
	free(search.found);
	return err;
}
