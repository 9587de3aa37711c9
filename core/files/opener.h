/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files of other processes safely: the only place that opens a path found in /proc/PID/maps.
 *
 * Order: /proc/PID/map_files/START-END (the very inode, also when deleted or replaced), then the path below
 * /proc/PID/root (core/files/path_below.h), then the path below the host's root where that is mounted somewhere, then
 * below our own, for a process that has exited. Regular files only, never blocking (a FIFO
 * is refused), size within limits. A path proves nothing: the file at it is taken only when device and inode are
 * those of the mapping; without them only map_files is believed.
 *
 * It never parses: descriptors go to the symbol worker. Every file is first opened with O_PATH, which touches nothing,
 * looked at, and then opened for reading through that descriptor, so that nobody can exchange it in between.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct buf;

/* A mapped file to open. */
struct opener_request {
	uint32_t tgid;         /* 0: no process, only `path` */
	uint64_t start, end;   /* of the mapping; 0 unknown */
	const char *path;      /* as in maps, without " (deleted)" */
	uint64_t device, inode; /* of the mapping (major << 32 | minor); 0 unknown */
	const char *host_root; /* where the host's file system is mounted, if we run in a container; NULL: this is it */
	struct buf *why; /* gets a line for everything that was tried (core/base/why.h); NULL: none */
};

/* A descriptor for reading, or a negative errno (no cause is recorded: a frame without a name is not a failure). */
int opener_open(const struct opener_request *request);

/*
 * Opens a path that the user typed (a binary, a library): follows symbolic links, refuses anything but a regular file.
 * `root_of_tgid` != 0: the path is looked up below the root of that process, unless it begins with /proc/TGID/. A descriptor, or a
 * negative errno with a recorded cause.
 */
int opener_open_user(const char *path, uint32_t root_of_tgid);

/* Whether a descriptor that another process gave us is one for reading a regular file of a size within limits. */
bool opener_is_plain(int fd);

/* ---- the pieces, for library.c, debug_files.c and jit_maps.c ---- */

/* The root directory of a process, of ourselves for 0: an O_PATH descriptor, or a negative errno. */
int opener_root(uint32_t tgid);

/* What identifies a root directory. */
struct opener_directory {
	uint64_t device, inode;
	uint64_t mount; /* number of the mount that it is on: unique at a time, from v6.8 on never used again */
	uint32_t owner; /* user id */
};

/* Identifies an open directory, without reading from it. 0 or a negative errno. */
int opener_identify(int fd, struct opener_directory *ret_directory);

/* A file that was found below a root. */
struct opener_found {
	char *path; /* below that root, without symbolic links; the caller's to free */
	uint32_t owner; /* user id */
};

/*
 * Finds what a path leads to below a root, without opening it for reading. The path is one inside that root. If we see that root as a
 * directory in ours, it may also be the path that we see. 0; -ESTALE if the inode there is another one (0: any is right); or another
 * negative errno.
 */
int opener_find_below(int root_fd, const char *path, uint64_t device, uint64_t inode, struct opener_found *ret_found);

/* The root directory of a host whose file system is mounted at this path: as opener_root(); -ENOENT for NULL. */
int opener_host_root(const char *path);

/*
 * Opens a regular file or a directory below a root without leaving it: symbolic links are followed inside, links of
 * /proc that lead elsewhere are not. `flags`: 0, or O_NOFOLLOW where the path itself must be no symbolic link. A descriptor for
 * reading, or a negative errno: -EINVAL for another kind of file.
 */
int opener_file_below(int root_fd, const char *path, int flags);
int opener_directory_below(int root_fd, const char *path);
