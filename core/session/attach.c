/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaching and detaching: one function per mechanism. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/descriptors.h"
#include "core/base/err.h"
#include "core/base/escape.h"
#include "core/host/host.h"
#include "core/host/libbpf_log.h"
#include "core/host/signals.h"
#include "core/session/attach_private.h"

/* every place may take an event and a link, and where it has a program of its own, that program's maps too */
#define DESCRIPTORS_OF_PLACE 4
#define DESCRIPTORS_OF_COPY 64

void attach_keep(struct attachment *attachment, struct bpf_link *link, size_t first, size_t nr)
{
	const struct attached_link attached = { link, bpf_link__fd(link), first, nr };

	vec_push(&attachment->links, attached);
	attachment->nr_attached += nr;
}

void attach_keep_fd(struct attachment *attachment, int fd, size_t place)
{
	const struct attached_link attached = { NULL, fd, place, 1 };

	vec_push(&attachment->links, attached);
	attachment->nr_attached++;
}

void attach_refused(struct attachment *attachment, const struct attach_point *point, int err)
{
	if (!attachment->refused.nr++) {
		attachment->refused.err = err;
		attachment->refused.example = xstrdup(point->name);
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
		return "fentry attaches by name, and another function of this name is already probed";
	if (err == -REFUSED_NO_TYPE)
		return "the kernel's type information has no function of this name";
	return err == -KERNEL_ENOTSUPP ? "the kernel cannot set a breakpoint on the instruction there" : strerror(-err);
}

int attach_failed(const struct attach_point *point, int err)
{
	if (err == -EPERM || err == -EACCES) {
		fail_host(err, "%s: the kernel refuses to attach: %s", point->name, strerror(-err));
		hint("this needs CAP_PERFMON and, for user functions, CAP_SYS_ADMIN (or root)");
		return err;
	}
	if (err == -REFUSED_NOP5 || err == -REFUSED_UNTRIED)
		return fail_host(err, "%s: cannot attach: %s", point->name, reason_of(err));
	fail(err, "%s: cannot attach: %s", point->name, reason_of(err));
	if (libbpf_log_last()[0])
		hint("%s", libbpf_log_last());
	return err;
}

void attach_halves(struct attachment *attachment, size_t first, size_t nr, attach_link *link_places)
{
	struct bpf_link *link = link_places(attachment, first, nr);
	int err = link ? 0 : -errno;

	if (link) {
		attach_keep(attachment, link, first, nr);
	} else if (nr == 1 || err == -EPERM || err == -EACCES) {
		for (size_t i = first; i < first + nr; i++)
			attach_refused(attachment, &attachment->plan->points.data[i], err);
	} else {
		attach_halves(attachment, first, nr / 2, link_places);
		attach_halves(attachment, first + nr / 2, nr - nr / 2, link_places);
	}
}

static int attach_tracepoint(struct attachment *attachment, size_t index)
{
	const struct attach_point *point = &attachment->plan->points.data[index];
	LIBBPF_OPTS(bpf_tracepoint_opts, options, .bpf_cookie = attach_cookie(attachment, index));
	struct bpf_program *program = attach_program(attachment, index);
	struct bpf_link *link =
		program ? bpf_program__attach_tracepoint_opts(program, point->category, point->event, &options) : NULL;

	if (!link)
		return -errno;
	attach_keep(attachment, link, index, 1);
	return 0;
}

bool attach_ends_before(struct attachment *attachment, size_t place)
{
	bool ends = attachment->nr_attached && signals_end_is_pending();

	if (ends)
		attachment->nr_left = attachment->plan->points.nr - place;
	else if (attachment->between)
		attachment->between(attachment->between_context);
	return ends;
}

/* One refused place does not end the run; when all are refused, the first reason does. */
static int attach_each(struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->plan->points.nr; i++) {
		int err;

		if (attach_ends_before(attachment, i))
			break;
		err = attachment->plan->mechanism == MECHANISM_TRACEPOINT ? attach_tracepoint(attachment, i)
									  : attach_uprobe(attachment, i);
		if (err)
			attach_refused(attachment, &attachment->plan->points.data[i], err);
	}
	return attachment->nr_attached ? 0 : attach_failed(&attachment->plan->points.data[0], attachment->refused.err);
}

static int attach_raw_tracepoints(struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->plan->points.nr; i++) {
		const struct attach_point *point = &attachment->plan->points.data[i];
		struct bpf_program *program = attach_program(attachment, i);
		struct bpf_link *link = program ? bpf_program__attach_raw_tracepoint(program, point->event) : NULL;

		if (link)
			attach_keep(attachment, link, i, 1);
		else
			attach_refused(attachment, point, -errno);
	}
	return attachment->nr_attached ? 0 : attach_failed(&attachment->plan->points.data[0], attachment->refused.err);
}

static int note_calls(const struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->plan->points.nr; i++) {
		const __u64 key = attach_call_key(&attachment->plan->points.data[i]);
		const __u32 probe = (__u32)i;
		int err = bpf_map__update_elem(attachment->loaded->skeleton->maps.st_syscalls, &key, sizeof(key),
					       &probe, sizeof(probe), BPF_ANY);

		if (err)
			return fail(err, "%s: cannot be recorded: %s", attachment->plan->points.data[i].name,
				    strerror(-err));
	}
	return 0;
}

/*
 * One program sees the beginning of every system call, one the end, and each looks the number up. Events are sorted by name:
 * beginnings stand before ends.
 */
