// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the maps and the configuration live. */
#define ST_DEFINE_MAPS
#include "bpf/maps.bpf.h"

struct st_generation_map st_generation SEC(".maps");
struct st_known_map st_known SEC(".maps");
struct st_ring_map st_ring SEC(".maps");
struct st_scratch_map st_scratch SEC(".maps");
struct st_stats_map st_stats SEC(".maps");
struct st_control_map st_control SEC(".maps");
struct st_grid_map st_grid SEC(".maps");
struct st_first_seen_map st_first_seen SEC(".maps");
struct st_pids_map st_pids SEC(".maps");
struct st_nowhere_map st_nowhere SEC(".maps");
struct st_syscalls_map st_syscalls SEC(".maps");
struct st_tallies_map st_tallies SEC(".maps");
struct st_cgroup_map st_cgroup SEC(".maps");
struct st_filter_map st_cgroups SEC(".maps");
struct st_filter_map st_mntns SEC(".maps");
struct st_tasks_map st_tasks SEC(".maps");
struct st_slabs_map st_slabs SEC(".maps");
struct st_processes_map st_processes SEC(".maps");
struct st_unwinds_map st_unwinds SEC(".maps");

const volatile struct st_config st_config = { .cpu = -1 };
const volatile struct st_offcpu_config st_offcpu = {};

char LICENSE[] SEC("license") = "GPL";
