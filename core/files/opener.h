/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files of other processes safely. Only this file opens paths that come from /proc/PID/maps.
 *
 * It tries, in this order: /proc/PID/map_files/START-END (the mapped inode, even if deleted or replaced), the path below /proc/PID/root
 * (path_below.h), below the host's root if that is mounted somewhere, and below our root. A file found by path must have the device and
 * inode of the mapping. If these are unknown, only map_files is tried. Only regular files of a size within limits are opened, without
 * blocking.
 *
 * Nothing is parsed here: the symbol worker reads the descriptors. Each file is first opened with O_PATH, which has no side effects,
 * checked, and then opened for reading through that descriptor, so that it cannot be exchanged in between.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct buf;

struct opener_request {
	uint32_t tgid; /* 0: no process, only `path` */
	uint64_t start, end; /* of the mapping; 0: unknown */
	const char *path;      /* as in maps, without " (deleted)" */
	uint64_t device, inode; /* of the mapping (major << 32 | minor); 0: unknown */
	const char *host_root; /* where the host's file system is mounted; NULL: our root is the host's */
	struct buf *why; /* gets a line for everything that was tried (core/base/why.h); may be NULL */
};

/* A descriptor for reading, or a negative errno without a recorded cause. */
int opener_open(const struct opener_request *request);

/*
 * Opens a path that the user typed (a binary, a library): follows symbolic links, refuses all but regular files. With `root_of_tgid` the
 * path is below the root of that process, unless it begins with /proc/TGID/. A descriptor, or a negative errno with a recorded cause.
 */
int opener_open_user(const char *path, uint32_t root_of_tgid);

/* Whether a descriptor from another process is open for reading a regular file of a size within limits. */
bool opener_is_plain(int fd);

/* ---- parts of opener_open(), for other files ---- */

/* The root directory of a process (0: our own): an O_PATH descriptor, or a negative errno. */
int opener_root(uint32_t tgid);

/* What identifies a root directory. */
struct opener_directory {
	uint64_t device, inode;
	uint64_t mount; /* number of its mount: unique among existing mounts, from v6.8 on never reused */
	uint32_t owner; /* user id */
};

/* Identifies an open directory without reading it. 0 or a negative errno. */
int opener_identify(int fd, struct opener_directory *ret_directory);

struct opener_found {
	char *path; /* below that root, without symbolic links; malloc()ed */
	uint32_t owner; /* user id */
};

/*
 * Finds the file of a path below a root, without opening it for reading. The path is inside that root or, if the root is a directory below
 * ours, one that we see. 0; -ESTALE: it has another device or inode (inode 0: not compared); or another negative errno.
 */
int opener_find_below(int root_fd, const char *path, uint64_t device, uint64_t inode, struct opener_found *ret_found);

/* The root directory of a host whose file system is mounted at this path: an O_PATH descriptor, or a negative errno; -ENOENT for NULL. */
int opener_host_root(const char *path);

/*
 * Opens a regular file or a directory below a root. Symbolic links stay below the root; links of /proc are refused. `flags`: 0, or
 * O_NOFOLLOW if the path itself must not be a symbolic link. A descriptor for reading, or a negative errno: -EINVAL for another kind of
 * file.
 */
int opener_file_below(int root_fd, const char *path, int flags);
int opener_directory_below(int root_fd, const char *path);
