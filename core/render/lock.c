/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VIEW_LOCK: a table of locks, those first for which threads have waited longest, and below each the threads that held it meanwhile.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/profile/lock.h"
#include "core/render/render.h"
#include "core/render/rows.h"

#define FUNCTIONS_MAX 3 /* of a holder */
#define HOLDERS_MAX 8 /* of a lock; the rest has one line */

/* A row of the profile, and what the table shows of it. */
struct wait {
	const struct profile_row *row;
	const struct profile_record *waiter;
	const struct profile_record *holder; /* NULL: unknown, or no stack of it was taken */
	const char *label; /* in place of a holder; NULL: there is one */
	uint32_t owner; /* the thread that the mutex had as its owner; 0: `holder` ended the wait */
	uint64_t address; /* of the lock */
	bool is_open; /* it had not ended when the run ended */
	string_id functions[FUNCTIONS_MAX]; /* of the holder, innermost first */
};

/* Waits that are the same in the table. */
struct group {
	const struct wait *first;
	size_t nr;
	uint64_t sum_ns, nr_waits;
	const char *kind; /* of a lock */
	bool is_signal;
};

typedef VEC(struct group) group_list;

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_locks(const struct wait *a, const struct wait *b)
{
	return compare_numbers(a->waiter->tgid, b->waiter->tgid)
		       ?: compare_numbers(a->waiter->start_time_ns, b->waiter->start_time_ns)
		       ?: compare_numbers(a->waiter->exec_id, b->waiter->exec_id)
		       ?: compare_numbers(a->address, b->address);
}

/* Threads that run the same functions are one line. */
static int compare_holders(const struct wait *a, const struct wait *b)
{
	int order = compare_locks(a, b) ?: compare_numbers(a->owner != 0, b->owner != 0)
					?: compare_numbers((uintptr_t)a->label, (uintptr_t)b->label);

	for (int i = 0; !order && i < FUNCTIONS_MAX; i++)
		order = compare_numbers(a->functions[i], b->functions[i]);
	return order;
}

static int compare_waits(const void *left, const void *right)
{
	const struct wait *a = left, *b = right;

	return compare_holders(a, b) ?: compare_numbers(a->waiter->lock, b->waiter->lock) ?: compare_numbers(a->waiter->tid, b->waiter->tid) ?: compare_numbers(a->row->record, b->row->record);
}

static uint32_t waiter_of(const struct wait *wait)
{
	return wait->waiter->tid;
}

/* The thread that held the lock or ended the wait; 0: none. */
static uint32_t holder_of(const struct wait *wait)
{
	return wait->owner ?: wait->holder ? wait->holder->tid : 0;
}

static int compare_ids(const void *left, const void *right)
{
	return compare_numbers(*(const uint32_t *)left, *(const uint32_t *)right);
}

/* Locks that threads hold come first, and of them those with the longest time. Groups are in order of their waits, which decides among equals. */
static int compare_groups(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	return compare_numbers(a->is_signal, b->is_signal) ?: compare_numbers(b->sum_ns, a->sum_ns) ?: compare_numbers((uintptr_t)a->first, (uintptr_t)b->first);
}

static void make_groups(const struct wait *waits, size_t nr, int (*compare)(const struct wait *, const struct wait *),
			group_list *groups)
{
	for (size_t i = 0; i < nr; i++) {
		if (!groups->nr || compare(vec_last(groups).first, &waits[i]))
			vec_push(groups, (struct group){ .first = &waits[i] });
		vec_last(groups).nr++;
		vec_last(groups).sum_ns += waits[i].row->sum;
		vec_last(groups).nr_waits += waits[i].row->count;
	}
}

static void sort_groups(group_list *groups)
{
	if (groups->nr)
		qsort(groups->data, groups->nr, sizeof(*groups->data), compare_groups);
}

/* ---- reading rows ---- */

