/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maps. maps.bpf.c defines them, the other files declare them.
 *
 * Counts and statistics have two generations; st_control.generation selects the live one. User space changes it and then updates the old
 * slot of the ARRAY_OF_MAPS. That update returns only when all running programs have finished (maybe_wait_bpf_programs(), commit
 * 1ae80cf31938 ("bpf: wait for running BPF programs when updating map-in-map"), v4.19). So the old generation does not change while it is
 * read, and no live entry is ever deleted.
 *
 * All hashes are preallocated: before 6.1, perf_event programs may use no others. User space decides which maps a run needs and how large
 * most of them are (core/session/load_config.c).
 */
#pragma once

#include "bpf/kernel.h"

#include "bpf/abi.h"
#include "bpf/calls_abi.h"
#include "bpf/grid.h"
#include "bpf/interpreter_abi.h"
#include "bpf/unwind_abi.h"
#include "bpf/unwind_space.h"

/*
 * Declares `NAME_map`, the type of a map. It has sizes instead of types: user space creates inner maps without BTF, and 6.1 refuses them if
 * the template has BTF.
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

/* The template of a count map; load_count_map() creates the real ones. */
ST_MAP_TYPE(st_counts, HASH, 0, 1, struct st_id, struct st_count);

struct st_generation_map {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, ST_GENERATIONS);
	__uint(key_size, sizeof(__u32));
	__array(values, struct st_counts_map);
};
ST_MAP_OF(st_generation_map, st_generation);

/* The cache of sent records. A record whose id is not here may be sent again. */
ST_MAP(st_known, HASH, 0, 16384, struct st_id, __u32);

struct st_ring_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
};
ST_MAP_OF(st_ring_map, st_ring);

/* Events with rings of their own, by CPU, for records with a copy of the registers and of the stack: core/session/drain_copies.c. */
ST_MAP(st_copies, PERF_EVENT_ARRAY, 0, 1, __u32, __u32);

ST_MAP(st_scratch, PERCPU_ARRAY, 0, ST_MAX_SLOTS, __u32, struct st_slot);
ST_MAP(st_stats, PERCPU_ARRAY, 0, ST_GENERATIONS, __u32, struct st_stats);
ST_MAP(st_control, ARRAY, BPF_F_MMAPABLE, 1, __u32, struct st_control);
ST_MAP(st_grid, PERCPU_ARRAY, 0, 1, __u32, struct st_grid);

/* The last process that sent a record, by tgid modulo the size. A record of another process wakes the reader. */
ST_MAP(st_last_senders, ARRAY, 0, ST_LAST_SENDERS, __u32, __u32);

/*
 * Events by the number of their probe. Never reset: user space takes differences, so no event is lost between intervals. Per CPU, so that
 * CPUs do not share a cache line; additions are atomic nevertheless, because uprobe programs can be preempted.
 */
ST_MAP(st_tallies, PERCPU_ARRAY, 0, 1, __u32, struct st_tally);

/* Cost of timed runs, by the number of their probe. Not per CPU: few runs are timed, and user space maps the memory. */
ST_MAP(st_costs, ARRAY, BPF_F_MMAPABLE, 1, __u32, struct st_cost);

/* By id; the value is the start time, as in st_config.filter_start_ns. */
ST_MAP(st_pids, HASH, 0, 1, __u32, __u64);

/* Descendants of a command, by tgid in the initial pid namespace; the value is the start time of the process. */
ST_MAP(st_children, HASH, 0, 16384, __u32, __u64);

/* Start times of tasks whose birth has been handled, by pid modulo the size; needed until the second report of the birth. */
ST_MAP(st_births, ARRAY, 0, ST_NR_BIRTHS, __u32, __u64);

/* The cgroup of --cgroup or --container. Tasks in cgroups below it pass too. */
ST_MAP(st_cgroup, CGROUP_ARRAY, 0, 1, __u32, __u32);

