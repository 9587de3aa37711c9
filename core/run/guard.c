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
#define LEAST_TIMED 16 /* runs; the cost of fewer is dominated by cold caches */

/* ---- words ---- */

/* Adds thousandths of a percent as "12.3 %", or "0.012 %" below one percent. */
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

/* The limit is that of --max-overhead, the environment variable, or the default. */
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
	if (plan->probe.kind->is_timer) { /* its rate is the user's choice */
		guard->guard.limit = OVERHEAD_OFF;
		return 0;
	}
	return limit_of(plan, guard);
}

/* Whether there are target processes other than a command, which is started only to be traced. */
static bool has_targets(const struct plan *plan)
{
	return (plan->tgids.nr || plan->tids.nr) && !plan->command;
}

/* Whose events count for a base. Events of the targets do not slow other processes. */
static enum cost_of cost_of(const struct run_guard *guard, enum guard_base base)
{
	const struct plan *plan = guard->plan;

	if (base == GUARD_TRACED)
		return COST_WANTED;
	return plan->command || has_targets(plan) ? COST_OTHERS : COST_ALL;
}

/* Targets that use less than one CPU count as using one. */
static uint64_t traced_time(struct run_guard *guard, uint64_t elapsed_ns)
{
	uint64_t used_ns = cpu_time_used(&guard->traced, elapsed_ns);

	return used_ns > elapsed_ns ? used_ns : elapsed_ns;
}

static void measure(struct run_guard *guard)
{
	uint64_t now_ns = clock_monotonic_ns(), elapsed_ns = now_ns - guard->now.time_ns;
	struct guard_reading *now = &guard->now;

	attachment_cost(guard->attachment, &guard->cost);
	now->time_ns = now_ns;
	now->timed = guard->cost.timed;
	now->base_ns[GUARD_HOST] += elapsed_ns * nr_cpus();
	now->cost_ns[GUARD_HOST] = attachment_cost_ns(&guard->cost, cost_of(guard, GUARD_HOST));
	if (!has_targets(guard->plan))
		return;
	now->base_ns[GUARD_TRACED] += traced_time(guard, elapsed_ns);
	now->cost_ns[GUARD_TRACED] = attachment_cost_ns(&guard->cost, COST_WANTED);
}

static void begin_window(struct run_guard *guard)
{
	guard_begin(&guard->guard, &guard->now);
	guard->before = guard->cost;
	attachment_cost_by_place(guard->attachment);
}

void run_guard_begin(struct run_guard *guard, struct attachment *attachment, const struct attach_plan *attach)
{
	guard->attachment = attachment;
	guard->attach = attach;
	guard->begun_ns = guard->now.time_ns = clock_monotonic_ns();
	if (guard->guard.limit == OVERHEAD_OFF)
		return;
	if (has_targets(guard->plan))
		cpu_time_init(&guard->traced, &guard->plan->tgids, &guard->plan->tids);
	measure(guard);
	begin_window(guard);
}

void run_guard_done(struct run_guard *guard)
{
	cpu_time_done(&guard->traced);
	buf_done(&guard->end);
}

static bool is_over(struct run_guard *guard)
{
	enum guard_verdict verdict;

	if (guard->guard.limit == OVERHEAD_OFF)
		return false;
	measure(guard);
	verdict = guard_look(&guard->guard, &guard->now, &guard->base);
	if (verdict == GUARD_NEXT)
		begin_window(guard);
	return verdict == GUARD_TOO_MUCH;
}

static uint32_t share_of(const struct run_guard *guard, uint64_t cost_ns)
{
	return guard_share(cost_ns, guard_window(&guard->guard).base_ns[guard->base]);
}

/* Adds "12.3 % of all CPU time for 87,040 events a second". */
static void add_cost(struct buf *line, const struct run_guard *guard, const struct attachment_cost *cost)
{
	const enum cost_of of = cost_of(guard, guard->base);
	const struct guard_reading window = guard_window(&guard->guard);

	add_share(line, share_of(guard, attachment_cost_ns(cost, of)));
	if (guard->base == GUARD_HOST)
		buf_adds(line, " of all CPU time for ");
	else if (window.base_ns[GUARD_TRACED] > window.time_ns)
		buf_adds(line, " of the CPU time of the traced processes for ");
	else
		buf_adds(line, " of one CPU for ");
	buf_add_grouped(line,
			(uint64_t)((double)attachment_cost_runs(cost, of) * NSEC_PER_SEC / (double)window.time_ns));
	buf_adds(line, of == COST_OTHERS ? " events a second of others" : " events a second");
}

static void add_limit(struct buf *line, const struct run_guard *guard)
{
	buf_addf(line, ", limit %g %% (--max-overhead off lifts it)", guard->guard.limit / 1000.0);
}

static void add_time(struct buf *line, const struct run_guard *guard)
{
	uint64_t ms = (guard->now.time_ns - guard->begun_ns) / NSEC_PER_MSEC;

	buf_addf(line, " after %" PRIu64 ".%" PRIu64 " s: ", ms / 1000, ms % 1000 / 100);
}

