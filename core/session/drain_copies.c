/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of processes whose tables are not ready. The kernel sends their records through the events of st_copies, and adds the registers of
 * user mode and a piece of the stack: such an event has an attribute for that. They wait here until the tables are there, and are then
 * walked as the programs would have done it. The events are counted here, and not in the map of the generation.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf/registers.h"
#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/host/host.h"
#include "core/session/drain_private.h"
#include "core/session/look_walk.h"
#include "core/spaces/perf_ring.h"

#define STACK_BYTES (24u << 10) /* of each copy: 99 of 100 stacks of gcc take less than 16 KB */
#define RING_ORDER 7 /* pages of a ring: 20 copies */
#define MANY_CPUS 16 /* with more, rings have half the size */
#define COPIES_MAX 512 /* that wait: 13 MB at most */
#define WAIT_NS (3 * NSEC_PER_SEC / 2) /* for tables; spaces.h forgets the process after two seconds */
#define TURN_MS 10

/*
 * At the end of a function, after it has restored its caller's rbp, its rule still finds rbp below the stack pointer, where a copy has
 * nothing. This value is read there: no rule and no frame pointer leads anywhere from it.
 */
#define BELOW_WORDS 16
#define NOT_COPIED 1ull

/* Registers of PERF_SAMPLE_REGS_USER in its order, as indexes of words in struct pt_regs of x86_64. */
static const uint8_t registers[] = { 10, 5, 11, 12, 13, 14, 4, 19, 16, 18, 17, 20, 9, 8, 7, 6, 3, 2, 1, 0 };
#define REGISTERS_MASK 0xff0fffull /* all but ds, es, fs and gs */
_Static_assert(sizeof(registers) == 20, "as many as bits");

struct copy {
	struct mappings *mappings; /* of the process; NULL: it is not walked */
	struct st_look look; /* its registers */
	uint64_t at; /* of the bytes */
	size_t nr_bytes; /* of the stack, from `at` on */
	uint8_t *bytes;
	struct st_stack stack;
};

struct copy_ring {
	int fd;
	struct perf_ring ring;
};

struct copies {
	VEC(struct copy_ring) rings;
	VEC(struct copy *) waiting;
	struct look_walk walk;
};

/* ---- rings ---- */

static int open_event(int cpu, size_t ring_bytes)
{
	struct perf_event_attr attributes = {
		.size = sizeof(attributes),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = REGISTERS_MASK,
		.sample_stack_user = STACK_BYTES,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)ring_bytes / 4,
	};

	return (int)syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void open_ring(const struct drain *drain, struct copies *copies, int cpu, unsigned int order)
{
	struct epoll_event readable = { .events = EPOLLIN | EPOLLET };
	_cleanup_(closep) int fd = open_event(cpu, (size_t)sysconf(_SC_PAGESIZE) << order);
	struct copy_ring ring = {};

	if (fd < 0 || perf_ring_init(&ring.ring, fd, order))
		return;
	if (epoll_ctl(drain_fd(drain), EPOLL_CTL_ADD, fd, &readable) ||
	    bpf_map_update_elem(bpf_map__fd(drain->loaded->skeleton->maps.st_copies), &cpu, &fd, BPF_ANY)) {
		perf_ring_done(&ring.ring);
		return;
	}
	ring.fd = take_fd(&fd);
	vec_push(&copies->rings, ring);
}

struct copies *drain_copies_new(const struct drain *drain)
{
	struct copies *copies;
	cpu_list cpus = {};

	if (!loaded_config(drain->loaded)->copies || !host_tells_online_cpus(&cpus))
		return NULL;
	copies = xcalloc(1, sizeof(*copies));
	for (size_t i = 0; i < cpus.nr; i++)
		open_ring(drain, copies, cpus.data[i], RING_ORDER - (cpus.nr > MANY_CPUS));
	vec_done(&cpus);
	return copies;
}

static void copy_free(struct copy *copy)
{
	mappings_free(copy->mappings);
	free(copy->bytes);
	free(copy);
}

void drain_copies_free(struct copies *copies)
{
	if (!copies)
		return;
	for (size_t i = 0; i < copies->rings.nr; i++) {
		perf_ring_done(&copies->rings.data[i].ring);
		closep(&copies->rings.data[i].fd);
	}
	for (size_t i = 0; i < copies->waiting.nr; i++)
		copy_free(copies->waiting.data[i]);
	vec_done(&copies->rings);
	vec_done(&copies->waiting);
	free(copies);
}

/* ---- reading ---- */

/* The next `nr` bytes of a sample; NULL: it has fewer. */
static const uint8_t *take_bytes(const uint8_t **at, const uint8_t *end, uint64_t nr)
{
	const uint8_t *bytes = *at;

	if ((uint64_t)(end - bytes) < nr)
		return NULL;
	*at = bytes + nr;
	return bytes;
}

static bool take_word(const uint8_t **at, const uint8_t *end, void *ret_word, size_t nr)
{
	const uint8_t *bytes = take_bytes(at, end, nr);

	if (bytes)
		memcpy(ret_word, bytes, nr);
	return bytes;
}

