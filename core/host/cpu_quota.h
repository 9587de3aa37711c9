/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPU quota of this process: cpu.max, or cpu.cfs_quota_us, of its cgroup. Priorities do not help when it is used up. */
#pragma once

#include <stdint.h>

/* In how many periods it was used up so far; 0: there is no quota, or that cannot be read. Both versions of cgroups. */
uint64_t cpu_quota_nr_used_up(void);
