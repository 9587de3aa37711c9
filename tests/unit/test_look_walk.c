/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The walk of a user stack in copied memory, by frame pointers. The walk by tables is tests/e2e/dump_waits.sh. */

#include "core/session/look_walk.h"
#include "tests/harness.h"

#if defined(__x86_64__)

#include "bpf/registers.h"

#define STACK_AT 0x7ffd00000000ULL
#define CODE_AT 0x400000ULL
#define NR_MAX 3000

struct stage {
	struct look_walk walk;
	struct st_look look;
	uint64_t words
		[4 *
		 NR_MAX]; /* whole pages of frames of 32 bytes: the frame pointer above, the return address, two words */
};

/* A stack of `nr` frames, at CODE_AT + 16 * n. The frame pointer of the outermost one is 0. */
static void stage_frames(struct stage *stage, size_t nr)
{
	for (size_t i = 0; i + 1 < nr; i++) {
		stage->words[4 * i] = i + 2 < nr ? STACK_AT + 32 * (i + 1) : 0;
		stage->words[4 * i + 1] = CODE_AT + 16 * (i + 1);
	}
	stage->look.flags = ST_LOOK_HAS_MEMORY | ST_LOOK_HAS_REGISTERS;
	stage->look.registers[ST_PT_IP] = CODE_AT;
	stage->look.registers[ST_PT_SP] = stage->look.registers[ST_PT_BP] = STACK_AT;
	stage->look.registers[ST_PT_CS] = ST_CS_USER_64;
	stage->look.registers[ST_PT_ORIG_AX] = 34;
	stage->walk.follows_frames = true;
	stage->walk.pieces[0] =
		(struct look_piece){ STACK_AT, (32 * nr + 4095) & ~4095UL, (const uint8_t *)stage->words };
	stage->walk.nr_pieces = 1;
}

#define STAGE_TEST(name) TEST_WITH(struct stage, stage, name, nothing, nothing)