/* The registers; false: they are malformed. A thread without registers of 64 bits is not walked. */
static bool read_registers(struct copy *copy, const uint8_t **at, const uint8_t *end)
{
	uint64_t abi, word;

	if (!take_word(at, end, &abi, sizeof(abi)))
		return false;
	for (size_t i = 0; abi != PERF_SAMPLE_REGS_ABI_NONE && i < sizeof(registers); i++) {
		if (!take_word(at, end, &word, sizeof(word)))
			return false;
		copy->look.registers[registers[i]] = word;
	}
	if (abi == PERF_SAMPLE_REGS_ABI_64)
		copy->look.flags = ST_LOOK_HAS_REGISTERS;
	if (copy->stack.head.flags & ST_STACK_LEAF_EXACT)
		copy->look.registers[ST_PT_ORIG_AX] = UINT64_MAX;
	return true;
}

static bool read_stack(struct copy *copy, const uint8_t **at, const uint8_t *end)
{
	uint64_t below[BELOW_WORDS], nr, nr_copied;
	const uint8_t *bytes;

	if (!take_word(at, end, &nr, sizeof(nr)))
		return false;
	if (!nr)
		return true;
	bytes = take_bytes(at, end, nr);
	if (!bytes || !take_word(at, end, &nr_copied, sizeof(nr_copied)) || nr_copied > nr)
		return false;
	copy->bytes = xmalloc(sizeof(below) + nr_copied);
	for (size_t i = 0; i < BELOW_WORDS; i++)
		below[i] = NOT_COPIED;
	memcpy(copy->bytes, below, sizeof(below));
	memcpy(copy->bytes + sizeof(below), bytes, nr_copied);
	copy->at = look_stack_pointer(&copy->look) - sizeof(below);
	copy->nr_bytes = sizeof(below) + nr_copied;
	return true;
}

static bool read_record(struct copy *copy, const uint8_t **at, const uint8_t *end)
{
	const struct st_stack_head *head = &copy->stack.head;
	const uint8_t *bytes;
	uint32_t nr;

	if (!take_word(at, end, &nr, sizeof(nr)) || nr < sizeof(*head) || nr > sizeof(copy->stack) + sizeof(uint64_t))
		return false;
	bytes = take_bytes(at, end, nr);
	if (!bytes)
		return false;
	memcpy(&copy->stack, bytes, nr < sizeof(copy->stack) ? nr : sizeof(copy->stack));
	return head->nr_kernel <= ST_MAX_FRAMES && head->nr_user <= ST_MAX_FRAMES && !head->nr_python;
}

static void read_copy(struct drain *drain, const uint8_t *at, size_t nr)
{
	const uint8_t *end = at + nr;
	struct perf_event_header header;
	struct copy *copy;

	memcpy(&header, at, sizeof(header));
	at += sizeof(header);
	if (header.type != PERF_RECORD_SAMPLE)
		return;
	copy = xcalloc(1, sizeof(*copy));
	if (read_record(copy, &at, end) && read_registers(copy, &at, end) && read_stack(copy, &at, end)) {
		vec_push(&drain->copies->waiting, copy);
		return;
	}
	drain->bad_messages++;
	copy_free(copy);
}

/* The files of new copies are opened, and their tables requested, while the process is likely to run. */
static void read_rings(struct drain *drain, const struct drain_target *target)
{
	struct copies *copies = drain->copies;
	const size_t nr_before = copies->waiting.nr;
	struct epoll_event ignored[8];
	size_t nr_bytes;
	const void *bytes;

	/* clears the readiness of the rings */
	epoll_wait(drain_fd(drain), ignored, sizeof(ignored) / sizeof(ignored[0]), 0);
	for (size_t i = 0; i < copies->rings.nr; i++) {
		struct perf_ring *ring = &copies->rings.data[i].ring;

		perf_ring_load(ring);
		while ((bytes = perf_ring_peek(ring, &nr_bytes))) {
			read_copy(drain, bytes, nr_bytes);
			perf_ring_pop(ring, nr_bytes);
		}
	}
	if (copies->waiting.nr == nr_before)
		return;
	spaces_update(target->spaces);
	for (size_t i = nr_before; i < copies->waiting.nr; i++) {
		struct copy *copy = copies->waiting.data[i];
		const struct profile_record record = drain_process_of(&copy->stack.head);

		if (look_stack_pointer(&copy->look) && record.tgid && !record.foreign)
			copy->mappings = spaces_mappings_of(target->spaces, &record);
	}
	unwinding_work(target->unwinding, 0);
}

/* ---- walking ---- */

/* The id of a record that was walked here. A process cannot choose frames so that two of them collide. */
static struct st_id id_of(const struct drain *drain, const struct st_stack *stack)
{
	const uint64_t *words = (const uint64_t *)stack;
	const size_t nr = drain_words_of(stack);
	struct st_id id = { loaded_config(drain->loaded)->seed[1], loaded_config(drain->loaded)->seed[0] };

