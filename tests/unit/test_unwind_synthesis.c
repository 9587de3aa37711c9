/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules from instructions: the code is that of this file's assembly, which has no CFI; it is never run. Each function is found by its
 * address in the data, or because the bytes of a call lead to it.
 */
#include "symbolize/cfi/unwind_synthesis.h"
#include "tests/harness.h"

#if defined(__x86_64__)

__asm__(".section .text.synthesis,\"ax\",@progbits\n"
	".balign 64\n"
	"code_start:\n"
	"outside_never:	hlt\n"
	"outside_plain:	ret\n"
	".balign 16\n"
	"gap_start:\n"

	".balign 16\nframe_start:\n" /* push, sub, add, pop */
	"	push %rbp\n"
	"at_push:	push %rbx\n"
	"at_sub:	sub $24,%rsp\n"
	"at_body:	mov %rdi,%rbp\n"
	"at_bp_used:	add $24,%rsp\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"at_popped:	ret\n"

	".balign 16\npointer_start:\n" /* a frame pointer, and a stack of unknown size */
	"	push %rbp\n"
	"	mov %rsp,%rbp\n"
	"	sub %rdi,%rsp\n"
	"at_alloca:	call frame_start\n"
	"	leave\n"
	"at_left:	ret\n"

	".balign 16\nalign_start:\n" /* an aligned stack; the old one is in memory */
	"	mov %rsp,%rax\n"
	"	sub $64,%rsp\n"
	"	and $-32,%rsp\n"
	"at_aligned:	mov %rax,16(%rsp)\n"
	"at_stored:	xor %eax,%eax\n"
	"at_in_memory:	mov 16(%rsp),%rsp\n"
	"at_restored:	ret\n"

	".balign 16\nnever_start:\n" /* never returns */
	"	push %rax\n"
	"1:	jmp 1b\n"

	".balign 16\ncaller_start:\n" /* calls it; what follows is another function */
	"	sub $40,%rsp\n"
	"at_call:	call never_start\n"
	"follower_start:\n"
	"	push %rbx\n"
	"at_follower:	pop %rbx\n"
	"	ret\n"

	".balign 16\nexit_start:\n" /* what begins after a call that never returns, not aligned */
	"	push %rbx\n"
	"	call outside_never\n"
	"after_start:	push %rbp\n"
	"at_after:	sub $16,%rsp\n"
	"	call outside_plain\n"
	"at_after_call:	call outside_never\n"
	"	hlt\n"

	".balign 16\nslot_start:\n" /* an entry of a PLT */
	"	jmp *slot_word(%rip)\n"

	".balign 16\ntable_start:\n" /* a jump table of distances */
	"	push %rbx\n"
	"	cmp $2,%edi\n"
	"	ja 9f\n"
	"	lea jumps(%rip),%rdx\n"
	"	movslq (%rdx,%rdi,4),%rax\n"
	"	add %rdx,%rax\n"
	"	jmp *%rax\n"
	"at_case_0:	mov $1,%eax\n"
	"	jmp 9f\n"
	"at_case_1:	push %rcx\n"
	"at_case_1_pushed:	pop %rcx\n"
	"	jmp 9f\n"
	"at_case_2:	nop\n"
	"9:	pop %rbx\n"
	"	ret\n"

	".balign 16\nwrong_start:\n" /* returns to something else */
	"	push %rbx\n"
	"at_wrong:	ret\n"

	".balign 16\nlabel_outer_start:\n" /* a label in the middle, whose address is taken too */
	"	push %rbx\n"
	"	ret $8\n" /* so this one has no rows either */
	".balign 16\nlabel_start:\n"
	"	mov $1,%eax\n"
	"	pop %rbx\n"
	"	ret\n"

	".balign 16\nbroken_start:\n" /* leads to no instruction */
	"	push %rbx\n"
	"	.byte 0x06\n"

	".balign 16\nindirect_start:\n" /* nobody knows where it goes on */
	"	push %rbx\n"
	"at_indirect:	jmp *8(%rdi)\n"

	".balign 16\nmover_start:\n" /* an address as a constant, in a program at a fixed place */
	"	mov $(0x10000 + constant_start - code_start),%rdi\n"
	"	ret\n"
	".balign 16\nconstant_start:\n"
	"	push %rbx\n"
	"at_constant:	pop %rbx\n"
	"	ret\n"

	".balign 16\nparts_start:\n" /* calls parts of itself, which pop the address and push it again */
	"	push %rbp\n"
	"	sub $32,%rsp\n"
	"	xor %ebp,%ebp\n"
	"	call part_start\n"
	"at_part_done:	call other_part_start\n"
	"	add $32,%rsp\n"
	"	pop %rbp\n"
	"	ret\n"
	"part_start:	pop (%rsp)\n"
	"at_part_popped:	call other_part_start\n"
	"at_nested_done:	mov (%rsp),%rax\n"
	"	push %rax\n"
	"at_part_pushed:	ret\n"
	"other_part_start:	pop %r8\n"
	"	call outside_plain\n"
	"at_other_part:	push %r8\n"
	"	ret\n"

	".balign 16\nunlike_start:\n" /* the same, at another depth of the stack */
	"	push %rbp\n"
	"	call deep_part\n"
	"at_unlike:	push %rbx\n"
	"	call deep_part\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	"deep_part:	pop %rax\n"
	"	jmp *%rax\n"

	".balign 8\n"
	"slot_word:	.quad 0\n"
	"jumps:	.long at_case_0 - jumps, at_case_1 - jumps, at_case_2 - jumps\n"
	".balign 64\n"
	"code_end:\n"
	".previous\n");

