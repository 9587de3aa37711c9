/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/session/look.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "bpf/unwind_space.h"
#include "core/session/drain_private.h"
#include "core/session/look_private.h"
#include "core/session/look_pages.h"
#include "core/session/look_python.h"

#define TURNS_MAX 5 /* number of looks at a thread that moves each time */
#define TABLES_MS 2000 /* for the tables of all processes */
#define TABLES_TURN_MS 20
#define SAMPLES_MS 100 /* for a sample of each thread that was on a CPU */
#define SAMPLES_TURN_MS 2
#define READ_BYTES (32 << 10) /* size of the kernel's buffer */

#define PF_IO_WORKER 0x10
#define PF_USER_WORKER 0x4000
#define PF_KTHREAD 0x200000

struct look_run {
	const struct look_sources *sources;
	struct bpf_link *link; /* of the iterator */
	VEC(struct look_thread) threads; /* by tid */
	struct look_memory *memory; /* for the first copies, which stay until all of them are walked */
	struct look_memory *more; /* for further memory that a walk needs */
	struct look_pages *pages;
	struct look_python *python;
	struct look_walk walk; /* large */
	uint32_t turn;
	bool walks; /* false: this turn reads no user stacks */
	bool is_cut; /* the user or the deadline ended the look before all was read */
	uint64_t until_ns; /* the deadline */
	uint64_t turn_ns; /* begin of the last turn */
	int64_t clock_ns; /* to add to the scheduler's clock; 0: unknown */
	uint32_t space_tgid; /* process whose space was looked up last */
	struct st_unwind_process process;
	struct u32_list *sampled; /* records that are rows of threads */
	size_t nr_sampled; /* number of the interval's rows that are assigned to their threads */
	size_t nr_moving; /* number of threads that need another look */
	VEC(uint64_t) words; /* read from the iterator */
};

/* ---- the state of a thread ---- */

/* As ps shows it. */
static char letter_of(const struct st_look *look)
{
	static const struct {
		uint32_t bits;
		char letter;
	} states[] = { { 0x4, 'T' },    { 0x8, 't' },    { 0x40, 'P' }, { 0x402, 'I' },
		       { 0x8000, 'D' }, { 0x1000, 'D' }, { 0x2, 'D' },  { 0x1, 'S' } };

	if (look->exit_state)
		return look->exit_state & 0x20 ? 'Z' : 'X';
	if (look->flags & ST_LOOK_ON_CPU)
		return 'R';
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		if ((look->state & states[i].bits) == states[i].bits)
			return states[i].letter;
	return 'R';
}

static bool is_wanted(const struct plan *plan, const struct st_look *look)
{
	char letter = letter_of(look);

	if (look->tgid == (uint32_t)getpid())
		return false;
	switch (plan->off_cpu.state_filter) {
	case STATES_MASK:
		return plan->off_cpu.states ? look->state & plan->off_cpu.states : letter == 'R';
	case STATES_LETTERS:
		return letter == 't' ? plan->off_cpu.states >> 31 : plan->off_cpu.states >> (letter - 'A') & 1;
	default:
		return true;
	}
}

static bool is_on_cpu(const struct st_look *look)
{
	return look->flags & ST_LOOK_ON_CPU && !look->exit_state;
}

static bool is_same(const struct st_look *before, const struct st_look *now)
{
	return before->start_time_ns == now->start_time_ns && before->exec_id == now->exec_id &&
	       before->nr_voluntary == now->nr_voluntary && before->nr_involuntary == now->nr_involuntary &&
	       !is_on_cpu(before) && !is_on_cpu(now);
}

/* Workers of io_uring have the memory of a process, but run none of its code. */
static bool has_user_stack(const struct st_look *look)
{
	return look->flags & ST_LOOK_HAS_MEMORY && !look->exit_state &&
	       !(look->task_flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)) && look_stack_pointer(look);
}

/* ---- threads ---- */

size_t look_bytes(const struct st_look *look)
{
	return offsetof(struct st_look, frames) + 8 * (size_t)(look->nr_kernel > 0 ? look->nr_kernel : 0);
}

static struct look_thread *thread_of(struct look_run *run, uint32_t tid, bool adds)
{
	size_t at = vec_nr_first(&run->threads, thread, thread->look->tid < tid);

