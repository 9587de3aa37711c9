/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaching to user functions and USDT probes, by one perf uprobe for each place or by uprobe.multi links of up to PLACES_OF_LINK places.
 *
 * While a fatal signal is pending, the kernel cannot remove breakpoints, and they stay forever. So each call is made by a child
 * (core/host/probe_call.h) with all signals blocked (core/host/signals.h). SIGKILL cannot be blocked, so links are small and calls short.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/host/host.h"
#include "core/session/attach_private.h"

#define PLACES_OF_LINK 50
#define SEMAPHORE_SHIFT 32 /* PERF_UPROBE_REF_CTR_OFFSET_SHIFT of the kernel */

#define TRAP_NS 1000 /* a user probe without our program; measured in docs/use/overhead.md */

struct fd_path {
	char text[sizeof("/proc/self/fd/") + 11];
};

/* The kernel follows this link to the open file that was examined. The path of the file may lead to another file by now. */
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

/* The process that gets the breakpoints, in all its threads. -1: all processes. */
static pid_t only_process(const struct attach_plan *plan)
{
	return plan->only_process ? plan->only_process : -1;
}

/* The memory of the child that makes a link. */
struct link_call {
	int program;
	uint32_t event_type; /* of perf uprobes */
	pid_t process;
	struct fd_path path;
	bool has_cookies, has_semaphores;
	size_t nr;
	uint64_t numbers[]; /* offsets, then semaphores, then cookies */
};

static uint64_t *offsets_of(struct link_call *link)
{
	return link->numbers;
}

static uint64_t *semaphores_of(struct link_call *link)
{
	return link->numbers + link->nr;
}

static uint64_t *cookies_of(struct link_call *link)
{
	return link->numbers + 2 * link->nr;
}

/* The call for `nr` places of one file. NULL: no memory. */
static struct probe_call *new_call(const struct attachment *attachment, int program, size_t first, size_t nr)
{
	const struct probe_place *places = &attachment->plan->places.data[first];
	struct probe_call *call = probe_call_new(sizeof(struct link_call) + 3 * nr * sizeof(uint64_t), 2);
	struct link_call *link;

	if (!call)
		return NULL;
	link = probe_call_memory(call);
	link->program = program;
	link->process = only_process(attachment->plan);
	link->path = path_of_fd(places[0].fd);
	link->has_cookies = loaded_config(attachment->loaded)->has_cookie;
	link->nr = nr;
	for (size_t i = 0; i < nr; i++) {
		offsets_of(link)[i] = places[i].offset;
		semaphores_of(link)[i] = places[i].semaphore;
		link->has_semaphores |= places[i].semaphore;
		cookies_of(link)[i] = first + i;
	}
	probe_call_give(call, program);
	probe_call_give(call, places[0].fd);
	return call;
}

/* Does the work of `call` and keeps the link. Returns 0 or the negative code of a refusal. */
static int keep_link(struct attachment *attachment, struct probe_call *call, probe_work *work, size_t first, size_t nr)
{
	int fds[PROBE_CALL_FDS];
	int result = attach_by_call(attachment, call, work, fds);

	if (result < 0)
		return result;
	attach_keep_fd(attachment, fds[0], fds[1], first, nr);
	return 0;
}

/* Kernels before 5.15 have no links of perf events. Returns the number of descriptors or a negative errno. */
static int enable(const struct link_call *link, int event, uint64_t cookie, int fds[PROBE_CALL_FDS])
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .perf_event.bpf_cookie = cookie);
	int fd = bpf_link_create(link->program, event, BPF_PERF_EVENT, &options), err = 0;

	if (fd < 0 && (fd != -EINVAL || cookie))
		err = fd;
	else if ((fd < 0 && syscall(SYS_ioctl, event, PERF_EVENT_IOC_SET_BPF, link->program)) ||
		 syscall(SYS_ioctl, event, PERF_EVENT_IOC_ENABLE, 0))
		err = -errno;
	if (err) { /* close them here: without a child, our own process makes the call */
		if (fd >= 0)
			syscall(SYS_close, fd);
		syscall(SYS_close, event);
		return err;
	}
	fds[0] = fd < 0 ? event : fd;
	fds[1] = fd < 0 ? -1 : event;
	return fd < 0 ? 1 : 2;
}

