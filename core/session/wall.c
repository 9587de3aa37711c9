/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/session/wall.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/host/unpreempted.h"
#include "core/profile/wall.h"
#include "core/session/drain_private.h"

#define READ_BYTES (32 << 10) /* size of the kernel's buffer */
#define MARGIN_NS 2000000 /* a bound of the window is set so long before it, so that the programs see it in time */

/* A thread at the end of the window, for its entry. */
struct thread {
	uint64_t task;
	uint32_t tgid, tid;
	uint64_t start_time_ns; /* of its process */
	uint64_t exec_id;
	char comm[ST_COMM_BYTES];
	uint64_t wall_start_time_ns, wall_since_ns; /* of its entry, or its own */
	bool has_entry, differs;
};

typedef VEC(struct thread) thread_list;

struct wall {
	const struct loaded *loaded;
	struct bpf_link *link; /* of the iterator */
	struct u32_list looks; /* records */
	thread_list threads; /* at the end, by task */
	uint64_t looked_ns; /* before the iterator saw the threads */
	bool has_ended;
};

/* ---- the iterator ---- */

static void take_thread(struct wall *wall, const struct st_look *look)
{
	struct thread thread = { .task = look->task,
				 .tgid = look->tgid,
				 .tid = look->tid,
				 .start_time_ns = look->leader_start_time_ns,
				 .exec_id = look->exec_id,
				 .wall_start_time_ns = look->wall_start_time_ns,
				 .wall_since_ns = look->wall_since_ns,
				 .has_entry = look->flags & ST_LOOK_HAS_WALL,
				 .differs = look->flags & ST_LOOK_DIFFERS };

	if (look->exit_state)
		return;
	memcpy(thread.comm, look->comm, sizeof(thread.comm));
	if (!thread.has_entry)
		thread.wall_start_time_ns = look->start_time_ns;
	vec_push(&wall->threads, thread);
}

static size_t take_looks(struct wall *wall, const uint8_t *bytes, size_t nr_bytes)
{
	size_t at = 0;

	while (nr_bytes - at >= offsetof(struct st_look, frames)) {
		const struct st_look *look = (const struct st_look *)(bytes + at);
		size_t nr = look_bytes(look);

		if (nr_bytes - at < nr)
			break;
		take_thread(wall, look);
		at += nr;
	}
	return at;
}

static int compare_tasks(const void *left, const void *right)
{
	const struct thread *a = left, *b = right;

	return (a->task > b->task) - (a->task < b->task);
}

/* Lets the iterator see all threads once, and records them. Returns 0 or a recorded failure. */
static int see_threads(struct wall *wall)
{
	_cleanup_(closep) int fd = bpf_iter_create(bpf_link__fd(wall->link));
	size_t room = READ_BYTES + sizeof(struct st_look), nr_bytes = 0;
	_cleanup_(freep) uint64_t *words = xcalloc(room / sizeof(uint64_t) + 1, sizeof(*words));
	uint8_t *bytes = (uint8_t *)words;
	ssize_t got = fd < 0 ? fd : 1;

	wall->threads.nr = 0;
	wall->looked_ns = clock_monotonic_ns();
	while (got > 0 || (fd >= 0 && got < 0 && (errno == EAGAIN || errno == EINTR))) {
		size_t taken;

		got = read(fd, bytes + nr_bytes, READ_BYTES);
		nr_bytes += got > 0 ? (size_t)got : 0;
		taken = take_looks(wall, bytes, nr_bytes);
		nr_bytes -= taken;
		memmove(bytes, bytes + taken, nr_bytes);
	}
	if (got < 0)
		return fail_host(-errno, "threads: the kernel refuses to list them: %s", strerror(errno));
	if (wall->threads.nr)
		qsort(wall->threads.data, wall->threads.nr, sizeof(*wall->threads.data), compare_tasks);
	return 0;
}

/* ---- the window ---- */

