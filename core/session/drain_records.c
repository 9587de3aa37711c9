/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records and pairs of the ring wait here until the side-band has been read. They are then added to the profile. */
#include <stdlib.h>
#include <string.h>

#include "bpf/lock.h"
#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/profile/wait_reasons.h"
#include "core/session/drain_private.h"
#include "core/session/walked_python.h"
#include "core/spaces/cgroup_paths.h"
#include "core/spaces/data_places.h"

#define WORDS_OF(bytes) (((bytes) + 7) / 8)

/* ---- keeping ---- */

void drain_keep_record(struct drain *drain, const struct st_stack *stack, size_t bytes)
{
	size_t words = WORDS_OF(bytes);

	vec_reserve(&drain->pending, drain->pending.nr + words);
	memcpy(drain->pending.data + drain->pending.nr, stack, bytes);
	drain->pending.nr += words;
	drain->nr_received++;
	drain_note_recent(drain, &stack->head.id);
}

/* Pairs with times are never in the cache of sent records. */
void drain_keep_pair(struct drain *drain, const struct st_pair *pair)
{
	vec_push(&drain->pairs, *pair);
	if (drain->plan->off_cpu.by_time)
		return;
	drain->nr_received++;
	drain_note_recent(drain, &pair->id);
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

/*
 * The name of the probe, as a string of the profile; 0 if the plan does not distinguish probes. With --latency: the number of running
 * threads of a timed sample's process, or 0.
 */
static uint64_t probe_of(struct drain *drain, struct profile *profile, const struct st_stack_head *head)
{
	const struct attach_plan *attach = drain->loaded->attach;
	const struct probe_place *place;

	if (drain->plan->view.latency)
		return head->program == PROGRAM_SAMPLE ? head->probe : 0;
	if (!(drain->plan->key_parts & KEY_PROBE) || head->probe >= attach->places.nr)
		return 0;
	place = &attach->places.data[head->probe];
	return profile_add_string(profile, place->shown ? place->shown : place->name);
}

static struct profile_record record_of(struct drain *drain, struct profile *profile, const struct st_stack_head *head)
{
	return (struct profile_record){
		.id = { head->id.lo, head->id.hi },
		.tgid = head->tgid,
		.tid = head->tid,
		.start_time_ns = head->start_time_ns,
		.exec_id = head->exec_id,
		.cgroup_id = head->cgroup_id,
		.probe = probe_of(drain, profile, head),
		.time_ns = head->time_ns,
		.lock = drain->locks ? ST_LOCK(head) : 0,
		.owner = drain->locks ? ST_LOCK_OWNER(head) : 0,
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
		.elided_least = head->flags & ST_STACK_ELIDED ? head->elided : 0,
		.elided_most = head->flags & ST_STACK_ELIDED ? head->elided : 0,
	};
}

struct profile_record drain_process_of(const struct st_stack_head *head)
{
	return (struct profile_record){
		.tgid = head->tgid,
		.start_time_ns = head->start_time_ns,
		.exec_id = head->exec_id,
		.time_ns = head->time_ns,
		.foreign = head->flags & ST_STACK_FOREIGN,
	};
}

/*
 * In these programs, frame 0 is the interrupted or probed instruction; in the others it is a return address. The breakpoint of a kprobe
 * moves the program counter on x86, but not on arm64.
 */
static bool leaf_is_exact(uint8_t program)
{
#if defined(__aarch64__)
	if (program == PROGRAM_KPROBE)
		return true;
#endif
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
 * The user frames of a record, with the direct caller, which a walk by frame pointers misses. Some runtimes end a stack with a return
 * address of 0, which is no frame. But a leaf of 0 is a call of NULL. Returns the number of frames.
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

/* The text of the outermost frame of a truncated stack. NULL: the stack is complete, or its end is unknown. */
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
		[ST_END_EXEC] = "[in execve]",
	};

	return end < ST_NR_ENDS ? texts[end] : NULL;
}

/* Adds a frame in place of the missing ones. Returns the number of frames: 0 or 1. */
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

