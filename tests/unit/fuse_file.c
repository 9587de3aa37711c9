/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/fuse_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/cleanup.h"

enum {
	THE_FILE = 2, /* its node; the root has 1 */
	FILE_BYTES = 4096,
	HELD_MS = 30000,
	REQUEST_MAX = FUSE_MIN_READ_BUFFER + 4096,
};

/* An answer that cannot be sent is of a request that is no more. */
static void answer(int daemon, const struct fuse_in_header *request, int err, const void *body, size_t nr)
{
	struct fuse_out_header head = { .len = (uint32_t)(sizeof(head) + nr), .error = err, .unique = request->unique };
	struct iovec parts[] = { { &head, sizeof(head) }, { (void *)body, nr } };

	if (writev(daemon, parts, 2) < 0)
		return;
}

static struct fuse_attr attributes_of(uint64_t node)
{
	return (struct fuse_attr){
		.ino = node,
		.size = node == THE_FILE ? FILE_BYTES : 0,
		.mode = node == THE_FILE ? S_IFREG | 0444 : S_IFDIR | 0555,
		.nlink = 1,
	};
}

static void handle(int daemon, const struct fuse_in_header *request, int waits_fd)
{
	/* Without FUSE_ASYNC_READ it is the reader itself who waits for the answer. */
	const struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096 };
	const struct fuse_entry_out entry = { .nodeid = THE_FILE, .attr = attributes_of(THE_FILE) };
	const struct fuse_attr_out attributes = { .attr = attributes_of(request->nodeid) };
	const struct fuse_open_out opened = {};

	switch (request->opcode) {
	case FUSE_INIT:
		answer(daemon, request, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		answer(daemon, request, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		answer(daemon, request, 0, &attributes, sizeof(attributes));
		break;
	case FUSE_OPEN:
		answer(daemon, request, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		if (waits_fd >= 0)
			eventfd_write(waits_fd, 1);
		break;
	case FUSE_INTERRUPT: /* whoever is killed waits all the same */
	case FUSE_FORGET:
		break;
	default:
		if (request->opcode != FUSE_FLUSH || waits_fd < 0 || eventfd_write(waits_fd, 1))
			answer(daemon, request, -ENOSYS, NULL, 0);
	}
}

/* The connection ends with this process, which is the only one that has it. */
static _Noreturn void serve(int daemon, int waits_fd)
{
	struct pollfd polled = { .fd = daemon, .events = POLLIN };
	_Alignas(struct fuse_in_header) char bytes[REQUEST_MAX];
	const struct fuse_in_header *request = (const struct fuse_in_header *)bytes;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (poll(&polled, 1, HELD_MS) > 0) {
		ssize_t nr = read(daemon, bytes, sizeof(bytes));

		if (nr >= (ssize_t)sizeof(*request))
			handle(daemon, request, waits_fd);
		else if (errno != EAGAIN && errno != EINTR && errno != ENOENT)
			break;
	}
	_exit(0);
}

/* The mount is gone at once: the open file keeps what it is made of. */
static int mount_and_open(struct fuse_file *file, int daemon, const char *directory, int waits_fd)
{
	_cleanup_(freep) char *path = NULL;
	char options[128];

	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", daemon);
	if (asprintf(&path, "%s/file", directory) < 0)
		return -ENOMEM;
	if (mount("test", directory, "fuse", MS_NODEV | MS_NOSUID, options))
		return -errno;
	file->daemon = fork();
	if (!file->daemon)
		serve(daemon, waits_fd);
	file->fd = open(path, O_RDONLY | O_CLOEXEC);
	umount2(directory, MNT_DETACH);
	if (file->daemon < 0 || file->fd < 0)
		abort();
	return 0;
}

static int open_file(struct fuse_file *ret_file, int waits_fd)
{
	_cleanup_(closep) int daemon = open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	char directory[] = "/tmp/fuse_file.XXXXXX";
	int err;

	if (daemon < 0)
		return -errno;
	if (!mkdtemp(directory))
		return -errno;
	err = mount_and_open(ret_file, daemon, directory, waits_fd);
	rmdir(directory);
	return err;
}

int fuse_file_open(struct fuse_file *ret_file)
{
	return open_file(ret_file, -1);
}

int fuse_file_open_for_long(struct fuse_file *ret_file)
{
	ret_file->waits_fd = eventfd(0, EFD_CLOEXEC);
	return ret_file->waits_fd < 0 ? -errno : open_file(ret_file, ret_file->waits_fd);
}

void fuse_file_close(struct fuse_file *file)
{
	kill(file->daemon, SIGKILL);
	waitpid(file->daemon, NULL, 0);
	close(file->fd);
}