static void sleep_until(uint64_t until_ns)
{
	const struct timespec until = { (time_t)(until_ns / NSEC_PER_SEC), (long)(until_ns % NSEC_PER_SEC) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

/* Sets a bound of the window `margin_ns` ahead. Unpreempted: the programs would see it too late if this thread lost the CPU. */
static uint64_t set_bound(volatile __u64 *bound, uint64_t margin_ns)
{
	struct unpreempted unpreempted = unpreempted_begin();
	uint64_t bound_ns = clock_monotonic_ns() + margin_ns;

	__atomic_store_n(bound, bound_ns, __ATOMIC_SEQ_CST);
	unpreempted_end(&unpreempted);
	return bound_ns;
}

int wall_begin(const struct loaded *loaded, bool is_held, struct wall **ret_wall)
{
	struct wall *wall = xcalloc(1, sizeof(*wall));
	int err;

	*ret_wall = wall;
	wall->loaded = loaded;
	wall->link = bpf_program__attach_iter(loaded_program(loaded, "on_task"), NULL);
	if (!wall->link)
		return fail_host(-errno, "threads: the kernel has no iterator of tasks: %s", strerror(errno));
	/* An entry that was made while its thread switched differs for longer than a switch takes. The second call corrects it. */
	err = see_threads(wall);
	if (!err && !is_held) {
		sleep_until(clock_monotonic_ns() + 2 * ST_WALL_SETTLED_NS);
		err = see_threads(wall);
	}
	sleep_until(set_bound(&loaded->control->wall_begin_ns, is_held ? 0 : MARGIN_NS));
	return err;
}

void wall_free(struct wall *wall)
{
	if (!wall)
		return;
	bpf_link__destroy(wall->link);
	vec_done(&wall->looks);
	vec_done(&wall->threads);
	free(wall);
}

int wall_look(struct wall *wall, const struct look_sources *sources, const struct drain_target *target)
{
	struct profile_interval rows = {};
	struct drain_target looks = *target;
	struct plan plan = *sources->plan;
	struct look_sources of_sleepers = *sources;
	_cleanup_(buf_done) struct buf notes = {};
	struct u32_list sampled = {};
	bool is_cut;
	int err;

	looks.interval = &rows;
	plan.off_cpu.state_filter = STATES_LETTERS;
	plan.off_cpu.states = ~(1U << ('R' - 'A'));
	of_sleepers.plan = &plan;
	err = look_at_threads(&of_sleepers, &looks, &sampled, &is_cut, &notes);
	for (size_t i = 0; i < rows.rows.nr; i++)
		vec_push(&wall->looks, rows.rows.data[i].record);
	target->interval->losses[ST_LOSS_PYTHON] += rows.losses[ST_LOSS_PYTHON]; /* of records during the look */
	vec_done(&sampled);
	profile_interval_done(&rows);
	return err;
}

#define LAST_LOOK_NS (2 * NSEC_PER_SEC)

static bool is_last_look_over(void *until_ns)
{
	return clock_monotonic_ns() > *(const uint64_t *)until_ns;
}

int wall_look_last(struct wall *wall, const struct look_sources *sources, const struct drain_target *target)
{
	uint64_t until_ns = clock_monotonic_ns() + LAST_LOOK_NS;
	struct look_sources last = *sources;

	if (!wall || wall->has_ended || !wall->loaded->control->wall_sampled)
		return 0;
	last.is_over = is_last_look_over;
	last.context = &until_ns;
	last.leaves_ring = true;
	return wall_look(wall, &last, target);
}

int wall_end(struct wall *wall)
{
	int err;

	if (!wall || wall->has_ended)
		return 0;
	wall->has_ended = true;
	err = see_threads(wall);
	sleep_until(set_bound(&wall->loaded->control->wall_end_ns, MARGIN_NS) + MARGIN_NS);
	return err;
}

/* ---- waits that have not ended ---- */

struct finishing {
	const struct wall *wall;
	const struct drain_target *target;
	uint64_t begin_ns, end_ns;
	uint64_t lifetimes_ns;
	uint64_t nr_odd, nr_waits;
	wall_interval_list open;
};

static uint64_t in_window(const struct finishing *finishing, uint64_t since_ns)
{
	uint64_t from_ns = since_ns > finishing->begin_ns ? since_ns : finishing->begin_ns;

	return finishing->end_ns > from_ns ? finishing->end_ns - from_ns : 0;
}

/* The record of a thread that has never left the CPU. */
static uint32_t record_of_thread(struct finishing *finishing, const struct thread *thread)
{
	struct profile *profile = finishing->target->profile;
	struct profile_record record = {
		.id = { thread->task, 4 },
		.program = PROGRAM_RAW_TRACEPOINT,
		.tgid = thread->tgid,
		.tid = thread->tid,
		.start_time_ns = thread->start_time_ns,
		.exec_id = thread->exec_id,
		.comm = strtab_addn(&profile->strings, thread->comm, sizeof(thread->comm)),
	};

	return profile_add_record(profile, &record, NULL, NULL);
}

/* Like record_of_thread(), for a thread that began after the iterator saw all. Its name is the one of its process, if known. */
static uint32_t record_of_entry(struct finishing *finishing, uint64_t task, const struct st_wall *entry)
{
	struct profile *profile = finishing->target->profile;
	struct profile_record record = {
		.id = { task, 4 },
		.program = PROGRAM_RAW_TRACEPOINT,
		.tgid = entry->tgid,
		.tid = entry->tid,
		.start_time_ns = entry->process_start_ns,
	};

	for (size_t i = 0; i < profile->records.nr && !record.comm; i++) {
		const struct profile_record *other = &profile->records.data[i];

		if (other->tgid != record.tgid || other->start_time_ns != record.start_time_ns)
			continue;
		record.comm = other->comm;
		record.exec_id = other->exec_id;
	}
	return profile_add_record(profile, &record, NULL, NULL);
}

static void add_open(struct finishing *finishing, uint32_t record, uint32_t state, enum wall_stack stack, uint64_t ns,
		     uint64_t since_ns, uint64_t end_ns)
{
	vec_push(&finishing->open,
		 (struct wall_interval){ record, (enum thread_state)state, stack, ns, since_ns, end_ns });
}

/* The stack of a wait that has not ended: wall_look_last() looks at sleeping threads before the window ends. */
static enum wall_stack stack_of_last(const struct st_wall *entry, uint32_t state)
{
	if (entry->has_stack)
		return BY_RECORD;
	if (entry->has_left && (state == THREAD_RUNNABLE || state == THREAD_THROTTLED))
		return BY_SAMPLES;
	return BY_LOOK;
}

/*
 * Whether the thread of an entry has ended and the kernel did not report its last switch. A state that began less than 1 s ago proves
 * nothing, because the thread may have been ending when the iterator saw it.
 */
static bool is_left_over(const struct wall *wall, const struct st_wall *entry, const struct thread *thread)
{
	return !thread && wall->looked_ns > entry->since_ns && wall->looked_ns - entry->since_ns > NSEC_PER_SEC;
}

/* That of its last wait; without one `bare`, which has no stack. */
static uint32_t record_of_last(struct finishing *finishing, const struct st_wall *entry, uint32_t bare)
{
	struct profile *profile = finishing->target->profile;
	struct profile_record lost = profile->records.data[bare];
	uint32_t record;

	if (entry->state == THREAD_ON_CPU || !entry->has_stack)
		return bare;
	record = profile_find_record(profile, (struct profile_id){ entry->sleeper.lo, entry->sleeper.hi });
	if (record != PROFILE_NONE)
		return record;
	lost.id.hi++;
	lost.stack_lost = true;
	return profile_add_record(profile, &lost, NULL, NULL);
}

static void add_entry(struct finishing *finishing, uint64_t task, const struct st_wall *entry)
{
	const struct thread wanted = { .task = task };
	const thread_list *threads = &finishing->wall->threads;
	const struct thread *thread =
		threads->nr ? bsearch(&wanted, threads->data, threads->nr, sizeof(wanted), compare_tasks) : NULL;
	uint32_t bare = thread ? record_of_thread(finishing, thread) : record_of_entry(finishing, task, entry);
	uint32_t record = record_of_last(finishing, entry, bare), state = entry->state;
	enum wall_stack last = stack_of_last(entry, state);
	uint64_t last_ns = in_window(finishing, entry->since_ns);

	finishing->lifetimes_ns += in_window(finishing, entry->start_time_ns);
	if ((thread && thread->differs && thread->wall_since_ns == entry->since_ns) ||
	    is_left_over(finishing->wall, entry, thread)) {
		finishing->nr_odd++;
		state = THREAD_UNKNOWN;
	}
	for (int is_run = 0; is_run < 2; is_run++)
		add_open(finishing, bare, entry->first_states[is_run], BY_LOOK, entry->first_ns[is_run], 0,
			 entry->first_end_ns);
	for (uint32_t of = 0; of < THREAD_NR_STATES; of++)
		add_open(finishing, bare, of, of == THREAD_UNKNOWN ? BY_RECORD : BY_SAMPLES, entry->total_ns[of], 0, 0);
	finishing->nr_waits += entry->nr_waits + (last == BY_SAMPLES && last_ns);
	if (state == THREAD_HELD)
		finishing->lifetimes_ns -= last_ns;
	else
		add_open(finishing, record, state, state == THREAD_UNKNOWN ? BY_RECORD : last, last_ns,
			 entry->has_left ? entry->since_ns : 0, finishing->end_ns);
}

static void add_missing(struct finishing *finishing, const struct thread *thread)
{
	uint64_t ns = in_window(finishing, thread->wall_start_time_ns);

	finishing->nr_odd++;
	finishing->lifetimes_ns += ns;
	add_open(finishing, record_of_thread(finishing, thread), THREAD_UNKNOWN, BY_RECORD, ns, 0, 0);
}

static int take_entries(struct finishing *finishing)
{
	const struct bpf_map *map = finishing->wall->loaded->skeleton->maps.st_walls;
	uint32_t nr = bpf_map__max_entries(map);
	_cleanup_(freep) uint64_t *keys = xcalloc(nr, sizeof(*keys));
	_cleanup_(freep) struct st_wall *entries = xcalloc(nr, sizeof(*entries));
	int err = drain_read_map(bpf_map__fd(map), keys, entries, &nr, false, "map of threads");

	for (uint32_t i = 0; i < nr; i++)
		add_entry(finishing, keys[i], &entries[i]);
	for (size_t i = 0; i < finishing->wall->threads.nr; i++)
		/* a thread that came into the cgroup while asleep has no entry: it is followed from its first switch on */
		if (!finishing->wall->threads.data[i].has_entry && !loaded_config(finishing->wall->loaded)->use_cgroup)
			add_missing(finishing, &finishing->wall->threads.data[i]);
	return err;
}

int wall_finish(struct wall *wall, const struct drain_target *target)
{
	const volatile struct st_control *control = wall->loaded->control;
	struct finishing finishing = {
		.wall = wall,
		.target = target,
		.begin_ns = control->wall_begin_ns,
		.end_ns = control->wall_end_ns,
		.lifetimes_ns = control->wall_lifetimes_ns - control->wall_held_ns,
		.nr_odd = control->wall_odd,
		.nr_waits = control->wall_waits,
	};
	uint64_t sum;
	int err = take_entries(&finishing);

	target->interval->start_ns = finishing.begin_ns;
	target->interval->end_ns = finishing.end_ns;
	sum = wall_settle(target->profile, target->interval, &finishing.open, &wall->looks);
	target->interval->losses[ST_LOSS_WALL_ODD] += finishing.nr_odd;
	target->interval->losses[ST_LOSS_WALL_SAMPLED] += finishing.nr_waits;
	sum = sum > finishing.lifetimes_ns ? sum - finishing.lifetimes_ns : finishing.lifetimes_ns - sum;
	target->interval->losses[ST_LOSS_WALL_DIFFERS] += sum;
	vec_done(&finishing.open);
	return err;
}
