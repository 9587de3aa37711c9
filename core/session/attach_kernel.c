/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaching to kernel functions: by address, because aliases hide one another by name. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/host/host.h"
#include "core/session/attach_private.h"

/* ---- kprobe.multi ---- */

static struct bpf_link *link_multi(struct session *session, const struct attach_plan *attach, size_t first, size_t nr)
{
	_cleanup_(freep) unsigned long *addresses = xcalloc(nr, sizeof(*addresses));
	_cleanup_(freep) __u64 *cookies = attach_cookies(session, first, nr);
	LIBBPF_OPTS(bpf_kprobe_multi_opts, options, .addrs = addresses, .cookies = cookies, .cnt = nr);

	for (size_t i = 0; i < nr; i++)
		addresses[i] = attach->points.data[first + i].address;
	return bpf_program__attach_kprobe_multi_opts(session->program, NULL, &options);
}

void attach_kprobe_multi(struct session *session, const struct attach_plan *attach, size_t first, size_t nr)
{
	attach_halves(session, attach, first, nr, link_multi);
}

/* ---- perf kprobes ---- */

/* attr.kprobe_func = 0 means "at kprobe_addr": commit e12f03d7031a ("perf/core: Implement the 'perf_kprobe' PMU"). */
static struct bpf_link *link_kprobe(struct session *session, const struct attach_plan *attach, size_t index, int type)
{
	struct perf_event_attr attributes = {
		.size = sizeof(attributes),
		.type = (__u32)type,
		.kprobe_addr = attach->points.data[index].address,
	};
	LIBBPF_OPTS(bpf_perf_event_opts, options, .bpf_cookie = attach_cookie(session, index));
	struct bpf_program *program = attach_program(session, attach, index);
	_cleanup_(closep) int fd = (int)syscall(SYS_perf_event_open, &attributes, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	struct bpf_link *link;

	if (fd < 0 || !program)
		return NULL;
	link = bpf_program__attach_perf_event_opts(program, fd, &options);
	if (link)
		take_fd(&fd);
	return link;
}

static void attach_kprobes(struct session *session, const struct attach_plan *attach)
{
	int type = host_kprobe_event_type();

	for (size_t i = 0; i < attach->points.nr; i++) {
		struct bpf_link *link;

		if (attach_ends_before(session, attach, i))
			break;
		link = link_kprobe(session, attach, i, type);
		if (link)
			attach_keep(session, link, i, 1);
		else
			attach_refused(session, &attach->points.data[i], -errno);
	}
}

int attach_kernel_functions(struct session *session, const struct attach_plan *attach)
{
	if (attach->mechanism == MECHANISM_KPROBE_MULTI)
		attach_kprobe_multi(session, attach, 0, attach->points.nr);
	else if (attach->mechanism == MECHANISM_KPROBE)
		attach_kprobes(session, attach);
	else
		attach_fentry(session, attach);
	if (session->nr_attached)
		return 0;
	return attach_failed(&attach->points.data[0], session->refused.err);
}