/* The index of the first user frame that the walk guessed, or found by a table of code that has changed. 0: none. */
static size_t first_guess(const struct drain_target *target, const struct st_stack *stack, const uint64_t *addresses,
			  uint16_t nr)
{
	const struct st_stack_head *head = &stack->head;
	size_t guess = head->guess ? head->guess + (size_t)(head->caller != 0) : nr,
	       changed = 1 + unwinding_first_changed(target->unwinding, head->tgid, head->time_ns, addresses, nr);

	guess = changed < guess ? changed : guess;
	return guess < nr ? guess : 0;
}

/* Marks this frame as guessed. Frames further out are not marked: they depend on it. */
static void mark_guess(struct profile *profile, size_t place, uint32_t *user_frames)
{
	struct profile_frame frame;

	if (!place)
		return;
	frame = profile->frames.data[user_frames[place]];
	frame.guessed = true;
	if (frame.has_inlined) { /* inlined frames are looked up again for the new frame */
		frame.has_inlined = false;
		frame.line_reason = LINES_NOT_TRIED;
	}
	user_frames[place] = profile_add_frame(profile, &frame);
}

/* Adds a frame in place of the elided ones of a deep stack. `nr`: number of user frames. Returns the number of frames: 0 or 1. */
static uint16_t add_elided(struct profile *profile, const struct st_stack *stack, uint16_t nr, uint32_t *user_frames,
			   uint64_t *user_addresses)
{
	const uint16_t place = ST_INNER_FRAMES + (stack->head.caller != 0);
	struct profile_frame frame = { .kind = FRAME_TEXT, .reason = REASON_NAMED };

	if (!(stack->head.flags & ST_STACK_ELIDED) || nr < place)
		return 0;
	frame.name = profile_add_string(profile, FRAME_ELIDED);
	memmove(user_frames + place + 1, user_frames + place, (nr - place) * sizeof(*user_frames));
	memmove(user_addresses + place + 1, user_addresses + place, (nr - place) * sizeof(*user_addresses));
	user_frames[place] = profile_add_frame(profile, &frame);
	user_addresses[place] = 0;
	return 1;
}

/*
 * Whether the user leaf is the interrupted instruction: the event came in user mode, or an interrupt or a fault entered the kernel. After a
 * system call, the leaf is a return address.
 */
static bool user_leaf_is_exact(const struct st_stack_head *head)
{
	return leaf_is_exact(head->program) || !head->nr_kernel || head->flags & ST_STACK_LEAF_EXACT;
}

/* ---- threads in their present state ---- */

/* The first frame of a thread's row: its state. core/profile/wait_reasons.h adds the reason once the kernel frames have names. */
static void add_state(struct profile *profile, char letter, uint32_t *ret_frame, uint64_t *ret_address)
{
	const char name[] = { '[', letter, ']', '\0' };
	struct profile_frame frame = { .kind = FRAME_TEXT, .is_kernel = 1, .where = WAIT_STATE_PLACE(letter) };

	frame.name = profile_add_string(profile, name);
	*ret_frame = profile_add_frame(profile, &frame);
	*ret_address = 0;
}

static void add_label(struct profile *profile, enum look_label label, uint32_t *ret_frame, uint64_t *ret_address)
{
	static const char *const texts[] = {
		[LOOK_LABEL_MOVED] = "[moved while being read]",
		[LOOK_LABEL_UNREADABLE] = "[unreadable stack]",
		[LOOK_LABEL_NOT_SAMPLED] = "[running, no sample]",
	};
	struct profile_frame frame = { .kind = FRAME_TEXT, .where = ST_NR_ENDS + label };

	frame.name = profile_add_string(profile, texts[label]);
	*ret_frame = profile_add_frame(profile, &frame);
	*ret_address = 0;
}

static bool replaces(const struct drain_insert *insert, size_t nr_user)
{
	return insert->replaces && insert->place < nr_user;
}

