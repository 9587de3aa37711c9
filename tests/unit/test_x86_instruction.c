/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions by hand, and the length of every instruction of this host's libraries, as objdump says it. */
#include <glob.h>

#include "symbolize/x86/instruction.h"
#include "tests/harness.h"

#define BYTES(...) ((const uint8_t[]){ __VA_ARGS__ }), sizeof((const uint8_t[]){ __VA_ARGS__ })

static struct x86_instruction decoded(const uint8_t *code, size_t nr)
{
	struct x86_instruction instruction, part;

	assert_true(x86_decode(code, nr, &instruction));
	assert_int_equal(instruction.nr_bytes, nr);
	for (size_t less = 0; less < nr; less++)
		assert_false(x86_decode(code, less, &part) && part.nr_bytes > less);
	return instruction;
}

TEST(pushes_and_pops)
{
	struct x86_instruction is = decoded(BYTES(0x55));

	assert_int_equal(is.kind, X86_PUSH);
	assert_int_equal(is.reg, X86_BP);
	is = decoded(BYTES(0x41, 0x5f)); /* pop %r15 */
	assert_int_equal(is.kind, X86_POP);
	assert_int_equal(is.reg, X86_R15);
	is = decoded(BYTES(0x66, 0x50)); /* push %ax */
	assert_int_equal(is.kind, X86_OTHER);
	assert_int_equal(is.writes, 1 << X86_SP);
	is = decoded(BYTES(0xff, 0x74, 0x24, 0x08)); /* push 8(%rsp) */
	assert_int_equal(is.kind, X86_PUSH);
	assert_int_equal(is.reg, X86_NONE);
	assert_true(is.has_memory && is.base == X86_SP && is.value == 8);
	is = decoded(BYTES(0x68, 0, 0, 1, 0));
	assert_int_equal(is.kind, X86_PUSH);
}

TEST(moves_of_the_stack_pointer)
{
	struct x86_instruction is = decoded(BYTES(0x48, 0x83, 0xec, 0x18)); /* sub $24,%rsp */

	assert_int_equal(is.kind, X86_ADDRESS);
	assert_true(is.reg == X86_SP && is.base == X86_SP && is.value == -24);
	is = decoded(BYTES(0x48, 0x81, 0xc4, 0, 0x10, 0, 0)); /* add $4096,%rsp */
	assert_true(is.kind == X86_ADDRESS && is.reg == X86_SP && is.value == 4096);
	is = decoded(BYTES(0x48, 0x8d, 0x65, 0xd8)); /* lea -40(%rbp),%rsp */
	assert_true(is.kind == X86_ADDRESS && is.reg == X86_SP && is.base == X86_BP && is.value == -40);
	is = decoded(BYTES(0x48, 0x89, 0xe5)); /* mov %rsp,%rbp */
	assert_true(is.kind == X86_COPY && is.reg == X86_BP && is.from == X86_SP);
	is = decoded(BYTES(0x48, 0x8b, 0xe5)); /* the other form of mov %rbp,%rsp */
	assert_true(is.kind == X86_COPY && is.reg == X86_SP && is.from == X86_BP);
	is = decoded(BYTES(0x48, 0x83, 0xe4, 0xe0)); /* and $-32,%rsp */
	assert_true(is.kind == X86_ROUND && is.reg == X86_SP && is.value == -32);
	is = decoded(BYTES(0x48, 0x89, 0x5c, 0x24, 0xf8)); /* mov %rbx,-8(%rsp) */
	assert_true(is.kind == X86_STORE && is.reg == X86_BX && is.base == X86_SP && is.value == -8);
	is = decoded(BYTES(0x48, 0x8b, 0x6c, 0x24, 0x10)); /* mov 16(%rsp),%rbp */
	assert_true(is.kind == X86_LOAD && is.reg == X86_BP && is.base == X86_SP && is.value == 16);
	is = decoded(BYTES(0xc8, 0x20, 0, 0)); /* enter $32,$0 */
	assert_true(is.kind == X86_ENTER && is.value == 32);
	is = decoded(BYTES(0x01, 0xc4)); /* add %eax,%esp */
	assert_true(is.kind == X86_OTHER && is.writes == 1 << X86_SP);
	is = decoded(BYTES(0x48, 0x0f, 0x44, 0xe0)); /* cmove %rax,%rsp */
	assert_true(is.kind == X86_OTHER && is.writes == 1 << X86_SP);
	is = decoded(BYTES(0x48, 0x87, 0xe0)); /* xchg %rsp,%rax */
	assert_true(is.kind == X86_OTHER && is.writes == (1 << X86_SP | 1 << X86_AX));
}

