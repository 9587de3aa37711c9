/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/resolve/resolve.h"

#include <errno.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/base/cleanup.h"
#include "core/host/host.h"
#include "core/resolve/attach_merge.h"
#include "core/resolve/patterns.h"

static int check_one_cpu(const cpu_list *online, uint32_t cpu)
{
	for (size_t i = 0; i < online->nr; i++)
		if (online->data[i] == (int)cpu)
			return 0;
	fail(-ENODEV, "CPU %u: not online", cpu);
	hint("/sys/devices/system/cpu/online lists the online CPUs");
	return -ENODEV;
}

/* Most kinds of probes would accept an offline CPU, and print an empty report. */
static int check_cpu(const struct plan *plan)
{
	cpu_list online = {};
	bool is_known = plan->cpus.nr && host_tells_online_cpus(&online); /* unknown without /sys */
	int err = 0;

	for (size_t i = 0; is_known && !err && i < plan->cpus.nr; i++)
		err = check_one_cpu(&online, plan->cpus.data[i]);
	vec_done(&online);
	return err;
}

/* Why this build has no unwinder; NULL: it has one. */
static const char *reason_of_build(void)
{
#if defined(ST_WITHOUT_UNWINDER)
	return "this stacktool was built without the unwinder";
#elif !defined(__x86_64__)
	return "unwind tables are supported on x86_64 only";
#else
	return NULL;
#endif
}

static const char *reason_of_host(const struct host_reads *reads)
{
	if (!reads->user || !reads->kernel)
		return "BPF programs cannot read memory (lockdown=confidentiality)";
	if (host_freezes_on_user_reads())
		return "this kernel may freeze when BPF programs read user memory (fixed in 6.1.36, 6.3.10 and 6.4)";
	return NULL;
}

const char *resolve_unwind_obstacle(const struct host_reads *reads)
{
	return reason_of_build() ?: reason_of_host(reads);
}

void resolve_describe_user_stacks(const struct plan *plan, const struct attach_plan *attach, struct buf *text)
{
	const enum unwind_mode mode = plan_unwind(plan);

	buf_adds(text, "user stacks: ");
	if (!plan->want_user)
		buf_adds(text, "none\n");
	else if (plan->unwind == UNWIND_FP)
		buf_adds(text, "by frame pointers (--unwind=fp)\n");
	else if (mode == UNWIND_FP)
		buf_adds(
			text,
			"by frame pointers, the default for all processes: the first events of a new process come before "
			"its unwind tables; --unwind=auto uses tables\n");
	else if (attach->no_unwind)
		buf_addf(text, "by frame pointers: %s\n", resolve_unwind_obstacle(&attach->reads));
	else if (mode == UNWIND_DWARF)
		buf_adds(text, "by unwind tables only (--unwind=dwarf)\n");
	else
		buf_adds(text,
			 "by unwind tables; by frame pointers where code has no unwind information, or no table yet\n");
}

/* Sets whether programs can walk user stacks by tables, and why not. Fails only for --unwind=dwarf. */
static int choose_unwind(const struct plan *plan, struct attach_plan *attach)
{
	enum unwind_mode mode = plan_unwind(plan);
	const char *build = reason_of_build(), *reason = build ?: reason_of_host(&attach->reads);

	if (!plan->want_user || mode == UNWIND_FP || mode == UNWIND_NONE || !reason)
		return 0;
	if (mode == UNWIND_DWARF)
		return fail_host(-ENOTSUP, "--unwind=dwarf: %s", reason);
	attach->no_unwind = true;
	if (!build)
		snprintf(attach->unwind_note, sizeof(attach->unwind_note),
			 "user stacks are walked by frame pointers: %s", reason);
	return 0;
}

/* The first `nr` places are where calls begin, and at the others they end. */
static int pair_places(const struct plan *plan, size_t nr, struct attach_plan *attach)
{
	if (attach->places.nr == nr)
		return fail_usage("pattern '%s': the same probe cannot be both", plan->probe.typed);
	for (size_t i = nr; i < attach->places.nr; i++)
		attach->places.data[i].part = CALL_ENDS;
	attach->nr_functions = nr;
	return 0;
}

/* Resolves each pattern separately. */
static int resolve_several(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach)
{
	size_t nr_first = 0;
	int err = 0;

	for (size_t i = 0; !err && i < plan->probes.nr; i++) {
		_cleanup_(attach_plan_done) struct attach_plan part = { .nr_files = attach->nr_files };
		struct plan one = *plan;

		one.probe = plan->probes.data[i];
		err = one.probe.kind->resolve(&one, symbolizer, &part);
		err = err ?: attach_plan_merge(attach, &part);
		nr_first = i ? nr_first : attach->places.nr;
	}
	if (!err && plan->is_pair && !plan->look_only)
		err = pair_places(plan, nr_first, attach);
	return err ?: pattern_check_limit(plan, attach->places.nr);
}

int resolve_plan(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *ret_attach)
{
	int err = check_cpu(plan) ?: plan->looks || plan->wall ? host_require_task_iterator() : 0;

	if (!err)
		err = plan->probes.nr ? resolve_several(plan, symbolizer, ret_attach)
				      : plan->probe.kind->resolve(plan, symbolizer, ret_attach);
	if (err || plan->look_only)
		return err;
	if (plan->view.slow)
		err = host_scheduler_events(&ret_attach->switch_order, NULL)
			      ?: sampling_choose(plan, &ret_attach->sample);
	if (err)
		return err;
	ret_attach->reads = host_reads(ret_attach->program);
	return choose_unwind(plan, ret_attach);
}