/* Moves the user frames apart, beginning with the last, and inserts the frames of an interpreter. */
static void add_inserts(struct profile_record *record, const struct drain_look *look, uint32_t *frames,
			uint64_t *addresses)
{
	const size_t nr_user = record->nr_user;
	size_t nr_gone = 0, from = nr_user, to;

	for (size_t i = 0; i < look->nr_inserts; i++)
		nr_gone += replaces(&look->inserts[i], nr_user);
	to = from + look->nr_inserts - nr_gone;
	record->nr_user = (uint16_t)to;
	for (size_t i = look->nr_inserts; i > 0; i--) {
		const struct drain_insert *insert = &look->inserts[i - 1];
		bool is_replacing = replaces(insert, nr_user);

		for (; from > insert->place + (size_t)is_replacing; from--) {
			frames[--to] = frames[from - 1];
			addresses[to] = addresses[from - 1];
		}
		frames[--to] = insert->frame;
		addresses[to] = 0;
		from -= is_replacing;
	}
}

static void add_state_frame(struct profile *profile, struct profile_record *record, char letter, uint32_t *frames,
			    uint64_t *addresses)
{
	memmove(frames + 1, frames, (record->nr_kernel + record->nr_user) * sizeof(*frames));
	memmove(addresses + 1, addresses, (record->nr_kernel + record->nr_user) * sizeof(*addresses));
	add_state(profile, letter, frames, addresses);
	record->nr_kernel++;
	if (record->kernel_status == STACK_NONE)
		record->kernel_status = STACK_OK;
}

/* Each thread has a row, which begins with its state. A sample is of a running thread. */
static void add_look_frames(struct drain *drain, struct profile *profile, struct profile_record *record,
			    const struct drain_look *look, uint32_t *frames, uint64_t *addresses)
{
	if (drain->plan->looks)
		add_state_frame(profile, record, look ? look->letter : 'R', frames, addresses);
	if (!look || !look->label)
		return;
	add_label(profile, look->label, frames + record->nr_kernel, addresses + record->nr_kernel);
	record->nr_user = 1;
	record->user_status = STACK_OK;
	record->user_loss = 1 + (look->label == LOOK_LABEL_MOVED        ? ST_LOSS_MOVED
				 : look->label == LOOK_LABEL_UNREADABLE ? ST_LOSS_USER_UNREADABLE
									: ST_LOSS_NOT_SAMPLED);
}

static void add_python(struct drain *drain, const struct drain_target *target, const struct st_stack *stack,
		       struct profile_record *record, uint32_t *frames, uint64_t *addresses)
{
	struct drain_insert inserts[ST_MAX_FRAMES];
	struct drain_look look = { .inserts = inserts };
	uint32_t known = profile_find_record(target->profile, record->id);

	look.nr_inserts = walked_python_inserts(drain->python, stack, inserts, &look.lacks_frames);
	if (known == PROFILE_NONE || target->profile->records.data[known].stack_lost)
		target->interval->losses[ST_LOSS_PYTHON] += look.lacks_frames;
	if (look.nr_inserts)
		add_inserts(record, &look, frames, addresses);
}

/* The lock that the thread waits for, as innermost user frame. */
static void add_lock(struct drain *drain, const struct drain_target *target, struct profile_record *record,
		     uint32_t *frames, uint64_t *addresses)
{
	memmove(frames + 1, frames, record->nr_user * sizeof(*frames));
	memmove(addresses + 1, addresses, record->nr_user * sizeof(*addresses));
	*frames = data_places_frame(drain->locks, target->spaces, target->profile, record, record->lock);
	*addresses = record->lock;
	record->nr_user++;
	if (record->user_status != STACK_TRUNCATED)
		record->user_status = STACK_OK;
}

void drain_settle_locks(const struct drain *drain, struct profile *profile)
{
	if (drain->locks)
		data_places_settle(drain->locks, profile);
}

