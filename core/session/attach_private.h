/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of an attachment, for attach*.c only. */
#pragma once

#include <errno.h>

#include "core/host/probe_call.h"
#include "core/session/attachment.h"
#include "core/session/load_private.h"

/* A link and its places in the attach plan: `nr` places, starting at `first`. */
struct attached_link {
	struct bpf_link *link; /* NULL: libbpf does not know the link */
	int fd;
	int event; /* of a perf uprobe; -1: none, or `fd` is the event */
	size_t first, nr; /* nr = 0: not for a place, but a program that follows children or the ends of threads */
};

/* How a mechanism of core/resolve/attach_plan.h attaches. Each one that links has a constant way_NAME beside its functions. */
struct attach_way {
	/* Either one() or all() is set. one() attaches a place: 0 or a negative errno, which does not end the run. */
	int (*one)(struct attachment *attachment, size_t index);
	int (*all)(struct attachment *attachment, const struct plan *plan); /* 0 or a recorded failure */

	/* Dropping a place closes its link and calls again() for the other places of the link. If drop() is set, it is called instead. */
	void (*again)(struct attachment *attachment, size_t first, size_t nr); /* NULL: links have one place */
	int (*drop)(struct attachment *attachment, size_t place); /* keeps the link; 0 or a recorded failure */

	bool counts_from_start; /* misses count from the first link on, because the programs ignore st_control.paused */
	bool is_user_code; /* child processes make and close the links (attach_calls.c): the kernel may wait for other processes */
	uint64_t trap_ns; /* cost of an event outside the program */
};

#define DECLARE_WAY(number, row, name, program) extern const struct attach_way way_##row;
MECHANISMS(DECLARE_WAY)
#undef DECLARE_WAY

struct attachment {
	const struct loaded *loaded; /* borrowed, like the plan */
	const struct attach_plan *plan;
	const struct attach_way *way; /* of the plan's mechanism */
	VEC(struct attached_link) links;
	size_t nr_attached; /* places */
	VEC(struct stacktool *) copies; /* of the object, with the same maps */
	VEC(int) fentry_programs; /* descriptors of copies that libbpf does not know */
	struct sampling *sampling; /* NULL: none */
	attachment_between *between; /* NULL: none */
	void *between_context;

	/* places that the kernel or stacktool refused */
	struct {
		size_t nr;
		int err; /* of the first refused place */
		char *example; /* name of the first refused place */
		const struct probe_place *place; /* the first refused place */
		const struct probe_place *end; /* the first refused place where a timed call ends; NULL: none */
		int end_err;
	} refused;
	size_t nr_left; /* places that were not tried, because the run ended */

	/* attach_calls.c */
	struct {
		VEC(struct probe_call *) calls; /* children that still run, but that nobody waits for */
		char why[200];
		size_t nr_places; /* that these children will remove */
		pid_t remover; /* the newest of these children */
	} stuck;

	/* attach_cost.c */
	volatile const struct st_cost *costs; /* array of nr_costs, mmap()ed */
	size_t nr_costs;
	struct st_cost *costs_before; /* for each place, at the last attachment_cost_by_place() */
	struct st_cost *costs_fresh; /* for each place, between the last two calls of attachment_cost_by_place() */

	/* attach_end.c */
	uint64_t dropped_since_ns; /* 0: no place was dropped */

	/* attach_misses.c */
	struct attachment_misses misses; /* the kernel's counts at the last read */
	struct attachment_misses misses_before; /* the kernel's counts when all places were attached */
	uint64_t gone_misses; /* of closed links */
	bool misses_ended; /* detaching has begun */
};

/* Maps the costs of the programs into memory. Returns 0 or a recorded failure. */
int attach_map_costs(struct attachment *attachment);
void attach_unmap_costs(struct attachment *attachment);

/* To be called once all places are attached: misses count from now on. */
void attach_begin_misses(struct attachment *attachment);
/* Reads the misses for the last time, before the links are closed and their counts are lost. */
void attach_end_misses(struct attachment *attachment);
/* Adds the misses of a link that is about to be closed while other links stay. */
void attach_keep_misses(struct attachment *attachment, int link);

/* Adds a link for `nr` places from `first` on, and owns it. NULL: refused; errno has the reason. 0 or a negative errno. */
int attach_keep(struct attachment *attachment, struct bpf_link *link, size_t first, size_t nr);
/* Like attach_keep(), for the descriptors of a link that libbpf does not know. */
void attach_keep_fd(struct attachment *attachment, int fd, int event, size_t first, size_t nr);

/*
 * Does the work in a child (core/host/probe_call.h), frees the call and returns the result of the work. -REFUSED_STUCK: another process
 * blocks the kernel in this call, or still blocks it in an earlier one.
 */
int attach_by_call(struct attachment *attachment, struct probe_call *call, probe_work *work,
		   int ret_fds[PROBE_CALL_FDS]);
/* Closes `nr` links at the same time, each in a child. Does not wait for children that another process blocks. */
void attach_close_links(struct attachment *attachment, const struct attached_link *links, size_t nr);
/* Gives all links of user probes to one child, which closes them one after the other, and does not wait for it. */
void attach_leave_links(struct attachment *attachment);
/* Whether a child that nobody waits for still runs. */
bool attach_is_stuck(struct attachment *attachment);
void attach_forget_stuck(struct attachment *attachment);

/* Counts a refused place for attachment_describe_refused(). */
void attach_refused(struct attachment *attachment, const struct probe_place *place, int err);

/*
 * To be called before each place or small group of places, because attaching one may take 0.1 s. Returns true if a signal that ends the run
 * is pending and at least one place is attached. The places from `place` on then count as not attached.
 */
bool attach_ends_before(struct attachment *attachment, size_t place);

/* Our own reasons to refuse a place, besides the kernel's error codes. */
enum {
	REFUSED_SAME_NAME = 4096,
	REFUSED_NO_TYPE,
	REFUSED_STUCK, /* attachment.stuck.why */
	REFUSED_INSTRUCTION, /* plus an enum first_instruction */
};

/* Records why no place could be attached, and returns the code. */
int attach_failed(const struct attachment *attachment, const struct probe_place *place, int err);

/* The program for a place: the loaded program, or a copy that is loaded for this place. NULL and errno: the kernel refused it. */
struct bpf_program *attach_program(struct attachment *attachment, size_t index);

/* The cookie of a place: its number, or 0 if the programs read no cookies. */
__u64 attach_cookie(const struct attachment *attachment, size_t index);
/* The cookies of `nr` places, starting at `first`, malloc()ed. NULL: the programs read no cookies. */
__u64 *attach_cookies(const struct attachment *attachment, size_t first, size_t nr);

/* Makes and keeps one link for `nr` places, starting at `first`. Returns 0 or the negative code of a refusal. */
typedef int attach_link(struct attachment *attachment, size_t first, size_t nr);

/*
 * For links that take all places or none. If the kernel refuses the link, tries each half, down to single places, and counts the refused
 * places. If a privilege is missing, refuses all places at once.
 */
void attach_halves(struct attachment *attachment, size_t first, size_t nr, attach_link *link_places);