/* Pinned filter maps as in bcc. The keys are cgroup ids, and inodes of mount namespaces. */
ST_MAP(st_cgroups, HASH, 0, 1, __u64, __u64);
ST_MAP(st_mntns, HASH, 0, 1, __u64, __u64);

/* The probed system calls, by number (ends: plus ST_SYSCALL_EXIT). The value is the number of the probe. */
ST_MAP(st_syscalls, HASH, 0, 1, __u64, __u32);

ST_MAP(st_tasks, HASH, 0, 16384, __u64, struct st_task);

/*
 * Threads of processes that wait for locks, by ST_THREAD_KEY(): the thread id in our pid namespace. A process that knows itself by other
 * ids writes those into its locks. An entry is deleted when the thread leaves the CPU for the last time.
 */
ST_MAP(st_threads, HASH, 0, 16384, __u64, __u32);

ST_MAP(st_walls, HASH, 0, 16384, __u64, struct st_wall);
ST_MAP(st_running, ARRAY, 0, 1, __u32, struct st_running); /* by CPU */

ST_MAP(st_calls, HASH, 0, 1024, __u64, struct st_calls);
ST_MAP(st_no_calls, ARRAY, 0, 1, __u32, struct st_calls); /* zeros, from which the entry of a thread is made */
ST_MAP(st_call_places, ARRAY, 0, 1, __u32, struct st_call_place);
ST_MAP(st_insides, HASH, 0, 1024, __u64, struct st_inside);
ST_MAP(st_no_inside, ARRAY, 0, 1, __u32, struct st_inside);

/* The thread that is being looked at: only one thread of stacktool reads the iterator. */
ST_MAP(st_look, ARRAY, 0, 1, __u32, struct st_look);

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

/* Processes with frames of interpreters, and the states of their walks. */
ST_MAP(st_interpreters, HASH, 0, 1024, __u32, struct st_interpreter);
ST_MAP(st_python_walks, PERCPU_ARRAY, 0, ST_MAX_SLOTS, __u32, struct st_python_walk);

/* The functions of PHP that the reader has been told of, by cookie, process and epoch. One that is not here may be told again. */
ST_MAP(st_told, HASH, 0, 16384, __u64, __u32);

/*
 * The program that walks Python frames, for each kind of program that begins with ST_HAND_OVER(). User space loads it when it finds a
 * Python process (core/session/load_python.c).
 */
ST_MAP(st_python_sample, PROG_ARRAY, 0, 1, __u32, __u32);
ST_MAP(st_python_switch, PROG_ARRAY, 0, 1, __u32, __u32);
ST_MAP(st_python_waking, PROG_ARRAY, 0, 1, __u32, __u32);
ST_MAP(st_python_back, PROG_ARRAY, 0, 1, __u32, __u32);

ST_MAP(st_deep, PERCPU_ARRAY, 0, 1, __u32, struct st_deep);

/* Deep stacks, by the ids of their records. If it is full, further rows show the number of their first event. */
ST_MAP(st_depths, HASH, 0, 2048, struct st_id, struct st_depth);

/* Empty, for the tail call of st_no_private_stack(). */
ST_MAP(st_nowhere, PROG_ARRAY, 0, 1, __u32, __u32);

extern const volatile struct st_config st_config;

#define ST_WALKS (st_config.walks)
#define ST_WALKS_PYTHON (st_config.walks_python)
#define ST_WALKS_PHP (st_config.walks_php)

/*
 * Hands the event over to the program that walks Python frames, if it is loaded, and then does not return. So exactly one of the two
 * programs handles each event.
 */
#define ST_HAND_OVER(ctx, map)                           \
	do {                                             \
		if (st_config.python == ST_PYTHON_LATER) \
			bpf_tail_call((ctx), &(map), 0); \
	} while (0)

extern const volatile __u64 st_cpus[ST_CPU_WORDS];
extern const volatile struct st_offcpu_config st_offcpu;
extern const volatile struct st_calls_config st_calls_config;
