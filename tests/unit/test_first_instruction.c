/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First instructions as compilers and the C library write them, and what the kernel makes of a breakpoint there. */

#include "core/resolve/first_instruction.h"
#include "tests/harness.h"

static const struct sample {
	const char *what;
	uint8_t code[FIRST_INSTRUCTION_BYTES];
	enum first_instruction expected;
} samples[] = {
	{ "endbr64", { 0xf3, 0x0f, 0x1e, 0xfa }, FIRST_TAKEN },
	{ "push %rbp", { 0x55, 0x48, 0x89, 0xe5 }, FIRST_TAKEN },
	{ "sub $8, %rsp", { 0x48, 0x83, 0xec, 0x08 }, FIRST_TAKEN },
	{ "pop %rax", { 0x8f, 0xc0, 0xc3 }, FIRST_TAKEN },
	{ "mov %fs:0x28, %rax", { 0x64, 0x48, 0x8b, 0x04, 0x25, 0x28 }, FIRST_TAKEN },
	{ "je", { 0x74, 0x05, 0xc3, 0x90 }, FIRST_TAKEN },
	{ "ret", { 0xc3, 0x90, 0x90, 0x90 }, FIRST_TAKEN },
	{ "lock incl (%rdi)", { 0xf0, 0xff, 0x07, 0xc3 }, FIRST_DOUBTFUL },
	{ "vmovups (%rdi), %xmm0", { 0xc5, 0xf8, 0x10, 0x07 }, FIRST_DOUBTFUL },
	{ "vxorps %xmm0, %xmm0, %xmm0", { 0xc5, 0xf8, 0x57, 0xc0 }, FIRST_DOUBTFUL },
	{ "vmovd %esi, %xmm0", { 0xc5, 0xf9, 0x6e, 0xc6 }, FIRST_DOUBTFUL },
	{ "vpcmpeqb (%rdi), %ymm0, %ymm1", { 0xc5, 0xfd, 0x74, 0x0f }, FIRST_MISREAD }, /* je */
	{ "vzeroupper", { 0xc5, 0xf8, 0x77, 0xc3 }, FIRST_MISREAD }, /* ja */
	{ "vcmpps", { 0xc5, 0xf8, 0xc2, 0xc1, 0x00 }, FIRST_MISREAD }, /* ret */
	{ "vpbroadcastb %xmm0, %ymm0", { 0xc4, 0xe2, 0x7d, 0x78, 0xc0 }, FIRST_MISREAD }, /* js */
	{ "vpbroadcastb %esi, %xmm16", { 0x62, 0xe2, 0x7d, 0x08, 0x7a, 0xc6 }, FIRST_MISREAD }, /* jp */
	{ "kmovb (%rdi), %k1", { 0xc5, 0xf9, 0x90, 0x0f }, FIRST_MISREAD }, /* nop */
	{ "vpermb with a segment", { 0x64, 0x62, 0xf2, 0x7d, 0x48, 0x8d, 0x07 }, FIRST_DOUBTFUL },
	{ "vpcmpeqb with a segment", { 0x64, 0xc5, 0xfd, 0x74, 0x0f }, FIRST_MISREAD },
	{ "nopl 0x0(%rax,%rax,1)", { 0x0f, 0x1f, 0x44, 0x00, 0x00, 0xc3 }, FIRST_NOP5 },
	{ "nopl 0x7f(%rbp,%rax,1)", { 0x0f, 0x1f, 0x44, 0x05, 0x7f, 0xc3 }, FIRST_NOP5 },
	{ "nopw 0x0(%rax)", { 0x66, 0x0f, 0x1f, 0x40, 0x00, 0xc3 }, FIRST_NOP5 },
	{ "nopw (%rax)", { 0x66, 0x66, 0x0f, 0x1f, 0x00, 0xc3 }, FIRST_NOP5 },
	{ "rex nopl 0x0(%rax)", { 0x40, 0x0f, 0x1f, 0x40, 0x00, 0xc3 }, FIRST_NOP5 },
	{ "data16 data16 data16 xchg %ax,%ax", { 0x66, 0x66, 0x66, 0x66, 0x90, 0xc3 }, FIRST_NOP5 },
	{ "nop", { 0x90, 0x0f, 0x1f, 0x44, 0x00, 0x00 }, FIRST_TAKEN },
	{ "nopl 0x0(%rax)", { 0x0f, 0x1f, 0x40, 0x00, 0xc3 }, FIRST_TAKEN },
	{ "nopw 0x0(%rax,%rax,1)", { 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00 }, FIRST_TAKEN },
	{ "nopl 0x0(%rax), 7 bytes", { 0x0f, 0x1f, 0x80, 0, 0, 0, 0 }, FIRST_TAKEN },
	{ "nop of another register", { 0x0f, 0x1f, 0x64, 0x00, 0x00, 0xc3 }, FIRST_TAKEN },
	{ "lea 0x0(%rsp),%rsp", { 0x48, 0x8d, 0x64, 0x24, 0x00, 0xc3 }, FIRST_TAKEN },
	{ "vprotb, XOP", { 0x8f, 0xe9, 0x78, 0x90, 0xc1 }, FIRST_MISREAD }, /* nop */
};

TEST(test_samples)
{
#ifdef __x86_64__
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		print_message("%s\n", samples[i].what);
		assert_int_equal(first_instruction(samples[i].code, sizeof(samples[i].code)), samples[i].expected);
	}
#else
	assert_int_equal(first_instruction(samples[0].code, sizeof(samples[0].code)), FIRST_TAKEN);
#endif
}

/* A function at the end of a file: what cannot be read whole is not requested as a vector instruction. */
TEST(test_cut_off)
{
#ifdef __x86_64__
	static const uint8_t evex[] = { 0x62, 0xe2, 0x7d, 0x08 };

	assert_int_equal(first_instruction(evex, sizeof(evex)), FIRST_MISREAD);
	assert_int_equal(first_instruction(evex, 1), FIRST_DOUBTFUL);
	assert_int_equal(first_instruction(evex, 0), FIRST_DOUBTFUL);
	assert_int_equal(first_instruction((const uint8_t[]){ 0x0f, 0x1f, 0x44, 0x00 }, 4), FIRST_TAKEN);
#endif
}