static int attach_system_calls(struct attachment *attachment)
{
	const struct attach_point *points = attachment->plan->points.data;
	int err = note_calls(attachment);

	for (size_t first = 0, nr; !err && first < attachment->plan->points.nr; first += nr) {
		struct bpf_program *program = loaded_program(attachment->loaded, points[first].program);
		struct bpf_link *link =
			bpf_program__attach_raw_tracepoint(program, points[first].is_exit ? "sys_exit" : "sys_enter");

		if (!link)
			return attach_failed(&points[first], -errno);
		for (nr = 1;
		     first + nr < attachment->plan->points.nr && points[first + nr].is_exit == points[first].is_exit;
		     nr++)
			;
		attach_keep(attachment, link, first, nr);
	}
	return err;
}

static int attach_tp_btf(struct attachment *attachment)
{
	for (size_t i = attachment->plan->points.nr; i > 0;
	     i--) { /* wakers before sleeps, so that the first sleep has its waker */
		const struct attach_point *point = &attachment->plan->points.data[i - 1];
		struct bpf_link *link = bpf_program__attach_trace(loaded_program(attachment->loaded, point->program));

		if (!link)
			return attach_failed(point, -errno);
		attach_keep(attachment, link, i - 1, 1);
	}
	return 0;
}

static int attach_samples(struct attachment *attachment, const struct plan *plan)
{
	int err = sampling_new(plan, &attachment->plan->sample, bpf_program__fd(attachment->loaded->program),
			       &attachment->sampling);

	return err ? err : sampling_start(attachment->sampling);
}

static int attach_all(struct attachment *attachment, const struct plan *plan)
{
	switch (attachment->plan->mechanism) {
	case MECHANISM_PERF_EVENT:
		return attach_samples(attachment, plan);
	case MECHANISM_UPROBE_MULTI:
		return attach_files(attachment);
	case MECHANISM_TP_BTF:
		return attach_tp_btf(attachment);
	case MECHANISM_TRACEPOINT:
	case MECHANISM_UPROBE:
		return attach_each(attachment);
	case MECHANISM_KPROBE_MULTI:
	case MECHANISM_KPROBE:
	case MECHANISM_FENTRY:
		return attach_kernel_functions(attachment);
	case MECHANISM_RAW_TRACEPOINT:
		return attach_raw_tracepoints(attachment);
	case MECHANISM_SYSTEM_CALLS:
		return attach_system_calls(attachment);
	}
	return fail(-EINVAL, "plan without a mechanism");
}

/*
 * Probes that are attached one by one, some milliseconds apart, would each count from its own moment on, and to remove them
 * takes ten times as long. Programs of timed samples and of the scheduler do not look at the word: they count from the start.
 */
int attachment_attach(struct attachment *attachment, const struct plan *plan)
{
	int err = attach_children(attachment);

	if (err)
		return err;
	descriptors_allow((attachment->loaded->needs_copies ? DESCRIPTORS_OF_COPY : DESCRIPTORS_OF_PLACE) *
			  attachment->plan->points.nr);
	attachment->loaded->control->shut = 1;
	err = attach_all(attachment, plan);
	attach_begin_misses(attachment);
	attachment->loaded->control->shut = 0;
	return err;
}

int attachment_new(const struct loaded *loaded, struct attachment **ret_attachment)
{
	struct attachment *attachment = xcalloc(1, sizeof(*attachment));
	int err;

	attachment->loaded = loaded;
	attachment->plan = loaded->attach;
	attachment->misses.are_told = loaded->attach->mechanism != MECHANISM_PERF_EVENT &&
				      host_counts_misses(loaded->attach->program);
	err = attach_map_costs(attachment);
	if (err) {
		attachment_free(attachment);
		return err;
	}
	*ret_attachment = attachment;
	return 0;
}

void attachment_free(struct attachment *attachment)
{
	if (!attachment)
		return;
	attachment_detach(attachment);
	vec_done(&attachment->links);
	sampling_free(attachment->sampling);
	attach_unmap_costs(attachment);
	vec_done(&attachment->costs_before);
	vec_done(&attachment->costs_fresh);
	for (size_t i = 0; i < attachment->copies.nr; i++)
		stacktool__destroy(attachment->copies.data[i]);
	vec_done(&attachment->copies);
	for (size_t i = 0; i < attachment->fentry_programs.nr; i++)
		closep(&attachment->fentry_programs.data[i]);
	vec_done(&attachment->fentry_programs);
	free(attachment->refused.example);
	free(attachment);
}

void attachment_set_between(struct attachment *attachment, attachment_between *between, void *context)
{
	attachment->between = between;
	attachment->between_context = context;
}

size_t attachment_nr_attached(const struct attachment *attachment)
{
	return attachment->sampling ? sampling_nr_cpus(attachment->sampling) : attachment->nr_attached;
}

struct sampling *attachment_sampling(const struct attachment *attachment)
{
	return attachment->sampling;
}

void attachment_tick(struct attachment *attachment)
{
	if (attachment->sampling)
		sampling_follow_cpus(attachment->sampling);
}

void attachment_describe_refused(const struct attachment *attachment, struct buf *ret_lines)
{
	size_t nr = attachment->refused.nr + attachment->nr_left + attachment->nr_attached;

	if (attachment->refused.nr) {
		buf_addf(ret_lines, "%zu of %zu probes %s refused, such as ", attachment->refused.nr, nr,
			 attachment->refused.nr == 1 ? "was" : "were");
		escape_add(ret_lines, attachment->refused.example, ESCAPE_LINE);
		buf_addf(ret_lines, ": %s\n", reason_of(attachment->refused.err));
	}
	if (attachment->nr_left)
		buf_addf(ret_lines, "%zu of %zu probes %s not attached: the run was stopped before\n",
			 attachment->nr_left, nr, attachment->nr_left == 1 ? "was" : "were");
}