static void add_functions(const struct profile *profile, struct wait *wait)
{
	size_t at = lock_user(profile, wait->holder), end = record_end(wait->holder);

	for (int i = 0; i < FUNCTIONS_MAX && at < end; at++) {
		const struct profile_frame *frame = &profile->frames.data[profile->stack_frames.data[at]];

		if (frame->name && frame->kind != FRAME_TEXT) /* not a label */
			wait->functions[i++] = frame->name;
	}
}

static struct wait wait_of(const struct profile *profile, const struct profile_view *view,
			   const struct profile_row *row)
{
	struct merged_row shown = merge_row_alone(profile, row, view);
	struct wait wait = { .row = row, .waiter = &profile->records.data[shown.sleeper] };

	wait.address = lock_address(profile, wait.waiter);
	wait.owner = lock_owner(profile, wait.waiter);
	wait.is_open = shown.reason == WAKER_UNFINISHED;
	wait.label = waker_label(profile, &shown);
	if (wait.owner)
		wait.label = NULL;
	if (shown.waker == PROFILE_NONE || wait.label)
		return wait;
	wait.holder = &profile->records.data[shown.waker];
	add_functions(profile, &wait);
	return wait;
}

/* ---- printing ---- */

static void add_ms(struct buf *text, uint64_t ns)
{
	buf_addf(text, "%12.3f", (double)ns / NSEC_PER_MSEC);
}

/* "1.234", or "10.240-12.287" where only the class of the longest wait is known. */
static void add_longest(struct buf *text, const struct group *group)
{
	struct durations durations = {};
	struct duration_range longest;
	char range[64];

	for (size_t i = 0; i < group->nr; i++)
		durations_add(&durations, group->first[i].row->count, group->first[i].row->sum);
	longest = durations_longest(&durations);
	if (longest.first_us == longest.last_us)
		snprintf(range, sizeof(range), "%.3f", (double)longest.first_us / 1000);
	else
		snprintf(range, sizeof(range), "%.3f-%.3f", (double)longest.first_us / 1000,
			 (double)longest.last_us / 1000);
	buf_addf(text, " %21s", range);
}

static size_t nr_threads(const struct group *group, uint32_t (*tid_of)(const struct wait *wait))
{
	_cleanup_(freep) uint32_t *ids = xcalloc(group->nr, sizeof(*ids));
	size_t nr = 0;

	for (size_t i = 0; i < group->nr; i++)
		ids[i] = tid_of(&group->first[i]);
	qsort(ids, group->nr, sizeof(*ids), compare_ids);
	for (size_t i = 0; i < group->nr; i++)
		nr += !i || ids[i - 1] != ids[i];
	return nr;
}

/* That of the longest wait whose functions tell it. */
static const char *kind_of(const struct profile *profile, const struct group *group)
{
	const char *kind = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < group->nr; i++) {
		const char *found = group->first[i].row->sum >= most
					    ? lock_kind(profile, group->first[i].waiter, group->first[i].holder)
					    : NULL;

		if (found) {
			kind = found;
			most = group->first[i].row->sum;
		}
	}
	return kind ?: "unknown";
}

/* "server!cache_lock+8 [4121]" */
static void add_lock(struct text_writer *writer, const struct profile_record *waiter)
{
	const struct profile *profile = writer->profile;
	struct buf *text = &writer->out.text;
	const struct profile_frame *frame;

	frame = &profile->frames.data[profile->stack_frames.data[waiter->first + waiter->nr_kernel]];
	if (frame->kind == FRAME_USER_FILE) {
		escape_add(text, profile_string(profile, frame->module), ESCAPE_MODULE);
		buf_addc(text, frame->name ? '!' : '+');
	}
	if (frame->name)
		escape_add(text, profile_string(profile, frame->name), ESCAPE_LINE);
	if (!frame->name)
		buf_addf(text, "0x%" PRIx64, frame->where);
	else if (frame->offset)
		buf_addf(text, "+%" PRIu64, frame->offset);
	buf_addf(text, " [%" PRIu32 "]\n", waiter->tgid);
}

