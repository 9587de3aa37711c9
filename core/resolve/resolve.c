/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/resolve/resolve.h"

#include <errno.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/host/host.h"

/* For most kinds of probes, a CPU that is not online gives no error, and an empty report. */
static int check_cpu(const struct plan *plan)
{
	cpu_list online = {};
	bool is_there = plan->cpu < 0 || !host_tells_online_cpus(&online); /* without /sys, this is not known */

	for (size_t i = 0; i < online.nr; i++)
		is_there |= online.data[i] == plan->cpu;
	vec_done(&online);
	if (is_there)
		return 0;
	fail(-ENODEV, "CPU %d: not online", plan->cpu);
	hint("/sys/devices/system/cpu/online lists the online CPUs");
	return -ENODEV;
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

static const char *reason_against(const struct attach_plan *attach)
{
	if (!attach->reads.user || !attach->reads.kernel)
		return "BPF programs cannot read memory (lockdown=confidentiality)";
	if (host_freezes_on_user_reads())
		return "this kernel may freeze when BPF programs read user memory (fixed in 6.1.36, 6.3.10 and 6.4)";
	return NULL;
}

/* Notes whether the programs can unwind user stacks with tables, and why not. A failure only if the user asked for tables (--unwind=dwarf). */
static int choose_unwind(const struct plan *plan, struct attach_plan *attach)
{
	enum unwind_mode mode = plan_unwind(plan);
	const char *build = reason_of_build(), *reason = build ?: reason_against(attach);

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

int resolve_plan(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *ret_attach)
{
	int err = check_cpu(plan);

	err = err ?: plan->probe.kind->resolve(plan, symbolizer, ret_attach);
	if (err || plan->look_only)
		return err;
	ret_attach->reads = host_reads(ret_attach->program);
	return choose_unwind(plan, ret_attach);
}