	if (at < run->threads.nr && run->threads.data[at].look->tid == tid)
		return &run->threads.data[at];
	if (!adds)
		return NULL;
	vec_push(&run->threads, (struct look_thread){});
	memmove(&run->threads.data[at + 1], &run->threads.data[at],
		(run->threads.nr - 1 - at) * sizeof(*run->threads.data));
	run->threads.data[at] = (struct look_thread){};
	return &run->threads.data[at];
}

/* Whether to stop reading. To be called only if there is more to read. */
static bool is_over(struct look_run *run)
{
	run->is_cut = run->is_cut || run->sources->is_over(run->sources->context) ||
		      clock_monotonic_ns() > run->until_ns;
	return run->is_cut;
}

static bool is_run_over(void *run)
{
	return is_over(run);
}

static void thread_done(struct look_thread *thread)
{
	free(thread->look);
	free(thread->stack);
	free(thread->inserts);
}

/* ---- user stacks ---- */

/* The space of the thread's process. 0: unknown, or the space belongs to another program that the process ran. */
static uint64_t space_of(struct look_run *run, const struct st_look *look)
{
	const struct bpf_map *map = run->sources->loaded->skeleton->maps.st_processes;

	if (!run->sources->unwinding)
		return 0;
	if (run->space_tgid != look->tgid) {
		run->space_tgid = look->tgid;
		if (bpf_map_lookup_elem(bpf_map__fd(map), &look->tgid, &run->process))
			run->process = (struct st_unwind_process){};
	}
	if (run->process.exec_id && look->exec_id && run->process.exec_id != look->exec_id)
		return 0;
	if (run->process.start_time_ns && run->process.start_time_ns != look->leader_start_time_ns)
		return 0;
	return run->process.space;
}

static struct look_request request_of(const struct st_look *look, uint64_t at, size_t room)
{
	return (struct look_request){ look->tgid, look->tid, at & ~4095ULL, room, 0, NULL };
}

/* Copies the memory that a walk did not have. False: it cannot be copied. The caller frees *ret_owned. */
static bool add_piece(struct look_run *run, const struct st_look *look, size_t room, uint8_t **ret_owned)
{
	struct look_request request = request_of(look, run->walk.missing, room);

	*ret_owned = NULL;
	look_memory_copy(run->more, &request, 1);
	if (request.got <= (long)(run->walk.missing - request.at))
		return false;
	*ret_owned = xmalloc((size_t)request.got);
	memcpy(*ret_owned, request.bytes, (size_t)request.got);
	run->walk.pieces[run->walk.nr_pieces++] = (struct look_piece){ request.at, (size_t)request.got, *ret_owned };
	return true;
}

/* If a walk needs more memory than the first copy (deep stacks, other stacks), it begins again with larger copies. */
static void walk_thread(struct look_run *run, struct look_thread *thread, const struct look_piece *first)
{
	const struct st_look *look = thread->look;
	uint8_t *owned[LOOK_PIECES_MAX] = {};
	size_t nr_owned = 0, room = LOOK_COPY_BYTES;
	uint64_t space = space_of(run, look);

	run->walk.unwinding = run->sources->unwinding;
	run->walk.follows_frames = run->sources->plan->unwind != UNWIND_DWARF;
	run->walk.pieces[0] = *first;
	run->walk.nr_pieces = 1;
	look_walk(&run->walk, look, space);
	while (run->walk.missing && run->walk.nr_pieces < LOOK_PIECES_MAX && !is_over(run)) {
		if (!add_piece(run, look, room, &owned[nr_owned]))
			break;
		nr_owned++;
		room = 4 * room < LOOK_COPY_MAX ? 4 * room : LOOK_COPY_MAX;
		look_walk(&run->walk, look, space);
	}
	look_python_walk(run->python, &run->walk, thread);
	while (nr_owned)
		free(owned[--nr_owned]);
}