static void add_holder(struct text_writer *writer, const struct group *group, uint64_t whole_ns)
{
	const size_t nr = nr_threads(group, holder_of);
	const struct wait *wait = group->first;
	struct buf *text = &writer->out.text;

	add_ms(text, group->sum_ns);
	buf_addf(text, " %5.1f %% %9" PRIu64 "  ", whole_ns ? 100.0 * (double)group->sum_ns / (double)whole_ns : 0.0,
		 group->nr_waits);
	buf_adds(text, wait->owner ? "held by " : wait->label ? "ended by " : "woken by ");
	if (wait->label)
		buf_adds(text, *wait->label ? wait->label : LABEL_UNKNOWN);
	else if (nr > 1)
		buf_addf(text, "%zu threads, as ", nr);
	if (wait->holder) {
		writer_add_name(writer, wait->holder->comm);
		buf_addc(text, ' ');
	}
	if (!wait->label)
		buf_addf(text, "%" PRIu32, holder_of(wait));
	if (nr > 1 && !wait->label)
		buf_addc(text, ',');
	for (int i = 0; i < FUNCTIONS_MAX && wait->functions[i]; i++) {
		buf_adds(text, i ? " < " : " in ");
		escape_add(text, profile_string(writer->profile, wait->functions[i]), ESCAPE_NAME);
	}
	if (wait->owner && !wait->functions[0])
		buf_adds(text, nr > 1 ? " whose stacks were not seen" : ", whose stack was not seen");
	buf_addc(text, '\n');
}

static void add_group(struct text_writer *writer, const struct group *lock)
{
	struct buf *text = &writer->out.text;
	group_list holders = {};
	uint64_t rest_ns = 0;
	size_t nr_rest;

	add_ms(text, lock->sum_ns);
	buf_addf(text, " %9" PRIu64, lock->nr_waits);
	add_longest(text, lock);
	buf_addf(text, " %7zu  %-18s ", nr_threads(lock, waiter_of), lock->kind);
	add_lock(writer, lock->first->waiter);
	make_groups(lock->first, lock->nr, compare_holders, &holders);
	sort_groups(&holders);
	for (size_t i = 0; i < holders.nr; i++) {
		if (i < HOLDERS_MAX)
			add_holder(writer, &holders.data[i], lock->sum_ns);
		else
			rest_ns += holders.data[i].sum_ns;
	}
	nr_rest = holders.nr > HOLDERS_MAX ? holders.nr - HOLDERS_MAX : 0;
	if (nr_rest) {
		add_ms(text, rest_ns);
		buf_addf(text, " %5.1f %%            %zu more\n", 100.0 * (double)rest_ns / (double)lock->sum_ns,
			 nr_rest);
	}
	buf_addc(text, '\n');
	vec_done(&holders);
}

/* ---- threads that wait for each other ---- */

static int compare_processes(const struct wait *a, const struct wait *b)
{
	return compare_numbers(a->waiter->tgid, b->waiter->tgid)
		       ?: compare_numbers(a->waiter->start_time_ns, b->waiter->start_time_ns);
}

static int compare_by_thread(const void *left, const void *right)
{
	const struct wait *a = left, *b = right;

	return compare_processes(a, b) ?: compare_numbers(a->waiter->tid, b->waiter->tid);
}

/* The wait of the thread that holds what `wait` waits for; NULL: it does not wait for a mutex. `open` is by thread. */
static struct wait *wait_of_owner(struct wait *open, size_t nr, const struct wait *wait)
{
	const struct profile_record owner = { .tgid = wait->waiter->tgid,
					      .start_time_ns = wait->waiter->start_time_ns,
					      .tid = wait->owner };
	const struct wait key = { .waiter = &owner };

	return nr ? bsearch(&key, open, nr, sizeof(*open), compare_by_thread) : NULL;
}