/* Runs in the child, or without one in our own process (do_it_here() in attach_calls.c). */
static int link_event(void *memory, int fds[PROBE_CALL_FDS])
{
	struct link_call *link = memory;
	struct perf_event_attr attributes = {
		.size = sizeof(attributes),
		.type = link->event_type,
		.config = semaphores_of(link)[0] << SEMAPHORE_SHIFT,
		.uprobe_path = (uint64_t)(uintptr_t)link->path.text,
		.probe_offset = offsets_of(link)[0],
	};
	int event = (int)syscall(SYS_perf_event_open, &attributes, link->process, link->process < 0 ? 0 : -1, -1,
				 PERF_FLAG_FD_CLOEXEC);

	return event < 0 ? -errno : enable(link, event, link->has_cookies ? cookies_of(link)[0] : 0, fds);
}

static int attach_uprobe(struct attachment *attachment, size_t index)
{
	const struct probe_place *place = &attachment->plan->places.data[index];
	int type = host_uprobe_event_type();
	struct bpf_program *program;
	struct probe_call *call;

	if (obstacle(place))
		return obstacle(place);
	if (type < 0)
		return type;
	program = attach_program(attachment, index);
	if (!program)
		return -errno;
	call = new_call(attachment, bpf_program__fd(program), index, 1);
	if (!call)
		return -ENOMEM;
	((struct link_call *)probe_call_memory(call))->event_type = (uint32_t)type;
	return keep_link(attachment, call, link_event, index, 1);
}

/* Runs in the child, like link_event(). */
static int link_places(void *memory, int fds[PROBE_CALL_FDS])
{
	struct link_call *link = memory;
	LIBBPF_OPTS(bpf_link_create_opts, options, .uprobe_multi.path = link->path.text,
		    .uprobe_multi.offsets = (const unsigned long *)offsets_of(link),
		    .uprobe_multi.ref_ctr_offsets = link->has_semaphores ? (const unsigned long *)semaphores_of(link)
									 : NULL,
		    .uprobe_multi.cookies = link->has_cookies ? (const __u64 *)cookies_of(link) : NULL,
		    .uprobe_multi.cnt = (__u32)link->nr,
		    .uprobe_multi.pid = link->process > 0 ? (__u32)link->process : 0);

	fds[0] = bpf_link_create(link->program, 0, BPF_TRACE_UPROBE_MULTI, &options);
	return fds[0] < 0 ? fds[0] : 1;
}

static int link_uprobes(struct attachment *attachment, size_t first, size_t nr)
{
	struct probe_call *call = new_call(attachment, bpf_program__fd(attachment->loaded->program), first, nr);

	return call ? keep_link(attachment, call, link_places, first, nr) : -ENOMEM;
}

/* The number of places at the beginning of `places` that can share a link. Places of one file are adjacent, the doubtful ones last. */
static size_t nr_alike(const struct probe_place *places, size_t nr)
{
	size_t end = 1;

	while (end < nr && end < PLACES_OF_LINK && places[end].fd == places[0].fd &&
	       places[end].first == places[0].first)
		end++;
	return end;
}

/* If the kernel refuses one of these places, it probably refuses all of them. Halving would then only try each place several times. */
static void attach_doubtful(struct attachment *attachment, size_t first, size_t nr)
{
	if (nr > 1 && !link_uprobes(attachment, first, nr))
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

const struct attach_way way_uprobe = { .one = attach_uprobe, .is_user_code = true, .trap_ns = TRAP_NS };

const struct attach_way way_uprobe_multi = {
	.all = attach_files,
	.again = attach_multi,
	.is_user_code = true,
	.trap_ns = TRAP_NS,
};
