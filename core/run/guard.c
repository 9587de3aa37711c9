/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/guard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/escape.h"
#include "core/run/words.h"

#define LIMIT_VARIABLE "STACKTOOL_MAX_OVERHEAD"
#define DROPS_OF_A_LOOK 16
#define LEAST_TIMED 16 /* runs: the mean of fewer is that of the first, with cold caches */

/* ---- words ---- */

/* Thousandths of a percent as "12.3 %", and small ones as "0.012 %". */
static void add_share(struct buf *text, uint32_t share)
{
	if (share < 1000)
		buf_addf(text, "0.%03" PRIu32 " %%", share);
	else
		buf_addf(text, "%" PRIu32 ".%" PRIu32 " %%", share / 1000, share % 1000 / 100);
}

static uint32_t nr_cpus(void)
{
	return (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
}

/* ---- while it runs ---- */

/* --max-overhead, else the environment, else the default. */
static int limit_of(const struct plan *plan, struct run_guard *guard)
{
	const char *of_host = getenv(LIMIT_VARIABLE);
	uint32_t *limit = &guard->guard.limit;

	*limit = plan->max_overhead;
	if (*limit)
		return 0;
	*limit = OVERHEAD_DEFAULT;
	if (!of_host || !*of_host || !overhead_parse(of_host, limit))
		return 0;
	err_clear();
	return fail_usage(LIMIT_VARIABLE ": '%s': invalid percentage: give 0.001 to 100, or off", of_host);
}

int run_guard_init(struct run_guard *guard, const struct plan *plan)
{
	*guard = (struct run_guard){ .plan = plan };
	if (plan->probe.kind->is_timer) { /* its rate is what was asked for */
		guard->guard.limit = OVERHEAD_OFF;
		return 0;
	}
	return limit_of(plan, guard);
}

void run_guard_begin(struct run_guard *guard, struct attachment *attachment, const struct attach_plan *attach)
{
	guard->attachment = attachment;
	guard->attach = attach;
	guard->begun_ns = guard->guard.time_ns = clock_monotonic_ns();
}

static void add_cost(struct buf *line, const struct run_guard *guard, const struct attachment_cost *cost)
{
	uint64_t elapsed_ns = guard->guard.elapsed_ns;

	add_share(line, guard_share(cost->ns + cost->trap_ns, elapsed_ns, nr_cpus()));
	buf_adds(line, " of all CPU time for ");
	buf_add_grouped(line, (uint64_t)((double)cost->runs * NSEC_PER_SEC / (double)elapsed_ns));
	buf_adds(line, " events a second");
}

static void add_limit(struct buf *line, const struct run_guard *guard)
{
	buf_addf(line, ", limit %g %% (--max-overhead)", guard->guard.limit / 1000.0);
}

static void add_time(struct buf *line, const struct run_guard *guard)
{
	uint64_t ms = (guard->guard.time_ns - guard->begun_ns) / NSEC_PER_MSEC;

	buf_addf(line, " after %" PRIu64 ".%" PRIu64 " s: ", ms / 1000, ms % 1000 / 100);
}

/* It is the sum of all that is too much: this one may be below the limit. */
static void say_drop(const struct run_guard *guard, size_t index, const struct attachment_cost *cost, uint64_t all_ns,
		     const struct attachment_drop *drop)
{
	const struct probe_place *place = &guard->attach->places.data[index];
	_cleanup_(buf_done) struct buf line = {};

	escape_add(&line, place->shown ? place->shown : place->name, ESCAPE_LINE);
	buf_adds(&line, ": detached");
	add_time(&line, guard);
	add_cost(&line, guard, cost);
	buf_adds(&line, "; all probes ");
	add_share(&line, guard_share(all_ns, guard->guard.elapsed_ns, nr_cpus()));
	add_limit(&line, guard);
	buf_adds(&line, "; its later events are not counted");
	run_say(guard->plan, "%s", buf_text(&line));
	if (!drop->nr_gap)
		return;
	buf_clear(&line);
	if (drop->nr_gap == 1)
		buf_adds(&line, "the other probe of its group was");
	else
		buf_addf(&line, "the %zu other probes of its group were", drop->nr_gap);
	buf_addf(&line, " detached for %" PRIu64 " ms meanwhile", drop->gap_ns / NSEC_PER_MSEC + 1);
	if (drop->nr_refused)
		buf_addf(&line, ", and %zu of them could not be re-attached", drop->nr_refused);
	run_say(guard->plan, "%s", buf_text(&line));
}

static void say_end(const struct run_guard *guard, const struct attachment_cost *cost)
{
	_cleanup_(buf_done) struct buf line = {};

	buf_adds(&line, "ended");
	add_time(&line, guard);
	add_cost(&line, guard, cost);
	add_limit(&line, guard);
	run_say(guard->plan, "%s", buf_text(&line));
}

static struct attachment_cost cost_since(const struct attachment_cost *now, const struct attachment_cost *before)
{
	return (struct attachment_cost){
		.timed = now->timed - before->timed,
		.runs = now->runs - before->runs,
		.ns = now->ns - before->ns,
		.trap_ns = now->trap_ns - before->trap_ns,
	};
}

/*
 * The hottest until the others are below the limit, if they go on costing as much as they did; many at once by one link
 * would detach and attach that link too often. The last one stays: the next look decides about it.
 */
static int drop_hottest(struct run_guard *guard, uint64_t cost_ns)
{
	struct attachment_cost fresh;
	struct attachment_drop drop;
	size_t hottest;
	int err = 0;

	for (int i = 0; !err && i < DROPS_OF_A_LOOK && attachment_nr_attached(guard->attachment) > 1; i++) {
		if (guard_share(cost_ns, guard->guard.elapsed_ns, nr_cpus()) <= guard->guard.limit ||
		    !attachment_take_hottest(guard->attachment, &hottest, &fresh))
			break;
		err = attachment_drop(guard->attachment, hottest, &drop);
		if (!err)
			say_drop(guard, hottest, &fresh, cost_ns, &drop);
		cost_ns -= fresh.ns + fresh.trap_ns < cost_ns ? fresh.ns + fresh.trap_ns : cost_ns;
	}
	return err;
}

int run_guard_look(struct run_guard *guard, bool *ret_end)
{
	struct attachment_cost cost, all; /* since the start; since the last look */

	*ret_end = false;
	attachment_cost(guard->attachment, &cost);
	attachment_cost_by_place(guard->attachment);
	all = cost_since(&cost, &guard->before);
	guard->before = cost;
	if (!guard_look(&guard->guard, clock_monotonic_ns(), cost.ns + cost.trap_ns, nr_cpus()))
		return 0;
	if (attachment_tells_places(guard->attachment) && attachment_nr_attached(guard->attachment) > 1)
		return drop_hottest(guard, all.ns + all.trap_ns);
	say_end(guard, &all);
	*ret_end = true;
	return 0;
}

/* ---- at the end ---- */

void run_guard_end(struct run_guard *guard)
{
	guard->ended_ns = clock_monotonic_ns();
}

static void add_programs(struct buf *line, const struct run_guard *guard)
{
	uint64_t elapsed_ns = guard->ended_ns - guard->begun_ns;
	struct attachment_cost cost;

	attachment_cost(guard->attachment, &cost);
	if (cost.timed < LEAST_TIMED) {
		buf_adds(line, "too few events to measure");
		return;
	}
	add_share(line, guard_share(cost.ns + cost.trap_ns, elapsed_ns, nr_cpus()));
	buf_adds(line, " of all CPU time, ");
	buf_add_grouped(line, cost.ns / cost.runs);
	buf_adds(line, " ns an event in the programs");
	if (!cost.trap_ns)
		return;
	buf_adds(line, " and about ");
	buf_add_grouped(line, cost.trap_ns / cost.runs);
	buf_adds(line, " ns a trap");
}

void run_guard_say(const struct run_guard *guard, const struct symbolizer *symbolizer)
{
	uint64_t own_ms = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) / NSEC_PER_MSEC;
	_cleanup_(buf_done) struct buf line = {};

	add_programs(&line, guard);
	buf_adds(&line, "; ");
	if (symbolizer)
		own_ms += (uint64_t)symbolizer_cpu_ms(symbolizer);
	buf_add_grouped(&line, own_ms);
	buf_adds(&line, " ms of CPU in stacktool");
	fprintf(stderr, "NOTE: cost: %s\n", buf_text(&line));
}

/* ---- how long ---- */

int run_guard_duration(struct plan *plan, size_t nr_probes, bool *ret_is_cut)
{
	uint64_t asked_ns = plan->duration_ns;

	*ret_is_cut = false;
	if (plan->forever)
		return 0;
	if (guard_duration(nr_probes, asked_ns, &plan->duration_ns)) {
		fail_usage("duration: too long for %zu probes: runs with more than %d probes are limited to 5 minutes",
			   nr_probes, GUARD_MANY_PROBES);
		hint("--forever lifts this limit");
		return -EINVAL;
	}
	*ret_is_cut = plan->duration_ns != asked_ns;
	return 0;
}

void run_guard_say_cut(const struct plan *plan, size_t nr_probes, bool is_over)
{
	run_say(plan, "%s after 5 minutes, the limit for %zu probes: see --forever", is_over ? "ended" : "ends",
		nr_probes);
}
