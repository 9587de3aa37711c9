/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of what is loaded. Only files of this room that load, attach and drain include it. */
#pragma once

#include <pthread.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/abi.h"
#include "core/session/loaded.h"
#include "stacktool.skel.h"

/* What the programs of a mechanism need, and what they can tell. */
struct mechanism_traits {
	bool is_sampled; /* timed samples: perf events of our own, at a known rate */
	bool has_no_places; /* the programs cannot tell by which place they came */
	bool has_cookies; /* the link has a cookie for each place, on every kernel that has the link */
	bool has_own_programs; /* every place has a copy of the program, which names the function */
	bool has_numbers; /* one program looks up the number of the place */
	bool loads_all_types; /* of the kernel: libbpf reads them, not core/host/kernel_types.h */
	bool is_alone; /* see is_alone() of load_config.c */
};

/* The first map of a map of maps, on its way into its slot. */
struct first_inner {
	pthread_t thread;
	bool running;
	int outer;
	int inner; /* owned; -1: none */
	int err;
};

/* How libbpf loaded the program of fentry: what a copy of it for another function needs (core/session/attach_fentry.c). */
struct fentry_load {
	int handler; /* libbpf's number of the function that it calls; 0: none */
	bool known;
	struct bpf_prog_load_opts options;
};

#define NR_CHILD_PROGRAMS 3

struct loaded {
	struct stacktool *skeleton;
	struct bpf_program *program;
	volatile struct st_control *control; /* mmap()ed */
	const struct attach_plan *attach; /* borrowed: where the programs will be attached */
	const struct mechanism_traits *traits; /* of its mechanism */
	enum event_mode mode;
	const char *const *child_programs; /* NR_CHILD_PROGRAMS: for births, forks and ends of processes; NULL: none */
	bool needs_copies; /* a place other than the first takes a copy of the program */
	int types; /* until the last object is loaded: the file of btf_custom_path, or -1 */
	struct fentry_load fentry;
	uint32_t count_entries; /* of the first count map */
	struct first_inner first_counts, first_slab;
};

/* A program of the object by its name; NULL when there is none. */
static inline struct bpf_program *loaded_program(const struct loaded *loaded, const char *name)
{
	return bpf_object__find_program_by_name(loaded->skeleton->obj, name);
}

/* The configuration that the programs were loaded with. */
static inline const struct st_config *loaded_config(const struct loaded *loaded)
{
	return &loaded->skeleton->rodata->st_config;
}

/* ---- load.c ---- */

/* Adds each number of one to those of *sum. */
void stats_add(struct st_stats *sum, const struct st_stats *one);

/* The statistics of a generation, over all CPUs since the start. False, and zeros, when they cannot be read. */
bool loaded_sum_stats(const struct loaded *loaded, uint32_t generation, struct st_stats *ret_sum);

/* Opens the object once more, with the types of the kernel that it has read already. NULL and errno when that fails. */
struct stacktool *loaded_open_copy(const struct loaded *loaded);

/* ---- load_config.c ---- */

/* The traits of a mechanism. */
const struct mechanism_traits *load_traits(enum mechanism mechanism);

/* Lets a program be loaded, for this place where it names one. 0 or a negative errno. */
int load_want_program(const struct loaded *loaded, struct bpf_program *program, size_t place);

/* Fills the constants of the programs and the sizes of the maps, before loading. 0 or a recorded failure. */
int load_configure(struct loaded *loaded, const struct plan *plan);

/* Fills the maps that filter, after loading. 0 or a recorded failure. */
int load_fill_filters(const struct loaded *loaded, const struct plan *plan);

/* ---- load_counts.c ---- */

/* A count map of so many entries: a descriptor, or a recorded failure. */
int load_count_map(uint32_t entries);

/* The first count map and slab before the object is loaded, and the wait for them after that. 0 or a recorded failure. */
int load_begin_first(struct loaded *loaded);
int load_await_first(struct loaded *loaded);
