/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/profile/wall.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/profile/wait_reasons.h"

/* The `where` of frames of kind FRAME_TEXT. */
#define RUN_QUEUE_PLACE (4ULL << 32)
#define THROTTLED_PLACE (4ULL << 32 | 1)
#define LABEL_PLACE(label) (5ULL << 32 | (label))

enum label {
	LABEL_NOT_SAMPLED,
	LABEL_MOVED,
	LABEL_NOT_READ,
	LABEL_LOST,
	LABEL_WAIT_NOT_SAMPLED,
};

static const struct state {
	const char *name, *root;
	char letter; /* as ps shows it; 0: the state has no reason */
} states[WALL_NO_STATE + 1] = {
	[THREAD_ON_CPU] = { "on the CPU", "[on CPU]", 0 },
	[THREAD_RUNNABLE] = { "runnable", "[runnable]", 0 },
	[THREAD_SLEEPS] = { "blocked S", "[blocked S]", 'S' },
	[THREAD_BLOCKED] = { "blocked D", "[blocked D]", 'D' },
	[THREAD_STOPPED] = { "stopped", "[stopped]", 'T' },
	[THREAD_UNKNOWN] = { "unknown", "[unknown state]", 0 },
	[THREAD_HELD] = { "held", "[held]", 0 },
	[THREAD_THROTTLED] = { "throttled", "[runnable]", 0 },
	[WALL_IDLE] = { "idle", WALL_IDLE_ROOT, 0 },
	[WALL_NO_STATE] = { "no state", "", 0 },
};

struct piece {
	struct wall_interval interval;
	uint64_t count;
};

struct sample {
	uint32_t record;
	enum thread_state state;
	uint64_t count, weight;
};

struct fresh {
	struct profile_id id;
	uint64_t count, sum;
	uint64_t shown; /* `sum`, or the part of it that is shown (--latency) */
};

struct settling {
	struct profile *profile;
	struct profile_interval *interval;
	const struct u32_list *looks;
	VEC(struct piece) pieces;
	VEC(struct sample) samples;
	VEC(struct fresh) rows;
};

const char *wall_state_name(unsigned int state)
{
	return states[state].name;
}

unsigned int wall_state_of(const struct profile *profile, const struct profile_record *record)
{
	const struct profile_frame *frame =
		record->nr_user ? &profile->frames.data[profile->stack_frames.data[record_end(record) - 1]] : NULL;

	if (!frame || frame->kind != FRAME_TEXT || frame->where >> 32 != 3 || (uint32_t)frame->where >= WALL_NO_STATE)
		return WALL_NO_STATE;
	return (uint32_t)frame->where;
}

/* Moves the first frame, the reason, behind the tracer's frames that follow it. */
static void hide_tracer(struct profile *profile, const struct profile_record *record)
{
	uint32_t *frames = profile->stack_frames.data + record->first, reason = frames[0];
	uint64_t *addresses = profile->stack_addresses.data + record->first;
	uint16_t nr = 0;

	while (nr + 1 < record->nr_kernel && profile->frames.data[frames[nr + 1]].tracer)
		nr++;
	memmove(frames, frames + 1, nr * sizeof(*frames));
	memmove(addresses, addresses + 1, nr * sizeof(*addresses));
	frames[nr] = reason;
	addresses[nr] = 0;
}

void wall_hide_tracer(struct profile *profile)
{
	for (size_t i = 0; i < profile->records.nr; i++) {
		const struct profile_record *record = &profile->records.data[i];

		if (record->nr_kernel && record->program == PROGRAM_RAW_TRACEPOINT &&
		    profile->frames.data[profile->stack_frames.data[record->first]].kind == FRAME_TEXT)
			hide_tracer(profile, record);
	}
}

struct frames {
	uint32_t numbers[2 * UINT8_MAX + 16];
	uint64_t addresses[2 * UINT8_MAX + 16];
	uint16_t nr;
};

static void add_text(struct settling *settling, struct frames *frames, const char *name, uint64_t where, bool is_kernel)
{
	struct profile_frame frame = { .kind = FRAME_TEXT, .is_kernel = is_kernel, .where = where };

	frame.name = profile_add_string(settling->profile, name);
	frames->numbers[frames->nr] = profile_add_frame(settling->profile, &frame);
	frames->addresses[frames->nr++] = 0;
}

