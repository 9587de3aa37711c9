/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/session/drain.h"
#include "core/spaces/cgroup_paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/host/host.h"
#include "core/host/unpreempted.h"
#include "core/session/drain_private.h"
#include "core/session/session_private.h"

#define MAX_COUNT_ENTRIES (1U << 20) /* a generation grows by itself up to here: 80 MB of kernel memory */
#define MAX_DELTAS (1U << 16)         /* spilled events of the live generation that wait in user space */
#define WORDS_OF(bytes) (((bytes) + 7) / 8)

/* ---- ring ---- */

static void keep_record(struct session *session, const struct st_stack *stack, size_t bytes)
{
	size_t words = WORDS_OF(bytes);

	vec_reserve(&session->pending, session->pending.nr + words);
	memcpy(session->pending.data + session->pending.nr, stack, bytes);
	session->pending.nr += words;
	session->nr_received++;
	drain_note_recent(session, &stack->head.id);
}

/* Pairs with times are not in the cache of what has been sent. */
static void keep_pair(struct session *session, const struct st_pair *pair)
{
	vec_push(&session->pairs, *pair);
	if (session->off_cpu.by_time)
		return;
	session->nr_received++;
	drain_note_recent(session, &pair->id);
}

static bool is_whole_record(const struct st_stack *stack, size_t bytes)
{
	const struct st_stack_head *head = &stack->head;

	return bytes >= sizeof(*head) && head->nr_kernel <= ST_MAX_FRAMES && head->nr_user <= ST_MAX_FRAMES &&
	       bytes == sizeof(*head) + 8 * ((size_t)head->nr_kernel + head->nr_user);
}

static bool is_record(uint8_t kind)
{
	return kind == ST_MESSAGE_STACK || kind == ST_MESSAGE_EVENT;
}

/* Messages are told apart by the byte at one common offset; all are at least a struct st_delta long. */
static int on_message(void *context, void *data, size_t bytes)
{
	struct session *session = context;
	const struct st_delta *delta = data;

	if (bytes < sizeof(*delta))
		session->bad_messages++;
	else if (is_record(delta->kind) && is_whole_record(data, bytes))
		keep_record(session, data, bytes);
	else if (delta->kind == ST_MESSAGE_DELTA && bytes == sizeof(*delta))
		vec_push(&session->deltas, *delta);
	else if (delta->kind == ST_MESSAGE_PAIR && bytes == sizeof(struct st_pair))
		keep_pair(session, data);
	else if (delta->kind == ST_MESSAGE_POKE)
		session->poked = true;
	else
		session->bad_messages++;
	return 0;
}

int drain_open(struct session *session)
{
	session->ring = ring_buffer__new(bpf_map__fd(session->skeleton->maps.st_ring), on_message, session, NULL);
	return session->ring ? 0 : fail(-errno, "ring buffer: cannot be opened: %s", strerror(errno));
}

int drain_fd(const struct session *session)
{
	return ring_buffer__epoll_fd(session->ring);
}

/* ---- records ---- */

static enum event_context context_of(uint8_t flags)
{
	if (flags & ST_STACK_IN_NMI)
		return CONTEXT_NMI;
	if (flags & ST_STACK_IN_IRQ)
		return CONTEXT_IRQ;
	return flags & ST_STACK_IN_SOFTIRQ ? CONTEXT_SOFTIRQ : CONTEXT_TASK;
}

/* The name of the probe that fired, as a string of the profile; 0 when it is not told apart. */
static uint64_t probe_of(struct session *session, struct profile *profile, const struct st_stack_head *head)
{
	const struct attach_plan *attach = session->attach;
	const struct attach_point *point;

	if (!session->names_probes || head->probe >= attach->points.nr)
		return 0;
	point = &attach->points.data[head->probe];
	return profile_add_string(profile, point->shown ? point->shown : point->name);
}

