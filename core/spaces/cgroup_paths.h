/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The paths of cgroups (version 2). Events have only the number of a cgroup, which is the inode of its directory
 * (cgroups(7); kernfs gives both the same number on 64-bit machines, Linux 5.5 and later).
 */
#pragma once

#include <stdint.h>

#include "core/profile/profile.h"

/*
 * Adds the path of cgroup `id` to the profile if it is not there yet: that of process `tgid` if its cgroup has this
 * number, else the one found below `root`, the mount point of cgroup2 (cgroup_mount_point(); NULL: there is none).
 * Cgroups that no longer exist have no path.
 */
void cgroups_note(struct profile *profile, const char *root, uint64_t id, uint32_t tgid);
