/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds a path below a root directory: absolute and upward symbolic links stay below it, and links of /proc are not followed.
 * openat2(RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS) does the same. But a system call filter cannot see what openat2() opens a file for, so
 * it is denied after attaching (core/host/denied_calls.h). Unlike openat2(), this triggers no automount.
 */
#pragma once

/*
 * Returns an O_PATH descriptor, or a negative errno without a recorded cause: -ELOOP for a link of /proc and after 40 links, -ENAMETOOLONG
 * for more than 127 directories. `flags`: O_DIRECTORY, or O_NOFOLLOW for the last name.
 */
int path_below(int root_fd, const char *path, int flags);
