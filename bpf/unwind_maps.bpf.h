/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maps of the unwinder. They are made only where it is used. What changes while programs run, and in which order, stands
 * in bpf/unwind_space.h.
 */
#pragma once

#include "bpf/arch.bpf.h"
#include "bpf/unwind_abi.h"
#include "bpf/unwind_space.h"

struct st_slab_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct st_slab));
};

/* By key and value size only: 6.1 refuses inner maps without BTF where the template has some. */
struct st_slabs_map {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, ST_MAX_SLABS);
	__uint(key_size, sizeof(__u32));
	__array(values, struct st_slab_map);
};

struct st_processes_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct st_unwind_process));
};

struct st_recent_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct st_recent));
};
