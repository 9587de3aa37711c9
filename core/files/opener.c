/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can stall us. Opening with O_PATH and statx(AT_STATX_DONT_SYNC) ask no file system daemon once the path is
 * resolved. Resolving and opening on a FUSE mount do, but the kernel refuses root there before asking, unless the mount
 * has allow_other, which an administrator must permit (/etc/fuse.conf), and refuses it always for mounts made inside
 * another user namespace (fuse_allow_current_process()). Reading happens in the symbol worker, under a deadline. What
 * /proc/PID has takes locks of the process: a helper opens it, under a deadline too.
 */
#include "core/files/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/why.h"
#include "core/files/helper.h"
#include "core/files/path_below.h"
#include "core/host/process.h"

#define MIN_FILE_BYTES 64            /* an ELF header */
#define MAX_FILE_BYTES (32ULL << 30) /* the largest debug files of browsers have a few GiB */

#ifndef BTRFS_SUPER_MAGIC
#define BTRFS_SUPER_MAGIC 0x9123683e
#endif
#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x4000u
#endif

/* ---- looking at what was opened ---- */

static int look(int path_fd, struct statx *ret_status)
{
	if (statx(path_fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO | STATX_SIZE, ret_status))
		return -errno;
	return 0;
}

static int check_readable_file(const struct statx *status)
{
	if (!S_ISREG(status->stx_mode))
		return S_ISDIR(status->stx_mode) ? -EISDIR : -EINVAL;
	if (status->stx_size < MIN_FILE_BYTES)
		return -ENOEXEC;
	return status->stx_size > MAX_FILE_BYTES ? -EFBIG : 0;
}

/*
 * Two file systems show another device in stat() than in maps: btrfs, which has one per subvolume, and overlayfs, where
 * maps showed the inode below on older kernels.
 */
static bool is_wanted(int path_fd, const struct statx *status, const struct opener_request *request)
{
	uint64_t device = (uint64_t)status->stx_dev_major << 32 | status->stx_dev_minor;
	struct statfs system;

	if (!request->inode || (status->stx_ino == request->inode && device == request->device))
		return true;
	return status->stx_ino == request->inode && !fstatfs(path_fd, &system) &&
	       ((uint32_t)system.f_type == BTRFS_SUPER_MAGIC || (uint32_t)system.f_type == OVERLAYFS_SUPER_MAGIC);
}

/* Files that the kernel makes up: merely to open some of them changes the host (tracing/free_buffer). */
static bool is_made_up(int path_fd)
{
	static const uint32_t systems[] = {
		PROC_SUPER_MAGIC,   SYSFS_MAGIC,         TRACEFS_MAGIC,  DEBUGFS_MAGIC, SECURITYFS_MAGIC,
		CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, EFIVARFS_MAGIC, BPF_FS_MAGIC,  PSTOREFS_MAGIC,
	};
	struct statfs status;

	if (fstatfs(path_fd, &status))
		return true;
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++)
		if ((uint32_t)status.f_type == systems[i])
			return true;
	return false;
}

/* From an O_PATH descriptor to one for reading; O_NOATIME leaves no trace, where we may ask for that. */
static int reopen(int path_fd, int flags)
{
	char path[sizeof("/proc/self/fd/") + 11];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", path_fd);
	flags |= O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	fd = open(path, flags | O_NOATIME);
	if (fd < 0 && errno == EPERM)
		fd = open(path, flags);
	return fd < 0 ? -errno : fd;
}

/* Takes an O_PATH descriptor or a negative errno, and gives one for reading if it is what the request says. */
static int open_wanted(int path_fd, const struct opener_request *request)
{
	_cleanup_(closep) int fd = path_fd;
	struct statx status;
	int err;

	if (fd < 0)
		return fd;
	err = look(fd, &status);
	err = err ?: check_readable_file(&status);
	if (err == -ENOEXEC && !request->path) /* a configuration file may be short: /etc/ld.so.conf has 34 bytes */
		err = 0;
	if (!err && is_made_up(fd))
		err = -ENOEXEC;
	if (!err && !is_wanted(fd, &status, request))
		err = -ESTALE;
	return err ? err : reopen(fd, 0);
}

/* ---- ways to a file ---- */

static int open_path_fd(const char *path, int flags)
{
	int fd = open(path, O_PATH | O_CLOEXEC | flags);

	return fd < 0 ? -errno : fd;
}

struct opening {
	char path[96];
	int flags, fd;
};

