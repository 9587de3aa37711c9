/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel functions are attached by address, because several functions may have one name. */
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/host/host.h"
#include "core/session/attach_private.h"

static int link_multi(struct attachment *attachment, size_t first, size_t nr)
{
	_cleanup_(freep) unsigned long *addresses = xcalloc(nr, sizeof(*addresses));
	_cleanup_(freep) __u64 *cookies = attach_cookies(attachment, first, nr);
	LIBBPF_OPTS(bpf_kprobe_multi_opts, options, .addrs = addresses, .cookies = cookies, .cnt = nr,
		    .retprobe = attachment->plan->places.data[first].part == CALL_ENDS);

	for (size_t i = 0; i < nr; i++)
		addresses[i] = attachment->plan->places.data[first + i].address;
	return attach_keep(attachment,
			   bpf_program__attach_kprobe_multi_opts(attachment->loaded->program, NULL, &options), first,
			   nr);
}

static void attach_multi(struct attachment *attachment, size_t first, size_t nr)
{
	attach_halves(attachment, first, nr, link_multi);
}

/* Return probes need a link of their own. */
static int attach_all(struct attachment *attachment, const struct plan *plan)
{
	size_t nr = attachment->plan->nr_functions ?: attachment->plan->places.nr;

	attach_multi(attachment, 0, nr);
	if (nr < attachment->plan->places.nr)
		attach_multi(attachment, nr, attachment->plan->places.nr - nr);
	return 0;
}

const struct attach_way way_kprobe_multi = { .all = attach_all, .again = attach_multi };

#define RETPROBE 1 /* /sys/bus/event_source/devices/kprobe/format/retprobe */

/* kprobe_func = 0 means "at kprobe_addr": commit e12f03d7031a ("perf/core: Implement the 'perf_kprobe' PMU"). */
static struct bpf_link *link_kprobe(struct attachment *attachment, size_t index)
{
	struct perf_event_attr attributes = {
		.size = sizeof(attributes),
		.type = (__u32)host_kprobe_event_type(),
		.config = attachment->plan->places.data[index].part == CALL_ENDS ? RETPROBE : 0,
		.kprobe_addr = attachment->plan->places.data[index].address,
	};
	LIBBPF_OPTS(bpf_perf_event_opts, options, .bpf_cookie = attach_cookie(attachment, index));
	struct bpf_program *program = attach_program(attachment, index);
	_cleanup_(closep) int fd = (int)syscall(SYS_perf_event_open, &attributes, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	struct bpf_link *link;

	if (fd < 0 || !program)
		return NULL;
	link = bpf_program__attach_perf_event_opts(program, fd, &options);
	if (link)
		take_fd(&fd);
	return link;
}

static int attach_kprobe(struct attachment *attachment, size_t index)
{
	return attach_keep(attachment, link_kprobe(attachment, index), index, 1);
}

const struct attach_way way_kprobe = { .one = attach_kprobe };
