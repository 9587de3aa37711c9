/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where functions end: the code is that of this file's assembly, which is never run. */
#include "symbolize/cfi/function_ends.h"
#include "tests/harness.h"

#if defined(__x86_64__)

__asm__(".section .text.ends,\"ax\",@progbits\n"
	".balign 64\n"
	"ends_code:\n"
	"ends_other:	nop\n"
	"	ret\n"

	"ends_plain:	push %rbx\n" /* two returns, and a jump inside */
	"	je 1f\n"
	"	pop %rbx\n"
	"ends_plain_1:	ret\n"
	"1:	jmp 2f\n"
	"2:	pop %rbx\n"
	"ends_plain_2:	repz ret\n"
	"ends_plain_end:\n"

	"ends_tail:	test %edi,%edi\n" /* to another function, perhaps and always; and to itself */
	"ends_tail_1:	je ends_other\n"
	"	cmp $7,%edi\n"
	"ends_tail_2:	je ends_tail\n"
	"ends_tail_3:	jmp ends_other\n"
	"ends_tail_end:\n"

	"ends_cold:	test %edi,%edi\n" /* a part elsewhere, which jumps back and ends too */
	"	jne ends_cold_part\n"
	"ends_cold_back: nop\n"
	"ends_cold_1:	ret\n"
	"ends_cold_end:\n"

	"ends_table:	jmp *(%rdi)\n" /* perhaps a table; what it leads to is in the function */
	"	nop\n"
	"ends_table_2:	ret\n"
	"ends_table_end:\n"

	"ends_marked:	notrack jmp *%rax\n" /* surely one */
	"ends_marked_1:	ret\n"
	"ends_marked_end:\n"

	"ends_word:	jmp *ends_code(%rip)\n"
	"ends_word_end:\n"

	"ends_never:	hlt\n"
	"ends_never_end:\n"

	"ends_falls:	test %edi,%edi\n" /* into the next one */
	"	je ends_other\n"
	"ends_falls_end:\n"

	"ends_broken:	.byte 0x06, 0xc3\n" /* no instruction of 64-bit code */
	"ends_broken_end:\n"

	"ends_cold_part: nop\n"
	"	jp ends_cold_back\n"
	"ends_cold_2:	ret\n"
	"ends_code_end:\n"
	".previous\n");

#define LABEL(name) ends_##name[]
extern const uint8_t LABEL(code), LABEL(code_end), LABEL(other), LABEL(plain), LABEL(plain_1), LABEL(plain_2),
	LABEL(plain_end), LABEL(tail), LABEL(tail_1), LABEL(tail_2), LABEL(tail_3), LABEL(tail_end), LABEL(cold),
	LABEL(cold_1), LABEL(cold_2), LABEL(cold_end), LABEL(table), LABEL(table_2), LABEL(table_end), LABEL(marked),
	LABEL(marked_1), LABEL(marked_end), LABEL(word), LABEL(word_end), LABEL(never), LABEL(never_end), LABEL(broken),
	LABEL(broken_end), LABEL(falls), LABEL(falls_end);

static bool is_other(void *context, uint64_t address)
{
	(void)context;
	return address == (uint64_t)(ends_other - ends_code);
}

struct wanted {
	const uint8_t *at; /* NULL: no more */
	bool may_go_on;
};

static int find(const uint8_t *start, size_t size, function_ends *ends)
{
	struct elf_file elf = { .fd = -1, .memory = ends_code, .is_64 = true, .type = ET_DYN, .machine = EM_X86_64 };
	int err;

	elf.size = (uint64_t)(ends_code_end - ends_code);
	vec_push(&elf.segments, (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = elf.size });
	err = function_ends_find(&elf, (uint64_t)(start - ends_code), size, is_other, NULL, ends);
	vec_done(&elf.segments);
	return err;
}

static void expect(const uint8_t *start, size_t size, const struct wanted *wanted)
{
	function_ends ends = {};
	size_t nr = 0;

	assert_int_equal(find(start, size, &ends), 0);
	for (; wanted[nr].at; nr++) {
		assert_true(nr < ends.nr);
		assert_int_equal(ends.data[nr].address, wanted[nr].at - ends_code);
		assert_int_equal(ends.data[nr].may_go_on, wanted[nr].may_go_on);
	}
	assert_int_equal(ends.nr, nr);
	vec_done(&ends);
}

#define EXPECT(name, ...)                                                                \
	do {                                                                             \
		const struct wanted wanted_[] = { __VA_ARGS__, {} };                     \
		expect(ends_##name, (size_t)(ends_##name##_end - ends_##name), wanted_); \
	} while (0)

TEST(returns_and_jumps_to_other_functions_are_ends)
{
	EXPECT(plain, { ends_plain_1 }, { ends_plain_2 });
	EXPECT(tail, { ends_tail_1, true }, { ends_tail_2, true }, { ends_tail_3 });
	EXPECT(word, { ends_word });
	EXPECT(never, {});
}

TEST(parts_elsewhere_belong_to_the_function)
{
	EXPECT(cold, { ends_cold_1 }, { ends_cold_2 });
}

TEST(a_jump_by_a_table_may_go_on)
{
	EXPECT(table, { ends_table, true }, { ends_table_2 });
	EXPECT(marked, { ends_marked_1 });
}

TEST(without_a_size_the_code_is_followed)
{
	const struct wanted plain[] = { { ends_plain_1 }, { ends_plain_2 }, {} };
	function_ends ends = {};

	expect(ends_plain, 0, plain);
	assert_int_equal(find(ends_table, 0, &ends), -ENOEXEC); /* where the jump leads is not known */
	vec_done(&ends);
}

TEST(what_is_no_code_is_refused)
{
	function_ends ends = {};

	assert_int_equal(find(ends_broken, (size_t)(ends_broken_end - ends_broken), &ends), -ENOEXEC);
	assert_int_equal(find(ends_code_end, 16, &ends), -ENOEXEC);
	assert_int_equal(find(ends_falls, (size_t)(ends_falls_end - ends_falls), &ends), -ENOEXEC);
	vec_done(&ends);
}

TEST(functions_of_go_are_refused)
{
	struct elf_file elf = { .fd = -1, .memory = ends_code, .is_64 = true, .type = ET_DYN, .machine = EM_X86_64 };
	static const char names[] = "\0.gopclntab";
	function_ends ends = {};

	elf.size = (uint64_t)(ends_code_end - ends_code);
	for (size_t i = 0; i < sizeof(names); i++)
		vec_push(&elf.names, names[i]);
	vec_push(&elf.sections, (Elf64_Shdr){});
	vec_push(&elf.sections, (Elf64_Shdr){ .sh_name = 1, .sh_size = sizeof(names) });
	elf.section_names = 1;
	assert_int_equal(function_ends_find(&elf, 0, 8, is_other, NULL, &ends), -ENODATA);
	vec_done(&elf.names);
	vec_done(&elf.sections);
}

#endif
