/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that are still off the CPU when tracing ends, for --unfinished. No count contains their intervals, which have not ended. They are
 * read from the map of threads, which no program writes any more.
 */
#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/durations.h"
#include "core/session/drain_private.h"

/* Like st_span() of bpf/on_switch.bpf.c, as if the thread came back at `now`. */
static uint64_t span_ns(const struct off_cpu_plan *plan, const struct st_task *task, uint64_t now)
{
	uint64_t woken_ns = task->waking_ns;

	if (plan->part == PART_ALL)
		return now - task->out_ns;
	if (!task->state || (woken_ns < task->out_ns && woken_ns > task->in_ns))
		woken_ns = task->out_ns;
	else if (woken_ns < task->out_ns || woken_ns > now)
		woken_ns = now;
	return plan->part == PART_BLOCKED ? woken_ns - task->out_ns : now - woken_ns;
}

/*
 * The id of the row. It is derived from the sleeper's id, but differs from it, because the sleeper may have finished rows too. With
 * by_duration, there is a row for each class of durations. No hash is needed, because the ids of sleepers are hashes.
 */
static struct profile_id row_id(const struct off_cpu_plan *plan, const struct st_id *sleeper, uint64_t span)
{
	return (struct profile_id){ ~sleeper->lo ^ (plan->by_duration ? duration_class(span) : 0), sleeper->hi };
}

static void add_task(const struct off_cpu_plan *plan, const struct drain_target *target, const struct st_task *task,
		     uint64_t now)
{
	struct profile_id sleeper = { task->sleeper.lo, task->sleeper.hi }, id;
	uint32_t record;
	uint64_t span;

	if (!task->out_ns || task->out_ns > now)
		return;
	span = span_ns(plan, task, now);
	if (span < plan->min_ns || span > plan->max_ns)
		return;
	id = row_id(plan, &task->sleeper, span);
	record = profile_add_pair(target->profile, id, sleeper, NULL, WAKER_UNFINISHED);
	if (plan->by_time)
		target->profile->records.data[record].time_ns = now;
	profile_count(target->profile, target->interval, id, 1, span);
}

int drain_read_tasks(const struct loaded *loaded, struct st_task **ret_tasks, uint32_t *ret_nr)
{
	const struct bpf_map *map = loaded->skeleton->maps.st_tasks;
	uint32_t room = bpf_map__max_entries(map);
	_cleanup_(freep) uint64_t *keys = NULL;

	*ret_nr = 0;
	if (!bpf_map__autocreate(map))
		return 0;
	*ret_nr = room;
	keys = xcalloc(room, sizeof(*keys));
	*ret_tasks = xcalloc(room, sizeof(**ret_tasks));
	return drain_read_map(bpf_map__fd(map), keys, *ret_tasks, ret_nr, false, "map of threads");
}

int drain_unfinished(const struct loaded *loaded, const struct off_cpu_plan *plan, const struct drain_target *target)
{
	_cleanup_(freep) struct st_task *tasks = NULL;
	uint64_t now = clock_monotonic_ns();
	uint32_t nr;
	int err = drain_read_tasks(loaded, &tasks, &nr);

	for (uint32_t i = 0; !err && i < nr; i++)
		add_task(plan, target, &tasks[i], now);
	return err;
}