static int open_link(struct helper *helper, void *memory)
{
	struct opening *opening = memory;

	(void)helper;
	opening->fd = (int)syscall(SYS_openat, AT_FDCWD, opening->path, opening->flags, 0);
	return opening->fd < 0 ? -errno : 0;
}

static int open_of_task(uint32_t task, const char *name, int flags)
{
	_cleanup_(helper_freep) struct helper *helper = NULL;
	struct opening *opening;
	int err;

	if (process_has_ended(task)) /* needs no helper, and is frequent where processes are brief */
		return -ENOENT;
	helper = helper_new(sizeof(struct opening));
	if (!helper)
		return -ENOMEM;
	opening = helper_memory(helper);
	snprintf(opening->path, sizeof(opening->path), "/proc/%" PRIu32 "/%s", task, name);
	opening->flags = O_PATH | O_CLOEXEC | flags;
	err = helper_start(helper, open_link, false);
	if (err)
		return err == -EBUSY ? -ETIMEDOUT : err;
	helper_await(helper, -1);
	return helper_end(helper) ?: opening->fd;
}

/* What /proc has of a process: of another of its threads where the first one has ended, and has nothing any more. */
static int open_of_process(uint32_t tgid, const char *name, int flags)
{
	int fd = open_of_task(tgid, name, flags);
	uint32_t living = fd < 0 && fd != -ETIMEDOUT ? process_living_task(tgid) : tgid;

	return living == tgid ? fd : open_of_task(living, name, flags);
}

int opener_root(uint32_t tgid)
{
	return tgid ? open_of_process(tgid, "root", O_DIRECTORY) : open_path_fd("/", O_DIRECTORY);
}

int opener_host_root(const char *path)
{
	return path ? open_path_fd(path, O_DIRECTORY) : -ENOENT;
}

/* STATX_MNT_ID is from v5.8 (commit fa2fcf4f1df1), STATX_MNT_ID_UNIQUE from v6.8 (commit 98d2b43081972). */
int opener_identify(int fd, struct opener_directory *ret_directory)
{
	unsigned int wanted = STATX_INO | STATX_UID | STATX_MNT_ID | STATX_MNT_ID_UNIQUE;
	struct statx status;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, wanted, &status))
		return -errno;
	*ret_directory = (struct opener_directory){
		.device = makedev(status.stx_dev_major, status.stx_dev_minor),
		.inode = status.stx_ino,
		.mount = status.stx_mnt_id,
		.owner = status.stx_uid,
	};
	return 0;
}

/* The path that we see of an open file; false when it does not fit. */
static bool seen_path(int fd, char ret_path[PATH_MAX])
{
	char link[sizeof("/proc/self/fd/") + 11];
	ssize_t nr;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	nr = readlink(link, ret_path, PATH_MAX);
	if (nr <= 0 || nr >= PATH_MAX)
		return false;
	ret_path[nr] = '\0';
	return true;
}

/* The part of a path after that of the root that contains it. */
static const char *inside(const char *root, const char *path)
{
	size_t length = strlen(root);

	if (!strcmp(root, "/"))
		return path;
	return !strncmp(path, root, length) && path[length] == '/' ? path + length : NULL;
}

static int find_as(int root_fd, const char *root, const char *path, uint64_t device, uint64_t inode,
		   struct opener_found *ret_found)
{
	_cleanup_(closep) int fd = path_below(root_fd, path, 0);
	struct opener_directory found;
	char seen[PATH_MAX];
	const char *below;
	int err = fd < 0 ? fd : opener_identify(fd, &found);

	if (err)
		return err;
	if (inode && (found.device != device || found.inode != inode))
		return -ESTALE;
	below = seen_path(fd, seen) ? inside(root, seen) : NULL;
	*ret_found = (struct opener_found){ xstrdup(below ? below : path), found.owner };
	return 0;
}

int opener_find_below(int root_fd, const char *path, uint64_t device, uint64_t inode, struct opener_found *ret_found)
{
	char root[PATH_MAX] = "/";
	const char *below;
	int err;

	if (*path != '/')
		return -ENOENT;
	seen_path(root_fd, root);
	err = find_as(root_fd, root, path, device, inode, ret_found);
	below = err ? inside(root, path) : NULL;
	return below && below != path ? find_as(root_fd, root, below, device, inode, ret_found) : err;
}

