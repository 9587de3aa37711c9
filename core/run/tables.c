/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/tables.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/names.h"
#include "core/base/vec.h"
#include "core/files/proc_maps.h"
#include "core/host/cpu_quota.h"
#include "core/host/cpu_time.h"
#include "core/host/priority.h"
#include "core/host/signals.h"
#include "core/run/slow_step.h"
#include "core/run/words.h"

#define MAX_TARGETS_WAIT_MS 2000
#define MAX_HOST_NS (2 * NSEC_PER_SEC)
#define FIRST_PROCESSES 16 /* their tables are made while the programs are loaded */
#define TURN_MS 20
#define REST 16
#define URGENT_NICE (-15)

/* Whether only processes that use CPU time now matter: samples and times are mostly of these. */
static bool wants_running(const struct tables *tables)
{
	return tables->plan->probe.kind->counts_time;
}

/*
 * Whether the first events can be of any process, so that all tables are waited for. A dump requests its own tables. If at most one other
 * thread runs, a profile starts at once.
 */
static bool wants_all(const struct tables *tables)
{
	const struct plan *plan = tables->plan;

	return !plan->tgids.nr && !plan->command && !plan->looks && (tables->is_busy || !wants_running(tables));
}

/* By used CPU time, the highest first. */
static int compare_running(const void *left, const void *right)
{
	const struct running_process *a = left, *b = right;

	return (a->used_ns < b->used_ns) - (a->used_ns > b->used_ns);
}

/* Whether it is no kernel thread: those have no executable. */
static bool has_memory(uint32_t tgid)
{
	char path[64], target[1];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/exe", tgid);
	return readlink(path, target, sizeof(target)) > 0;
}

struct mapped_search {
	const struct attach_plan *attach;
	bool found;
};

/* Compares names too: on overlayfs, the inode in maps may differ from that of fstat(). */
static bool is_file(const struct probe_place *place, const struct proc_mapping *mapping)
{
	struct stat status;

	return (!fstat(place->fd, &status) && status.st_ino == mapping->inode) ||
	       !strcmp(path_name(place->path), path_name(mapping->path));
}

static void look_at_mapping(void *context, const struct proc_mapping *mapping)
{
	struct mapped_search *search = context;
	const struct attach_plan *attach = search->attach;

	/* places of one file are adjacent */
	for (size_t i = 0; mapping->kind == MAPPING_FILE && !search->found && i < attach->places.nr; i++)
		if (!i || attach->places.data[i].fd != attach->places.data[i - 1].fd)
			search->found = is_file(&attach->places.data[i], mapping);
}

/* False only if the process maps none of the probed files. On overlayfs also false if it maps one that is named by a symbolic link. */
static bool may_reach(const struct tables *tables, uint32_t tgid)
{
	struct mapped_search search = { .attach = tables->attach };

	if (tables->attach->program != PROGRAM_UPROBE)
		return true;
	return proc_maps_read_of(tgid, look_at_mapping, &search) < 0 || search.found;
}

static bool is_over(const struct tables *tables)
{
	return clock_monotonic_ns() >= tables->until_ns || signals_end_is_pending();
}

/* Finds all processes, with the CPU time of each. */
static void find_running(struct tables *tables)
{
	_cleanup_(closedirp) DIR *directory = opendir("/proc");
	const struct dirent *entry;

	while (directory && !is_over(tables) && (entry = readdir(directory))) {
		const uint32_t tgid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		spaces_update(tables->spaces);
		if (tgid && tgid != (uint32_t)getpid() && has_memory(tgid) && may_reach(tables, tgid))
			vec_push(&tables->running, (struct running_process){ tgid, cpu_time_of_process(tgid) });
	}
	if (tables->running.nr)
		qsort(tables->running.data, tables->running.nr, sizeof(*tables->running.data), compare_running);
}