/* Drops frames beyond the room. A record has at most 127 of each kind, and a few labels. */
static void copy_frames(const struct settling *settling, struct frames *frames, size_t first, uint16_t nr)
{
	const struct profile *profile = settling->profile;
	size_t room = sizeof(frames->numbers) / sizeof(*frames->numbers) - 4;

	for (uint16_t i = 0; i < nr && frames->nr < room; i++) {
		frames->numbers[frames->nr] = profile->stack_frames.data[first + i];
		frames->addresses[frames->nr++] = profile->stack_addresses.data[first + i];
	}
}

static const char *label_text(enum label label)
{
	static const char *const texts[] = {
		[LABEL_NOT_SAMPLED] = "[on CPU, not sampled]",
		[LABEL_MOVED] = "[moved while being read]",
		[LABEL_NOT_READ] = "[stack not read]",
		[LABEL_LOST] = "[stack lost: ring full]",
		[LABEL_WAIT_NOT_SAMPLED] = "[wait, not sampled]",
	};

	return texts[label];
}

static bool is_status_of_frames(uint8_t status)
{
	return status == STACK_OK || status == STACK_TRUNCATED;
}

/* Sets the status of stacks that now have a state. The loss of a truncated one moves to user_loss. */
static void end_stacks(struct profile_record *record)
{
	if (!is_status_of_frames(record->kernel_status) && record->nr_kernel)
		record->kernel_status = STACK_OK;
	if (record->user_status == STACK_TRUNCATED && !record->user_loss)
		record->user_loss = 1 + ST_LOSS_USER_TRUNCATED;
	if (record->user_status == STACK_UNREADABLE && !record->user_loss)
		record->user_loss = 1 + ST_LOSS_USER_UNREADABLE;
	record->user_status = STACK_OK;
}

/* With --latency, the time on the CPU of threads of a process that run together is divided among them. */
static uint64_t shown_of(const struct settling *settling, const struct profile_record *record, enum thread_state state,
			 uint64_t sum)
{
	return settling->profile->view.latency && state == THREAD_ON_CPU && record->probe ? sum / record->probe : sum;
}

/* `label` replaces the user frames; -1: none. */
static void add_row(struct settling *settling, uint32_t from, enum thread_state state, int label, uint64_t count,
		    uint64_t sum)
{
	struct profile_record record = settling->profile->records.data[from];
	uint64_t shown = shown_of(settling, &record, state, sum);
	struct frames frames = {};
	uint16_t nr_kernel;

	if (record.stack_lost) {
		label = LABEL_LOST;
		record.user_loss = 1 + ST_LOSS_STACK_LOST;
		record.stack_lost = false;
	}
	if (states[state].letter)
		add_text(settling, &frames, "[wait]", WAIT_STATE_PLACE(states[state].letter), true);
	else if (state == THREAD_RUNNABLE)
		add_text(settling, &frames, "[run queue]", RUN_QUEUE_PLACE, true);
	else if (state == THREAD_THROTTLED)
		add_text(settling, &frames, "[throttled]", THROTTLED_PLACE, true);
	copy_frames(settling, &frames, record.first, record.nr_kernel);
	nr_kernel = frames.nr;
	if (label >= 0)
		add_text(settling, &frames, label_text((enum label)label), LABEL_PLACE((enum label)label), false);
	else
		copy_frames(settling, &frames, (size_t)record.first + record.nr_kernel, record.nr_user);
	if (record.user_status == STACK_TRUNCATED)
		add_text(settling, &frames, "[truncated]", LABEL_PLACE(UINT8_MAX), false);
	add_text(settling, &frames, states[state].root, WALL_ROOT_PLACE(state), false);
	record.nr_kernel = nr_kernel;
	record.nr_user = (uint16_t)(frames.nr - nr_kernel);
	record.id = (struct profile_id){ settling->rows.nr + 1, 3 };
	record.pair = 0;
	record.probe = 0;
	end_stacks(&record);
	profile_add_record(settling->profile, &record, frames.numbers, frames.addresses);
	vec_push(&settling->rows, (struct fresh){ record.id, count, sum, shown });
}

/* The look at the thread, if it was in this interval. Otherwise PROFILE_NONE, and *ret_label says why. */
static uint32_t look_of(const struct settling *settling, const struct wall_interval *interval, int *ret_label)
{
	const struct profile_record *records = settling->profile->records.data, *wanted = &records[interval->record];

	for (size_t i = 0; i < settling->looks->nr; i++) {
		const struct profile_record *look = &records[settling->looks->data[i]];

		if (look->tid != wanted->tid || look->tgid != wanted->tgid ||
		    look->start_time_ns != wanted->start_time_ns)
			continue;
		if (look->time_ns < interval->since_ns)
			continue; /* a later look may follow */
		if (look->time_ns < interval->end_ns)
			return settling->looks->data[i];
		*ret_label = LABEL_MOVED;
		return PROFILE_NONE;
	}
	*ret_label = LABEL_NOT_READ;
	return PROFILE_NONE;
}

