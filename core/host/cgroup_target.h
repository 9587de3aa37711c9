/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The mount point of cgroup2 in the file `mountinfo` (proc(5)), malloc()ed; NULL: not mounted. */
char *cgroup_mount_point(const char *mountinfo);

/* Opens a cgroup by its path (absolute, or below the mount point) or id. A descriptor, or a negative errno with a recorded cause. */
int cgroup_open(const char *text);

/* Opens a cgroup by its id; `mount` is a descriptor in its file system. A descriptor, or a negative errno: -ESTALE for an unknown id. */
int cgroup_open_number(int mount, uint64_t number);

/* Opens the cgroup of a container by the begin of its id. A descriptor or a recorded failure: a usage error if several match. */
int cgroup_open_container(const char *prefix);

/* Whether the name of a cgroup contains a container id that begins with `prefix`: "ID", "docker-ID.scope", "cri-containerd-ID.scope". */
bool cgroup_is_container(const char *name, const char *prefix);
