/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths of cgroups (version 2). Events have the number of a cgroup, which is the inode of its directory (cgroups(7); on 64-bit machines
 * kernfs gives both the same number from Linux 5.5 on).
 */
#pragma once

#include <stdint.h>

#include "core/profile/profile.h"

/*
 * Adds the path of cgroup `id` to the profile if it is not there yet: that of process `tgid` if its cgroup has this number, else the one
 * found below `root`, the mount point of cgroup2 (cgroup_mount_point(); may be NULL). A cgroup that no longer exists gets the path "".
 */
void cgroups_note(struct profile *profile, const char *root, uint64_t id, uint32_t tgid);
