/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All time of threads: the states in words, then the call tree, whose first level are the states. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/profile/wall.h"
#include "core/render/documents.h"
#include "core/render/render.h"
#include "core/render/rows.h"

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_threads(const void *left, const void *right)
{
	const struct profile_record *a = *(const struct profile_record *const *)left,
				    *b = *(const struct profile_record *const *)right;

	return compare(a->tgid, b->tgid) ?: compare(a->start_time_ns, b->start_time_ns) ?: compare(a->tid, b->tid);
}

static void add_nr(struct buf *text, size_t nr, const char *one, const char *many)
{
	buf_add_grouped(text, nr);
	buf_addf(text, " %s", nr == 1 ? one : many);
}

/* "5 threads of 1 process" */
static void add_who(struct buf *text, const struct profile *profile, const struct profile_interval *interval)
{
	_cleanup_(freep) const struct profile_record **records = xcalloc(interval->rows.nr + 1, sizeof(*records));
	size_t nr_threads = 0, nr_processes = 0;

	for (size_t i = 0; i < interval->rows.nr; i++)
		records[i] = &profile->records.data[interval->rows.data[i].record];
	qsort(records, interval->rows.nr, sizeof(*records), compare_threads);
	for (size_t i = 0; i < interval->rows.nr; i++) {
		nr_threads += !i || compare_threads(&records[i - 1], &records[i]);
		nr_processes += !i || records[i - 1]->tgid != records[i]->tgid ||
				records[i - 1]->start_time_ns != records[i]->start_time_ns;
	}
	add_nr(text, nr_threads, "thread", "threads");
	buf_adds(text, " of ");
	add_nr(text, nr_processes, "process", "processes");
}

static void add_seconds(struct buf *text, uint64_t ns)
{
	buf_addf(text, "%.3f s", (double)ns / NSEC_PER_SEC);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* `rest`: the total without idle time; 0: no column for it. */
static void add_state(struct buf *text, const char *name, uint64_t ns, uint64_t whole, uint64_t rest)
{
	buf_addf(text, "    %-12s%14.6f s %6.1f %%", name, (double)ns / NSEC_PER_SEC, percent(ns, whole));
	if (rest)
		buf_addf(text, " %6.1f %% without idle", percent(ns, rest));
	buf_addc(text, '\n');
}

/* "5 threads of 1 process in 5.000 s: 25.000 s of threads' time, of which 20.000 s idle are set aside" */
static void add_all_time(struct buf *text, const struct profile *profile, const struct profile_interval *interval,
			 uint64_t whole, uint64_t idle)
{
	add_who(text, profile, interval);
	buf_adds(text, " in ");
	add_seconds(text, interval->end_ns - interval->start_ns);
	buf_adds(text, ": ");
	add_seconds(text, whole);
	buf_adds(text, " of threads' time");
	if (idle) {
		buf_adds(text, ", of which ");
		add_seconds(text, idle);
		buf_adds(text, " idle are set aside");
	}
	buf_addc(text, '\n');
}

/* "1,204 calls in 60.001 s, 12 slow (0.05 s or more): 0.911 s in slow calls" */
static void add_calls(struct buf *text, const struct profile *profile, const struct profile_interval *interval,
		      uint64_t whole)
{
	const struct profile_view *view = &profile->view;
	const char *which = view->fast ? "fast" : "slow";
	uint64_t nr[2] = {};

	for (size_t i = 0; i < interval->rows.nr; i++) {
		const struct profile_row *row = &interval->rows.data[i];

		if (row->count && view_row_is_of_calls(view, &profile->records.data[row->record]))
			nr[row->sum / row->count >= view->limit_ns] += row->count;
	}
	add_nr(text, nr[0] + nr[1], "call", "calls");
	buf_adds(text, " in ");
	add_seconds(text, interval->end_ns - interval->start_ns);
	buf_adds(text, ", ");
	buf_add_grouped(text, nr[!view->fast]);
	buf_addf(text, " %s (%s%g s%s): ", which, view->fast ? "less than " : "", (double)view->limit_ns / NSEC_PER_SEC,
		 view->fast ? "" : " or more");
	add_seconds(text, whole);
	buf_addf(text, " in %s calls\n", which);
}

void wall_add_words(const struct profile *profile, const struct profile_interval *interval, struct buf *text)
{
	static const uint8_t order[] = { THREAD_ON_CPU,  THREAD_RUNNABLE, THREAD_THROTTLED, THREAD_SLEEPS,
					 THREAD_BLOCKED, THREAD_STOPPED,  THREAD_UNKNOWN };
	uint64_t sums[WALL_NO_STATE + 1] = {}, whole = 0, rest;

	for (size_t i = 0; i < interval->rows.nr; i++) {
		const struct profile_row *row = &interval->rows.data[i];

		if (view_row_is_of_calls(&profile->view, &profile->records.data[row->record]))
			continue;
		sums[wall_state_of(profile, &profile->records.data[row->record])] += row->sum;
		whole += row->sum;
	}
	rest = sums[WALL_IDLE] ? whole - sums[WALL_IDLE] : 0;
	if (profile->view.slow)
		add_calls(text, profile, interval, whole);
	else
		add_all_time(text, profile, interval, whole, sums[WALL_IDLE]);
	for (size_t i = 0; i < sizeof(order); i++)
		if (sums[order[i]] || order[i] <= THREAD_SLEEPS)
			add_state(text, wall_state_name(order[i]), sums[order[i]], whole, rest);
	for (unsigned int state = WALL_IDLE; state <= WALL_NO_STATE; state++)
		if (sums[state])
			add_state(text, wall_state_name(state), sums[state], whole, 0);
	if (interval->losses[ST_LOSS_WALL_SAMPLED]) {
		buf_adds(text, "    ");
		add_nr(text, interval->losses[ST_LOSS_WALL_SAMPLED], "wait", "waits");
		buf_adds(text, " without a stack of their own, which share those of sampled ones\n");
	}
	if (profile->view.latency)
		buf_adds(
			text,
			"    time on the CPU is divided by the number of threads of the process that ran, by samples\n");
	if (!profile->view.slow)
		add_state(text, "unaccounted", interval->losses[ST_LOSS_WALL_DIFFERS], whole, 0);
}

int render_wall(const struct profile *profile, const struct profile_interval *interval, FILE *out)
{
	const struct output_options options = {};
	const struct tree_options tree_options = { .root = profile->view.by_thread ? GRAPH_ROOT_TID : GRAPH_ROOT_COMM };
	_cleanup_(writer_done) struct text_writer writer;
	_cleanup_(caption_done) struct caption caption;
	_cleanup_(tree_done) struct tree tree;

	writer_init(&writer, profile, &profile->view, out);
	caption_init(&caption, &options, profile);
	tree_init(&tree, &tree_options);
	tree_add(&tree, profile, interval, TREE_NOW);
	tree_build(&tree);
	if (!profile->presentation.quiet) {
		wall_add_words(profile, interval, &writer.out.text);
		buf_addc(&writer.out.text, '\n');
	}
	if (profile->view.slow)
		latency_add(&writer, interval);
	render_tree(&tree, &options, &caption.graph, &writer.out.text);
	render_add_cut(interval, &writer.out.text);
	return stream_finish(&writer.out);
}
