/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the directory of a cgroup (version 2) that the user named. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns the mount point of cgroup2 in the list `mountinfo` (proc(5)); malloc()ed, NULL if it is not mounted. */
char *cgroup_mount_point(const char *mountinfo);

/* Opens a cgroup by its path (absolute, or below the mount point) or by its id, a number. A descriptor, or a recorded failure. */
int cgroup_open(const char *text);

/* Opens a cgroup by its id; `mount` is a descriptor in its file system. A descriptor or a negative errno; -ESTALE: there is none. */
int cgroup_open_number(int mount, uint64_t number);

/* Opens the cgroup of a container by the beginning of its id. A descriptor or a recorded failure; several matches are a usage error. */
int cgroup_open_container(const char *prefix);

/*
 * Whether the name of a cgroup contains a container id that begins with `prefix`: "ID", or with words of the runtime
 * "docker-ID.scope", "cri-containerd-ID.scope".
 */
bool cgroup_is_container(const char *name, const char *prefix);
