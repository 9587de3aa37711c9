/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maps of the one object: maps.bpf.c defines them, every other file declares them.
 *
 * Counts and statistics live in two generations; st_control.generation says which one is live. User space flips it and
 * then updates the old slot of the ARRAY_OF_MAPS, which returns only after every running program has finished
 * (maybe_wait_bpf_programs, commit 1ae80cf31938 ("bpf: wait for running BPF programs when updating map-in-map"), v4.19).
 * So nothing changes in the old generation while it is read, and no live entry is ever deleted.
 *
 * All hashes are preallocated: perf_event programs may use nothing else before 6.1. User space decides
 * which maps a run needs, and sets the size of most (core/session/load_config.c).
 */
#pragma once

#include "bpf/kernel.h"

#include "bpf/abi.h"
#include "bpf/unwind_abi.h"
#include "bpf/unwind_space.h"

/*
 * Declares the type of a map, `NAME_map`. Sizes instead of types: 6.1 refuses inner maps without BTF where the template
 * has some, and user space makes the inner maps.
 */
#define ST_MAP_TYPE(name, kind, flags, entries, key, value) \
	struct name##_map {                                 \
		__uint(type, BPF_MAP_TYPE_##kind);          \
		__uint(map_flags, flags);                   \
		__uint(max_entries, entries);               \
		__uint(key_size, sizeof(key));              \
		__uint(value_size, sizeof(value));          \
	}

#ifdef ST_DEFINE_MAPS
#define ST_MAP_OF(type, name) struct type name SEC(".maps")
#else
#define ST_MAP_OF(type, name) extern struct type name SEC(".maps")
#endif

#define ST_MAP(name, ...)               \
	ST_MAP_TYPE(name, __VA_ARGS__); \
	ST_MAP_OF(name##_map, name)

/* ---- counts and records ---- */

/* The template of a generation; user space makes the real ones in the size it wants (load_count_map()). */
ST_MAP_TYPE(st_counts, HASH, 0, 1, struct st_id, struct st_count);

struct st_generation_map {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, ST_GENERATIONS);
	__uint(key_size, sizeof(__u32));
	__array(values, struct st_counts_map);
};
ST_MAP_OF(st_generation_map, st_generation);

/* Records already sent. A mere cache: when it is full or was cleared, a record is sent again. */
ST_MAP(st_known, HASH, 0, 32768, struct st_id, __u32);

struct st_ring_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
};
ST_MAP_OF(st_ring_map, st_ring);

ST_MAP(st_scratch, PERCPU_ARRAY, 0, ST_MAX_SLOTS, __u32, struct st_slot);
ST_MAP(st_stats, PERCPU_ARRAY, 0, ST_GENERATIONS, __u32, struct st_stats);
ST_MAP(st_control, ARRAY, BPF_F_MMAPABLE, 1, __u32, struct st_control);
ST_MAP(st_grid, PERCPU_ARRAY, 0, 1, __u32, struct st_grid);

/* The last process that sent a record, by tgid modulo the size: a cache that decides which record wakes the reader. */
ST_MAP(st_last_senders, ARRAY, 0, ST_LAST_SENDERS, __u32, __u32);

/*
 * Events by the number of their probe. Never reset: user space takes differences, so that an interval costs no event. Per
 * CPU, so that many CPUs do not fight for one line; a program in a uprobe may be preempted, so it still adds atomically.
 */
ST_MAP(st_tallies, PERCPU_ARRAY, 0, 1, __u32, struct st_tally);

/* What timed runs took, by the number of their probe. Not per CPU: few runs are timed, and user space reads the memory. */
ST_MAP(st_costs, ARRAY, BPF_F_MMAPABLE, 1, __u32, struct st_cost);

/* ---- filters ---- */

ST_MAP(st_pids, HASH, 0, 1, __u32, __u32);

/*
 * The processes that a command has started, and theirs: by tgid in the initial pid namespace. The value is the start time
 * of the process.
 */
ST_MAP(st_children, HASH, 0, 16384, __u32, __u64);

/* Start times of processes whose birth was handled, by pid modulo the size: needed until the fork is reported again. */
ST_MAP(st_births, ARRAY, 0, ST_NR_BIRTHS, __u32, __u64);

/* The cgroup of --cgroup or --container, by descriptor: the filter takes it and all below it. */
ST_MAP(st_cgroup, CGROUP_ARRAY, 0, 1, __u32, __u32);

/* Shapes that bcc's documentation prescribes for the pinned filter maps: u64 cgroup id, u64 inode of the mount namespace. */
ST_MAP(st_cgroups, HASH, 0, 1, __u64, __u64);
ST_MAP(st_mntns, HASH, 0, 1, __u64, __u64);

/* The system calls that are counted, by their number, ends with ST_SYSCALL_EXIT; the value is the number of the probe. */
ST_MAP(st_syscalls, HASH, 0, 1, __u64, __u32);

/* ---- threads off the CPU ---- */

/* By the address of the thread's task_struct. */
ST_MAP(st_tasks, HASH, 0, 16384, __u64, struct st_task);

/* ---- unwind tables: bpf/unwind_space.h has the order in which they change ---- */

ST_MAP_TYPE(st_slab, ARRAY, BPF_F_MMAPABLE, 1, __u32, struct st_slab);

struct st_slabs_map {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, ST_MAX_SLABS);
	__uint(key_size, sizeof(__u32));
	__array(values, struct st_slab_map);
};
ST_MAP_OF(st_slabs_map, st_slabs);

ST_MAP(st_processes, HASH, 0, 8192, __u32, struct st_unwind_process);
ST_MAP(st_recent, PERCPU_ARRAY, 0, 1, __u32, struct st_recent);

/* Empty: the target of tail calls that are never made (on_probe.bpf.c). */
ST_MAP(st_nowhere, PROG_ARRAY, 0, 1, __u32, __u32);

/* ---- configuration ---- */

extern const volatile struct st_config st_config;
extern const volatile struct st_offcpu_config st_offcpu;
