/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads as they are now: for each process its threads, grouped by stack. A row's first kernel frame is the state of the thread
 * (core/profile/wait_reasons.h), its sum the time since the thread last got a CPU.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/escape.h"
#include "core/profile/wait_reasons.h"
#include "core/render/render.h"
#include "core/render/rows.h"

#define MINUTE_NS (60 * NSEC_PER_SEC)
#define HOUR_NS (60 * MINUTE_NS)
#define DAY_NS (24 * HOUR_NS)

struct thread {
	const struct profile *profile;
	const struct profile_row *row;
	const struct profile_record *record;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_processes(const struct thread *a, const struct thread *b)
{
	return compare_numbers(a->record->tgid, b->record->tgid)
		       ?: compare_numbers(a->record->start_time_ns, b->record->start_time_ns);
}

/* memcmp() must not get NULL, and a file may have no frames. */
static int compare_bytes(const void *a, const void *b, size_t nr)
{
	return nr ? memcmp(a, b, nr) : 0;
}

/* Compares frames and addresses: frames of two files can have the same address. */
static int compare_stacks(const struct thread *a, const struct thread *b)
{
	const struct profile *profile = a->profile;
	size_t nr = (size_t)a->record->nr_kernel + a->record->nr_user;
	const uint32_t *frames = profile->stack_frames.data;
	const uint64_t *addresses = profile->stack_addresses.data;

	return compare_numbers(a->record->nr_kernel, b->record->nr_kernel)
		       ?: compare_numbers(a->record->nr_user, b->record->nr_user)
		       ?: compare_bytes(frames + a->record->first, frames + b->record->first, nr * sizeof(*frames))
		       ?: compare_bytes(addresses + a->record->first, addresses + b->record->first,
					nr * sizeof(*addresses));
}

static int compare_by_stack(const void *left, const void *right)
{
	const struct thread *a = left, *b = right;

	return compare_processes(a, b) ?: compare_stacks(a, b) ?: compare_numbers(a->record->tid, b->record->tid);
}

/* Threads with the same stacks: `nr` from `first` on. */
struct group {
	const struct thread *first;
	size_t nr;
};

/* The group of the main thread comes first: its id is the lowest. */
static int compare_groups(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	return compare_processes(a->first, b->first) ?: compare_numbers(a->first->record->tid, b->first->record->tid);
}

typedef VEC(struct group) group_list;

static void find_groups(const struct thread *threads, size_t nr, group_list *ret_groups)
{
	for (size_t i = 0; i < nr; i++)
		if (i && !compare_processes(&threads[i - 1], &threads[i]) &&
		    !compare_stacks(&threads[i - 1], &threads[i]))
			vec_last(ret_groups).nr++;
		else
			vec_push(ret_groups, (struct group){ &threads[i], 1 });
	if (ret_groups->nr)
		qsort(ret_groups->data, ret_groups->nr, sizeof(*ret_groups->data), compare_groups);
}

static void add_time(struct buf *text, uint64_t ns)
{
	if (ns < NSEC_PER_SEC)
		buf_addf(text, "%" PRIu64 " ms", ns / NSEC_PER_MSEC);
	else if (ns < MINUTE_NS)
		buf_addf(text, "%.1f s", (double)ns / NSEC_PER_SEC);
	else if (ns < HOUR_NS)
		buf_addf(text, "%.1f min", (double)ns / MINUTE_NS);
	else if (ns < DAY_NS)
		buf_addf(text, "%.1f h", (double)ns / HOUR_NS);
	else
		buf_addf(text, "%.1f days", (double)ns / DAY_NS);
}

static void add_nr(struct buf *text, size_t nr, const char *one, const char *many)
{
	buf_add_grouped(text, nr);
	buf_addf(text, " %s", nr == 1 ? one : many);
}

/* Adds ", last ran 2.1 h ago", or the shortest and the longest time. 0 means unknown. */
static void add_waits(struct buf *text, const struct group *group)
{
	uint64_t least = UINT64_MAX, most = 0;
	_cleanup_(buf_done) struct buf from = {}, to = {};

	for (size_t i = 0; i < group->nr; i++) {
		uint64_t ns = group->first[i].row->sum;

		least = ns && ns < least ? ns : least;
		most = ns > most ? ns : most;
	}
	if (!most)
		return;
	add_time(&from, least);
	add_time(&to, most);
	buf_addf(text, ", last ran %s", buf_text(&from));
	if (strcmp(buf_text(&from), buf_text(&to)))
		buf_addf(text, " to %s", buf_text(&to));
	buf_adds(text, " ago");
}

static bool continues(const struct thread *before, const struct thread *thread)
{
	return before->record->tid + 1 == thread->record->tid && before->record->comm == thread->record->comm;
}

/* "187 bio_close_file, 190-192 worker" */
static void add_threads(struct text_writer *writer, const struct group *group)
{
	for (size_t i = 0, last; i < group->nr; i = last + 1) {
		const struct profile_record *record = group->first[i].record;

		for (last = i; last + 1 < group->nr && continues(&group->first[last], &group->first[last + 1]); last++)
			;
		buf_addf(&writer->out.text, "%s%" PRIu32, i ? ", " : "", record->tid);
		if (last > i)
			buf_addf(&writer->out.text, "-%" PRIu32, group->first[last].record->tid);
		buf_addc(&writer->out.text, ' ');
		writer_add_name(writer, record->comm);
	}
}

/* Adds the state without its brackets: "S futex". In a saved profile it can be any text. */
static void add_state(struct text_writer *writer, const struct profile_record *record)
{
	const struct profile *profile = writer->profile;
	_cleanup_(buf_done) struct buf state = {};
	const char *name;
	size_t length;

	if (!wait_has_state(profile, record))
		return;
	name = profile_string(profile, profile->frames.data[profile->stack_frames.data[record->first]].name);
	length = strlen(name);
	if (length <= 2 || name[0] != '[' || name[length - 1] != ']')
		return;
	buf_addf(&state, "%.*s", (int)length - 2, name + 1);
	buf_adds(&writer->out.text, ": ");
	escape_add(&writer->out.text, buf_text(&state), ESCAPE_NAME);
}

static void add_group(struct text_writer *writer, const struct group *group)
{
	const struct profile_record *record = group->first->record;
	struct merged_row row = merge_row_alone(writer->profile, group->first->row, writer->view);

	buf_addc(&writer->out.text, '\n');
	if (group->nr > 1)
		add_nr(&writer->out.text, group->nr, "thread", "threads");
	else
		buf_adds(&writer->out.text, "thread");
	if (group->nr == 1) {
		buf_addc(&writer->out.text, ' ');
		add_threads(writer, group);
	}
	add_state(writer, record);
	add_waits(&writer->out.text, group);
	if (group->nr > 1) {
		buf_adds(&writer->out.text, ": ");
		add_threads(writer, group);
	}
	buf_addc(&writer->out.text, '\n');
	if (wait_has_state(writer->profile, record) && row.kernel.nr) {
		row.kernel.first++;
		row.kernel.nr--;
	}
	text_stack(writer, &row.kernel, true, false);
	if (row.kernel.nr && row.user.nr)
		buf_adds(&writer->out.text, "    --\n");
	text_stack(writer, &row.user, false, false);
}

static void add_process(struct text_writer *writer, const struct group *groups, size_t nr)
{
	const struct profile_record *named = groups[0].first->record;
	size_t nr_threads = 0;

	for (size_t i = 0; i < nr; i++)
		nr_threads += groups[i].nr;
	buf_addf(&writer->out.text, "\nPROCESS %" PRIu32 " ", named->tgid);
	writer_add_name(writer, named->comm);
	buf_adds(&writer->out.text, ": ");
	add_nr(&writer->out.text, nr_threads, "thread", "threads");
	buf_addc(&writer->out.text, '\n');
	for (size_t i = 0; i < nr && !writer->out.err; i++) {
		add_group(writer, &groups[i]);
		stream_turn(&writer->out);
	}
}

static size_t nr_of_process(const group_list *groups, size_t at)
{
	size_t end = at;

	while (end < groups->nr && !compare_processes(groups->data[at].first, groups->data[end].first))
		end++;
	return end - at;
}

int render_dump(const struct profile *profile, const struct profile_interval *interval, const struct profile_view *view,
		FILE *out)
{
	_cleanup_(freep) struct thread *threads = xcalloc(interval->rows.nr + 1, sizeof(*threads));
	_cleanup_(writer_done) struct text_writer writer;
	group_list groups = {};
	size_t nr_processes = 0;

	writer_init(&writer, profile, view, out);
	for (size_t i = 0; i < interval->rows.nr; i++)
		threads[i] = (struct thread){ profile, &interval->rows.data[i],
					      &profile->records.data[interval->rows.data[i].record] };
	qsort(threads, interval->rows.nr, sizeof(*threads), compare_by_stack);
	find_groups(threads, interval->rows.nr, &groups);
	for (size_t i = 0; i < groups.nr; i += nr_of_process(&groups, i))
		nr_processes++;
	if (!profile->presentation.quiet) {
		add_nr(&writer.out.text, interval->rows.nr, "thread", "threads");
		buf_adds(&writer.out.text, " of ");
		add_nr(&writer.out.text, nr_processes, "process", "processes");
		buf_addc(&writer.out.text, '\n');
	}
	for (size_t i = 0, nr; i < groups.nr && !writer.out.err; i += nr) {
		nr = nr_of_process(&groups, i);
		add_process(&writer, &groups.data[i], nr);
	}
	vec_done(&groups);
	return stream_finish(&writer.out);
}
