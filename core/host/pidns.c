/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/pidns.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/host/process.h"

/* Inode numbers of namespaces begin here (PROC_*_INIT_INO, PROC_DYNAMIC_FIRST, include/linux/proc_ns.h); process ids are smaller. */
#define LEAST_NUMBER 0xe0000000UL

static int fail_form(const char *text)
{
	int err = fail_usage("argument --pidns: '%s' is not a pid namespace", text);

	hint("give its number (readlink /proc/PID/ns/pid), a path such as /proc/PID/ns/pid, or the id of a process in it");
	return err;
}

static int open_path(const char *path, int *ret_fd)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct statfs status;

	if (fd < 0)
		return fail(-errno, "pid namespace '%s': %s", path, strerror(errno));
	if (fstatfs(fd, &status) || status.f_type != NSFS_MAGIC)
		return fail_usage("argument --pidns: '%s': not a namespace file", path);
	if (ioctl(fd, NS_GET_NSTYPE) != CLONE_NEWPID)
		return fail_usage("argument --pidns: '%s': a namespace, but not a pid namespace", path);
	*ret_fd = take_fd(&fd);
	return 0;
}

static int fail_unreadable(uint32_t tgid, int number)
{
	fail(-number, "process %" PRIu32 ": its pid namespace cannot be read: %s", tgid, strerror(number));
	if (number == EACCES || number == EPERM)
		hint("this needs CAP_SYS_PTRACE: run as root, outside a sandbox; the number of the namespace works too");
	return -number;
}

/* A zombie has no namespace, so this checks the process first. */
static int open_of_process(uint32_t tgid, int *ret_fd)
{
	char path[64];
	int err = process_exists(tgid);

	if (err)
		return err;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/ns/pid", tgid);
	*ret_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*ret_fd < 0)
		return fail_unreadable(tgid, errno);
	return 0;
}

/* Replaces the descriptor by that of the parent namespace, or by -1: the kernel shows none above our own. */
static void go_up(int *fd)
{
	int above = ioctl(*fd, NS_GET_PARENT);

	close(*fd);
	*fd = above;
}

/* A descriptor of this namespace if the process is in it or below it, else -1. */
static int open_above(const char *process, uint32_t inode)
{
	struct stat status;
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/ns/pid", process);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (fstat(fd, &status) || status.st_ino != inode))
		go_up(&fd);
	return fd;
}

static int open_number(const char *text, uint32_t inode, int *ret_fd)
{
	_cleanup_(closedirp) DIR *processes = opendir("/proc");
	const struct dirent *entry;

	*ret_fd = -1;
	while (processes && *ret_fd < 0 && (entry = readdir(processes)))
		if (isdigit((unsigned char)entry->d_name[0]))
			*ret_fd = open_above(entry->d_name, inode);
	return *ret_fd < 0 ? fail_no_match("pid namespace '%s': it has no process", text) : 0;
}

static int open_text(const char *text, int *ret_fd)
{
	bool linked = !strncmp(text, "pid:[", 5);
	const char *digits = linked ? text + 5 : text;
	char *end = NULL;
	uint64_t number;

	if (strchr(text, '/'))
		return open_path(text, ret_fd);
	if (!isdigit((unsigned char)*digits))
		return fail_form(text);
	errno = 0;
	number = strtoull(digits, &end, 10);
	if (errno || strcmp(end, linked ? "]" : "") || number > UINT32_MAX || (linked && number < LEAST_NUMBER))
		return fail_form(text);
	return number < LEAST_NUMBER ? open_of_process((uint32_t)number, ret_fd)
				     : open_number(text, (uint32_t)number, ret_fd);
}

static int require_initial(void)
{
	uint64_t device, inode;
	int nested = process_pidns(&device, &inode);

	if (nested <= 0)
		return nested;
	fail_host(-EXDEV, "--pidns: the depth of this pid namespace cannot be read from inside it");
	hint("run stacktool in the initial pid namespace (docker run --pid=host, hostPID: true)");
	return -EXDEV;
}

int pidns_find(const char *text, struct pidns *ret_pidns)
{
	_cleanup_(closep) int fd = -1;
	struct stat status;
	int err = open_text(text, &fd);

	*ret_pidns = (struct pidns){};
	err = err ?: require_initial();
	if (err)
		return err;
	if (fstat(fd, &status))
		return fail(-errno, "pid namespace '%s': %s", text, strerror(errno));
	ret_pidns->inode = (uint32_t)status.st_ino;
	for (go_up(&fd); fd >= 0; go_up(&fd))
		ret_pidns->level++;
	return 0;
}
