/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cgroup (version 2) by what people call it, as a descriptor of its directory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How the kernel's mount list names the cgroup2 file system; malloc()ed, NULL when it is not mounted. */
char *cgroup_mount_point(const char *mountinfo);

/*
 * Opens a cgroup by its path (absolute, or below the mount point) or by its id, a number. A descriptor, or a recorded
 * failure.
 */
int cgroup_open(const char *text);

/* The same by number alone, given a descriptor in the file system; a negative errno, -ESTALE when there is none. */
int cgroup_open_number(int mount, uint64_t number);

/* Opens the cgroup of a container by the beginning of its id; several that begin so are a usage error. */
int cgroup_open_container(const char *prefix);

/*
 * Where a container id begins in the name of a directory: runtimes put words before it ("docker-ID.scope",
 * "cri-containerd-ID.scope", "ID"). True when it begins with `prefix`.
 */
bool cgroup_is_container(const char *name, const char *prefix);
