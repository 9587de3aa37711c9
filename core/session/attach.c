/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaching and detaching: one function per mechanism. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/descriptors.h"
#include "core/base/err.h"
#include "core/base/escape.h"
#include "core/host/libbpf_log.h"
#include "core/host/signals.h"
#include "core/session/attach_private.h"
#include "core/session/drain_private.h"

/* every place may take an event and a link, and where it has a program of its own, that program's maps too */
#define DESCRIPTORS_OF_PLACE 4
#define DESCRIPTORS_OF_COPY 64

void attach_keep(struct session *session, struct bpf_link *link, size_t first, size_t nr)
{
	const struct attached_link attached = { link, bpf_link__fd(link), first, nr };

	vec_push(&session->links, attached);
	session->nr_attached += nr;
}

void attach_keep_fd(struct session *session, int fd, size_t place)
{
	const struct attached_link attached = { NULL, fd, place, 1 };

	vec_push(&session->links, attached);
	session->nr_attached++;
}

void attach_refused(struct session *session, const struct attach_point *point, int err)
{
	if (!session->refused.nr++) {
		session->refused.err = err;
		session->refused.example = xstrdup(point->name);
	}
}

/* The kernel's own ENOTSUPP has no name in the C library. */
#define KERNEL_ENOTSUPP 524

static const char *reason_of(int err)
{
	if (err == -REFUSED_MISREAD)
		return first_instruction_obstacle(FIRST_MISREAD);
	if (err == -REFUSED_NOP5)
		return first_instruction_obstacle(FIRST_NOP5);
	if (err == -REFUSED_UNTRIED)
		return first_instruction_obstacle(FIRST_UNTRIED);
	if (err == -REFUSED_SAME_NAME)
		return "fentry goes by name, and another function of this name is probed already";
	if (err == -REFUSED_NO_TYPE)
		return "the kernel's type information has no function of this name";
	return err == -KERNEL_ENOTSUPP ? "the kernel puts no breakpoint on the instruction there" : strerror(-err);
}

int attach_failed(const struct attach_point *point, int err)
{
	if (err == -EPERM || err == -EACCES) {
		fail_host(err, "%s: the kernel refuses to attach: %s", point->name, strerror(-err));
		hint("it takes CAP_PERFMON and, for user functions, CAP_SYS_ADMIN (or root)");
		return err;
	}
	if (err == -REFUSED_NOP5 || err == -REFUSED_UNTRIED)
		return fail_host(err, "%s: cannot attach: %s", point->name, reason_of(err));
	fail(err, "%s: cannot attach: %s", point->name, reason_of(err));
	if (libbpf_log_last()[0])
		hint("%s", libbpf_log_last());
	return err;
}

void attach_halves(struct session *session, const struct attach_plan *attach, size_t first, size_t nr,
		   attach_link *link_places)
{
	struct bpf_link *link = link_places(session, attach, first, nr);
	int err = link ? 0 : -errno;

	if (link) {
		attach_keep(session, link, first, nr);
	} else if (nr == 1 || err == -EPERM || err == -EACCES) {
		for (size_t i = first; i < first + nr; i++)
			attach_refused(session, &attach->points.data[i], err);
	} else {
		attach_halves(session, attach, first, nr / 2, link_places);
		attach_halves(session, attach, first + nr / 2, nr - nr / 2, link_places);
	}
}

static int attach_tracepoint(struct session *session, const struct attach_plan *attach, size_t index)
{
	const struct attach_point *point = &attach->points.data[index];
	LIBBPF_OPTS(bpf_tracepoint_opts, options, .bpf_cookie = attach_cookie(session, index));
	struct bpf_program *program = attach_program(session, attach, index);
	struct bpf_link *link =
		program ? bpf_program__attach_tracepoint_opts(program, point->category, point->event, &options) : NULL;

	if (!link)
		return -errno;
	attach_keep(session, link, index, 1);
	return 0;
}

bool attach_ends_before(struct session *session, const struct attach_plan *attach, size_t place)
{
	bool ends = session->nr_attached && signals_end_is_pending();

	if (ends)
		session->nr_left = attach->points.nr - place;
	else if (session->between)
		session->between(session->between_context);
	return ends;
}

/* One refused place does not end the run; when all are refused, the first reason does. */
static int attach_each(struct session *session, const struct attach_plan *attach)
{
	for (size_t i = 0; i < attach->points.nr; i++) {
		int err;

		if (attach_ends_before(session, attach, i))
			break;
		err = attach->mechanism == MECHANISM_TRACEPOINT ? attach_tracepoint(session, attach, i)
								: attach_uprobe(session, attach, i);
		if (err)
			attach_refused(session, &attach->points.data[i], err);
	}
	return session->nr_attached ? 0 : attach_failed(&attach->points.data[0], session->refused.err);
}

