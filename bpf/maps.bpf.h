/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maps of the one object. Listed once, at the end: maps.bpf.c defines them by it, every other file declares them.
 *
 * Counts and statistics live in two generations; st_control.generation says which one is live. User space flips it and
 * then updates the old slot of the ARRAY_OF_MAPS, which returns only after every running program has finished
 * (maybe_wait_bpf_programs, commit 1ae80cf31938 ("bpf: wait for running BPF programs when updating map-in-map"), v4.19).
 * So the old generation is read in peace and no live entry is ever deleted. The inner maps have no BTF: user space may
 * put a larger one in.
 *
 * All hashes are preallocated: perf_event programs may use nothing else before 6.1.
 */
#pragma once

#include "bpf/kernel.h"

#include "bpf/abi.h"
#include "bpf/unwind_maps.bpf.h"

/* The template of a generation; user space makes the real ones in the size it wants (load_count_map()). */
struct st_counts_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(struct st_id));
	__uint(value_size, sizeof(struct st_count));
};

struct st_generation_map {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, ST_GENERATIONS);
	__uint(key_size, sizeof(__u32));
	__array(values, struct st_counts_map);
};

/* Records already sent. A mere cache: when it is full or was cleared, a record is sent again. */
struct st_known_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__uint(key_size, sizeof(struct st_id));
	__uint(value_size, sizeof(__u32));
};

struct st_ring_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
};

struct st_scratch_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, ST_MAX_SLOTS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct st_slot));
};

struct st_stats_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, ST_GENERATIONS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct st_stats));
};

struct st_control_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct st_control));
};

struct st_grid_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct st_grid));
};

/* The last process that sent a record, by tgid modulo the size: a cache that decides who is worth a wake-up. */
struct st_last_senders_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ST_LAST_SENDERS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
};

struct st_pids_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
};

/*
 * Processes that a command has started, and those that they have: by tgid as the kernel counts them, not as a pid namespace
 * does. The value is the start time of the process. Sized by user space.
 */
struct st_children_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
};

/* Start times of those whose birth was dealt with, by pid modulo the size: needed until the fork is reported again. */
struct st_births_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ST_NR_BIRTHS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
};

/* Shapes that bcc's documentation prescribes for the pinned filter maps: u64 cgroup id, u64 inode of the mount namespace. */
struct st_filter_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u64));
	__uint(value_size, sizeof(__u64));
};

/* The cgroup of --cgroup or --container, by descriptor: the kernel asks for it and all below it. */
struct st_cgroup_map {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
};

/* The system calls that are counted, by their number, ends with ST_SYSCALL_EXIT; the value is the number of the probe. */
struct st_syscalls_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u64));
	__uint(value_size, sizeof(__u32));
};

/*
 * Events by the number of their probe. Never reset: user space takes differences, so that an interval costs no event. Per
 * CPU, so that many CPUs do not fight for one line; a program in a uprobe may be preempted, so it still adds atomically.
 */
struct st_tallies_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct st_tally));
};

/* What timed runs took, by the number of their probe. Not per CPU: few runs are timed, and user space reads the memory. */
struct st_costs_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct st_cost));
};

/* Threads by the address of their task_struct. Sized by user space. */
struct st_tasks_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(key_size, sizeof(__u64));
	__uint(value_size, sizeof(struct st_task));
};

/* Empty: the target of tail calls that are never made (on_probe.bpf.c). */
struct st_nowhere_map {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
};

#ifdef ST_DEFINE_MAPS
#define ST_MAP
#else
#define ST_MAP extern
#endif

ST_MAP struct st_generation_map st_generation SEC(".maps");
ST_MAP struct st_known_map st_known SEC(".maps");
ST_MAP struct st_ring_map st_ring SEC(".maps");
ST_MAP struct st_scratch_map st_scratch SEC(".maps");
ST_MAP struct st_stats_map st_stats SEC(".maps");
ST_MAP struct st_control_map st_control SEC(".maps");
ST_MAP struct st_grid_map st_grid SEC(".maps");
ST_MAP struct st_last_senders_map st_last_senders SEC(".maps");
ST_MAP struct st_pids_map st_pids SEC(".maps");
ST_MAP struct st_children_map st_children SEC(".maps");
ST_MAP struct st_births_map st_births SEC(".maps");
ST_MAP struct st_nowhere_map st_nowhere SEC(".maps");
ST_MAP struct st_syscalls_map st_syscalls SEC(".maps");
ST_MAP struct st_tallies_map st_tallies SEC(".maps");
ST_MAP struct st_costs_map st_costs SEC(".maps");
ST_MAP struct st_cgroup_map st_cgroup SEC(".maps");
ST_MAP struct st_filter_map st_cgroups SEC(".maps");
ST_MAP struct st_filter_map st_mntns SEC(".maps");
ST_MAP struct st_tasks_map st_tasks SEC(".maps");
ST_MAP struct st_slabs_map st_slabs SEC(".maps");
ST_MAP struct st_processes_map st_processes SEC(".maps");
ST_MAP struct st_recent_map st_recent SEC(".maps");

extern const volatile struct st_config st_config;
extern const volatile struct st_offcpu_config st_offcpu;