static struct profile_record record_of(struct session *session, struct profile *profile,
				       const struct st_stack_head *head)
{
	return (struct profile_record){
		.id = { head->id.lo, head->id.hi },
		.tgid = head->tgid,
		.tid = head->tid,
		.start_time_ns = head->start_time_ns,
		.exec_id = head->exec_id,
		.cgroup_id = head->cgroup_id,
		.probe = probe_of(session, profile, head),
		.time_ns = head->time_ns,
		.comm = strtab_addn(&profile->strings, head->comm, sizeof(head->comm)),
		.cpu = head->cpu,
		.program = head->program,
		.kernel_status = head->kernel_status,
		.user_status = head->user_status,
		.foreign = head->flags & ST_STACK_FOREIGN,
		.context = (uint8_t)context_of(head->flags),
		.user_loss = head->user_end >= ST_END_ROOT && head->user_end < ST_NR_ENDS
				     ? (uint8_t)(1 + ST_LOSS_OF_END(head->user_end))
				     : 0,
		.nr_kernel = head->nr_kernel,
		.nr_user = head->nr_user,
	};
}

/* Frame 0 is the interrupted or probed instruction in these programs; in the others it is a return address. */
static bool leaf_is_exact(uint8_t program)
{
	return program == PROGRAM_SAMPLE || program == PROGRAM_UPROBE;
}

static void add_kernel_frames(const struct drain_target *target, const struct st_stack *stack, uint32_t *ret_frames)
{
	for (uint16_t i = 0; i < stack->head.nr_kernel; i++) {
		struct profile_frame frame = {
			.kind = FRAME_KERNEL,
			.reason = REASON_NOT_TRIED,
			.exact = i == 0 && leaf_is_exact(stack->head.program),
			.where = stack->frames[i],
		};

		frame.generated =
			spaces_generated_code(target->spaces, frame.where - !frame.exact, stack->head.time_ns);
		ret_frames[i] = profile_add_frame(target->profile, &frame);
	}
}

/*
 * The user frames of a record, with the caller that the walk left out in its place. A return address of 0, with which
 * runtimes end a stack, is no frame; a leaf of 0 is a call of NULL. Returns how many.
 */
static uint16_t user_addresses(const struct st_stack *stack, uint64_t *ret_addresses)
{
	const __u64 *frames = stack->frames + stack->head.nr_kernel;
	uint16_t nr = 0;

	for (uint16_t i = 0; i < stack->head.nr_user && (i == 0 || frames[i]); i++) {
		ret_addresses[nr++] = frames[i];
		if (i == 0 && stack->head.caller)
			ret_addresses[nr++] = stack->head.caller;
	}
	return nr;
}

/* What the last frame of a stack says that does not reach its root; NULL for one that does, or where nobody knows. */
static const char *end_text(uint8_t end)
{
	static const char *const texts[ST_NR_ENDS] = {
		[ST_END_NO_MAPPING] = "[unknown code]",
		[ST_END_NO_ROW] = "[no unwind information]",
		[ST_END_NO_TABLE] = "[no unwind table yet]",
		[ST_END_UNSUPPORTED] = "[unsupported unwind rule]",
		[ST_END_CUT] = "[too many mappings]",
		[ST_END_LOST] = "[lost register]",
		[ST_END_BAD_CFA] = "[bad frame]",
		[ST_END_UNREADABLE] = "[unreadable stack]",
	};

	return end < ST_NR_ENDS ? texts[end] : NULL;
}

/* A frame in the place of those that are missing. Returns how many. */
static uint16_t add_end(struct profile *profile, const struct st_stack *stack, uint32_t *ret_frame,
			uint64_t *ret_address)
{
	const char *text = end_text(stack->head.user_end);
	struct profile_frame frame = { .kind = FRAME_TEXT, .reason = REASON_NAMED, .where = stack->head.user_end };

	if (!text)
		return 0;
	frame.name = profile_add_string(profile, text);
	*ret_frame = profile_add_frame(profile, &frame);
	*ret_address = 0;
	return 1;
}

/*
 * A user leaf is exact when the event hit in user mode, or an interrupt or a fault did before it; otherwise it is what stands
 * behind the system call. Where the kernel walks, only it knows.
 */
static bool user_leaf_is_exact(const struct st_stack_head *head)
{
	return leaf_is_exact(head->program) || !head->nr_kernel || head->flags & ST_STACK_LEAF_EXACT;
}