extern const uint8_t code_start[], code_end[];

#define PLACE(name) extern const uint8_t name[]
PLACE(frame_start);
PLACE(at_push);
PLACE(at_sub);
PLACE(at_body);
PLACE(at_bp_used);
PLACE(at_popped);
PLACE(pointer_start);
PLACE(at_alloca);
PLACE(at_left);
PLACE(align_start);
PLACE(at_aligned);
PLACE(at_stored);
PLACE(at_in_memory);
PLACE(at_restored);
PLACE(never_start);
PLACE(caller_start);
PLACE(at_call);
PLACE(follower_start);
PLACE(at_follower);
PLACE(gap_start);
PLACE(exit_start);
PLACE(after_start);
PLACE(at_after);
PLACE(at_after_call);
PLACE(slot_start);
PLACE(table_start);
PLACE(at_case_0);
PLACE(at_case_1);
PLACE(at_case_1_pushed);
PLACE(at_case_2);
PLACE(mover_start);
PLACE(constant_start);
PLACE(at_constant);
PLACE(wrong_start);
PLACE(at_wrong);
PLACE(label_outer_start);
PLACE(label_start);
PLACE(broken_start);
PLACE(parts_start);
PLACE(at_part_done);
PLACE(part_start);
PLACE(at_part_popped);
PLACE(at_nested_done);
PLACE(at_part_pushed);
PLACE(other_part_start);
PLACE(at_other_part);
PLACE(unlike_start);
PLACE(at_unlike);
PLACE(deep_part);
PLACE(indirect_start);
PLACE(at_indirect);

enum {
	CODE = 0x10000, /* address of the code in the file */
	NR_WORDS = 64,
	SP = ST_UNWIND_SP,
	BP = ST_UNWIND_BP,
};

struct program {
	uint64_t words[NR_WORDS]; /* its data: addresses of functions */
	size_t nr_words;
	struct cfi_rows rows;
	struct synthesis_facts facts;
	uint16_t type; /* of the file */
	bool has_slot; /* slot_word may be written */
};

static void tear_down(struct program *program)
{
	vec_done(&program->rows.rows);
}

static void set_up(struct program *program)
{
	program->nr_words = 0;
	program->type = ET_DYN;
	program->has_slot = false;
}

#define SYNTHESIS_TEST(name) TEST_WITH(struct program, program, name, set_up, tear_down)

static uint64_t address_of(const uint8_t *place)
{
	return CODE + (uint64_t)(place - code_start);
}

static void point_to(struct program *program, const uint8_t *start)
{
	program->words[program->nr_words++] = address_of(start);
}

