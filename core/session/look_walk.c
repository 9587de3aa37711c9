/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/session/look_walk.h"

#include <string.h>

bool look_walk_read(const struct look_walk *walk, uint64_t at, void *to, size_t nr)
{
	for (size_t i = 0; i < walk->nr_pieces; i++) {
		const struct look_piece *piece = &walk->pieces[i];

		if (at < piece->at || at - piece->at > piece->nr || piece->nr - (at - piece->at) < nr)
			continue;
		memcpy(to, piece->bytes + (at - piece->at), nr);
		return true;
	}
	return false;
}

static void begin_user(struct look_walk *walk)
{
	struct st_stack_head *head = &walk->slot.stack.head;

	walk->missing = 0;
	walk->nr_steps = 0;
	head->nr_user = 0;
	head->elided = 0;
	head->guess = 0;
	head->flags &= (__u8) ~(ST_STACK_ELIDED | ST_STACK_LEAF_BY_FRAME | ST_STACK_LEAF_EXACT);
}

static void end_walk(struct look_walk *walk, int end)
{
	struct st_stack_head *head = &walk->slot.stack.head;

	head->user_end = (__u8)end;
	head->user_status = head->nr_user ? STACK_OK : STACK_NONE;
}

#if defined(__x86_64__)

#include "bpf/unwind_abi.h"
#include "bpf/unwind_space.h"

#pragma GCC diagnostic ignored "-Wunknown-pragmas" /* clang's, for loops */

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __noinline static __attribute__((noinline))

#define st_opaque(value) __asm__ volatile("" : "+r"(value))

static struct look_walk *walking; /* the only one */

static struct st_slot *st_unwind_slot(__u32 slot_index)
{
	(void)slot_index;
	return &walking->slot;
}

/* No limit on the cost here. */
static int st_unwind_deepen(__u32 slot_index)
{
	st_unwind_slot(slot_index)->unwind.outer_until = ST_OUTER_FRAMES_MAX;
	return 0;
}

#include "bpf/unwind_step.h"

static __always_inline int st_read_user(void *to, __u32 bytes, const void *address)
{
	bool is_read = look_walk_read(walking, (uintptr_t)address, to, bytes);

	walking->missing = is_read ? 0 : (uintptr_t)address;
	return is_read ? 0 : -1;
}

static __always_inline const struct st_slab *st_slab_at(__u32 index)
{
	return unwinding_slab(walking->unwinding, index);
}

static __always_inline __u64 st_recall(const struct st_unwind *unwind, __u32 slot_index)
{
	(void)unwind;
	(void)slot_index;
	return 0;
}

static __always_inline void st_remember(const struct st_unwind *unwind, __u32 slot_index)
{
	(void)unwind;
	(void)slot_index;
}

/* Code is not copied. */
static __always_inline int st_read_code_before(__u64 address, __u64 *ret_code)
{
	(void)address;
	(void)ret_code;
	return -1;
}

static __always_inline int st_is_at_entry(const struct st_slot *slot)
{
	(void)slot;
	return 0;
}

static __always_inline int st_follows_frames(void)
{
	return walking->follows_frames;
}

static __always_inline int st_by_prologue(struct st_slot *slot, __u32 slot_index, int end)
{
	(void)slot;
	(void)slot_index;
	(void)end;
	return 0;
}

uint64_t look_stack_pointer(const struct st_look *look)
{
	if (!(look->flags & ST_LOOK_HAS_REGISTERS) || (look->registers[ST_PT_CS] & 3) != 3 ||
	    !look->registers[ST_PT_IP])
		return 0;
	return look->registers[ST_PT_SP];
}

/* Walks 32-bit code, which has no tables, by frame pointers. */
static void walk_32bit(struct look_walk *walk, const struct st_look *look)
{
	struct st_stack_head *head = &walk->slot.stack.head;
	__u64 *frames = walk->slot.stack.frames + head->nr_kernel;
	__u32 bp = (__u32)look->registers[ST_PT_BP], before = (__u32)look->registers[ST_PT_SP], words[2];

	frames[head->nr_user++] = look->registers[ST_PT_IP];
	while (bp >= before && head->nr_user < ST_MAX_FRAMES && look_walk_read(walk, bp, words, sizeof(words)) &&
	       words[1]) {
		frames[head->nr_user++] = words[1];
		before = bp + (__u32)sizeof(words);
		bp = words[0];
	}
	end_walk(walk, ST_END_NOT_64BIT);
}

