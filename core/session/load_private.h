/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of a loaded object, for the files of core/session only. */
#pragma once

#include <pthread.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/abi.h"
#include "core/session/loaded.h"
#include "stacktool.skel.h"

struct mechanism_traits {
	bool is_sampled; /* samples by our own perf events */
	bool has_no_places; /* the programs do not know which place was hit */
	bool has_cookies; /* the link has a cookie for each place, on every kernel that has the link */
	bool has_own_programs; /* every place has its own copy of the program, loaded for one function */
	bool has_numbers; /* the program looks up the number of the place in st_syscalls */
	bool loads_all_types; /* libbpf reads all types of the kernel, instead of core/host/kernel_types.h the few that are needed */
	bool is_alone; /* see is_alone() of load_config.c */
};

/* The first map of a map of maps. A thread puts it into its slot. */
struct first_inner {
	pthread_t thread;
	bool running;
	int outer;
	int inner; /* owned; -1: none */
	int err; /* result of the thread: 0 or a negative errno */
};

/* The options with which libbpf loaded the first fentry program. Its copies for other functions use them (attach_fentry.c). */
struct fentry_load {
	int handler; /* libbpf's id of note_load(); 0: none */
	bool known; /* note_load() was called */
	struct bpf_prog_load_opts options;
};

#define NR_CHILD_PROGRAMS 3

struct loaded {
	struct stacktool *skeleton;
	struct bpf_program *program;
	volatile struct st_control *control; /* mmap()ed */
	const struct attach_plan *attach; /* borrowed */
	const struct mechanism_traits *traits; /* of its mechanism */
	enum event_mode mode;
	const char *const *child_programs; /* names of NR_CHILD_PROGRAMS programs that follow children; NULL: none */
	bool needs_copies; /* each place except the first has its own copy of the program */
	int types; /* file with the kernel types that the object needs, open while copies may be loaded; -1: none */
	struct fentry_load fentry;
	uint32_t count_entries; /* of the first count map */
	struct first_inner first_counts, first_slab;
};

/* A program of the object by its name; NULL if there is none. */
static inline struct bpf_program *loaded_program(const struct loaded *loaded, const char *name)
{
	return bpf_object__find_program_by_name(loaded->skeleton->obj, name);
}

static inline const struct st_config *loaded_config(const struct loaded *loaded)
{
	return &loaded->skeleton->rodata->st_config;
}

/* ---- load.c ---- */

void stats_add(struct st_stats *sum, const struct st_stats *one);

/* The statistics of a generation since the start, over all CPUs. False and zeros: they cannot be read. */
bool loaded_sum_stats(const struct loaded *loaded, uint32_t generation, struct st_stats *ret_sum);

/* Opens another copy of the object, with the kernel types in loaded->types. NULL and errno: failure. */
struct stacktool *loaded_open_copy(const struct loaded *loaded);

/* Makes the copy use the same maps, except the one of its constants. */
void loaded_share_maps(struct stacktool *copy, const struct loaded *loaded);

/* ---- load_config.c ---- */

const struct mechanism_traits *load_traits(enum mechanism mechanism);

/* Selects a program for loading. If it is loaded for one function, it is that of this place. Returns 0 or a negative errno. */
int load_want_program(const struct loaded *loaded, struct bpf_program *program, size_t place);

/*
 * The programs of calls whose thread ends, and of those whose program does, which only calls of user functions need. How many of them
 * the plan needs.
 */
#define NR_ENDED_CALLS 2
extern const char *const programs_of_ended_calls[NR_ENDED_CALLS];
size_t load_nr_ended_calls(const struct attach_plan *attach);

/* The programs of what happens inside calls (bpf/on_slow.bpf.c): two by BTF, and that of timed samples. */
#define NR_SLOW_PROGRAMS 3
extern const char *const slow_programs[NR_SLOW_PROGRAMS];

/* The program of the timed samples of `wall`. */
const char *load_wall_sample(const struct plan *plan);

/* Sets the constants of the programs and the sizes of the maps, before loading. Returns 0 or a recorded failure. */
int load_configure(struct loaded *loaded, const struct plan *plan);

/* Fills the filter maps and the map of the functions of places, after loading. Returns 0 or a recorded failure. */
int load_fill_filters(const struct loaded *loaded, const struct plan *plan);

/* Sets the address of the preemption count in on_waking, if the plan has one. Returns 0 or a negative errno. */
int load_name_preempt_count(const struct stacktool *object, const struct attach_plan *attach);

/* ---- load_python.c ---- */

/*
 * With ST_PYTHON_LATER: loads the programs that walk frames of interpreters. They get all events from now on. The caller owns the copy, which
 * has the maps st_interpreters, st_python_walks and st_told. Returns 0 or a negative errno.
 */
int load_python(const struct loaded *loaded, struct stacktool **ret_copy);

/* ---- load_counts.c ---- */

/* Makes a count map. Returns a descriptor or a recorded failure. */
int load_count_map(uint32_t entries);

/* Begins to install the first count map and slab before the object is loaded; waits for them. Both: 0 or a recorded failure. */
int load_begin_first(struct loaded *loaded);
int load_await_first(struct loaded *loaded);
