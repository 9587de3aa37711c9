/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaching and detaching: one function per mechanism. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/engine/libbpf_log.h"
#include "core/engine/session_private.h"

static int attach_failed(const struct attach_point *point, int err)
{
	if (err == -EPERM || err == -EACCES) {
		fail_host(err, "%s: the kernel refuses to attach: %s", point->name, strerror(-err));
		hint("it takes CAP_PERFMON and, for user functions, CAP_SYS_ADMIN (or root)");
		return err;
	}
	fail(err, "%s: cannot attach: %s", point->name, strerror(-err));
	if (libbpf_log_last()[0])
		hint("%s", libbpf_log_last());
	return err;
}

static int attach_tracepoint(struct session *session, const struct attach_point *point)
{
	struct bpf_link *link = bpf_program__attach_tracepoint(session->program, point->category, point->event);

	if (!link)
		return attach_failed(point, -errno);
	vec_push(&session->links, link);
	return 0;
}

/*
 * With one process given, the breakpoint is put into that process only (the kernel filters by mm, so all threads are
 * covered); the program checks the tgid in any case.
 */
static int attach_uprobe(struct session *session, const struct attach_point *point, const struct plan *plan)
{
	pid_t pid = plan->tgids.nr == 1 ? (pid_t)plan->tgids.data[0] : -1;
	struct bpf_link *link = bpf_program__attach_uprobe(session->program, false, pid, point->path, point->offset);

	if (!link)
		return attach_failed(point, -errno);
	vec_push(&session->links, link);
	return 0;
}

static int attach_each(struct session *session, const struct plan *plan, const struct attach_plan *attach)
{
	for (size_t i = 0; i < attach->points.nr; i++) {
		const struct attach_point *point = &attach->points.data[i];
		int err = attach->mechanism == MECHANISM_TRACEPOINT ? attach_tracepoint(session, point) :
								       attach_uprobe(session, point, plan);

		if (err)
			return err;
	}
	return 0;
}

/* Every point of a plan is in the same file. */
static int attach_uprobe_multi(struct session *session, const struct attach_plan *attach)
{
	_cleanup_(freep) unsigned long *offsets = xcalloc(attach->points.nr, sizeof(*offsets));
	LIBBPF_OPTS(bpf_uprobe_multi_opts, options, .offsets = offsets, .cnt = attach->points.nr);
	struct bpf_link *link;

	for (size_t i = 0; i < attach->points.nr; i++)
		offsets[i] = attach->points.data[i].offset;
	link = bpf_program__attach_uprobe_multi(session->program, -1, attach->points.data[0].path, NULL, &options);
	if (!link)
		return attach_failed(&attach->points.data[0], -errno);
	vec_push(&session->links, link);
	return 0;
}

static int attach_samples(struct session *session, const struct plan *plan, const struct attach_plan *attach)
{
	int err = sampling_new(plan, &attach->sample, bpf_program__fd(session->program), &session->sampling);

	if (err)
		return err;
	session->reported_idle_ns = sampling_idle_ns(session->sampling);
	return sampling_start(session->sampling);
}

int session_attach(struct session *session, const struct plan *plan, const struct attach_plan *attach)
{
	switch (attach->mechanism) {
	case MECHANISM_PERF_EVENT:
		return attach_samples(session, plan, attach);
	case MECHANISM_UPROBE_MULTI:
		return attach_uprobe_multi(session, attach);
	case MECHANISM_TRACEPOINT:
	case MECHANISM_UPROBE:
		return attach_each(session, plan, attach);
	}
	return fail(-EINVAL, "plan without a mechanism");
}

void session_detach(struct session *session)
{
	if (session->sampling)
		sampling_stop(session->sampling);
	for (size_t i = 0; i < session->links.nr; i++)
		bpf_link__destroy(session->links.data[i]);
	session->links.nr = 0;
}

size_t session_nr_attached(const struct session *session)
{
	return session->sampling ? sampling_nr_cpus(session->sampling) : session->links.nr;
}