static struct profile_id add_record(struct session *session, const struct drain_target *target,
				    const struct st_stack *stack)
{
	struct profile_record record = record_of(session, target->profile, &stack->head);
	uint64_t addresses[2 * ST_MAX_FRAMES + 2];
	uint32_t frames[2 * ST_MAX_FRAMES + 2];

	for (uint16_t i = 0; i < record.nr_kernel; i++)
		addresses[i] = stack->frames[i];
	record.nr_user = user_addresses(stack, addresses + record.nr_kernel);
	add_kernel_frames(target, stack, frames);
	spaces_add_frames(target->spaces, &record, addresses + record.nr_kernel, record.nr_user,
			  user_leaf_is_exact(&stack->head), frames + record.nr_kernel);
	record.nr_user += add_end(target->profile, stack, frames + record.nr_kernel + record.nr_user,
				  addresses + record.nr_kernel + record.nr_user);
	if (stack->head.kind == ST_MESSAGE_EVENT) /* the kernel's id says only what it shares with others */
		record.id = (struct profile_id){ ++session->nr_events, 1 };
	profile_add_record(target->profile, &record, frames, addresses);
	if (record.cgroup_id && !profile_has_cgroup(target->profile, record.cgroup_id))
		cgroups_note(target->profile, session->cgroup_root, record.cgroup_id, record.tgid);
	return record.id;
}

/* ---- events by themselves ---- */

/* Events that were dropped before this one are a row of their own, without a stack. */
static void add_dropped(struct session *session, const struct drain_target *target, uint32_t lost)
{
	uint32_t fresh = lost - session->nr_dropped;

	if (!fresh || fresh > INT32_MAX) /* events of other CPUs may be a little behind */
		return;
	session->nr_dropped = lost;
	profile_count(target->profile, target->interval, (struct profile_id){ ++session->nr_events, 2 }, fresh, 0);
}

static void add_event(struct session *session, const struct drain_target *target, const struct st_stack *stack)
{
	struct profile_id id;

	add_dropped(session, target, stack->head.lost);
	id = add_record(session, target, stack);
	profile_count(target->profile, target->interval, id, 1, 0);
	target->interval->account.counted++;
}

static int compare_times(const void *left, const void *right)
{
	const struct st_stack *a = *(const struct st_stack *const *)left, *b = *(const struct st_stack *const *)right;

	return (a->head.time_ns > b->head.time_ns) - (a->head.time_ns < b->head.time_ns);
}

static size_t words_of(const struct st_stack *stack)
{
	return ST_HEAD_WORDS + stack->head.nr_kernel + stack->head.nr_user;
}

/* What came after a swap has begun is counted in the statistics of the interval after it. */
static bool is_held(const struct session *session, const struct st_stack *stack)
{
	return session->holds_live && stack->head.generation == (session->control->generation & (ST_GENERATIONS - 1));
}

/* Keeps those that wait, at the beginning of what is pending. */
static void keep_held(struct session *session)
{
	size_t kept = 0;

	for (size_t at = 0; at < session->pending.nr;) {
		const struct st_stack *stack = (const struct st_stack *)(session->pending.data + at);
		size_t words = words_of(stack);

		if (is_held(session, stack)) {
			memmove(session->pending.data + kept, stack, words * sizeof(uint64_t));
			kept += words;
		}
		at += words;
	}
	session->pending.nr = kept;
}

/* CPUs put their events into the ring a little out of order. */
static void add_events(struct session *session, const struct drain_target *target)
{
	VEC(const struct st_stack *) events = {};

	for (size_t at = 0; at < session->pending.nr;) {
		const struct st_stack *stack = (const struct st_stack *)(session->pending.data + at);

		if (!is_held(session, stack))
			vec_push(&events, stack);
		at += words_of(stack);
	}
	if (events.nr)
		qsort(events.data, events.nr, sizeof(*events.data), compare_times);
	for (size_t i = 0; i < events.nr; i++)
		add_event(session, target, events.data[i]);
	vec_done(&events);
	keep_held(session);
}

/*
 * Records wait until the ring has been read to its end, then the side-band is read: what it says was written before the
 * events, so every mapping that a record needs is known by then.
 */
static void add_pending(struct session *session, const struct drain_target *target)
{
	size_t at = 0;

	if (!session->pending.nr)
		return;
	spaces_update(target->spaces);
	unwinding_work(target->unwinding, 0); /* many records take a while, in which a new program makes many more */
	if (session->mode == EVENTS_EACH) {
		add_events(session, target);
		return;
	}
	while (at < session->pending.nr) {
		const struct st_stack *stack = (const struct st_stack *)(session->pending.data + at);

		add_record(session, target, stack);
		at += words_of(stack);
	}
	session->pending.nr = 0;
}