/* The link names the inode itself: right also when the file was deleted, replaced, or is not visible to us. */
static int open_map_file(const struct opener_request *request)
{
	char name[64];

	if (!request->tgid || !request->end)
		return -ENOENT;
	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, request->start, request->end);
	return open_wanted(open_of_process(request->tgid, name, 0), request);
}

/* Takes a root's descriptor, or the negative errno in its place. */
static int open_below(int root_fd, const struct opener_request *request)
{
	_cleanup_(closep) int root = root_fd;

	return open_wanted(root < 0 ? root : path_below(root, request->path, 0), request);
}

int opener_open(const struct opener_request *request)
{
	bool is_proved = request->inode || !request->tgid;
	const char *path = request->path;
	int fd = -ENOENT;

	if (request->tgid)
		fd = why_opened(request->why, path, "through the mapping", open_map_file(request));
	if (fd >= 0 || !is_proved || path[0] != '/')
		return fd;
	if (request->tgid)
		fd = why_opened(request->why, path, "in the root of the process",
				open_below(opener_root(request->tgid), request));
	if (fd < 0 && request->host_root)
		fd = why_opened(request->why, path, "in the host's root",
				open_below(opener_host_root(request->host_root), request));
	if (fd >= 0)
		return fd;
	return why_opened(request->why, path, "", open_below(opener_root(0), request));
}

bool opener_is_plain(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	struct statx status;

	return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY && !(flags & O_PATH) && !look(fd, &status) &&
	       !check_readable_file(&status);
}

/* ---- the pieces ---- */

int opener_file_below(int root_fd, const char *path, int flags)
{
	struct opener_request anything = {};

	return open_wanted(path_below(root_fd, path, flags), &anything);
}

int opener_directory_below(int root_fd, const char *path)
{
	_cleanup_(closep) int fd = path_below(root_fd, path, O_DIRECTORY);

	return fd < 0 ? fd : reopen(fd, O_DIRECTORY);
}

/* ---- files that the user named ---- */

static const char *what_it_is(mode_t mode)
{
	if (S_ISDIR(mode))
		return "a directory";
	if (S_ISFIFO(mode))
		return "a FIFO";
	if (S_ISSOCK(mode))
		return "a socket";
	return S_ISCHR(mode) || S_ISBLK(mode) ? "a device" : "something else";
}

/* Whether the path begins with /proc/TGID/: the process by its number here, whatever /proc its root has. */
static bool is_of_process(const char *path, uint32_t tgid)
{
	char start[32];
	int nr = snprintf(start, sizeof(start), "/proc/%" PRIu32 "/", tgid);

	return !strncmp(path, start, (size_t)nr);
}

static int explain_open(const char *path, uint32_t tgid, int err)
{
	_cleanup_(freep) char *where =
		tgid && !is_of_process(path, tgid) ? xasprintf(" in the root of process %" PRIu32, tgid) : xstrdup("");
	bool is_denied = err == -EACCES || err == -EPERM;

	if (!is_denied)
		return fail(err, "'%s': %s%s", path,
			    err == -ENOENT || err == -ENOTDIR ? "no such file" : strerror(-err), where);
	if (!tgid)
		return fail(err, "'%s': permission denied", path);
	fail_host(err, "'%s': permission denied%s", path, where);
	hint("reading the files of another user's process needs CAP_SYS_PTRACE (or root)");
	return err;
}

int opener_open_user(const char *path, uint32_t root_of_tgid)
{
	bool is_below = root_of_tgid && !is_of_process(path, root_of_tgid);
	_cleanup_(closep) int root_fd = is_below ? opener_root(root_of_tgid) : -1;
	_cleanup_(closep) int path_fd = -1;
	struct statx status;
	int fd, err;

	if (!is_below)
		path_fd = open_path_fd(path, 0);
	else
		path_fd = root_fd < 0 ? root_fd : path_below(root_fd, path, 0);
	err = path_fd < 0 ? path_fd : look(path_fd, &status);
	if (err)
		return explain_open(path, root_of_tgid, err);
	err = check_readable_file(&status);
	if (err == -ENOEXEC)
		return fail(err, "'%s': too small for a program", path);
	if (err == -EFBIG)
		return fail(err, "'%s': larger than %llu GiB", path, MAX_FILE_BYTES >> 30);
	if (err)
		return fail(err, "'%s': %s, not a regular file", path, what_it_is(status.stx_mode));
	fd = reopen(path_fd, 0);
	return fd < 0 ? explain_open(path, root_of_tgid, fd) : fd;
}
