/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The paths of cgroups (version 2), which events name by number: the number is the inode of the group's directory
 * (cgroups(7); kernfs gives both the same number on 64-bit machines, Linux 5.5 and later).
 */
#pragma once

#include <stdint.h>

#include "core/profile/profile.h"

/*
 * Writes the path of group `id` into the profile when it is not there yet: that of process `tgid` if its group has this
 * number, or the one found below `root`, the mount point of cgroup2 (cgroup_mount_point(); NULL: there is none). Groups that are
 * gone stay without a path.
 */
void cgroups_note(struct profile *profile, const char *root, uint64_t id, uint32_t tgid);