static void begin_stack(struct st_stack *stack, const struct st_look *look)
{
	struct st_stack_head *head = &stack->head;

	memset(head, 0, sizeof(*head));
	head->kind = ST_MESSAGE_EVENT;
	head->program = PROGRAM_LOOK;
	head->time_ns = clock_monotonic_ns();
	head->tgid = look->tgid;
	head->tid = look->tid;
	head->start_time_ns = look->leader_start_time_ns;
	head->exec_id = look->exec_id;
	memcpy(head->comm, look->comm, sizeof(head->comm));
	head->user_status = STACK_NONE;
	head->kernel_status = look->nr_kernel > 0 ? STACK_OK : STACK_NONE;
	if (look->nr_kernel < 0 && !look->exit_state) /* a zombie has no kernel stack */
		head->kernel_status = STACK_UNREADABLE;
	if (look->nr_kernel <= 0)
		return;
	if (look->nr_kernel == ST_MAX_FRAMES)
		head->kernel_status = STACK_TRUNCATED;
	head->nr_kernel = (__u16)look->nr_kernel;
	memcpy(stack->frames, look->frames, 8 * (size_t)look->nr_kernel);
}

static void keep_stack(struct look_thread *thread, const struct st_stack *stack)
{
	size_t bytes = sizeof(stack->head) + 8 * ((size_t)stack->head.nr_kernel + stack->head.nr_user);

	free(thread->stack);
	thread->stack = xmalloc(bytes);
	memcpy(thread->stack, stack, bytes);
}

static void take_stack(struct look_run *run, struct look_thread *thread, const struct look_request *request)
{
	begin_stack(&run->walk.slot.stack, thread->look);
	if (request && request->got > 0) {
		const struct look_piece piece = { request->at, (size_t)request->got, request->bytes };

		walk_thread(run, thread, &piece);
		thread->user = LOOK_STACK_WALKED;
	} else if (request) {
		thread->user = LOOK_STACK_UNREADABLE;
		run->walk.slot.stack.head.user_status = STACK_UNREADABLE;
	}
	keep_stack(thread, &run->walk.slot.stack);
}

/* ---- looks ---- */

/*
 * Relates the scheduler's clock to ours: the short sleep in begin_turn() put our thread onto a CPU just before the turn began. If the
 * thread has slept again before this look, the difference is too small.
 */
static void note_clock(struct look_run *run, const struct st_look *look)
{
	int64_t clock_ns = (int64_t)(run->turn_ns - look->reader_arrival_ns);

	if (look->reader_arrival_ns && (!run->clock_ns || clock_ns > run->clock_ns))
		run->clock_ns = clock_ns;
}

/* Takes what the iterator reports about a thread. Returns the thread if its stack must be read now, otherwise NULL. */
static struct look_thread *take_look(struct look_run *run, const struct st_look *look)
{
	struct look_thread *thread = thread_of(run, look->tid, false);

	if (thread && thread->is_settled)
		return NULL;
	if (!thread && (run->turn > 1 || !is_wanted(run->sources->plan, look)))
		return NULL; /* it is not wanted, or began after the first look */
	if (thread && thread->stack && is_same(thread->look, look)) {
		thread->is_settled = true;
		thread->turn = run->turn;
		return NULL;
	}
	if (!thread)
		thread = thread_of(run, look->tid, true);
	thread_done(thread);
	*thread = (struct look_thread){ .look = xmalloc(look_bytes(look)), .turn = run->turn, .sample = PROFILE_NONE };
	memcpy(thread->look, look, look_bytes(look));
	return is_on_cpu(look) ? NULL : thread;
}

static int compare_processes(const void *left, const void *right, void *context)
{
	struct look_run *run = context;
	const uint32_t *a = left, *b = right;
	uint32_t tgid_a = thread_of(run, *a, false)->look->tgid, tgid_b = thread_of(run, *b, false)->look->tgid;

	return (tgid_a > tgid_b) - (tgid_a < tgid_b);
}

/* Reads the stacks of some threads, those of a process together: the knowledge about a process is dropped with the next process. */
static void read_stacks(struct look_run *run, uint32_t *tids, size_t nr)
{
	struct look_request requests[LOOK_REQUESTS_MAX], *request_of_tid[LOOK_REQUESTS_MAX] = {};
	size_t nr_requests = 0;

	qsort_r(tids, nr, sizeof(*tids), compare_processes, run);
	for (size_t i = 0; i < nr; i++) {
		const struct st_look *look = thread_of(run, tids[i], false)->look;

		if (!has_user_stack(look) || !run->sources->plan->want_user)
			continue;
		requests[nr_requests] = request_of(look, look_stack_pointer(look), LOOK_COPY_BYTES);
		request_of_tid[i] = &requests[nr_requests++];
	}
	if (nr && is_over(run))
		return;
	if (nr_requests)
		look_memory_copy(run->memory, requests, nr_requests);
	for (size_t i = 0; i < nr && !is_over(run); i++) {
		take_stack(run, thread_of(run, tids[i], false), request_of_tid[i]);
		run->nr_moving++;
	}
}

