/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/resolve/resolve.h"

#include <errno.h>

#include "core/base/err.h"
#include "core/resolve/unwind_choice.h"

/* No event comes from a CPU that is not there, and for most kinds no error either: the report would be empty. */
static int check_cpu(const struct plan *plan)
{
	cpu_list online = {};
	bool is_there = plan->cpu < 0;

	if (!is_there && !host_tells_online_cpus(&online)) /* without /sys */
		is_there = true;
	for (size_t i = 0; i < online.nr; i++)
		is_there |= online.data[i] == plan->cpu;
	vec_done(&online);
	if (is_there)
		return 0;
	fail(-ENODEV, "CPU %d: not online", plan->cpu);
	hint("/sys/devices/system/cpu/online lists the online CPUs");
	return -ENODEV;
}

int resolve_plan(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *ret_attach)
{
	int err = check_cpu(plan);

	if (!err)
		err = plan->probe.kind->resolve(plan, symbolizer, ret_attach);
	if (err || plan->look_only)
		return err;
	ret_attach->reads = host_reads(ret_attach->program);
	return unwind_choose(plan, ret_attach);
}