	for (size_t i = ST_KEY_FIRST_WORD; i < nr; i++) {
		id.lo = (id.lo ^ words[i] ^ id.lo >> 32) * 0x9e3779b97f4a7c15ULL;
		id.hi = ((id.hi + words[i]) ^ id.hi >> 29) * 0xc2b2ae3d27d4eb4fULL;
	}
	return id;
}

/* Where the statistics have the end of this walk, as st_count_end() counts it; NULL: nowhere. */
static uint64_t *loss_of(const struct drain_target *target, const struct st_stack_head *head)
{
	bool is_cut = head->user_status == STACK_TRUNCATED && head->user_end != ST_END_DEEP;
	const enum st_stack_end end = is_cut ? ST_END_TRUNCATED : head->user_end;

	return end >= ST_END_ROOT ? &target->interval->losses[ST_LOSS_OF_END(end)] : NULL;
}

/* Whether the walk found the system call of the leaf only, because the thread was replacing its program. */
static bool is_in_exec(const struct drain_target *target, const struct copy *copy, const struct st_stack *stack)
{
	const struct profile_record record = drain_process_of(&stack->head);

	return stack->head.nr_user == 1 && !(stack->head.flags & ST_STACK_LEAF_EXACT) &&
	       (stack->head.user_end == ST_END_NO_MAPPING || stack->head.user_end == ST_END_UNREADABLE) &&
	       spaces_in_exec(target->spaces, &record, stack->frames[stack->head.nr_kernel],
			      copy->nr_bytes <= sizeof(uint64_t[BELOW_WORDS]));
}

/* The walk of the program is replaced. Its end is in the statistics of its generation, which are added to the same interval. */
static void walk(struct drain *drain, const struct drain_target *target, struct copy *copy, uint64_t space)
{
	struct look_walk *walk = &drain->copies->walk;
	uint64_t *before = loss_of(target, &copy->stack.head), *after;

	walk->unwinding = target->unwinding;
	walk->follows_frames = loaded_config(drain->loaded)->unwind == ST_UNWIND_AUTO;
	walk->pieces[0] = (struct look_piece){ copy->at, copy->nr_bytes, copy->bytes };
	walk->nr_pieces = 1;
	walk->slot.stack = copy->stack;
	look_walk(walk, &copy->look, space);
	copy->stack = walk->slot.stack;
	if (is_in_exec(target, copy, &copy->stack))
		copy->stack.head.user_end = ST_END_EXEC;
	copy->stack.head.generation = 0;
	copy->stack.head.id = id_of(drain, &copy->stack);
	after = loss_of(target, &copy->stack.head);
	if (before)
		--*before;
	if (after)
		++*after;
}

/* Whether the copy is counted now, walked or as it is. */
static bool is_settled(struct drain *drain, const struct drain_target *target, struct copy *copy, bool gives_up)
{
	bool is_whole = false;
	uint64_t space;

	if (!copy->mappings)
		return true;
	space = unwinding_begin_space(target->unwinding, copy->stack.head.tgid, copy->mappings, &is_whole);
	if (!space)
		return gives_up;
	if (is_whole || gives_up)
		walk(drain, target, copy, space);
	unwinding_end_space(target->unwinding);
	return is_whole || gives_up;
}

static void walk_waiting(struct drain *drain, const struct drain_target *target, bool all)
{
	struct copies *copies = drain->copies;
	const uint64_t until_ns = clock_monotonic_ns() - WAIT_NS;
	const struct mappings *lacking = NULL; /* the same as those of the copy before */
	size_t nr_kept = 0;

	for (size_t i = 0; i < copies->waiting.nr; i++) {
		struct copy *copy = copies->waiting.data[i];
		const struct st_stack_head *head = &copy->stack.head;
		bool is_held = drain->holds_live &&
			       head->generation == (drain->loaded->control->generation & (ST_GENERATIONS - 1));
		bool gives_up = all || head->time_ns < until_ns || copies->waiting.nr - i > COPIES_MAX;

		if (is_held || (!gives_up && lacking && copy->mappings == lacking) ||
		    !is_settled(drain, target, copy, gives_up)) {
			lacking = copy->mappings;
			copies->waiting.data[nr_kept++] = copy;
			continue;
		}
		drain_add_counted(drain, target, &copy->stack);
		copy_free(copy);
	}
	copies->waiting.nr = nr_kept;
}

void drain_copies_walk(struct drain *drain, const struct drain_target *target, bool all, int timeout_ms)
{
	const uint64_t until_ns = clock_monotonic_ns() + (uint64_t)timeout_ms * NSEC_PER_MSEC;
	bool is_ready = false;

	if (!drain->copies)
		return;
	read_rings(drain, target);
	walk_waiting(drain, target, false);
	while (all && !is_ready && drain->copies->waiting.nr && clock_monotonic_ns() < until_ns) {
		is_ready = unwinding_work(target->unwinding, TURN_MS);
		walk_waiting(drain, target, false);
	}
	if (all)
		walk_waiting(drain, target, true);
}