static void add_ring(struct text_writer *writer, struct wait *open, size_t nr, const struct wait *first)
{
	const struct wait *wait = first;

	buf_adds(&writer->out.text,
		 "deadlock: each of these threads waits for the next one, and the last one for the first:\n");
	do {
		buf_adds(&writer->out.text, "    ");
		writer_add_name(writer, wait->waiter->comm);
		buf_addf(&writer->out.text, " %" PRIu32 " waits for ", wait->waiter->tid);
		add_lock(writer, wait->waiter);
		wait = wait_of_owner(open, nr, wait);
	} while (wait != first);
	buf_addc(&writer->out.text, '\n');
}

/* Each open wait is followed once: a walk that comes to one of its own waits has found a ring. */
static void add_rings(struct text_writer *writer, const struct wait *waits, size_t nr_waits)
{
	_cleanup_(freep) struct wait *open = xcalloc(nr_waits + 1, sizeof(*open));
	_cleanup_(freep) size_t *walks = xcalloc(nr_waits + 1, sizeof(*walks));
	size_t nr = 0;

	for (size_t i = 0; i < nr_waits; i++)
		if (waits[i].is_open && waits[i].owner)
			open[nr++] = waits[i];
	if (nr)
		qsort(open, nr, sizeof(*open), compare_by_thread);
	for (size_t i = 0; i < nr; i++) {
		struct wait *wait = &open[i];

		while (wait && !walks[wait - open]) {
			walks[wait - open] = i + 1;
			wait = wait_of_owner(open, nr, wait);
		}
		if (wait && walks[wait - open] == i + 1)
			add_ring(writer, open, nr, wait);
	}
}

/* Waits whose records were lost. They are shown with any --top and --min-count, because their locks may have been among the others. */
static void add_lost(struct buf *text, const struct group *lost)
{
	if (!lost->nr_waits)
		return;
	add_ms(text, lost->sum_ns);
	buf_addf(text, " %9" PRIu64 " %21s %7s  %-18s %s\n\n", lost->nr_waits, "", "", "unknown", LABEL_LOST);
}

int render_lock(const struct profile *profile, const struct profile_interval *interval, const struct profile_view *view,
		FILE *out)
{
	const struct presentation *presentation = &profile->presentation;
	_cleanup_(writer_done) struct text_writer writer;
	VEC(struct wait) waits = {};
	struct group lost = {};
	group_list locks = {};
	size_t nr_shown = 0;

	writer_init(&writer, profile, view, out);
	for (size_t i = 0; i < interval->rows.nr; i++) {
		struct wait wait = wait_of(profile, view, &interval->rows.data[i]);

		if (lock_is_waiter(profile, wait.waiter)) {
			vec_push(&waits, wait);
		} else {
			lost.sum_ns += wait.row->sum;
			lost.nr_waits += wait.row->count;
		}
	}
	if (waits.nr)
		qsort(waits.data, waits.nr, sizeof(*waits.data), compare_waits);
	make_groups(waits.data, waits.nr, compare_locks, &locks);
	for (size_t i = 0; i < locks.nr; i++) {
		locks.data[i].kind = kind_of(profile, &locks.data[i]);
		locks.data[i].is_signal = lock_is_signal(locks.data[i].kind);
	}
	sort_groups(&locks);
	if (!presentation->quiet)
		buf_addf(&writer.out.text, "\n%12s %9s %21s %7s  %-18s %s\n", "WAITED (ms)", "WAITS", "LONGEST (ms)",
			 "THREADS", "KIND", "LOCK");
	for (size_t i = 0; i < locks.nr && (!presentation->top || nr_shown < presentation->top) && !writer.out.err;
	     i++) {
		if (locks.data[i].sum_ns / 1000 < presentation->least)
			continue; /* a later one may have more: signals come last */
		add_group(&writer, &locks.data[i]);
		stream_turn(&writer.out);
		nr_shown++;
	}
	add_lost(&writer.out.text, &lost);
	add_rings(&writer, waits.data, waits.nr);
	render_add_cut(interval, &writer.out.text);
	vec_done(&waits);
	vec_done(&locks);
	return stream_finish(&writer.out);
}