static struct profile_id add_record(struct drain *drain, const struct drain_target *target,
				    const struct st_stack *stack, const struct drain_look *look)
{
	struct profile_record record = record_of(drain, target->profile, &stack->head);
	uint64_t addresses[2 * ST_MAX_FRAMES + 4 + DRAIN_INSERTS_MAX];
	uint32_t frames[2 * ST_MAX_FRAMES + 4 + DRAIN_INSERTS_MAX];
	size_t guess;

	for (uint16_t i = 0; i < record.nr_kernel; i++)
		addresses[i] = stack->frames[i];
	record.nr_user = user_addresses(stack, addresses + record.nr_kernel);
	add_kernel_frames(target, stack, frames);
	spaces_add_frames(target->spaces, &record, addresses + record.nr_kernel, record.nr_user,
			  user_leaf_is_exact(&stack->head), frames + record.nr_kernel);
	guess = first_guess(target, stack, addresses + record.nr_kernel, record.nr_user);
	mark_guess(target->profile, guess, frames + record.nr_kernel);
	if (guess && record.user_loss == 1 + ST_LOSS_USER_ROOT)
		record.user_loss = 1 + ST_LOSS_USER_GUESSED;
	record.nr_user += add_elided(target->profile, stack, record.nr_user, frames + record.nr_kernel,
				     addresses + record.nr_kernel);
	record.nr_user += add_end(target->profile, stack, frames + record.nr_kernel + record.nr_user,
				  addresses + record.nr_kernel + record.nr_user);
	if (look && look->nr_inserts)
		add_inserts(&record, look, frames + record.nr_kernel, addresses + record.nr_kernel);
	if (look && look->nr_inserts && look->lacks_frames)
		record.user_loss = 1 + look->lack;
	if (stack->head.nr_python && drain->python)
		add_python(drain, target, stack, &record, frames + record.nr_kernel, addresses + record.nr_kernel);
	if (record.lock && ST_LOCK_WAITS(&stack->head))
		add_lock(drain, target, &record, frames + record.nr_kernel, addresses + record.nr_kernel);
	add_look_frames(drain, target->profile, &record, look, frames, addresses);
	if (stack->head.kind == ST_MESSAGE_EVENT) /* in the kernel, events with equal stacks have the same id */
		record.id = (struct profile_id){ ++drain->nr_events, 1 };
	drain->has_depths |= record.elided_most != 0;
	profile_add_record(target->profile, &record, frames, addresses);
	if (record.cgroup_id && !profile_has_cgroup(target->profile, record.cgroup_id))
		cgroups_note(target->profile, drain->cgroup_root, record.cgroup_id, record.tgid);
	return record.id;
}

int drain_read_depths(const struct drain *drain, struct profile *profile)
{
	const struct bpf_map *map = drain->loaded->skeleton->maps.st_depths;
	uint32_t nr = bpf_map__max_entries(map);
	_cleanup_(freep) struct st_id *ids = NULL;
	_cleanup_(freep) struct st_depth *depths = NULL;
	int err;

	if (!drain->has_depths || !bpf_map__autocreate(map) || drain->plan->mode == EVENTS_EACH)
		return 0;
	ids = xcalloc(nr, sizeof(*ids));
	depths = xcalloc(nr, sizeof(*depths));
	err = drain_read_map(bpf_map__fd(map), ids, depths, &nr, false, "numbers of elided frames");
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t number = profile_find_record(profile, (struct profile_id){ ids[i].lo, ids[i].hi });
		struct profile_record *record = number == PROFILE_NONE ? NULL : &profile->records.data[number];

		if (!record || !record->elided_most)
			continue;
		record->elided_least = (uint16_t)depths[i].least;
		record->elided_most = (uint16_t)depths[i].most;
	}
	return err;
}

/* ---- single events ---- */

void drain_add_dropped(struct drain *drain, const struct drain_target *target, uint32_t lost)
{
	uint32_t fresh = lost - drain->nr_dropped;

	if (!fresh || fresh > INT32_MAX) /* an event of another CPU may have a slightly older number */
		return;
	drain->nr_dropped = lost;
	profile_count(target->profile, target->interval, (struct profile_id){ ++drain->nr_events, 2 }, fresh, 0);
}

static void add_event(struct drain *drain, const struct drain_target *target, const struct st_stack *stack)
{
	struct profile_id id;

	drain_add_dropped(drain, target, stack->head.lost);
	id = add_record(drain, target, stack, NULL);
	profile_count(target->profile, target->interval, id, 1, 0);
	target->interval->account.counted++;
}