static void add_wait(struct settling *settling, const struct piece *piece)
{
	const struct wall_interval *interval = &piece->interval;
	int label = -1;
	uint32_t look = interval->stack == BY_LOOK ? look_of(settling, interval, &label) : PROFILE_NONE;

	if (!states[interval->state].letter)
		label = -1;
	add_row(settling, look == PROFILE_NONE ? interval->record : look, interval->state, label, piece->count,
		interval->ns);
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_threads(const struct profile_record *a, const struct profile_record *b)
{
	return compare(a->tgid, b->tgid) ?: compare(a->tid, b->tid) ?: compare(a->start_time_ns, b->start_time_ns);
}

static bool is_shared(const struct wall_interval *interval)
{
	return interval->state == THREAD_ON_CPU || interval->stack == BY_SAMPLES;
}

static int compare_pieces(const void *left, const void *right, void *records)
{
	const struct piece *a = left, *b = right;
	const struct profile_record *of = records;

	return compare(!is_shared(&a->interval), !is_shared(&b->interval))
		       ?: compare(a->interval.state, b->interval.state)
		       ?: compare_threads(&of[a->interval.record], &of[b->interval.record]);
}

static int compare_samples(const void *left, const void *right, void *records)
{
	const struct sample *a = left, *b = right;
	const struct profile_record *of = records;

	return compare(a->state, b->state) ?: compare_threads(&of[a->record], &of[b->record]);
}

static int compare_with(const struct settling *settling, size_t sample, enum thread_state state,
			const struct profile_record *thread)
{
	const struct sample *of = &settling->samples.data[sample];

	return compare(of->state, state) ?: compare_threads(&settling->profile->records.data[of->record], thread);
}

static uint64_t share(uint64_t sum, uint64_t part, uint64_t whole)
{
	return (uint64_t)((__uint128_t)sum * part / whole);
}

/* Divides the time among the samples, exact to the nanosecond. */
static void add_shares(struct settling *settling, uint32_t record, enum thread_state state,
		       const struct sample *samples, size_t nr, uint64_t count, uint64_t sum)
{
	uint64_t whole = 0, taken = 0;

	for (size_t i = 0; i < nr; i++)
		whole += samples[i].weight;
	if (!whole) {
		add_row(settling, record, state, state == THREAD_ON_CPU ? LABEL_NOT_SAMPLED : LABEL_WAIT_NOT_SAMPLED,
			count, sum);
		return;
	}
	for (size_t i = 0; i < nr; i++) {
		uint64_t before = share(sum, taken, whole);

		taken += samples[i].weight;
		add_row(settling, samples[i].record, state, -1, samples[i].count, share(sum, taken, whole) - before);
	}
}

/*
 * Adds rows for the pieces that share stacks. These pieces come first; returns their number. Ignores samples without a piece, which came at
 * the end of the window.
 */
static size_t add_all_shared(struct settling *settling)
{
	size_t at = 0, sample = 0;

	if (settling->pieces.nr) /* otherwise `data` is NULL */
		qsort_r(settling->pieces.data, settling->pieces.nr, sizeof(*settling->pieces.data), compare_pieces,
			settling->profile->records.data);
	if (settling->samples.nr)
		qsort_r(settling->samples.data, settling->samples.nr, sizeof(*settling->samples.data), compare_samples,
			settling->profile->records.data);
	while (at < settling->pieces.nr && is_shared(&settling->pieces.data[at].interval)) {
		uint32_t first = settling->pieces.data[at].interval.record;
		enum thread_state state = settling->pieces.data[at].interval.state;
		uint64_t count = 0, sum = 0;
		size_t end;

#define RECORD(number) (&settling->profile->records.data[number])
		for (; at < settling->pieces.nr && is_shared(&settling->pieces.data[at].interval) &&
		       settling->pieces.data[at].interval.state == state &&
		       !compare_threads(RECORD(settling->pieces.data[at].interval.record), RECORD(first));
		     at++) {
			count += settling->pieces.data[at].count;
			sum += settling->pieces.data[at].interval.ns;
		}
		while (sample < settling->samples.nr && compare_with(settling, sample, state, RECORD(first)) < 0)
			sample++;
		for (end = sample; end < settling->samples.nr && !compare_with(settling, end, state, RECORD(first));)
			end++;
		add_shares(settling, first, state, settling->samples.data + sample, end - sample, count, sum);
		sample = end;
#undef RECORD
	}
	return at;
}

/* Whether a wait was counted without a stack: its record has only the thread. */
static bool lacks_stack(const struct profile_record *record, enum thread_state state)
{
	return !record->nr_kernel && !record->nr_user && !record->stack_lost && state != THREAD_UNKNOWN;
}

static void take_row(struct settling *settling, const struct profile_row *row)
{
	const struct profile *profile = settling->profile;
	const struct profile_record *record = &profile->records.data[row->record];
	const struct profile_pair *pair = record->pair ? &profile->pairs.data[record->pair - 1] : NULL;
	uint8_t reason = pair ? pair->reason : 0;
	enum wall_stack stack = BY_RECORD;

	if (view_row_is_of_calls(&profile->view, record)) {
		vec_push(&settling->rows, (struct fresh){ record->id, row->count, 0, row->sum });
		return;
	}
	if (!pair && row->sum) { /* an interval whose pair was lost; samples have no sum */
		vec_push(&settling->pieces,
			 (struct piece){ { .record = row->record, .state = THREAD_UNKNOWN, .ns = row->sum },
					 row->count });
		return;
	}
	if (!pair) {
		vec_push(&settling->samples, (struct sample){ row->record, THREAD_ON_CPU, row->count, row->count });
		return;
	}
#ifdef ST_WALL_TAKES_BOTH /* it is compared with that of the switch (tests/e2e/wall_back.sh) */
	if (WALL_IS_SAMPLE(reason)) {
		vec_push(&settling->pieces,
			 (struct piece){ { .record = pair->sleeper, .state = THREAD_UNKNOWN, .ns = row->sum },
					 row->count });
		return;
	}
#endif
	if (WALL_IS_SAMPLE(reason)) {
		vec_push(&settling->samples,
			 (struct sample){ pair->sleeper, (enum thread_state)(reason & 0xf), row->count, row->sum });
		return;
	}
	if (reason >> 4 & 1)
		stack = BY_LOOK;
	else if (lacks_stack(&profile->records.data[pair->sleeper], (enum thread_state)(reason & 0xf)))
		stack = BY_SAMPLES;
	vec_push(&settling->pieces, (struct piece){ .interval = { .record = pair->sleeper,
								  .state = (enum thread_state)(reason & 0xf),
								  .stack = stack,
								  .ns = row->sum,
								  .end_ns = record->time_ns },
						    .count = row->count });
}

static uint64_t replace_rows(struct settling *settling)
{
	struct profile_interval *interval = settling->interval;
	struct profile *profile = settling->profile;
	uint64_t sum = 0;

	interval->rows.nr = 0;
	hashidx_done(&interval->row_index);
	interval->row_index = (struct hashidx){};
	for (size_t i = 0; i < settling->rows.nr; i++) {
		profile_count(profile, interval, settling->rows.data[i].id, settling->rows.data[i].count,
			      settling->rows.data[i].shown);
		sum += settling->rows.data[i].sum;
	}
	for (size_t i = 0; i < profile->records.nr; i++)
		profile->records.data[i].probe = 0; /* it was a number, not a name */
	for (size_t i = 0; i < profile->pairs.nr; i++)
		profile->records.data[profile->pairs.data[i].record].pair = 0;
	profile->pairs.nr = 0;
	return sum;
}

uint64_t wall_settle(struct profile *profile, struct profile_interval *interval, const wall_interval_list *open,
		     const struct u32_list *looks)
{
	struct settling settling = { .profile = profile, .interval = interval, .looks = looks };
	uint64_t sum;

	for (size_t i = 0; i < interval->rows.nr; i++)
		take_row(&settling, &interval->rows.data[i]);
	for (size_t i = 0; i < open->nr; i++)
		if (open->data[i].ns)
			vec_push(&settling.pieces, (struct piece){ open->data[i], 1 });
	for (size_t i = add_all_shared(&settling); i < settling.pieces.nr; i++)
		add_wait(&settling, &settling.pieces.data[i]);
	sum = replace_rows(&settling);
	vec_done(&settling.pieces);
	vec_done(&settling.samples);
	vec_done(&settling.rows);
	return sum;
}