STAGE_TEST(frame_pointers_lead_to_the_root)
{
	const struct st_stack *stack = &stage->walk.slot.stack;

	stage_frames(stage, 5);
	stage->walk.slot.stack.head.nr_kernel = 2;
	look_walk(&stage->walk, &stage->look, 0);
	assert_int_equal(stack->head.nr_user, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(stack->frames[2 + i], CODE_AT + 16 * i);
	assert_int_equal(stack->head.user_status, STACK_OK);
	assert_int_equal(stack->head.user_end, ST_END_UNKNOWN);
	assert_int_equal(stage->walk.missing, 0);
	assert_int_equal(stack->head.flags & ST_STACK_LEAF_EXACT, 0); /* in a system call */
}

STAGE_TEST(an_interrupted_leaf_is_exact)
{
	stage_frames(stage, 3);
	stage->look.registers[ST_PT_ORIG_AX] = ~0ULL;
	look_walk(&stage->walk, &stage->look, 0);
	assert_int_equal(stage->walk.slot.stack.head.flags & ST_STACK_LEAF_EXACT, ST_STACK_LEAF_EXACT);
}

/* What the first copy does not have is missing, and with it the walk goes on. */
STAGE_TEST(a_walk_says_what_it_is_missing)
{
	stage_frames(stage, 200);
	stage->walk.pieces[0].nr = 4096;
	look_walk(&stage->walk, &stage->look, 0);
	assert_int_equal(stage->walk.missing, STACK_AT + 4096);
	stage->walk.pieces[1] = (struct look_piece){ STACK_AT + 4096, 4096, (const uint8_t *)stage->words + 4096 };
	stage->walk.nr_pieces = 2;
	look_walk(&stage->walk, &stage->look, 0);
	assert_int_equal(stage->walk.missing, 0);
	assert_int_equal(stage->walk.slot.stack.head.elided, 200 - ST_MAX_FRAMES);
}

/* A stack that is too deep for any walk: what the first walk said about its copy does not hold for the second. */
STAGE_TEST(a_repeated_walk_says_nothing_of_the_one_before)
{
	const struct st_stack_head *head = &stage->walk.slot.stack.head;

	stage_frames(stage, NR_MAX);
	stage->walk.pieces[0].nr = 8 * 4096;
	stage->look.registers[ST_PT_ORIG_AX] = ~0ULL;
	look_walk(&stage->walk, &stage->look, 0);
	assert_int_equal(head->flags, ST_STACK_ELIDED | ST_STACK_LEAF_EXACT);
	assert_int_not_equal(head->elided, 0);
	assert_int_equal(stage->walk.missing, STACK_AT + 8 * 4096);
	stage->walk.pieces[0].nr = sizeof(stage->words);
	stage->look.registers[ST_PT_ORIG_AX] = 34;
	look_walk(&stage->walk, &stage->look, 0);
	assert_int_equal(head->user_status, STACK_TRUNCATED);
	assert_int_equal(head->flags, 0);
	assert_int_equal(head->elided, 0);
}

/* A register that holds no frame pointer may point anywhere: nothing is copied from there. */
STAGE_TEST(a_stray_frame_pointer_is_not_missed)
{
	stage_frames(stage, 3);
	stage->look.registers[ST_PT_BP] = 0x123456789000;
	look_walk(&stage->walk, &stage->look, 0);
	assert_int_equal(stage->walk.missing, 0);
	assert_int_equal(stage->walk.slot.stack.head.nr_user, 1);
}

STAGE_TEST(a_deep_stack_has_both_ends)
{
	const struct st_stack *stack = &stage->walk.slot.stack;
	const size_t nr = 1000;

	stage_frames(stage, nr);
	look_walk(&stage->walk, &stage->look, 0);
	assert_int_equal(stack->head.nr_user, ST_MAX_FRAMES);
	assert_int_equal(stack->head.flags & ST_STACK_ELIDED, ST_STACK_ELIDED);
	assert_int_equal(stack->head.elided, nr - ST_MAX_FRAMES);
	for (size_t i = 0; i < ST_INNER_FRAMES; i++)
		assert_int_equal(stack->frames[i], CODE_AT + 16 * i);
	for (size_t i = ST_INNER_FRAMES; i < ST_MAX_FRAMES; i++)
		assert_int_equal(stack->frames[i], CODE_AT + 16 * (nr - ST_MAX_FRAMES + i));
	assert_int_equal(stack->head.user_status, STACK_OK);
}

/* 127 frames have room, and none is elided. */
STAGE_TEST(a_full_stack_is_whole)
{
	stage_frames(stage, ST_MAX_FRAMES);
	look_walk(&stage->walk, &stage->look, 0);
	assert_int_equal(stage->walk.slot.stack.head.nr_user, ST_MAX_FRAMES);
	assert_int_equal(stage->walk.slot.stack.head.elided, 0);
	assert_int_equal(stage->walk.slot.stack.frames[ST_MAX_FRAMES - 1], CODE_AT + 16 * (ST_MAX_FRAMES - 1));
}

STAGE_TEST(code_of_32_bits_has_frames_of_8_bytes)
{
	const struct st_stack *stack = &stage->walk.slot.stack;
	uint32_t words[] = { 0xff000010, 0x8049001, 0, 0, 0xff000020, 0x8049002, 0, 0, 0, 0x8049003, 0, 0 };

	stage_frames(stage, 1);
	stage->look.registers[ST_PT_CS] = ST_CS_USER_32;
	stage->look.registers[ST_PT_IP] = 0x8049000;
	stage->look.registers[ST_PT_SP] = stage->look.registers[ST_PT_BP] = 0xff000000;
	stage->walk.pieces[0] = (struct look_piece){ 0xff000000, sizeof(words), (const uint8_t *)words };
	look_walk(&stage->walk, &stage->look, 1);
	assert_int_equal(stack->head.user_end, ST_END_NOT_64BIT);
	assert_int_equal(stack->head.nr_user, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(stack->frames[i], 0x8049000 + i);
}

/* Workers of io_uring have the memory of a process and no registers of it. */
STAGE_TEST(without_registers_of_user_mode_there_is_no_stack)
{
	stage_frames(stage, 3);
	assert_int_equal(look_stack_pointer(&stage->look), STACK_AT);
	stage->look.registers[ST_PT_IP] = 0;
	assert_int_equal(look_stack_pointer(&stage->look), 0);
	stage->look.registers[ST_PT_IP] = CODE_AT;
	stage->look.registers[ST_PT_CS] = 0x10;
	assert_int_equal(look_stack_pointer(&stage->look), 0);
	look_walk(&stage->walk, &stage->look, 0);
	assert_int_equal(stage->walk.slot.stack.head.nr_user, 0);
	assert_int_equal(stage->walk.slot.stack.head.user_status, STACK_NONE);
	stage->look.registers[ST_PT_CS] = ST_CS_USER_64;
	stage->look.flags = ST_LOOK_HAS_MEMORY;
	assert_int_equal(look_stack_pointer(&stage->look), 0);
}

STAGE_TEST(with_tables_only_no_frame_pointer_is_followed)
{
	stage_frames(stage, 5);
	stage->walk.follows_frames = false;
	look_walk(&stage->walk, &stage->look, 0);
	assert_int_equal(stage->walk.slot.stack.head.nr_user, 1);
}

#endif
