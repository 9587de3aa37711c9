/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaching to user functions and USDT probes: by a perf uprobe for each place, or by uprobe.multi links of a few places each.
 *
 * While a fatal signal is pending, the kernel cannot remove breakpoints, and they stay for good. So all signals are blocked around
 * each call (core/host/signals.h). SIGKILL cannot be blocked. Therefore the links are small, and the calls short.
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

#define TRAP_NS 1000 /* of a user probe, without our program; measured in docs/use/overhead.md */

struct fd_path {
	char text[sizeof("/proc/self/fd/") + 11];
};

/* The kernel follows this link to the open file that was examined. Its path may lead to another file by now. */
static struct fd_path path_of_fd(int fd)
{
	struct fd_path path;

	snprintf(path.text, sizeof(path.text), "/proc/self/fd/%d", fd);
	return path;
}

/* 0, or a negative code if no probe may be set on the instruction. */
static int obstacle(const struct probe_place *place)
{
	return first_instruction_obstacle(place->first) ? -(REFUSED_INSTRUCTION + (int)place->first) : 0;
}

/* The process that gets the breakpoints, in all its threads; -1: all processes. */
static pid_t only_process(const struct attach_plan *plan)
{
	return plan->only_process ? plan->only_process : -1;
}

/* ---- perf uprobes ---- */

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

/* Number of places at the beginning of `places` that can share a link. The places of a file are adjacent, the doubtful ones last. */
static size_t nr_alike(const struct probe_place *places, size_t nr)
{
	size_t end = 1;

	while (end < nr && end < PLACES_OF_LINK && places[end].fd == places[0].fd &&
	       places[end].first == places[0].first)
		end++;
	return end;
}

/* If the kernel refuses one of these places, it probably refuses all, so halving would only ask several times for each. */
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
