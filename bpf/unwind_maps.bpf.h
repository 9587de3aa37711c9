/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maps of the unwinder. They are made only where it is used. What changes while programs run, and in which order, stands
 * in bpf/unwind_space.h.
 */
#pragma once

#include "bpf/arch.bpf.h"
#include "bpf/unwind_abi.h"
#include "bpf/unwind_space.h"

/*
 * Of the stack, in one read: a frame without frame pointer may be large. Clang's stacks take 0.36 reads a frame with 512 bytes
 * and 0.22 with this; what a frame costs is no more.
 */
#define ST_UNWIND_WINDOW_WORDS 256
#define ST_UNWIND_WINDOW_BYTES (8 * ST_UNWIND_WINDOW_WORDS)

/* The registers and what was read last, one per scratch slot. */
struct st_unwind {
	__u64 pc, sp, bp;
	__u64 low, high; /* the mapping that was found last, as in struct st_space_mapping */
	__u64 to_file;
	__u32 head, nr_pages, first_page, rules;
	__u64 space; /* of the process, as in struct st_unwind_process */
	__u64 rule; /* that st_unwind_find() has found */
	__u64 order; /* where `registers` has which, as ST_REGISTERS_PT */
	__u64 window_at; /* user address of the window */
	__u64 cfa; /* of the frame that is left */
	__u64 word; /* that st_unwind_word() has read */
	__u64 room; /* a word below window_at + room lies in the window; 0: nothing does */
	__u64 window[ST_UNWIND_WINDOW_WORDS];
	__u64 registers[ST_NR_REGISTERS]; /* all of them, where `is_known` */
	__u32 tgid;
	__u32 slot; /* of which this is the state */
	__u32 at; /* where the next frame goes, and the first place behind the last one */
	__u32 until;
	__u8 has_registers; /* those of the program's own context; otherwise the task's are used */
	__u8 is_call; /* pc is a return address: its row is that of pc - 1 */
	__u8 is_known; /* no call lies between `registers` and this frame */
	__u8 is_bp_lost;
	__u8 by_frame; /* the end that a frame pointer led past: pc has to prove that it is code */
	__u8 leaf_by_frame; /* `by_frame` behind the leaf */
	__u8 in_uprobes; /* the task has met uprobes: struct st_uprobes is filled */
	__u8 is_place; /* pc is where the thread was, or a signal's frame says so; not a return address off the stack */
};

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

struct st_unwinds_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, ST_MAX_SLOTS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct st_unwind));
};