TEST(no_move_of_the_stack_pointer)
{
	struct x86_instruction is = decoded(BYTES(0x39, 0xe4)); /* cmp %esp,%esp */

	assert_int_equal(is.writes, 0);
	is = decoded(BYTES(0x0f, 0x28, 0xe5)); /* movaps %xmm5,%xmm4 */
	assert_int_equal(is.writes, 0);
	is = decoded(BYTES(0x80, 0xe4, 0x0f)); /* and $15,%ah */
	assert_int_equal(is.writes, 1 << X86_AX);
	is = decoded(BYTES(0x40, 0x80, 0xe4, 0x0f)); /* and $15,%spl */
	assert_int_equal(is.writes, 1 << X86_SP);
	is = decoded(BYTES(0x0f, 0x29, 0x44, 0x24, 0x10)); /* movaps %xmm0,16(%rsp) */
	assert_true(is.nr_stored == 16 && is.base == X86_SP && is.value == 16);
	is = decoded(BYTES(0x0f, 0x28, 0x44, 0x24, 0x10)); /* and from there */
	assert_int_equal(is.nr_stored, 0);
	is = decoded(BYTES(0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0)); /* mov %fs:40,%rax */
	assert_true(is.kind == X86_OTHER && is.writes == 1 << X86_AX);
	is = decoded(BYTES(0xc5, 0xf9, 0xd7, 0xe0)); /* vpmovmskb %xmm0,%esp */
	assert_int_equal(is.writes, 1 << X86_SP);
}

TEST(branches)
{
	struct x86_instruction is = decoded(BYTES(0xe8, 0xfb, 0xff, 0xff, 0xff));

	assert_true(is.kind == X86_CALL && is.value == -5);
	is = decoded(BYTES(0x66, 0x66, 0x48, 0xe8, 0, 0, 0, 0)); /* the call of a general dynamic TLS access */
	assert_int_equal(is.kind, X86_CALL);
	assert_false(x86_decode(BYTES(0x66, 0xe8, 0, 0, 0, 0), &is));
	is = decoded(BYTES(0x0f, 0x87, 0, 1, 0, 0));
	assert_true(is.kind == X86_JUMP_IF && is.value == 256 && (is.opcode & 15) == 7);
	is = decoded(BYTES(0x3e, 0xff, 0xe0)); /* notrack jmp *%rax */
	assert_true(is.kind == X86_JUMP_INDIRECT && is.reg == X86_AX);
	is = decoded(BYTES(0xff, 0x24, 0xc5, 0, 0x10, 0x40, 0)); /* jmp *0x401000(,%rax,8) */
	assert_true(is.kind == X86_JUMP_INDIRECT && is.has_memory && is.base == X86_NONE);
	assert_true(is.index == X86_AX && is.scale == 8 && is.value == 0x401000);
	is = decoded(BYTES(0xf3, 0xc3));
	assert_int_equal(is.kind, X86_RETURN);
	is = decoded(BYTES(0xc2, 8, 0));
	assert_true(is.kind == X86_RETURN && is.value == 8);
	is = decoded(BYTES(0x0f, 0x0b));
	assert_int_equal(is.kind, X86_STOP);
	assert_false(x86_decode(BYTES(0x06), &is));
}