/* A file of the data, from address 0 on, and the code. */
static void run(struct program *program)
{
	size_t nr_code = (size_t)(code_end - code_start), nr = sizeof(program->words) + nr_code;
	struct elf_file elf = { .fd = -1, .size = nr, .is_64 = true, .type = program->type, .machine = EM_X86_64 };
	_cleanup_(freep) uint8_t *bytes = malloc(nr);
	code_gaps gaps = {};

	assert_non_null(bytes);
	memcpy(bytes, program->words, sizeof(program->words));
	memcpy(bytes + sizeof(program->words), code_start, nr_code);
	elf.memory = bytes;
	vec_push(&elf.segments, (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = sizeof(program->words) });
	vec_push(&elf.segments, (Elf64_Phdr){ .p_type = PT_LOAD,
					      .p_flags = PF_R | PF_X,
					      .p_vaddr = CODE,
					      .p_offset = sizeof(program->words),
					      .p_filesz = nr_code });
	if (program->has_slot)
		elf.segments.data[1].p_flags |= PF_W;
	vec_push(&gaps, (struct code_gap){ address_of(gap_start), CODE + nr_code });
	assert_int_equal(unwind_synthesise(&elf, &gaps, &program->rows, &program->facts), 0);
	vec_done(&gaps);
	vec_done(&elf.segments);
}

static struct st_unwind_rule rule_at(const struct program *program, const uint8_t *place)
{
	size_t nr = vec_nr_first(&program->rows.rows, row, row->address <= address_of(place));

	return nr ? program->rows.rows.data[nr - 1].rule : (struct st_unwind_rule){};
}

static void expect(const struct program *program, const uint8_t *place, uint8_t kind, int32_t offset, uint8_t bp,
		   int16_t bp_offset)
{
	struct st_unwind_rule rule = rule_at(program, place);

	assert_int_equal(rule.kind, kind);
	assert_int_equal(rule.offset, offset);
	assert_int_equal(ST_UNWIND_HOW_BP(rule.how), bp);
	assert_int_equal(rule.bp_offset, bp_offset);
}

static void expect_nothing(const struct program *program, const uint8_t *place)
{
	assert_int_equal(rule_at(program, place).kind, ST_UNWIND_INVALID);
}

SYNTHESIS_TEST(a_frame)
{
	point_to(program, frame_start);
	run(program);
	expect(program, frame_start, SP, 8, ST_UNWIND_BP_SAME, 0);
	expect(program, at_push, SP, 16, ST_UNWIND_BP_SAME, 0);
	expect(program, at_sub, SP, 24, ST_UNWIND_BP_SAME, 0);
	expect(program, at_body, SP, 48, ST_UNWIND_BP_SAME, 0);
	expect(program, at_bp_used, SP, 48, ST_UNWIND_BP_AT_CFA, -16);
	expect(program, at_popped, SP, 8, ST_UNWIND_BP_SAME, 0);
}

SYNTHESIS_TEST(a_frame_pointer)
{
	point_to(program, pointer_start);
	run(program);
	expect(program, at_alloca, BP, 16, ST_UNWIND_BP_AT_CFA, -16);
	expect(program, at_left, SP, 8, ST_UNWIND_BP_SAME, 0);
	expect(program, frame_start, SP, 8, ST_UNWIND_BP_SAME, 0); /* which it calls */
}

SYNTHESIS_TEST(an_aligned_stack)
{
	struct st_unwind_rule rule;

	point_to(program, align_start);
	run(program);
	rule = rule_at(program, at_aligned);
	assert_int_equal(rule.kind, ST_UNWIND_REGISTER);
	assert_int_equal(ST_UNWIND_HOW_REG(rule.how), 0);
	assert_int_equal(rule.offset, 8);
	rule = rule_at(program, at_in_memory);
	assert_int_equal(rule.kind, ST_UNWIND_DEREF_SP);
	assert_int_equal(rule.at, 16);
	assert_int_equal(rule.add, 8);
	expect(program, at_restored, SP, 8, ST_UNWIND_BP_SAME, 0);
}

SYNTHESIS_TEST(what_never_returns_is_no_way_into_the_next_function)
{
	point_to(program, caller_start);
	run(program);
	expect(program, at_call, SP, 48, ST_UNWIND_BP_SAME, 0);
	expect_nothing(program, at_follower); /* nobody has shown that a function begins there */
	program->rows.rows.nr = 0;
	point_to(program, never_start);
	point_to(program, table_start);
	run(program);
	expect(program, at_call, SP, 48, ST_UNWIND_BP_SAME, 0);
}

SYNTHESIS_TEST(a_function_may_begin_after_a_call_that_never_returns)
{
	point_to(program, exit_start);
	run(program);
	expect(program, exit_start, SP, 8, ST_UNWIND_BP_SAME, 0);
	expect_nothing(program, at_after);
	program->rows.rows.nr = 0;
	point_to(program, after_start);
	run(program);
	expect(program, at_after, SP, 16, ST_UNWIND_BP_SAME, 0);
	expect(program, at_after_call, SP, 32, ST_UNWIND_BP_SAME, 0); /* the other one is seen to return */
}