/* Keeps processes that have used CPU time since they were found, except the last of them, which together used at most 1/REST of it. */
static void keep_running(struct tables *tables)
{
	struct running_process *running = tables->running.data;
	uint64_t sum_ns = 0, rest_ns;
	size_t nr = 0;

	for (size_t i = 0; i < tables->running.nr; i++) {
		uint64_t now_ns = cpu_time_of_process(running[i].tgid);

		if (now_ns <= running[i].used_ns)
			continue;
		sum_ns += now_ns - running[i].used_ns;
		running[nr++] = (struct running_process){ running[i].tgid, now_ns - running[i].used_ns };
	}
	if (nr)
		qsort(running, nr, sizeof(*running), compare_running);
	rest_ns = sum_ns;
	for (nr = 0; rest_ns > sum_ns / REST; nr++)
		rest_ns -= running[nr].used_ns;
	tables->running.nr = nr;
}

static bool ask_for_next(struct tables *tables)
{
	if (tables->nr_asked == tables->running.nr || is_over(tables))
		return false;
	spaces_prime(tables->spaces, tables->running.data[tables->nr_asked++].tgid);
	return true;
}

/*
 * Requests the tables of one process after the other: the worker makes all requested tables before it looks up names, even after the time
 * limit. Processes that start meanwhile come from the side-band.
 */
static void await_all(struct tables *tables)
{
	do
		while (!unwinding_work(tables->unwinding, TURN_MS) && !is_over(tables))
			spaces_update(tables->spaces);
	while (ask_for_next(tables));
}

void tables_ask(struct tables *tables)
{
	const struct plan *plan = tables->plan;

	if (tables->unwinding && tables->command && spaces_expect(tables->spaces, tables->command))
		unwinding_expect(tables->unwinding, plan->command[0]);
	for (size_t i = 0; !tables->command && i < plan->tgids.nr && !plan_counts_functions(plan); i++)
		spaces_prime(tables->spaces, plan->tgids.data[i]);
	tables->until_ns = clock_monotonic_ns() + MAX_HOST_NS;
	if (tables->unwinding && wants_all(tables)) {
		find_running(tables);
		while (!wants_running(tables) && tables->nr_asked < FIRST_PROCESSES && ask_for_next(tables))
			;
	}
	unwinding_work(tables->unwinding, 0);
}

/* Raises the worker's priority for these at most two seconds, so that it gets a CPU on a busy host. Our own stays raised. */
static void await_urgently(struct tables *tables)
{
	const uint64_t nr_used_up = cpu_quota_nr_used_up();
	int worker = symbolizer_worker_pid(tables->symbolizer),
	    nice = getpriority(PRIO_PROCESS, (id_t)(worker > 0 ? worker : 0));

	ask_for_priority();
	tables->until_ns = clock_monotonic_ns() + MAX_HOST_NS;
	if (worker > 0)
		priority_set(worker, URGENT_NICE, URGENT_NICE);
	if (wants_running(tables))
		keep_running(tables);
	if (tables->plan->tgids.nr)
		unwinding_work(tables->unwinding, MAX_TARGETS_WAIT_MS);
	else
		await_all(tables);
	if (worker > 0 && worker == symbolizer_worker_pid(tables->symbolizer))
		priority_set(worker, nice, 0); /* its session is its own and new */
	if (cpu_quota_nr_used_up() > nr_used_up)
		run_say("the CPU quota of the cgroup was used up while unwind tables were made: the first stacks may be "
			"incomplete");
}

void tables_await(struct tables *tables, struct loaded *loaded)
{
	const struct plan *plan = tables->plan;
	struct unwind_store_options store = { .max_bytes = plan->unwind_bytes };

	if (!tables->unwinding || !loaded_unwind_maps(loaded, &store))
		return;
	unwinding_set_store(tables->unwinding, &store);
	if (!tables->command && (plan->tgids.nr || wants_all(tables)))
		await_urgently(tables);
}

void tables_done(struct tables *tables)
{
	vec_done(&tables->running);
}
