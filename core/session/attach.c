/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of an attachment. attach_private.h lists the files of the mechanisms. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/descriptors.h"
#include "core/base/err.h"
#include "core/host/host.h"
#include "core/session/attach_private.h"

#define DESCRIPTORS_OF_PLACE 4 /* a perf event, a link and a reserve */
#define DESCRIPTORS_OF_COPY 64 /* a place with its own copy of the object also needs the copy's programs and maps */

static const struct attach_way *const ways[] = {
#define ADDRESS_OF_WAY(number, row, name, program) &way_##row,
	MECHANISMS(ADDRESS_OF_WAY)
#undef ADDRESS_OF_WAY
};

/* Attaches the programs that follow the descendants of a command (bpf/on_fork.bpf.c). Returns 0 or a recorded failure. */
static int attach_children(struct attachment *attachment)
{
	static const char *const tracepoints[] = { "task_newtask", "sched_process_fork", "sched_process_free" };
	const char *const *programs = attachment->loaded->child_programs;

	for (size_t i = 0; programs && i < NR_CHILD_PROGRAMS; i++) {
		struct bpf_link *link = bpf_program__attach(loaded_program(attachment->loaded, programs[i]));
		int err = attach_keep(attachment, link, 0, 0);

		if (err) {
			fail_host(err, "children: tracepoint %s: the kernel refuses to attach: %s", tracepoints[i],
				  strerror(-err));
			hint("--no-children follows only the command itself");
			return err;
		}
	}
	return 0;
}

/* Attaches the program that forgets a thread's open calls when it ends or, for user functions, executes. 0 or a recorded failure. */
static int attach_ends_of_threads(struct attachment *attachment)
{
	static const char *const tracepoints[] = { "sched_process_free", "sched_process_exec" };
	size_t nr = load_nr_ended_calls(attachment->plan);
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++) {
		const struct bpf_program *program = loaded_program(attachment->loaded, programs_of_ended_calls[i]);

		err = attach_keep(attachment, bpf_program__attach_raw_tracepoint(program, tracepoints[i]), 0, 0);
		if (err)
			fail_host(err, "threads: tracepoint %s: the kernel refuses to attach: %s", tracepoints[i],
				  strerror(-err));
	}
	return err;
}

/* What threads do inside calls. 0 or a recorded failure. */
static int attach_insides(struct attachment *attachment, const struct plan *plan)
{
	const struct loaded *loaded = attachment->loaded;
	int err = 0;

	if (!plan->view.slow)
		return 0;
	for (size_t i = 0; i < NR_SLOW_PROGRAMS - 1 && !err; i++)
		err = attach_keep(attachment, bpf_program__attach_trace(loaded_program(loaded, slow_programs[i])), 0,
				  0);
	if (err)
		return fail_host(err, "scheduler: the kernel refuses to attach: %s", strerror(-err));
	err = sampling_new(plan, &attachment->plan->sample,
			   bpf_program__fd(loaded_program(loaded, slow_programs[NR_SLOW_PROGRAMS - 1])),
			   &attachment->sampling);
	return err ?: sampling_start(attachment->sampling);
}

static int attach_samples(struct attachment *attachment, const struct plan *plan)
{
	return sampling_new(plan, &attachment->plan->sample, bpf_program__fd(attachment->loaded->program),
			    &attachment->sampling)
		       ?: sampling_start(attachment->sampling);
}

const struct attach_way way_perf_event = { .all = attach_samples };

static int attach_each(struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->plan->places.nr && !attach_ends_before(attachment, i); i++) {
		int err = attachment->way->one(attachment, i);

		if (err)
			attach_refused(attachment, &attachment->plan->places.data[i], err);
	}
	return 0;
}

/*
 * One refused place does not end the run. The run fails if all places are refused, or if one return probe of timed user functions is
 * refused: without it, calls would seem to end later than they do.
 */
static int attach_all(struct attachment *attachment, const struct plan *plan)
{
	int err = attachment->way->all ? attachment->way->all(attachment, plan) : attach_each(attachment);

	if (!err && attachment->way->is_user_code && attachment->refused.end)
		return attach_failed(attachment, attachment->refused.end, attachment->refused.end_err);
	if (err || attachment->nr_attached || !attachment->refused.nr)
		return err;
	return attach_failed(attachment, attachment->refused.place, attachment->refused.err);
}

/* While `paused` is set, the programs count nothing, so all places begin to count at one moment although they are attached one by one. */
int attachment_attach(struct attachment *attachment, const struct plan *plan)
{
	int err = attach_children(attachment) ?: attach_ends_of_threads(attachment);

	err = err ?: attach_insides(attachment, plan);
	if (err)
		return err;
	descriptors_allow((attachment->loaded->needs_copies ? DESCRIPTORS_OF_COPY : DESCRIPTORS_OF_PLACE) *
			  attachment->plan->places.nr);
	attachment->loaded->control->paused = 1;
	err = attach_all(attachment, plan);
	attach_begin_misses(attachment);
	attachment->loaded->control->paused = 0;
	return err;
}

void attachment_set_held(struct attachment *attachment, bool held)
{
	attachment->loaded->control->held = held;
}

int attachment_new(const struct loaded *loaded, struct attachment **ret_attachment)
{
	struct attachment *attachment = xcalloc(1, sizeof(*attachment));
	int err;

	attachment->loaded = loaded;
	attachment->plan = loaded->attach;
	attachment->way = ways[loaded->attach->mechanism];
	attachment->misses.are_told = !loaded->traits->is_sampled && host_counts_misses(loaded->attach->program);
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
	attach_forget_stuck(attachment);
	sampling_free(attachment->sampling);
	attach_unmap_costs(attachment);
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
	return attachment->sampling && !attachment->plan->nr_functions ? sampling_nr_cpus(attachment->sampling)
								       : attachment->nr_attached;
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