static void take_looks(struct look_run *run, size_t *nr_bytes)
{
	uint8_t *bytes = (uint8_t *)run->words.data;
	uint32_t tids[LOOK_REQUESTS_MAX];
	size_t at = 0, nr = 0;

	while (*nr_bytes - at >= offsetof(struct st_look, frames)) {
		const struct st_look *look = (const struct st_look *)(bytes + at);

		if (*nr_bytes - at < look_bytes(look))
			break;
		note_clock(run, look);
		if (take_look(run, look) && run->walks)
			tids[nr++] = look->tid;
		if (nr == LOOK_REQUESTS_MAX) {
			read_stacks(run, tids, nr);
			nr = 0;
		}
		at += look_bytes(look);
	}
	read_stacks(run, tids, nr);
	*nr_bytes -= at;
	memmove(bytes, bytes + at, *nr_bytes);
}

/* Samples from before the turn are too old. */
static void begin_turn(struct look_run *run)
{
	run->turn++;
	run->nr_moving = 0;
	run->space_tgid = 0;
	look_python_forget(run->python);
	if (run->sources->plan->mode == EVENTS_EACH)
		drain_discard(run->sources->drain);
	nanosleep(&(struct timespec){ .tv_nsec = 1 }, NULL);
	run->turn_ns = clock_monotonic_ns();
}

/* Lets the kernel list all threads once. Returns 0 or a recorded failure. */
static int look_once(struct look_run *run)
{
	_cleanup_(closep) int fd = bpf_iter_create(bpf_link__fd(run->link));
	size_t nr_bytes = 0;
	ssize_t got;

	if (fd < 0)
		return fail_host(-errno, "threads: the kernel refuses to list them: %s", strerror(errno));
	begin_turn(run);
	while (!is_over(run)) {
		got = read(fd, (uint8_t *)run->words.data + nr_bytes, READ_BYTES);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (got < 0)
			return fail_host(-errno, "threads: the kernel refuses to list them: %s", strerror(errno));
		if (!got)
			break;
		nr_bytes += (size_t)got;
		take_looks(run, &nr_bytes);
	}
	return 0;
}

/* Repeats until two looks agree for each thread that is on no CPU. */
static int look_until_settled(struct look_run *run)
{
	int err;

	run->walks = true;
	err = look_once(run);
	for (uint32_t i = 1; !err && i < TURNS_MAX && run->nr_moving && !is_over(run); i++) {
		run->walks = i + 1 < TURNS_MAX; /* in the last turn, because no look would follow the copy */
		err = look_once(run);
	}
	return err;
}

/* ---- tables ---- */

