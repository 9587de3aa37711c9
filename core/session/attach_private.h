/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of an attachment, for attach*.c only. */
#pragma once

#include <errno.h>

#include "core/host/probe_call.h"
#include "core/session/attachment.h"
#include "core/session/load_private.h"

/* A link and its places: `nr` of the attach plan, from `first` on. */
struct attached_link {
	struct bpf_link *link; /* NULL: libbpf does not know the link */
	int fd;
	int event; /* of a perf uprobe; -1: none, or `fd` is the event */
	size_t first, nr; /* nr = 0: a program that follows children */
};

/*
 * How a mechanism of core/resolve/attach_plan.h attaches: a constant way_NAME for each, in the file that has its functions. A
 * mechanism without one does not link.
 */
struct attach_way {
	/* One of these two. one() attaches a place: 0 or a negative errno; the other places are tried in any case. */
	int (*one)(struct attachment *attachment, size_t index);
	int (*all)(struct attachment *attachment, const struct plan *plan); /* 0 or a recorded failure */

	/* How to drop a place. Closes its link, and calls again() for the other places of the link; or calls drop() instead. */
	void (*again)(struct attachment *attachment, size_t first, size_t nr); /* NULL: links have one place */
	int (*drop)(struct attachment *attachment, size_t place); /* the link stays. 0 or a recorded failure */

	bool counts_from_start; /* misses count from the first link on, because the programs ignore st_control.paused */
	bool is_user_code; /* links are made and closed by children (attach_calls.c), because the kernel may wait for other processes */
	uint64_t trap_ns; /* cost of an event outside the program */
};

#define DECLARE_WAY(number, row, name, program) extern const struct attach_way way_##row;
MECHANISMS(DECLARE_WAY)
#undef DECLARE_WAY

struct attachment {
	const struct loaded *loaded; /* borrowed, and the plan too */
	const struct attach_plan *plan;
	const struct attach_way *way; /* of the plan's mechanism */
	VEC(struct attached_link) links;
	size_t nr_attached; /* places */
	VEC(struct stacktool *) copies; /* of the object, with the same maps */
	VEC(int) fentry_programs; /* descriptors of copies that libbpf does not know */
	struct sampling *sampling; /* NULL: none */
	attachment_between *between; /* NULL: none */
	void *between_context;

	/* places that are not attached */
	struct {
		size_t nr;
		int err; /* of the first */
		char *example; /* name of the first */
		const struct probe_place *place; /* the first one */
		const struct probe_place *end; /* the first one at which a timed call ends; NULL: none */
		int end_err;
	} refused;
	size_t nr_left; /* not tried, because the run ended first */

	/* attach_calls.c */
	struct {
		VEC(struct probe_call *) calls; /* that were left behind */
		char why[200];
		size_t nr_places; /* that one of them removes */
		pid_t remover; /* the last of these */
	} stuck;

	/* attach_cost.c */
	volatile const struct st_cost *costs; /* mmap()ed: nr_costs of them */
	size_t nr_costs;
	struct st_cost *costs_before; /* of each place, at the last attachment_cost_by_place() */
	struct st_cost *costs_fresh; /* between its last two calls */

	/* attach_end.c */
	uint64_t dropped_since_ns; /* 0: no place is dropped */

	/* attach_misses.c */
	struct attachment_misses misses; /* the kernel's numbers, when they were last read */
	struct attachment_misses misses_before; /* the same, when everything was attached */
	uint64_t gone_misses; /* of links that are closed */
	bool misses_ended; /* detaching has begun */
};

/* Maps the costs of the programs into memory. 0 or a recorded failure. */
int attach_map_costs(struct attachment *attachment);
void attach_unmap_costs(struct attachment *attachment);

/* Everything is attached: misses count from now on. */
void attach_begin_misses(struct attachment *attachment);
/* Reads the misses for the last time, before the links are closed and their numbers are lost. */
void attach_end_misses(struct attachment *attachment);
/* Adds up the misses of a link that is about to be closed while others stay. */
void attach_keep_misses(struct attachment *attachment, int link);

/*
 * Adds a link for `nr` places from `first` on; the attachment owns it. NULL: the kernel refused it, and errno says why. 0 or a negative
 * errno.
 */
int attach_keep(struct attachment *attachment, struct bpf_link *link, size_t first, size_t nr);
/* The same for descriptors of a link that libbpf does not know. */
void attach_keep_fd(struct attachment *attachment, int fd, int event, size_t first, size_t nr);

/*
 * Does the work in a child (core/host/probe_call.h), frees the call, and returns the result of the work. -REFUSED_STUCK: another process
 * keeps the kernel from it; or has kept it from an earlier one, which has not ended.
 */
int attach_by_call(struct attachment *attachment, struct probe_call *call, probe_work *work,
		   int ret_fds[PROBE_CALL_FDS]);
/* Closes `nr` links at the same time, in children. One that another process keeps from it is left behind. */
void attach_close_links(struct attachment *attachment, const struct attached_link *links, size_t nr);
/* Leaves all links of user probes behind, to one child that closes them one after the other. */
void attach_leave_links(struct attachment *attachment);
/* Whether a child that was left behind is still at work. */
bool attach_is_stuck(struct attachment *attachment);
void attach_forget_stuck(struct attachment *attachment);

/* Counts a place that was refused, for attachment_describe_refused(). */
void attach_refused(struct attachment *attachment, const struct probe_place *place, int err);

/*
 * To be called before each place, or group of a few places: attaching it may take a tenth of a second. Returns true if a signal that
 * ends the run has come and at least one place is attached; the places from this one on are then counted as not attached.
 */
bool attach_ends_before(struct attachment *attachment, size_t place);

/* Our own reasons to refuse a place, beyond the error codes of the kernel. */
enum {
	REFUSED_SAME_NAME = 4096,
	REFUSED_NO_TYPE,
	REFUSED_STUCK, /* attachment.stuck.why */
	REFUSED_INSTRUCTION, /* plus an enum first_instruction */
};

/* Records why nothing could be attached and returns the code. */
int attach_failed(const struct attachment *attachment, const struct probe_place *place, int err);

/* The program for a place: the loaded one, or a copy for this place, which is loaded now. NULL and errno: the kernel refused it. */
struct bpf_program *attach_program(struct attachment *attachment, size_t index);

/* The cookie of a place is its number, or 0 if the programs read no cookies. */
__u64 attach_cookie(const struct attachment *attachment, size_t index);
/* The cookies of `nr` places from `first` on, malloc()ed; NULL if the programs read none. */
__u64 *attach_cookies(const struct attachment *attachment, size_t first, size_t nr);

/* Makes and keeps one link for `nr` places from `first` on. 0, or a negative code of a refusal. */
typedef int attach_link(struct attachment *attachment, size_t first, size_t nr);

/*
 * For links that take all places or none. If the kernel refuses the link, tries each half, down to single places, and counts those
 * that are refused. If a privilege is missing, all places are refused at once.
 */
void attach_halves(struct attachment *attachment, size_t first, size_t nr, attach_link *link_places);
