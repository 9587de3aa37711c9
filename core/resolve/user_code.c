/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/resolve/user_code.h"

#include <stdio.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/host.h"
#include "core/host/process.h"
#include "core/host/red_zone.h"
#include "core/resolve/call_ends.h"
#include "core/resolve/patterns.h"

#define FEW_UPROBES 4

/*
 * Chooses the mechanism for one process. A few places get perf uprobes: forked children lose the breakpoints of perf uprobes at the first
 * hit, but keep those of a uprobe.multi link. More places get links: removing a perf uprobe takes some grace periods, 150 ms on a busy
 * host, for each uprobe, but for a link only once.
 */
static void choose_for_process(uint32_t tgid, struct attach_plan *attach)
{
	attach->only_process = (pid_t)tgid;
	attach->mechanism = MECHANISM_UPROBE;
	if (attach->places.nr <= FEW_UPROBES)
		snprintf(attach->why, sizeof(attach->why), "one process: the breakpoint is set in that process only");
	else if (!host_limits_uprobe_multi())
		snprintf(attach->why, sizeof(attach->why),
			 "one process, and this kernel has no uprobe.multi links for one process");
	else {
		attach->mechanism = MECHANISM_UPROBE_MULTI;
		snprintf(attach->why, sizeof(attach->why),
			 "this kernel has uprobe.multi links; the breakpoints are set in the one process only");
	}
}

enum first_instruction user_code_first(int fd, uint64_t offset, bool at_entry)
{
	uint8_t code[FIRST_INSTRUCTION_BYTES];
	ssize_t nr = pread(fd, code, sizeof(code), (off_t)offset);
	enum first_instruction first = nr > 0 ? first_instruction(code, (size_t)nr) : FIRST_DOUBTFUL;

	if (first != FIRST_NOP5)
		return first;
	if (at_entry)
		return FIRST_TAKEN;
	switch (red_zone_try()) {
	case RED_ZONE_SPARED:
		return FIRST_TAKEN;
	case RED_ZONE_OVERWRITTEN:
		return FIRST_NOP5;
	default:
		return FIRST_UNTRIED;
	}
}

bool user_code_add(struct attach_plan *attach, const struct probed_file *file, uint64_t offset)
{
	const struct probe_place *last = attach->places.nr ? &vec_last(&attach->places) : NULL;

	if (last && last->offset == offset && last->fd == file->fd)
		return false;
	vec_push(&attach->places,
		 (struct probe_place){ .path = xstrdup(file->path), .fd = file->fd, .offset = offset });
	return true;
}

static void choose_mechanism(const struct plan *plan, struct attach_plan *attach)
{
	bool is_one = plan_is_one_process(plan);

	attach->program = PROGRAM_UPROBE;
	if (is_one && process_living_task(plan->tgids.data[0]) == plan->tgids.data[0]) {
		choose_for_process(plan->tgids.data[0], attach);
		return;
	}
	attach->mechanism = host_has_uprobe_multi() ? MECHANISM_UPROBE_MULTI : MECHANISM_UPROBE;
	snprintf(attach->why, sizeof(attach->why), "this kernel has %suprobe.multi links%s",
		 attach->mechanism == MECHANISM_UPROBE ? "no " : "",
		 is_one ? "; breakpoints are set in all processes, because the main thread of this one has ended" : "");
}

int user_code_finish(struct file_search *search)
{
	int err = pattern_check_limit(search->plan, search->attach->places.nr);

	if (!err && search->plan->mode == EVENTS_BY_LENGTH && !search->plan->is_pair)
		err = call_ends_add(search);
	if (err)
		return err;
	file_search_finish(search);
	if (!search->plan->look_only)
		choose_mechanism(search->plan, search->attach);
	return 0;
}