static void add_pair(struct profile *profile, const struct st_pair *pair)
{
	struct profile_id waker = { pair->waker.lo, pair->waker.hi };
	struct profile_record *record;
	uint32_t position;

	position = profile_add_pair(profile, (struct profile_id){ pair->id.lo, pair->id.hi },
				    (struct profile_id){ pair->sleeper.lo, pair->sleeper.hi },
				    pair->reason == WAKER_SEEN ? &waker : NULL, (enum waker_reason)pair->reason);
	record = &profile->records.data[position];
	record->time_ns = pair->time_ns;
	record->cpu = pair->cpu;
}

/* Behind the records that they are made of. */
static void add_pairs(struct session *session, struct profile *profile)
{
	for (size_t i = 0; i < session->pairs.nr; i++)
		add_pair(profile, &session->pairs.data[i]);
	session->pairs.nr = 0;
}

/* The cache of sent records is emptied before it is full; records are then sent once more, which is harmless. */
static void renew_cache(struct session *session)
{
	_cleanup_(err_restore) struct err_saved before = err_save();

	if (session->nr_received >= bpf_map__max_entries(session->skeleton->maps.st_known) * 3 / 4)
		drain_clear_known(session);
}

bool drain_ring(struct session *session, const struct drain_target *target)
{
	bool poked;

	ring_buffer__consume(session->ring);
	add_pending(session, target);
	add_pairs(session, target->profile);
	renew_cache(session);
	unwinding_work(target->unwinding, 0);
	poked = session->poked;
	session->poked = false;
	return poked || session->deltas.nr > MAX_DELTAS || session->control->inserted >= session->control->poke_at;
}

/* ---- counts ---- */

/* Deltas of the generation that is being drained are counted; those of the live one wait. */
static void count_deltas(struct session *session, const struct drain_target *target, uint32_t generation)
{
	size_t kept = 0;

	for (size_t i = 0; i < session->deltas.nr; i++) {
		const struct st_delta *delta = &session->deltas.data[i];

		if (delta->generation != generation) {
			session->deltas.data[kept++] = *delta;
			continue;
		}
		profile_count(target->profile, target->interval, (struct profile_id){ delta->id.lo, delta->id.hi },
			      delta->count.events, delta->count.sum);
		target->interval->account.counted += delta->count.events;
	}
	session->deltas.nr = kept;
}

/* ---- statistics ---- */

static void add_stats(struct st_stats *sum, const struct st_stats *one)
{
	const uint64_t *from = (const uint64_t *)one;
	uint64_t *to = (uint64_t *)sum;

	for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
}

void drain_sum_stats(const struct session *session, uint32_t generation, struct st_stats *ret_sum)
{
	int nr_cpus = libbpf_num_possible_cpus();
	_cleanup_(freep) struct st_stats *each = xcalloc((size_t)(nr_cpus > 0 ? nr_cpus : 1), sizeof(*each));
	_cleanup_(unpreempted_end) struct unpreempted before = unpreempted_begin();

	*ret_sum = (struct st_stats){};
	if (bpf_map_lookup_elem(bpf_map__fd(session->skeleton->maps.st_stats), &generation, each))
		return;
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		add_stats(ret_sum, &each[cpu]);
}

/* What happened in this generation since it was last reported. */
static struct st_stats new_stats(struct session *session, uint32_t generation)
{
	struct st_stats sum, fresh;
	const uint64_t *now = (const uint64_t *)&sum, *before = (const uint64_t *)&session->reported[generation];
	uint64_t *difference = (uint64_t *)&fresh;

	drain_sum_stats(session, generation, &sum);
	for (size_t i = 0; i < sizeof(sum) / sizeof(*now); i++)
		difference[i] = now[i] - before[i];
	session->reported[generation] = sum;
	return fresh;
}

/*
 * What samples are compared with, taken at the moment when a generation ends: waiting for its programs takes many more.
 */
struct sample_clock {
	uint64_t counter, idle_ns;
};

static struct sample_clock read_sample_clock(const struct session *session)
{
	if (!session->sampling)
		return (struct sample_clock){};
	return (struct sample_clock){
		.counter = sampling_counter(session->sampling),
		.idle_ns = sampling_idle_ns(session->sampling),
	};
}

