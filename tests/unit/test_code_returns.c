/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether functions return, by the code of this file's assembly; it is never run. */
#include "symbolize/cfi/code_returns.h"

#include "core/base/cleanup.h"
#include "tests/harness.h"

#if defined(__x86_64__)

__asm__(".section .text.returns,\"ax\",@progbits\n"
	".balign 64\n"
	"returns_code:\n"

	"exits:	mov $60,%eax\n" /* as _exit() */
	"	syscall\n"
	"	cmp $-4096,%rax\n"
	"	ja 1f\n"
	"	hlt\n"
	"1:	neg %eax\n"
	"	jmp exits\n"

	"calls_exits:	push %rax\n" /* what follows is the next function */
	"	call exits\n"
	"plain:	test %edi,%edi\n"
	"	je 1f\n"
	"	call exits\n"
	"1:	ret\n"

	"calls_plain:	call plain\n"
	"	jmp plain\n"

	"pushes:	call 1f\n" /* only its address */
	"1:	pop %rax\n"
	"	ret\n"

	"recursive:	call recursive\n"
	"	ret\n"

	"jumps:	jmp *%rax\n"
	"calls_jumps:	call jumps\n"
	"	ret\n"
	"calls_by_register:	call *%rax\n"
	"	ret\n"

	"through_a_word:	jmp *words(%rip)\n" /* as an entry of a PLT */
	"calls_through_a_word:	call through_a_word\n"
	"	ret\n"

	"long_code:	.fill 3000,1,0x90\n"
	"	ret\n"
	"broken:	.byte 0x06\n"
	"words:	.quad 0\n"
	"returns_end:\n"
	".previous\n");

#define PLACE(name) extern const uint8_t name[]
PLACE(returns_code);
PLACE(exits);
PLACE(calls_exits);
PLACE(plain);
PLACE(calls_plain);
PLACE(pushes);
PLACE(recursive);
PLACE(jumps);
PLACE(calls_jumps);
PLACE(calls_by_register);
PLACE(through_a_word);
PLACE(calls_through_a_word);
PLACE(long_code);
PLACE(broken);
PLACE(words);
PLACE(returns_end);

enum {
	CODE = 0x10000,
};

struct program {
	struct elf_file elf;
	struct code_returns *returns;
};

static void set_up(struct program *program)
{
	size_t nr = (size_t)(returns_end - returns_code);

	program->elf =
		(struct elf_file){ .fd = -1, .size = nr, .is_64 = true, .machine = EM_X86_64, .memory = returns_code };
	vec_push(&program->elf.segments,
		 (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = CODE, .p_filesz = nr });
	program->returns = calloc(1, sizeof(*program->returns));
	assert_non_null(program->returns);
	program->returns->elf = &program->elf;
}

static void tear_down(struct program *program)
{
	free(program->returns);
	vec_done(&program->elf.segments);
}

#define RETURNS_TEST(name) TEST_WITH(struct program, program, name, set_up, tear_down)

static uint64_t address_of(const uint8_t *place)
{
	return CODE + (uint64_t)(place - returns_code);
}

static void expect(struct program *program, const uint8_t *place, enum code_end end)
{
	assert_int_equal(code_returns(program->returns, address_of(place)), end);
	assert_int_equal(code_returns(program->returns, address_of(place)), end); /* from memory */
}

RETURNS_TEST(what_only_exits_never_returns)
{
	expect(program, exits, CODE_NEVER_RETURNS);
	expect(program, calls_exits, CODE_NEVER_RETURNS);
}

RETURNS_TEST(a_return_that_is_reached_is_one)
{
	expect(program, plain, CODE_RETURNS);
	expect(program, calls_plain, CODE_RETURNS);
	expect(program, pushes, CODE_RETURNS);
}

RETURNS_TEST(what_is_not_known_may_return)
{
	expect(program, recursive, CODE_MAY_RETURN);
	expect(program, jumps, CODE_MAY_RETURN);
	expect(program, calls_jumps, CODE_MAY_RETURN);
	expect(program, calls_by_register, CODE_MAY_RETURN);
	expect(program, long_code, CODE_MAY_RETURN);
	expect(program, broken, CODE_MAY_RETURN);
	expect(program, returns_end, CODE_MAY_RETURN);
	assert_int_equal(code_returns(program->returns, 0), CODE_MAY_RETURN);
	assert_int_equal(code_returns(program->returns, UINT64_MAX), CODE_MAY_RETURN);
}

RETURNS_TEST(the_plt_of_a_static_program_leads_to_its_own_functions)
{
	expect(program, through_a_word, CODE_MAY_RETURN);
	memset(program->returns->known, 0, sizeof(program->returns->known));
	vec_push(&program->elf.segments,
		 (Elf64_Phdr){ .p_type = PT_GNU_RELRO, .p_flags = PF_R, .p_vaddr = address_of(words), .p_memsz = 8 });
	expect(program, through_a_word, CODE_RETURNS);
	expect(program, calls_through_a_word, CODE_RETURNS);
	memset(program->returns->known, 0, sizeof(program->returns->known));
	vec_push(&program->elf.segments, (Elf64_Phdr){ .p_type = PT_DYNAMIC, .p_flags = PF_R });
	expect(program, calls_through_a_word, CODE_MAY_RETURN);
}

RETURNS_TEST(the_work_for_one_file_is_limited)
{
	program->returns->nr_visits = CODE_RETURNS_BUDGET;
	expect(program, exits, CODE_MAY_RETURN);
}

#endif