void drain_add_look(struct drain *drain, const struct drain_target *target, const struct st_stack *stack,
		    const struct drain_look *look)
{
	profile_count(target->profile, target->interval, add_record(drain, target, stack, look), 1, look->waited_ns);
}

static int compare_times(const void *left, const void *right)
{
	const struct st_stack *a = *(const struct st_stack *const *)left, *b = *(const struct st_stack *const *)right;

	return (a->head.time_ns > b->head.time_ns) - (a->head.time_ns < b->head.time_ns);
}

size_t drain_words_of(const struct st_stack *stack)
{
	return ST_HEAD_WORDS + stack->head.nr_kernel + stack->head.nr_user + 2 * (size_t)stack->head.nr_python;
}

void drain_add_counted(struct drain *drain, const struct drain_target *target, const struct st_stack *stack)
{
	profile_count(target->profile, target->interval, add_record(drain, target, stack, NULL), 1, 0);
	target->interval->account.counted++;
}

/* Events of the new generation belong to the statistics of the next interval. */
static bool is_held(const struct drain *drain, const struct st_stack *stack)
{
	return drain->holds_live &&
	       stack->head.generation == (drain->loaded->control->generation & (ST_GENERATIONS - 1));
}

static void keep_held(struct drain *drain)
{
	size_t kept = 0;

	for (size_t at = 0; at < drain->pending.nr;) {
		const struct st_stack *stack = (const struct st_stack *)(drain->pending.data + at);
		size_t words = drain_words_of(stack);

		if (is_held(drain, stack)) {
			memmove(drain->pending.data + kept, stack, words * sizeof(uint64_t));
			kept += words;
		}
		at += words;
	}
	drain->pending.nr = kept;
}

/* Sorts the events by time: in the ring, those of different CPUs are slightly out of order. */
static void add_events(struct drain *drain, const struct drain_target *target)
{
	VEC(const struct st_stack *) events = {};

	for (size_t at = 0; at < drain->pending.nr;) {
		const struct st_stack *stack = (const struct st_stack *)(drain->pending.data + at);

		if (!is_held(drain, stack))
			vec_push(&events, stack);
		at += drain_words_of(stack);
	}
	if (events.nr)
		qsort(events.data, events.nr, sizeof(*events.data), compare_times);
	for (size_t i = 0; i < events.nr; i++)
		add_event(drain, target, events.data[i]);
	vec_done(&events);
	keep_held(drain);
}

/*
 * The ring has been read to its end. The side-band is read only now: the kernel reports a mapping before the events in it, so each mapping
 * that a record needs is then known.
 */
static void add_pending(struct drain *drain, const struct drain_target *target)
{
	size_t at = 0;

	if (!drain->pending.nr)
		return;
	spaces_update(target->spaces);
	unwinding_work(target->unwinding, 0); /* new processes need their tables before many records are added */
	walked_python_read(drain->python, drain->pending.data, drain->pending.nr);
	if (drain->plan->mode == EVENTS_EACH) {
		add_events(drain, target);
		return;
	}
	while (at < drain->pending.nr) {
		const struct st_stack *stack = (const struct st_stack *)(drain->pending.data + at);

		add_record(drain, target, stack, NULL);
		at += drain_words_of(stack);
	}
	drain->pending.nr = 0;
}

static void add_pair(struct profile *profile, const struct st_pair *pair)
{
	struct profile_id waker = { pair->waker.lo, pair->waker.hi };
	uint32_t position = profile_add_pair(profile, (struct profile_id){ pair->id.lo, pair->id.hi },
					     (struct profile_id){ pair->sleeper.lo, pair->sleeper.hi },
					     pair->reason == WAKER_SEEN ? &waker : NULL,
					     (enum waker_reason)pair->reason);
	struct profile_record *record = &profile->records.data[position];

	record->time_ns = pair->time_ns;
	record->cpu = pair->cpu;
}

void drain_add_kept(struct drain *drain, const struct drain_target *target)
{
	add_pending(drain, target);
	for (size_t i = 0; i < drain->pairs.nr; i++) /* after the records that they refer to */
		add_pair(target->profile, &drain->pairs.data[i]);
	drain->pairs.nr = 0;
}