static int compare_numbers(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

/* The processes with a user stack, each once: the main thread of some has ended. The caller frees the list. */
static size_t processes_of(const struct look_run *run, uint32_t **ret_tgids)
{
	uint32_t *tgids = xcalloc(run->threads.nr + 1, sizeof(*tgids));
	size_t nr = 0, nr_once = 0;

	for (size_t i = 0; i < run->threads.nr; i++)
		if (has_user_stack(run->threads.data[i].look))
			tgids[nr++] = run->threads.data[i].look->tgid;
	qsort(tgids, nr, sizeof(*tgids), compare_numbers);
	for (size_t i = 0; i < nr; i++)
		if (!i || tgids[i] != tgids[i - 1])
			tgids[nr_once++] = tgids[i];
	*ret_tgids = tgids;
	return nr_once;
}

/* Waits for the tables. Keeps the records that `wall` sends before its window: they are needed in the window and not sent again. */
static void await_tables(struct look_run *run, const struct drain_target *target)
{
	const struct look_sources *sources = run->sources;
	uint64_t until_ns = clock_monotonic_ns() + TABLES_MS * NSEC_PER_MSEC;
	_cleanup_(freep) uint32_t *tgids = NULL;
	size_t nr = processes_of(run, &tgids);

	for (size_t i = 0; i < nr && clock_monotonic_ns() < until_ns && !is_over(run); i++) {
		spaces_prime(sources->spaces, tgids[i]);
		while (!unwinding_work(sources->unwinding, TABLES_TURN_MS) && clock_monotonic_ns() < until_ns &&
		       !is_over(run))
			spaces_update(sources->spaces);
		if (sources->plan->mode == EVENTS_EACH)
			drain_discard(sources->drain);
		else
			drain_ring(sources->drain, target);
	}
}

static void forget_threads(struct look_run *run)
{
	for (size_t i = 0; i < run->threads.nr; i++)
		thread_done(&run->threads.data[i]);
	run->threads.nr = 0;
	run->turn = 0;
}

/* ---- threads on a CPU ---- */

/* Assigns new samples to their threads. A thread keeps its last sample. */
static void note_samples(struct look_run *run, const struct drain_target *target)
{
	for (; run->nr_sampled < target->interval->rows.nr; run->nr_sampled++) {
		uint32_t number = target->interval->rows.data[run->nr_sampled].record;
		const struct profile_record *record = &target->profile->records.data[number];
		struct look_thread *thread = thread_of(run, record->tid, false);

		if (thread && look_is_sample_of(record, thread->look, run->turn_ns))
			thread->sample = number;
	}
}

static void take_samples(struct look_run *run, const struct drain_target *target)
{
	drain_ring(run->sources->drain, target);
	note_samples(run, target);
}

/* The thread was on a CPU or has switched each time, so it runs, and a sample is as good as any of its stacks. */
static bool is_running(const struct look_run *run, const struct look_thread *thread)
{
	return !thread->is_settled && thread->turn == run->turn && !thread->look->exit_state;
}

/* Whether a running thread may be a row: --state may exclude it. */
static bool wants_running(const struct plan *plan)
{
	const struct st_look running = { .flags = ST_LOOK_ON_CPU };

	return is_wanted(plan, &running);
}

static bool lacks_samples(const struct look_run *run)
{
	for (size_t i = 0; i < run->threads.nr; i++)
		if (is_running(run, &run->threads.data[i]) && run->threads.data[i].sample == PROFILE_NONE)
			return true;
	return false;
}

static void await_samples(struct look_run *run, const struct drain_target *target)
{
	uint64_t until_ns = clock_monotonic_ns() + SAMPLES_MS * NSEC_PER_MSEC;

	take_samples(run, target);
	while (wants_running(run->sources->plan) && lacks_samples(run) && clock_monotonic_ns() < until_ns &&
	       !is_over(run)) {
		poll(NULL, 0, SAMPLES_TURN_MS);
		take_samples(run, target);
	}
}

/* ---- rows ---- */

/* 0: unknown. The clocks of two CPUs differ a little, so a thread that just got a CPU may be ahead of us. */
static uint64_t waited_ns(const struct look_run *run, const struct st_look *look)
{
	int64_t waited_ns = (int64_t)(clock_monotonic_ns() - look->arrival_ns) - run->clock_ns;

	if (!look->arrival_ns || !run->clock_ns)
		return 0;
	return waited_ns > 0 ? (uint64_t)waited_ns : 1;
}

static void add_thread(struct look_run *run, const struct drain_target *target, const struct look_thread *thread)
{
	struct drain_look row = { .letter = letter_of(thread->look), .waited_ns = waited_ns(run, thread->look) };
	bool is_here = thread->turn == run->turn || thread->is_settled;

	if (!is_here || !is_wanted(run->sources->plan, thread->look))
		return; /* it has ended, or is in another state now */
	if (is_running(run, thread) && wants_running(run->sources->plan) && thread->sample != PROFILE_NONE) {
		vec_push(run->sampled, thread->sample);
		return;
	}
	begin_stack(&run->walk.slot.stack, thread->look);
	if (!thread->is_settled && is_on_cpu(thread->look)) {
		run->walk.slot.stack.head.nr_kernel = 0;
		run->walk.slot.stack.head.kernel_status = STACK_NONE;
		row.label = LOOK_LABEL_NOT_SAMPLED;
	} else if (!thread->is_settled && has_user_stack(thread->look) && target->profile->view.want_user) {
		row.label = LOOK_LABEL_MOVED;
	} else if (thread->user == LOOK_STACK_UNREADABLE) {
		row.label = LOOK_LABEL_UNREADABLE;
	} else if (thread->stack) {
		row.inserts = thread->inserts;
		row.nr_inserts = thread->nr_inserts;
		row.lacks_frames = thread->lacks_frames;
		row.lack = ST_LOSS_INTERPRETER;
		drain_add_look(run->sources->drain, target, thread->stack, &row);
		return;
	}
	drain_add_look(run->sources->drain, target, &run->walk.slot.stack, &row);
}

static int look(struct look_run *run, const struct drain_target *target)
{
	int err = 0;

	if (!run->sources->plan->tgids.nr && run->sources->unwinding && !run->sources->leaves_ring) {
		err = look_once(run);
		if (!err)
			await_tables(run, target);
		forget_threads(run);
	}
	err = err ?: look_until_settled(run);
	if (err)
		return err;
	if (!run->sources->leaves_ring)
		await_samples(run, target);
	spaces_update(run->sources->spaces); /* mappings since spaces_prime() */
	for (size_t i = 0; i < run->threads.nr; i++)
		if (!run->is_cut || run->threads.data[i].is_settled)
			add_thread(run, target, &run->threads.data[i]);
	return 0;
}

int look_at_threads(const struct look_sources *sources, const struct drain_target *target, struct u32_list *ret_sampled,
		    bool *ret_is_cut, struct buf *ret_notes)
{
	struct look_run *run = xcalloc(1, sizeof(*run));
	int err = 0;

	run->sources = sources;
	run->sampled = ret_sampled;
	run->until_ns = clock_monotonic_ns() + LOOK_SECONDS * NSEC_PER_SEC;
	run->memory = look_memory_new();
	run->more = look_memory_new();
	/* Python frames only for `dump`: the BPF programs walk those of wall's events, and wall's looks have none. */
	run->pages = look_pages_new(run->more, is_run_over, run);
	run->python = look_python_new(
		run->pages, sources->plan->looks && sources->plan->frames == FRAMES_MIXED ? sources->unwinding : NULL,
		target->profile);
	vec_reserve(&run->words, (READ_BYTES + sizeof(struct st_look)) / sizeof(uint64_t));
	run->link = bpf_program__attach_iter(loaded_program(sources->loaded, "on_task"), NULL);
	if (!run->link)
		err = fail_host(-errno, "threads: the kernel has no iterator of tasks: %s", strerror(errno));
	err = err ?: look(run, target);
	*ret_is_cut = run->is_cut;
	look_python_add_notes(run->python, ret_notes);
	bpf_link__destroy(run->link);
	forget_threads(run);
	vec_done(&run->threads);
	vec_done(&run->words);
	look_python_free(run->python);
	look_pages_free(run->pages);
	look_memory_free(run->more);
	look_memory_free(run->memory);
	free(run);
	return err;
}

/* ---- the end ---- */

void look_settle(const struct drain_target *target, const struct u32_list *sampled)
{
	struct profile_interval *interval = target->interval;
	_cleanup_(freep) bool *is_sampled = xcalloc(target->profile->records.nr + 1, sizeof(*is_sampled));
	uint64_t *losses = interval->losses;
	const uint64_t nr_bad = losses[ST_LOSS_BAD_MESSAGE], nr_sideband = losses[ST_LOSS_SIDEBAND];
	size_t nr = 0;

	for (size_t i = 0; i < sampled->nr; i++)
		is_sampled[sampled->data[i]] = true;
	for (size_t i = 0; i < interval->rows.nr; i++) {
		uint32_t record = interval->rows.data[i].record;

		if (is_sampled[record] || target->profile->records.data[record].program == PROGRAM_LOOK)
			interval->rows.data[nr++] = interval->rows.data[i];
	}
	interval->rows.nr = nr;
	memset(losses, 0, sizeof(interval->losses)); /* losses of sampled events, unlike these two: */
	losses[ST_LOSS_BAD_MESSAGE] = nr_bad;
	losses[ST_LOSS_SIDEBAND] = nr_sideband;
	interval->account = (struct profile_account){ .seen = nr, .recorded = nr, .counted = nr };
}
