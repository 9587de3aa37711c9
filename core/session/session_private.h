/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What session.c, attach.c and drain.c share: the inside of a session. Nothing else includes this. */
#pragma once

#include <pthread.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/abi.h"
#include "core/base/vec.h"
#include "core/profile/profile.h"
#include "core/session/session.h"
#include "stacktool.skel.h"

/* The first count map or slab, on its way into its slot. */
struct first_inner {
	pthread_t thread;
	bool running;
	int outer, inner;
	int err;
};

/* A link, and the places of the attach plan that it stands for. */
struct attached_link {
	struct bpf_link *link; /* NULL: only its descriptor is known */
	int fd;
	size_t first, nr;
};

/* How libbpf loaded the program of fentry: what a copy of it for another function needs (core/session/attach_fentry.c). */
struct fentry_load {
	int handler; /* libbpf's number of who is told; 0: nobody */
	bool known;
	struct bpf_prog_load_opts options;
};

struct session {
	struct stacktool *skeleton;
	struct bpf_program *program;
	int types; /* until the object is loaded: the file of btf_custom_path, or -1 */
	volatile struct st_control *control; /* mmap()ed */
	struct ring_buffer *ring;

	/* two generations of counts; the live one is `control->generation & 1` */
	int counts[ST_GENERATIONS];
	uint32_t count_entries[ST_GENERATIONS];
	uint32_t wanted_entries; /* what the next map of the dead generation should hold */
	struct first_inner first_counts, first_slab;
	int slab; /* the first one, or -1 */

	/* numbers of each generation that are in an interval already */
	struct st_stats reported[ST_GENERATIONS];
	uint64_t reported_counter;
	uint64_t reported_idle_ns;
	uint64_t link_misses; /* as the kernel counts them, when they were last read */
	uint64_t gone_link_misses; /* of links that are no more */
	uint64_t recursion_misses;
	bool misses_ended; /* detaching has begun */
	uint64_t reported_recursion_misses, reported_link_misses;
	int64_t lost_births, reported_lost_births;
	uint64_t reported_sideband;
	bool counts_misses;

	/* ring messages that wait for their place: records for the address spaces, deltas for the other generation */
	VEC(uint64_t) pending; /* struct st_stack, one after the other, each rounded up to words */
	VEC(struct st_delta) deltas;
	VEC(struct st_pair) pairs;
	bool poked;
	uint64_t inserted_before; /* control->inserted at the last swap */
	uint64_t nr_received; /* records, since the cache of sent records was last cleared */
	uint64_t bad_messages;
	bool forgetting; /* between drain_forget_begin() and _end() */
	VEC(struct profile_id) recent; /* records that must stay then */

	pid_t only_process; /* breakpoints in user code go there; -1: into all */
	VEC(struct attached_link) links;
	const char *const *child_programs; /* NR_CHILD_PROGRAMS: for births, forks and ends of processes; NULL: none */
	VEC(struct stacktool *) copies; /* of the program, on the same maps */
	struct fentry_load fentry;
	VEC(int) fentry_programs; /* descriptors of copies that libbpf knows nothing of */
	enum event_mode mode;
	bool names_probes; /* records say which of several probes fired */
	bool holds_live; /* EVENTS_EACH: events of the live generation wait, for the interval of its statistics */
	uint64_t nr_events; /* EVENTS_EACH: rows so far, which are their ids */
	uint32_t nr_dropped; /* EVENTS_EACH: low half of st_control.lost that is in rows */
	bool needs_copies; /* a place other than the first takes a copy */
	const struct attach_plan *attach; /* borrowed */
	char *cgroup_root; /* where cgroup2 is mounted; NULL: nowhere, or groups are not asked for */
	VEC(struct st_tally) tallies; /* of each place, what is in an interval already; only with EVENTS_BY_PROBE */
	size_t nr_attached; /* places */
	volatile const struct st_cost *costs; /* mmap()ed: session_nr_costs() of them */
	VEC(struct st_cost) costs_before; /* of each place, at the last session_cost_by_place() */
	VEC(struct st_cost) costs_fresh; /* and between the two before */
	uint64_t missing_since_ns; /* a place is detached since then; what is before it is told. 0: none is */
	struct {
		size_t nr;
		int err; /* of the first */
		char *example; /* its name */
	} refused;
	session_between *between; /* NULL: nothing is done */
	void *between_context;
	size_t nr_left; /* places whose turn did not come: the run was ended */
	struct sampling *sampling;
	uint64_t sample_period;
	bool tells_expected; /* as in struct sampling_choice */
	bool wants_idle;
	struct off_cpu_plan off_cpu;
};

#define NR_CHILD_PROGRAMS 3

/* How many entries st_costs has; and its memory, before and after a run. 0 or a recorded failure. */
uint32_t session_nr_costs(const struct attach_plan *attach);
int session_map_costs(struct session *session);
void session_unmap_costs(struct session *session);

/* A program of the object by its name; NULL when there is none. */
struct bpf_program *session_program(const struct session *session, const char *name);

/* Before the object is loaded: the programs and the table of what a command starts, when the plan asks for them. */
void session_prepare_children(struct session *session, const struct plan *plan);

/* The generation 0 before the object is loaded, and the wait for it before anything is attached. 0 or a failure. */
int session_begin_counts(struct session *session);
int session_await_counts(struct session *session);

/*
 * Makes a count map of `wanted_entries` and puts it into the slot of a generation, in place of the one that was there.
 * Waits for running programs (10 ms and more), so the second generation is made when it is first needed.
 */
int session_make_counts(struct session *session, uint32_t generation);
