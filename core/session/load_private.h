/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of a loaded object, for load*.c, attach*.c and drain*.c only. */
#pragma once

#include <pthread.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/abi.h"
#include "core/session/loaded.h"
#include "stacktool.skel.h"

struct mechanism_traits {
	bool is_sampled; /* timed samples, by our own perf events */
	bool has_no_places; /* the programs do not know which place was hit */
	bool has_cookies; /* the link has a cookie for each place, on every kernel that has the link */
	bool has_own_programs; /* every place has its own copy of the program, loaded for one function */
	bool has_numbers; /* the program looks up the number of the place in st_syscalls */
	bool loads_all_types; /* libbpf reads all types of the kernel, not core/host/kernel_types.h a few */
	bool is_alone; /* see is_alone() of load_config.c */
};

/* The first map of a map of maps. A thread puts it into its slot. */
struct first_inner {
	pthread_t thread;
	bool running;
	int outer;
	int inner; /* owned; -1: none */
	int err; /* what the thread returned: 0 or a negative errno */
};

/* How libbpf loaded the first fentry program. Its copies for other functions (attach_fentry.c) are loaded in the same way. */
struct fentry_load {
	int handler; /* libbpf's id of note_load(); 0: none */
	bool known; /* note_load() was called */
	struct bpf_prog_load_opts options;
};

#define NR_CHILD_PROGRAMS 3
#define PROGRAM_OF_ENDED_THREADS "on_call_gone" /* with EVENTS_BY_LENGTH */

struct loaded {
	struct stacktool *skeleton;
	struct bpf_program *program;
	volatile struct st_control *control; /* mmap()ed */
	const struct attach_plan *attach; /* borrowed */
	const struct mechanism_traits *traits; /* of its mechanism */
	enum event_mode mode;
	const char *const *child_programs; /* names of NR_CHILD_PROGRAMS programs that follow children; NULL: none */
	bool needs_copies; /* each place but the first has its own copy of the program */
	int types; /* file with the kernel's types that the object needs, kept while copies may be loaded; -1: none */
	struct fentry_load fentry;
	uint32_t count_entries; /* of the first count map */
	struct first_inner first_counts, first_slab;
};

/* A program of the object by its name; NULL if there is none. */
static inline struct bpf_program *loaded_program(const struct loaded *loaded, const char *name)
{
	return bpf_object__find_program_by_name(loaded->skeleton->obj, name);
}

/* The constants of the programs. */
static inline const struct st_config *loaded_config(const struct loaded *loaded)
{
	return &loaded->skeleton->rodata->st_config;
}

/* ---- load.c ---- */

/* Adds each number of *one to *sum. */
void stats_add(struct st_stats *sum, const struct st_stats *one);

/* The statistics of a generation, of all CPUs, since the start. If they cannot be read: false, and zeros. */
bool loaded_sum_stats(const struct loaded *loaded, uint32_t generation, struct st_stats *ret_sum);

/* Opens another copy of the object, with the kernel's types in loaded->types. On failure: NULL and errno. */
struct stacktool *loaded_open_copy(const struct loaded *loaded);

/* The copy is to have the same maps, but for its constants. */
void loaded_share_maps(struct stacktool *copy, const struct loaded *loaded);

/* ---- load_config.c ---- */

const struct mechanism_traits *load_traits(enum mechanism mechanism);

/* Selects a program for loading; if it is loaded for one function, for that of this place. 0 or a negative errno. */
int load_want_program(const struct loaded *loaded, struct bpf_program *program, size_t place);

/* The program of the timed samples of `wall`. */
const char *load_wall_sample(const struct plan *plan);

/* Sets the constants of the programs and the sizes of the maps, before loading. 0 or a recorded failure. */
int load_configure(struct loaded *loaded, const struct plan *plan);

/* Fills the maps that filter, and that of the places of functions, after loading. 0 or a recorded failure. */
int load_fill_filters(const struct loaded *loaded, const struct plan *plan);

/* Sets the address of the preemption count in on_waking, if the plan has one. 0 or a negative errno. */
int load_name_preempt_count(const struct stacktool *object, const struct attach_plan *attach);

/* ---- load_python.c ---- */

/*
 * With ST_PYTHON_LATER: loads the programs that walk Python frames, which have all events from now on. The caller destroys the copy; it has
 * the maps st_pythons and st_python_walks. 0 or a negative errno.
 */
int load_python(const struct loaded *loaded, struct stacktool **ret_copy);

/* ---- load_counts.c ---- */

/* Makes a count map. A descriptor or a recorded failure. */
int load_count_map(uint32_t entries);

/* Begins to install the first count map and slab, before the object is loaded, and waits for that. 0 or a recorded failure. */
int load_begin_first(struct loaded *loaded);
int load_await_first(struct loaded *loaded);
