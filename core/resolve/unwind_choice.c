/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether user stacks can be walked by unwind tables: it takes code of x86_64, programs that may read user memory, and a
 * kernel that survives it.
 */
#include "core/resolve/unwind_choice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/base/err.h"
#include "core/host/host.h"

/* Why this program has no unwinder; NULL: it has one. */
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

int unwind_choose(const struct plan *plan, struct attach_plan *attach)
{
	enum unwind_mode mode = plan_unwind(plan);
	const char *reason;

	if (!plan->want_user || mode == UNWIND_FP || mode == UNWIND_NONE)
		return 0;
	reason = reason_of_build();
	if (reason) {
		attach->no_unwind = true;
		return mode == UNWIND_DWARF ? fail_host(-ENOTSUP, "--unwind=dwarf: %s", reason) : 0;
	}
	reason = reason_against(attach);
	if (!reason)
		return 0;
	if (mode == UNWIND_DWARF)
		return fail_host(-ENOTSUP, "--unwind=dwarf: %s", reason);
	attach->no_unwind = true;
	snprintf(attach->unwind_note, sizeof(attach->unwind_note), "user stacks are walked by frame pointers: %s",
		 reason);
	return 0;
}
