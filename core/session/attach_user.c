/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaching to user functions and USDT probes: perf uprobes one by one, or uprobe.multi links of a few places each.
 *
 * A call that is ended by a fatal signal leaves the breakpoints in that it has not taken out yet, for good. Every signal that can be
 * blocked is, around each call (core/host/signals.h); for SIGKILL the links are small.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/host/signals.h"
#include "core/session/attach_private.h"

#define PLACES_OF_LINK 50

/* What a trap of a user probe takes outside of our program; docs/use/overhead.md has the measurement. */
#define TRAP_NS 1000

struct fd_path {
	char text[sizeof("/proc/self/fd/") + 11];
};

/* The file that was looked at, whatever its path leads to by now: the kernel follows this link to the open file. */
static struct fd_path path_of_fd(int fd)
{
	struct fd_path path;

	snprintf(path.text, sizeof(path.text), "/proc/self/fd/%d", fd);
	return path;
}

/* 0, or why no probe is put on the instruction there. */
static int obstacle(const struct probe_place *place)
{
	switch (place->first) {
	case FIRST_MISREAD:
		return -REFUSED_MISREAD;
	case FIRST_NOP5:
		return -REFUSED_NOP5;
	case FIRST_UNTRIED:
		return -REFUSED_UNTRIED;
	default:
		return 0;
	}
}

/* Breakpoints go there; -1: into all. */
static pid_t only_process(const struct attach_plan *plan)
{
	return plan->only_process ? plan->only_process : -1;
}

/* ---- perf uprobes ---- */

/*
 * With one process given, the breakpoint is put into that process only (the kernel filters by mm, so all threads are
 * covered); the program checks the tgid in any case. Where its children are followed too, breakpoints are put everywhere.
 */
static int attach_uprobe(struct attachment *attachment, size_t index)
{
	const struct probe_place *place = &attachment->plan->places.data[index];
	struct fd_path path = path_of_fd(place->fd);
	LIBBPF_OPTS(bpf_uprobe_opts, options, .ref_ctr_offset = place->semaphore,
		    .bpf_cookie = attach_cookie(attachment, index));
	struct bpf_program *program;
	struct bpf_link *link;
	sigset_t before;

	if (obstacle(place))
		return obstacle(place);
	program = attach_program(attachment, index);
	if (!program)
		return -errno;
	signals_hold(&before);
	link = bpf_program__attach_uprobe_opts(program, only_process(attachment->plan), path.text, place->offset,
					       &options);
	signals_release(&before);
	return attach_keep(attachment, link, index, 1);
}

/* ---- uprobe.multi ---- */

/* One link for `nr` places of the same file. */
static struct bpf_link *link_uprobes(struct attachment *attachment, size_t first, size_t nr)
{
	const struct probe_place *places = &attachment->plan->places.data[first];
	_cleanup_(freep) unsigned long *offsets = xcalloc(nr, sizeof(*offsets));
	_cleanup_(freep) unsigned long *semaphores = xcalloc(nr, sizeof(*semaphores));
	struct fd_path path = path_of_fd(places[0].fd);
	_cleanup_(freep) __u64 *cookies = attach_cookies(attachment, first, nr);
	LIBBPF_OPTS(bpf_uprobe_multi_opts, options, .offsets = offsets, .cookies = cookies, .cnt = nr);
	struct bpf_link *link;
	sigset_t before;

	for (size_t i = 0; i < nr; i++) {
		offsets[i] = places[i].offset;
		semaphores[i] = places[i].semaphore;
		if (places[i].semaphore)
			options.ref_ctr_offsets = semaphores;
	}
	signals_hold(&before);
	link = bpf_program__attach_uprobe_multi(attachment->loaded->program, only_process(attachment->plan), path.text,
						NULL, &options);
	signals_release(&before);
	return link;
}

/* The places of one file stand together, those that the kernel may refuse behind the others. */
static size_t nr_alike(const struct probe_place *places, size_t nr)
{
	size_t end = 1;

	while (end < nr && end < PLACES_OF_LINK && places[end].fd == places[0].fd &&
	       places[end].first == places[0].first)
		end++;
	return end;
}

/* When one is refused, the others will be: halves would only ask for each of them several times. */
static void attach_doubtful(struct attachment *attachment, size_t first, size_t nr)
{
	if (nr > 1 && !attach_keep(attachment, link_uprobes(attachment, first, nr), first, nr))
		return;
	for (size_t i = first; i < first + nr; i++)
		attach_halves(attachment, i, 1, link_uprobes);
}

static void attach_alike(struct attachment *attachment, size_t first, size_t nr)
{
	const struct probe_place *places = attachment->plan->places.data;

	if (obstacle(&places[first])) {
		for (size_t i = first; i < first + nr; i++)
			attach_refused(attachment, &places[i], obstacle(&places[i]));
	} else if (places[first].first == FIRST_DOUBTFUL) {
		attach_doubtful(attachment, first, nr);
	} else {
		attach_halves(attachment, first, nr, link_uprobes);
	}
}

static void attach_multi(struct attachment *attachment, size_t first, size_t nr)
{
	for (size_t end = first + nr; first < end; first += nr) {
		nr = nr_alike(&attachment->plan->places.data[first], end - first);
		attach_alike(attachment, first, nr);
	}
}

static int attach_files(struct attachment *attachment, const struct plan *plan)
{
	const struct probe_place *places = attachment->plan->places.data;

	for (size_t i = 0, nr; i < attachment->plan->places.nr && !attach_ends_before(attachment, i); i += nr) {
		nr = nr_alike(&places[i], attachment->plan->places.nr - i);
		attach_alike(attachment, i, nr);
	}
	return 0;
}

const struct attach_way way_uprobe = { .one = attach_uprobe, .trap_ns = TRAP_NS };

const struct attach_way way_uprobe_multi = {
	.all = attach_files,
	.again = attach_multi,
	.detaches_together = true,
	.trap_ns = TRAP_NS,
};