/* Prints the total too, which is over the limit; this probe alone may not be. */
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
	add_share(&line, share_of(guard, all_ns));
	add_limit(&line, guard);
	buf_adds(&line, "; its later events are not counted");
	run_say("%s", buf_text(&line));
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
	run_say("%s", buf_text(&line));
}

static void note_end(struct run_guard *guard, const struct attachment_cost *cost)
{
	struct buf *line = &guard->end;

	buf_adds(line, "ended");
	add_time(line, guard);
	add_cost(line, guard, cost);
	add_limit(line, guard);
	buf_addf(line, "; %sa rarer event costs less", cost_of(guard, guard->base) == COST_ALL ? "-p or " : "");
}

void run_guard_say_end(const struct run_guard *guard)
{
	run_say("%s", buf_text(&guard->end));
}

static struct attachment_cost cost_since(const struct attachment_cost *now, const struct attachment_cost *before)
{
	return (struct attachment_cost){
		.timed = now->timed - before->timed,
		.runs = now->runs - before->runs,
		.ns = now->ns - before->ns,
		.trap_ns = now->trap_ns - before->trap_ns,
		.others_runs = now->others_runs - before->others_runs,
		.others_ns = now->others_ns - before->others_ns,
	};
}

/*
 * Detaches the costliest probes until the cost of the others would be below the limit, but only some per call: each probe that is dropped
 * from a link detaches and attaches the whole link. The last probe stays for the next check.
 */
static int drop_hottest(struct run_guard *guard, uint64_t cost_ns)
{
	const enum cost_of of = cost_of(guard, guard->base);
	struct attachment_cost fresh;
	struct attachment_drop drop;
	size_t hottest;
	int err = 0;

	attachment_cost_by_place(guard->attachment);
	for (int i = 0; !err && i < DROPS_OF_A_LOOK && attachment_nr_attached(guard->attachment) > 1; i++) {
		uint64_t its_ns;

		if (share_of(guard, cost_ns) <= guard->guard.limit ||
		    !attachment_take_hottest(guard->attachment, of, &hottest, &fresh))
			break;
		err = attachment_drop(guard->attachment, hottest, &drop);
		if (!err)
			say_drop(guard, hottest, &fresh, cost_ns, &drop);
		its_ns = attachment_cost_ns(&fresh, of);
		cost_ns -= its_ns < cost_ns ? its_ns : cost_ns;
	}
	measure(guard); /* detaching took time */
	begin_window(guard);
	return err;
}

int run_guard_look(struct run_guard *guard, struct run_progress *progress, struct profile_interval *interval,
		   bool *ret_end)
{
	struct attachment_cost cost;

	*ret_end = false;
	if (!is_over(guard))
		return 0;
	run_progress_erase(progress);
	cost = cost_since(&guard->cost, &guard->before);
	if (attachment_tells_places(guard->attachment) && attachment_nr_attached(guard->attachment) > 1)
		return drop_hottest(guard, attachment_cost_ns(&cost, cost_of(guard, guard->base)));
	note_end(guard, &cost);
	interval->losses[ST_LOSS_CUT] = (guard->now.time_ns - guard->begun_ns) / NSEC_PER_MSEC;
	*ret_end = true;
	return 0;
}

/* ---- at the end ---- */

void run_guard_end(struct run_guard *guard)
{
	guard->ended_ns = clock_monotonic_ns();
}

/* Adds the cost of the programs. Returns their share of all CPU time. */
static uint32_t add_programs(struct buf *line, const struct run_guard *guard)
{
	uint64_t elapsed_ns = guard->ended_ns - guard->begun_ns;
	struct attachment_cost cost;
	uint32_t share;

	attachment_cost(guard->attachment, &cost);
	if (cost.timed < LEAST_TIMED) {
		buf_adds(line, "too few events to measure");
		return 0;
	}
	share = guard_share(attachment_cost_ns(&cost, COST_ALL), elapsed_ns * nr_cpus());
	add_share(line, share);
	buf_adds(line, " of all CPU time, ");
	buf_add_grouped(line, cost.ns / cost.runs);
	buf_adds(line, " ns an event in the programs");
	if (!cost.trap_ns)
		return share;
	buf_adds(line, " and about ");
	buf_add_grouped(line, cost.trap_ns / cost.runs);
	buf_adds(line, " ns a trap");
	return share;
}

void run_guard_say(const struct run_guard *guard, const struct symbolizer *symbolizer)
{
	uint64_t own_ms = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) / NSEC_PER_MSEC;
	_cleanup_(buf_done) struct buf line = {};

	if (add_programs(&line, guard) < OVERHEAD_DEFAULT && !guard->plan->view.verbose)
		return;
	buf_adds(&line, "; ");
	if (symbolizer)
		own_ms += (uint64_t)symbolizer_cpu_ms(symbolizer);
	buf_add_grouped(&line, own_ms);
	buf_adds(&line, " ms of CPU in stacktool");
	fprintf(stderr, "NOTE: cost: %s\n", buf_text(&line));
}

/* ---- duration ---- */

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

void run_guard_say_cut(size_t nr_probes, bool is_over)
{
	run_say("%s after 5 minutes, the limit for %zu probes: see --forever", is_over ? "ended" : "ends", nr_probes);
}
