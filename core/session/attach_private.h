/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of what is attached. Only the files of this room that attach include it. */
#pragma once

#include <errno.h>

#include "core/session/attachment.h"
#include "core/session/load_private.h"

/* A link, and the places of the attach plan that it stands for. */
struct attached_link {
	struct bpf_link *link; /* NULL: only its descriptor is known */
	int fd;
	size_t first, nr;
};

struct attachment;

/*
 * The ways to attach: a row for each mechanism of core/resolve/attach_plan.h, way_NAME in the file that has its functions. A
 * mechanism without a row does not link.
 */
struct attach_way {
	/* Attaches one place after the other; 0 or a negative errno, and the other places go on. Or all of them; 0 or a recorded failure. */
	int (*one)(struct attachment *attachment, size_t index);
	int (*all)(struct attachment *attachment, const struct plan *plan);

	/* Dropping a place. NULL: it has a link of its own, which ends. */
	void (*again)(struct attachment *attachment, size_t first, size_t nr); /* attaches what else was in its link */
	int (*drop)(struct attachment *attachment, size_t place); /* its link stays. 0 or a recorded failure */

	bool counts_from_start; /* and not from the moment at which everything is attached */
	bool detaches_together; /* links at the same time, for each takes the kernel long */
	uint64_t trap_ns; /* what an event costs outside the program */
};

#define DECLARE_WAY(number, row, name, program) extern const struct attach_way way_##row;
MECHANISMS(DECLARE_WAY)
#undef DECLARE_WAY

struct attachment {
	const struct loaded *loaded; /* borrowed, as is: */
	const struct attach_plan *plan;
	const struct attach_way *way; /* of its mechanism */
	VEC(struct attached_link) links;
	size_t nr_attached; /* places */
	VEC(struct stacktool *) copies; /* of the object, on the same maps */
	VEC(int) fentry_programs; /* descriptors of copies that libbpf knows nothing of */
	struct sampling *sampling; /* NULL: none */
	attachment_between *between; /* NULL: nothing is done */
	void *between_context;

	/* what did not come about */
	struct {
		size_t nr;
		int err; /* of the first */
		char *example; /* its name */
	} refused;
	size_t nr_left; /* places whose turn did not come: the run was ended */

	/* attach_cost.c */
	volatile const struct st_cost *costs; /* mmap()ed: nr_costs of them */
	size_t nr_costs;
	struct st_cost *costs_before; /* of each place, at the last attachment_cost_by_place() */
	struct st_cost *costs_fresh; /* between the last two calls of it */

	/* attach_end.c */
	uint64_t dropped_since_ns; /* 0: no place is dropped */

	/* attach_misses.c */
	struct attachment_misses misses; /* as the kernel counts them, when they were last read */
	struct attachment_misses misses_before; /* what was missed before everything was attached */
	uint64_t gone_misses; /* of links that are no more */
	bool misses_ended; /* detaching has begun */
};

/* Maps what the programs have cost, and the end of it. 0 or a recorded failure. */
int attach_map_costs(struct attachment *attachment);
void attach_unmap_costs(struct attachment *attachment);

/* What the kernel missed until now is not counted: everything is attached. */
void attach_begin_misses(struct attachment *attachment);
/* Reads what the kernel missed, for the last time before the links go and take their numbers with them. */
void attach_end_misses(struct attachment *attachment);
/* Keeps what a link counts that is about to go while the others stay. */
void attach_keep_misses(struct attachment *attachment, int link);

/*
 * Keeps a link, which then belongs to the attachment and stands for `nr` places from `first` on. NULL: it was refused. 0, or
 * the negative of errno.
 */
int attach_keep(struct attachment *attachment, struct bpf_link *link, size_t first, size_t nr);
/* Keeps the descriptor of a link that is no object of libbpf's, of one place. */
void attach_keep_fd(struct attachment *attachment, int fd, size_t place);

/* Ends a link: nothing is attached by it any more. */
void attached_link_end(struct attached_link *attached);

/* One place of many was refused: counted, and told at the end of attaching. */
void attach_refused(struct attachment *attachment, const struct probe_place *place, int err);

/*
 * To be called before each of the places that are attached one by one, or few by few, which may take a tenth of a second. True
 * when a signal that ends the run has come and at least one place is attached. The places from this one on are counted as left.
 */
bool attach_ends_before(struct attachment *attachment, size_t place);

/* Our own reasons to refuse a place, as error codes that the kernel does not use here. */
enum {
	REFUSED_MISREAD = EILSEQ,
	REFUSED_SAME_NAME = ENOTUNIQ,
	REFUSED_NO_TYPE = ENODATA,
	REFUSED_NOP5 = EFAULT,
	REFUSED_UNTRIED = EDEADLK,
};

/* Records why nothing could be attached and returns the code. */
int attach_failed(const struct probe_place *place, int err);

/*
 * The program for a place: the loaded one, or one that was loaded for this place. NULL and errno when the kernel refuses
 * that.
 */
struct bpf_program *attach_program(struct attachment *attachment, size_t index);

/* The number of a place as the program will be told, or 0; of `nr` places from `first` on, malloc()ed, or NULL for none. */
__u64 attach_cookie(const struct attachment *attachment, size_t index);
__u64 *attach_cookies(const struct attachment *attachment, size_t first, size_t nr);

/* Makes one link for `nr` places from `first` on, or returns NULL with errno set. */
typedef struct bpf_link *attach_link(struct attachment *attachment, size_t first, size_t nr);

/*
 * For links that take all places or none: when one is refused, the halves are tried, down to the places that are to blame. A
 * missing privilege is no matter of places.
 */
void attach_halves(struct attachment *attachment, size_t first, size_t nr, attach_link *link_places);