/* In a system call, pc is the address after the instruction, so it is treated as a return address. */
static void begin_registers(struct st_unwind *unwind, const struct st_look *look)
{
	memcpy(unwind->registers, look->registers, sizeof(unwind->registers));
	unwind->is_call = look->registers[ST_PT_ORIG_AX] != ~0ULL;
	unwind->is_place = 1;
	unwind->in_uprobes = 0;
	st_begin_at_registers(unwind);
}

/* For a deep stack: the last frames replace all but the innermost ones of the record, as in st_unwind_join(). */
static void join(struct st_slot *slot)
{
	struct st_unwind *unwind = &slot->unwind;
	__u64 *frames = slot->stack.frames + slot->stack.head.nr_kernel;

	for (uint32_t place = ST_INNER_FRAMES; place < ST_MAX_FRAMES; place++) {
		uint32_t from = place + unwind->nr_outer;

		frames[place] = from < ST_MAX_FRAMES ? frames[from]
						     : unwind->outer[(from - ST_MAX_FRAMES) & (ST_OUTER_RING - 1)];
	}
	slot->stack.head.elided = (__u16)unwind->nr_outer;
	slot->stack.head.flags |= ST_STACK_ELIDED;
}

void look_walk(struct look_walk *walk, const struct st_look *look, uint64_t space)
{
	struct st_stack_head *head = &walk->slot.stack.head;
	struct st_unwind *unwind = &walk->slot.unwind;
	int end = 0;

	walking = walk;
	begin_user(walk);
	if (!look_stack_pointer(look)) {
		end_walk(walk, ST_END_UNKNOWN);
		return;
	}
	if (look->registers[ST_PT_CS] == ST_CS_USER_32) {
		walk_32bit(walk, look);
		return;
	}
	begin_registers(unwind, look);
	unwind->space = space;
	unwind->at = head->nr_kernel;
	unwind->until = unwind->at + ST_MAX_FRAMES;
	unwind->nr_outer = unwind->outer_until = 0;
	for (int i = 0; i <= ST_DEEPEST && !end; i++) { /* the last step finds no room */
		walk->stack_pointers[i] = unwind->sp;
		end = st_unwind_step(0);
		walk->stack_pointers[i + 1] = unwind->sp;
		if (i == 0 && space)
			unwind->leaf_by_frame = unwind->by_frame;
	}
	if (unwind->nr_outer && end != ST_END_TRUNCATED)
		join(&walk->slot);
	/* a register that holds no frame pointer may have any value */
	if (end == ST_END_ROOT ||
	    (end != ST_END_UNREADABLE && walk->missing - look_stack_pointer(look) > LOOK_STACK_BYTES))
		walk->missing = 0;
	head->nr_user = (__u8)(unwind->at - head->nr_kernel);
	walk->nr_steps = head->nr_user + (size_t)unwind->nr_outer;
	head->guess = st_guess_in_record(unwind, head);
	if (head->guess && end == ST_END_ROOT)
		end = ST_END_GUESSED;
	end_walk(walk, space ? end : walk->unwinding ? ST_END_NO_PROCESS : ST_END_UNKNOWN);
	if (end >= ST_END_TRUNCATED)
		head->user_status = STACK_TRUNCATED;
	if (unwind->leaf_by_frame)
		head->flags |= ST_STACK_LEAF_BY_FRAME;
	if (look->registers[ST_PT_ORIG_AX] == ~0ULL)
		head->flags |= ST_STACK_LEAF_EXACT;
}

#else

/* Indexes of words in struct pt_regs of arm64. */
enum {
	REGISTER_FRAME = 29,
	REGISTER_SP = 31,
	REGISTER_PC = 32,
};

uint64_t look_stack_pointer(const struct st_look *look)
{
	return look->flags & ST_LOOK_HAS_REGISTERS && look->registers[REGISTER_PC] ? look->registers[REGISTER_SP] : 0;
}

/* Walks by frame pointers: there are no tables. */
void look_walk(struct look_walk *walk, const struct st_look *look, uint64_t space)
{
	struct st_stack_head *head = &walk->slot.stack.head;
	__u64 *frames = walk->slot.stack.frames + head->nr_kernel;
	__u64 frame = look->registers[REGISTER_FRAME], before = look->registers[REGISTER_SP], words[2];

	(void)space;
	begin_user(walk);
	if (look_stack_pointer(look)) {
		frames[head->nr_user++] = look->registers[REGISTER_PC];
		while (frame >= before && head->nr_user < ST_MAX_FRAMES &&
		       look_walk_read(walk, frame, words, sizeof(words)) && words[1]) {
			frames[head->nr_user++] = words[1];
			before = frame + sizeof(words);
			frame = words[0];
		}
	}
	end_walk(walk, ST_END_UNKNOWN);
}

#endif