TEST(lengths)
{
	decoded(BYTES(0xf3, 0x0f, 0x1e, 0xfa)); /* endbr64 */
	decoded(BYTES(0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8)); /* movabs */
	decoded(BYTES(0x66, 0xb8, 1, 2));
	decoded(BYTES(0xa0, 1, 2, 3, 4, 5, 6, 7, 8));
	decoded(BYTES(0xf6, 0xc0, 1)); /* test $1,%al */
	decoded(BYTES(0xf6, 0xd8)); /* neg %al */
	decoded(BYTES(0x62, 0xf1, 0x7c, 0x48, 0x10, 0x44, 0x24, 0x01)); /* vmovups 64(%rsp),%zmm0 */
	decoded(BYTES(0xc4, 0xe3, 0x7d, 0x39, 0xc1, 0x01)); /* vextracti128 $1,%ymm0,%xmm1 */
	decoded(BYTES(0xc4, 0xe2, 0xf3, 0xf6, 0xc2)); /* mulx */
	decoded(BYTES(0x0f, 0x0f, 0xc1, 0x9e)); /* pfadd: 3DNow! */
	decoded(BYTES(0x8f, 0xe8, 0x78, 0xa2, 0xc1, 0x20)); /* vpcmov: XOP */
	decoded(BYTES(0x8f, 0xe9, 0x78, 0x81, 0xc1)); /* vfrczpd */
	decoded(BYTES(0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0)); /* nopw %cs:0(%rax,%rax) */
}

/* ---- against objdump ---- */

#if defined(__x86_64__)

struct tally {
	unsigned long nr, nr_refused, nr_wrong;
};

/* The bytes of a line of `objdump -d -w -M att`, between its first two tabs. */
static size_t read_bytes(const char *line, uint8_t code[X86_BYTES_MAX], const char **ret_text)
{
	const char *at = strchr(line, '\t'), *text = at ? strchr(at + 1, '\t') : NULL;
	size_t nr = 0;

	if (!text)
		return 0;
	for (at++; at + 2 < text + 1 && nr < X86_BYTES_MAX && at[0] != ' '; at += 3)
		code[nr++] = (uint8_t)strtoul((char[]){ at[0], at[1], 0 }, NULL, 16);
	*ret_text = text + 1;
	return nr;
}

/* objdump takes a prefix by itself for an instruction, and a wait before x87 for a part of it, where the CPU does not. */
static bool is_prefix_alone(const uint8_t *code, size_t nr)
{
	static const uint8_t prefixes[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3 };

	for (size_t i = 0; i < nr; i++)
		if ((code[i] & 0xf0) != 0x40 && !memchr(prefixes, code[i], sizeof(prefixes)))
			return code[i] == 0x9b;
	return true;
}

static void compare(const char *path, struct tally *tally)
{
	char command[600], line[4096];
	FILE *dump;

	snprintf(command, sizeof(command), "objdump -d -w '%s' 2>/dev/null", path);
	dump = popen(command, "re");
	assert_non_null(dump);
	while (fgets(line, sizeof(line), dump)) {
		uint8_t code[X86_BYTES_MAX];
		struct x86_instruction is;
		const char *text = "";
		size_t nr = read_bytes(line, code, &text);

		if (!nr || strstr(text, "(bad)") || is_prefix_alone(code, nr))
			continue;
		tally->nr++;
		if (!x86_decode(code, nr, &is)) {
			if (tally->nr_refused++ < 10)
				print_message("%s: refused:%s", path, line);
		} else if (is.nr_bytes != nr) {
			if (tally->nr_wrong++ < 10)
				print_message("%s: %u bytes:%s", path, is.nr_bytes, line);
		}
	}
	pclose(dump);
}

TEST(lengths_as_objdump_says)
{
	static const char *const patterns[] = {
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
		"/lib/x86_64-linux-musl/libc.so",
		"/usr/lib/x86_64-linux-gnu/libx264.so.1*",
	};

	if (system("objdump --version >/dev/null 2>&1")) {
		print_message("SKIP: no objdump\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		struct tally tally = {};
		glob_t found;

		if (!glob(patterns[i], 0, NULL, &found))
			compare(found.gl_pathv[0], &tally);
		globfree(&found);
		print_message("%s: %lu instructions, %lu refused, %lu of another length\n", patterns[i], tally.nr,
			      tally.nr_refused, tally.nr_wrong);
		assert_true(i || tally.nr > 100000); /* libc is always there, the others may not be installed */
		assert_int_equal(tally.nr_wrong, 0);
		assert_true(tally.nr_refused * 10000 <= tally.nr); /* data between the code */
	}
}

#endif