static int attach_raw_tracepoints(struct session *session, const struct attach_plan *attach)
{
	for (size_t i = 0; i < attach->points.nr; i++) {
		const struct attach_point *point = &attach->points.data[i];
		struct bpf_program *program = attach_program(session, attach, i);
		struct bpf_link *link = program ? bpf_program__attach_raw_tracepoint(program, point->event) : NULL;

		if (link)
			attach_keep(session, link, i, 1);
		else
			attach_refused(session, point, -errno);
	}
	return session->nr_attached ? 0 : attach_failed(&attach->points.data[0], session->refused.err);
}

static int note_calls(const struct session *session, const struct attach_plan *attach)
{
	for (size_t i = 0; i < attach->points.nr; i++) {
		const __u64 key = attach_call_key(&attach->points.data[i]);
		const __u32 probe = (__u32)i;
		int err = bpf_map__update_elem(session->skeleton->maps.st_syscalls, &key, sizeof(key), &probe,
					       sizeof(probe), BPF_ANY);

		if (err)
			return fail(err, "%s: cannot be noted: %s", attach->points.data[i].name, strerror(-err));
	}
	return 0;
}

/*
 * One program sees the beginning of every system call, one the end, and each looks the number up. Events are sorted by name:
 * beginnings stand before ends.
 */
static int attach_system_calls(struct session *session, const struct attach_plan *attach)
{
	const struct attach_point *points = attach->points.data;
	int err = note_calls(session, attach);

	for (size_t first = 0, nr; !err && first < attach->points.nr; first += nr) {
		struct bpf_program *program = session_program(session, points[first].program);
		struct bpf_link *link =
			bpf_program__attach_raw_tracepoint(program, points[first].is_exit ? "sys_exit" : "sys_enter");

		if (!link)
			return attach_failed(&points[first], -errno);
		for (nr = 1; first + nr < attach->points.nr && points[first + nr].is_exit == points[first].is_exit;
		     nr++)
			;
		attach_keep(session, link, first, nr);
	}
	return err;
}

static int attach_tp_btf(struct session *session, const struct attach_plan *attach)
{
	for (size_t i = attach->points.nr; i > 0;
	     i--) { /* wakers before sleeps, so that the first sleep has its waker */
		const struct attach_point *point = &attach->points.data[i - 1];
		struct bpf_link *link = bpf_program__attach_trace(session_program(session, point->program));

		if (!link)
			return attach_failed(point, -errno);
		attach_keep(session, link, i - 1, 1);
	}
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

static int attach_all(struct session *session, const struct plan *plan, const struct attach_plan *attach)
{
	switch (attach->mechanism) {
	case MECHANISM_PERF_EVENT:
		return attach_samples(session, plan, attach);
	case MECHANISM_UPROBE_MULTI:
		return attach_files(session, attach);
	case MECHANISM_TP_BTF:
		return attach_tp_btf(session, attach);
	case MECHANISM_TRACEPOINT:
	case MECHANISM_UPROBE:
		return attach_each(session, attach);
	case MECHANISM_KPROBE_MULTI:
	case MECHANISM_KPROBE:
	case MECHANISM_FENTRY:
		return attach_kernel_functions(session, attach);
	case MECHANISM_RAW_TRACEPOINT:
		return attach_raw_tracepoints(session, attach);
	case MECHANISM_SYSTEM_CALLS:
		return attach_system_calls(session, attach);
	}
	return fail(-EINVAL, "plan without a mechanism");
}

/*
 * Probes that are attached one by one, some milliseconds apart, would each count from its own moment on, and to remove them
 * takes ten times as long. Programs of timed samples and of the scheduler do not look at the word: they count from the start.
 */
int session_attach(struct session *session, const struct plan *plan, const struct attach_plan *attach)
{
	int err = attach_children(session);

	if (err)
		return err;
	descriptors_allow((session->needs_copies ? DESCRIPTORS_OF_COPY : DESCRIPTORS_OF_PLACE) * attach->points.nr);
	session->control->shut = 1;
	err = attach_all(session, plan, attach);
	drain_begin_misses(session);
	session->control->shut = 0;
	return err;
}

void session_set_between(struct session *session, session_between *between, void *context)
{
	session->between = between;
	session->between_context = context;
}

size_t session_nr_attached(const struct session *session)
{
	return session->sampling ? sampling_nr_cpus(session->sampling) : session->nr_attached;
}

void session_describe_refused(const struct session *session, struct buf *ret_lines)
{
	size_t nr = session->refused.nr + session->nr_left + session->nr_attached;

	if (session->refused.nr) {
		buf_addf(ret_lines, "%zu of %zu probes %s refused, such as ", session->refused.nr, nr,
			 session->refused.nr == 1 ? "was" : "were");
		escape_add(ret_lines, session->refused.example, ESCAPE_LINE);
		buf_addf(ret_lines, ": %s\n", reason_of(session->refused.err));
	}
	if (session->nr_left)
		buf_addf(ret_lines, "%zu of %zu probes %s not attached: the run was ended before their turn\n",
			 session->nr_left, nr, session->nr_left == 1 ? "was" : "were");
}