/* Samples that the event's own counter says should have come since the last call. */
static uint64_t expected_samples(struct session *session, const struct st_stats *fresh, uint64_t counter)
{
	uint64_t before = session->reported_counter;
	uint64_t passed = counter - before;

	session->reported_counter = counter;
	if (session->sample_period)
		return counter / session->sample_period - before / session->sample_period;
	if (!fresh->seen || !fresh->period_sum)
		return 0;
	return (uint64_t)((double)passed * (double)fresh->seen / (double)fresh->period_sum);
}

/* Of `missing` samples, those that an idle CPU did not get. */
static uint64_t undelivered_to_idle(struct session *session, const struct st_stats *fresh, uint64_t idle_ns,
				    uint64_t missing)
{
	uint64_t before = session->reported_idle_ns, expected;

	session->reported_idle_ns = idle_ns;
	if (!session->sample_period)
		return 0;
	expected = (idle_ns - before) / session->sample_period;
	if (expected <= fresh->idle)
		return 0;
	return expected - fresh->idle < missing ? expected - fresh->idle : missing;
}

/*
 * How far the numbers may be apart without meaning anything: one sample per CPU for the moment of reading, and one step
 * of /proc/stat per CPU when idle time explains a part.
 */
static uint64_t rounding(const struct session *session, uint64_t idle)
{
	uint64_t step_ns = NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK), per_cpu = 1;

	if (idle && session->sample_period)
		per_cpu += step_ns / session->sample_period;
	return per_cpu * sampling_nr_cpus(session->sampling);
}

/* Less than a millisecond counts as one. */
static void account_unsampled(struct session *session, struct profile_interval *interval)
{
	uint64_t time_ns = sampling_unsampled_ns(session->sampling);

	interval->losses[ST_LOSS_CPU_UNSAMPLED] += (time_ns + NSEC_PER_SEC / 1000 - 1) / (NSEC_PER_SEC / 1000);
}

/*
 * What is missing from the expected samples, by cause: idle CPUs that got none, then late ones as the BPF side saw
 * them; what remains was skipped. The event's counter knows no generations: `fresh` is of all that are read at this
 * moment.
 */
static void account_samples(struct session *session, struct profile_interval *interval, const struct st_stats *fresh,
			    struct sample_clock end)
{
	uint64_t expected, missing, idle, late, skipped;

	if (!session->sampling)
		return;
	account_unsampled(session, interval);
	interval->account.taken += fresh->seen;
	interval->account.nr_cpus = (uint32_t)sampling_nr_cpus(session->sampling);
	if (!session->tells_expected) {
		interval->account.expected = UINT64_MAX;
		return;
	}
	expected = expected_samples(session, fresh, end.counter);
	missing = expected > fresh->seen ? expected - fresh->seen : 0;
	idle = undelivered_to_idle(session, fresh, end.idle_ns, missing);
	late = fresh->late < missing - idle ? fresh->late : missing - idle;
	skipped = missing - idle - late;
	interval->account.expected += session->wants_idle ? expected : expected - idle;
	interval->losses[ST_LOSS_SAMPLE_IDLE] += session->wants_idle ? idle : 0;
	interval->losses[ST_LOSS_SAMPLE_LATE] += late;
	interval->losses[ST_LOSS_SAMPLE_SKIPPED] += skipped > rounding(session, idle) ? skipped : 0;
}

/* What happened is added to *sum, for account_samples(). */
static void account_generation(struct session *session, const struct drain_target *target, uint32_t generation,
			       struct st_stats *sum)
{
	struct profile_interval *interval = target->interval;
	struct st_stats fresh = new_stats(session, generation);

	interval->account.seen += fresh.seen;
	interval->account.filtered += fresh.filtered;
	interval->account.in_map += fresh.in_map;
	interval->account.spilled += fresh.losses[ST_LOSS_SPILLED];
	for (size_t i = 0; i < ST_NR_LOSSES; i++)
		interval->losses[i] += fresh.losses[i];
	interval->losses[ST_LOSS_BAD_MESSAGE] += session->bad_messages;
	session->bad_messages = 0;
	interval->losses[ST_LOSS_SIDEBAND] += spaces_lost(target->spaces) - session->reported_sideband;
	session->reported_sideband = spaces_lost(target->spaces);
	add_stats(sum, &fresh);
	drain_misses(session, interval);
	drain_missing_time(session, interval);
}

/* ---- swap ---- */

/*
 * The dead slot gets its own map once more: the update returns after every program that may still use it has finished.
 */