/* What a part does after it has popped its return address is done in the frame of the function that it belongs to. */
SYNTHESIS_TEST(calls_of_parts_of_a_function)
{
	point_to(program, parts_start);
	run(program);
	expect(program, at_part_done, SP, 48, ST_UNWIND_BP_AT_CFA, -16);
	expect(program, part_start, SP, 56, ST_UNWIND_BP_AT_CFA, -16);
	expect(program, at_part_popped, SP, 48, ST_UNWIND_BP_AT_CFA, -16);
	expect(program, at_nested_done, SP, 48, ST_UNWIND_BP_AT_CFA, -16);
	expect(program, at_part_pushed, SP, 56, ST_UNWIND_BP_AT_CFA, -16);
	expect(program, other_part_start, SP, 56, ST_UNWIND_BP_AT_CFA, -16);
	expect(program, at_other_part, SP, 48, ST_UNWIND_BP_AT_CFA, -16);
}

SYNTHESIS_TEST(parts_have_one_depth)
{
	point_to(program, unlike_start);
	run(program);
	expect_nothing(program, deep_part + 1);
}

SYNTHESIS_TEST(a_jump_through_a_word_of_data_is_made_as_a_call)
{
	point_to(program, slot_start);
	run(program);
	expect_nothing(program, slot_start);
	program->rows.rows.nr = 0;
	program->has_slot = true;
	run(program);
	expect(program, slot_start, SP, 8, ST_UNWIND_BP_SAME, 0);
}

SYNTHESIS_TEST(a_constant_is_an_address_in_a_program_at_a_fixed_place)
{
	point_to(program, mover_start);
	run(program);
	expect_nothing(program, at_constant);
	program->rows.rows.nr = 0;
	program->type = ET_EXEC;
	run(program);
	expect(program, at_constant, SP, 16, ST_UNWIND_BP_SAME, 0);
}

SYNTHESIS_TEST(a_jump_table)
{
	point_to(program, table_start);
	run(program);
	expect(program, at_case_0, SP, 16, ST_UNWIND_BP_SAME, 0);
	expect(program, at_case_1, SP, 16, ST_UNWIND_BP_SAME, 0);
	expect(program, at_case_1_pushed, SP, 24, ST_UNWIND_BP_SAME, 0);
	expect(program, at_case_2, SP, 16, ST_UNWIND_BP_SAME, 0);
}

SYNTHESIS_TEST(what_does_not_fit_together_has_no_rule)
{
	point_to(program, wrong_start);
	point_to(program, label_outer_start);
	point_to(program, label_start);
	point_to(program, broken_start);
	point_to(program, indirect_start);
	point_to(program, frame_start);
	run(program);
	expect_nothing(program, wrong_start);
	expect_nothing(program, at_wrong);
	expect_nothing(program, label_outer_start);
	expect_nothing(program, label_start);
	expect_nothing(program, broken_start);
	expect_nothing(program, indirect_start);
	expect_nothing(program, at_indirect);
	expect(program, at_body, SP, 48, ST_UNWIND_BP_SAME, 0);
}

SYNTHESIS_TEST(without_a_start_there_is_nothing)
{
	run(program);
	expect_nothing(program, table_start);
	expect_nothing(program, align_start);
}

/* Nothing of it is read, because its first gap is too large. */
SYNTHESIS_TEST(a_gap_beyond_the_limit_has_no_rows)
{
	size_t nr = (4 << 20) + 1;
	struct elf_file elf = { .fd = -1, .size = nr, .is_64 = true, .type = ET_DYN, .machine = EM_X86_64 };
	_cleanup_(freep) uint8_t *bytes = calloc(1, nr);
	code_gaps gaps = {};

	assert_non_null(bytes);
	bytes[0] = 0xe8; /* a call into it */
	bytes[16] = 0xc3;
	bytes[1] = 16 - 5;
	elf.memory = bytes;
	vec_push(&elf.segments,
		 (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = CODE, .p_filesz = nr });
	vec_push(&gaps, (struct code_gap){ CODE, CODE + nr });
	assert_int_equal(unwind_synthesise(&elf, &gaps, &program->rows, &program->facts), 0);
	assert_int_equal(program->rows.rows.nr, 0);
	assert_true(program->facts.cut);
	vec_done(&gaps);
	vec_done(&elf.segments);
}

#endif