static int wait_for_programs(struct session *session, uint32_t dead)
{
	_cleanup_(unpreempted_end) struct unpreempted before = unpreempted_begin();
	int outer = bpf_map__fd(session->skeleton->maps.st_generation);

	if (bpf_map_update_elem(outer, &dead, &session->counts[dead], BPF_ANY))
		return fail(-errno, "count map: cannot be swapped: %s", strerror(errno));
	return 0;
}

static void note_pressure(struct session *session, uint32_t nr_entries)
{
	uint32_t wanted = session->wanted_entries;

	if (nr_entries >= wanted / 2 && wanted < MAX_COUNT_ENTRIES)
		session->wanted_entries = wanted < MAX_COUNT_ENTRIES / 4 ? 4 * wanted : MAX_COUNT_ENTRIES;
}

/*
 * The map that becomes live next: made when there is none, and made larger when the last one came near its limit. A
 * kernel that refuses the larger one gets along with the old: what does not fit is spilled.
 */
static int prepare_generation(struct session *session, uint32_t next)
{
	int err;

	if (session->count_entries[next] >= session->wanted_entries)
		return 0;
	err = session_make_counts(session, next);
	if (!err || !session->count_entries[next])
		return err;
	err_clear();
	session->wanted_entries = session->count_entries[next];
	return 0;
}

/* Everything of a generation that no program uses any more. What its map would have said is named as lost. */
static int drain_generation(struct session *session, const struct drain_target *target, uint32_t generation,
			    struct st_stats *sum)
{
	struct profile_account *account = &target->interval->account;
	uint64_t in_map = account->in_map, counted;
	int err;

	count_deltas(session, target, generation);
	counted = account->counted;
	err = drain_dead_map(session, target, generation);
	account_generation(session, target, generation, sum);
	if (err)
		target->interval->losses[ST_LOSS_DRAIN_FAILED] +=
			account->in_map - in_map - (account->counted - counted);
	return err;
}

/* Counts by probe and what was filtered out, read while the programs run; nothing else is in use then. */
static int drain_by_probe(struct session *session, const struct drain_target *target)
{
	int err = drain_tallies(session, target);
	struct st_stats fresh = {};

	account_generation(session, target, 0, &fresh);
	return err;
}

int drain_swap(struct session *session, const struct drain_target *target)
{
	uint32_t dead = session->control->generation & (ST_GENERATIONS - 1);
	uint64_t inserted = session->control->inserted;
	struct sample_clock end;
	struct st_stats fresh = {};
	int err;

	if (session->mode == EVENTS_BY_PROBE)
		return drain_by_probe(session, target);
	err = prepare_generation(session, !dead);
	if (err)
		return err;
	/* before the flip: a program of the new generation may ask for the next swap at once */
	session->control->poke_at = inserted + session->count_entries[!dead] / 2;
	__atomic_fetch_add(&session->control->generation, 1, __ATOMIC_RELEASE);
	end = read_sample_clock(session);
	err = wait_for_programs(session, dead);
	if (err)
		return err;
	session->holds_live = true;
	session->poked = drain_ring(session, target); /* the new generation may be half full already */
	session->holds_live = false;
	err = drain_generation(session, target, dead, &fresh);
	account_samples(session, target->interval, &fresh, end);
	note_pressure(session, (uint32_t)(inserted - session->inserted_before));
	session->inserted_before = inserted;
	return err;
}

/* Nothing is attached any more, so no generation is live, and none has to be made to take its place. */
int drain_all(struct session *session, const struct drain_target *target)
{
	int err = wait_for_programs(session, session->control->generation & (ST_GENERATIONS - 1));
	struct sample_clock end = read_sample_clock(session);
	struct st_stats fresh = {};

	if (!err)
		drain_ring(session, target);
	if (!err && session->mode == EVENTS_BY_PROBE)
		return drain_by_probe(session, target);
	for (uint32_t generation = 0; !err && generation < ST_GENERATIONS; generation++)
		if (session->count_entries[generation])
			err = drain_generation(session, target, generation, &fresh);
	account_samples(session, target->interval, &fresh, end);
	if (session->mode == EVENTS_EACH)
		add_dropped(session, target, (uint32_t)session->control->lost);
	if (!err && session->off_cpu.unfinished)
		err = drain_unfinished(session, target);
	return err;
}
