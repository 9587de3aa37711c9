/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's symbol list, as text in memory. */
#include "symbolize/kernel/kallsyms.h"

#include "tests/unit/elf_writer.h"
#include "tests/harness.h"

#define KERNEL                                      \
	"0000000000000000 A fixed_percpu_data\n"    \
	"ffffffff81000000 T _stext\n"               \
	"ffffffff81000000 T _text\n"                \
	"ffffffff81000100 t __pfx_local_function\n" \
	"ffffffff81000110 t local_function\n"       \
	"ffffffff81000200 T global_function\n"      \
	"ffffffff81000300 W weak_function\n"        \
	"ffffffff81000300 T strong_function\n"      \
	"ffffffff81000300 t local_alias\n"          \
	"ffffffff81000400 T __sched_text_start\n"   \
	"ffffffff81000410 T schedule\n"             \
	"ffffffff81000500 T __sched_text_end\n"     \
	"ffffffff81000600 T last_function\n"        \
	"ffffffff81001000 T _etext\n"               \
	"ffffffff81002000 R rodata\n"               \
	"ffffffff81003000 D data\n"                 \
	"ffffffff81004000 T late_function\n"        \
	"ffffffff81004100 d more_data\n"

#define MODULES                                                          \
	"ffffffffc0002000 t second_of_a\t[module_a]\n"                   \
	"ffffffffc0001000 t first_of_a\t[module_a]\n"                    \
	"ffffffffc0001080 d data_of_a\t[module_a]\n"                     \
	"ffffffffc0101ff0 T only_of_b\t[module_b]\n"                     \
	"ffffffffc0200000 t bpf_prog_0123456789abcdef_on_event\t[bpf]\n" \
	"ffffffffc0200040 t bpf_trampoline_42\t[bpf]\n"                  \
	"ffffffffc0400000 t ftrace_trampoline\t[__builtin__ftrace]\n"

static int read_text(struct kallsyms *kallsyms, const char *text)
{
	int fd = memory_file(text, strlen(text));
	int err = kallsyms_read(kallsyms, fd);

	close(fd);
	return err;
}

/* "name [module] + offset" or "" */
static const char *at(const struct kallsyms *kallsyms, uint64_t address)
{
	static char text[256];
	struct kernel_function function;

	text[0] = '\0';
	if (kallsyms_lookup(kallsyms, address, &function))
		snprintf(text, sizeof(text), "%s [%s] + %llx", function.name, function.module,
			 (unsigned long long)(address - function.start));
	return text;
}

struct row {
	uint64_t address;
	const char *name;
};

static void expect_all(const char *text, const struct row *rows, size_t nr)
{
	_cleanup_(kallsyms_done) struct kallsyms kallsyms;

	assert_int_equal(read_text(&kallsyms, text), 0);
	for (size_t i = 0; i < nr; i++)
		assert_string_equal(at(&kallsyms, rows[i].address), rows[i].name);
}

TEST(functions_of_the_kernel_are_found)
{
	static const struct row rows[] = {
		{ 0xffffffff81000110, "local_function [kernel] + 0" },
		{ 0xffffffff810001ff, "local_function [kernel] + ef" }, /* up to the next symbol */
		{ 0xffffffff81000200, "global_function [kernel] + 0" },
		{ 0xffffffff81000301, "strong_function [kernel] + 1" }, /* it wins among aliases */
		{ 0xffffffff81000fff, "last_function [kernel] + 9ff" },
		{ 0xffffffff810040ff, "late_function [kernel] + ff" },
		{ 0xffffffff81000108, "" }, /* padding is left out */
		{ 0xffffffff81000405, "" }, /* marks of the linker script bound but do not name */
		{ 0xffffffff81000415, "schedule [kernel] + 5" },
		{ 0xffffffff81000505, "" },
		{ 0, "" }, /* and what is outside of the text has no name */
		{ 1, "" },
		{ 0xffffffff80ffffff, "" },
		{ 0xffffffff81000010, "" }, /* before the first function */
		{ 0xffffffff81001000, "" },
		{ 0xffffffff81003010, "" },
		{ 0xffffffff81004100, "" },
		{ UINT64_MAX, "" },
	};

	expect_all(KERNEL, rows, ARRAY_SIZE(rows));
}

TEST(modules_are_sorted_and_end_near_their_last_symbol)
{
	static const struct row rows[] = {
		{ 0xffffffffc0001001, "first_of_a [module_a] + 1" },
		{ 0xffffffffc0001081, "" }, /* its data */
		{ 0xffffffffc0002010, "second_of_a [module_a] + 10" },
		{ 0xffffffffc0100000, "" }, /* between the modules */
		{ 0xffffffffc0102010, "only_of_b [module_b] + 20" },
		{ 0xffffffffc0140000, "" },
		/* generated code has names */
		{ 0xffffffffc020003f, "bpf_prog_0123456789abcdef_on_event [bpf] + 3f" },
		{ 0xffffffffc0200140, "bpf_trampoline_42 [bpf] + 100" },
		{ 0xffffffffc0300000, "" },
		{ 0xffffffffc0400001, "ftrace_trampoline [__builtin__ftrace] + 1" },
	};

	expect_all(KERNEL MODULES, rows, ARRAY_SIZE(rows));
}

TEST(a_list_without_addresses_is_hidden)
{
	_cleanup_(kallsyms_done) struct kallsyms kallsyms;

	assert_int_equal(read_text(&kallsyms, "0000000000000000 T _stext\n0000000000000000 t function\n"), 0);
	assert_true(kallsyms.hidden);
	assert_string_equal(at(&kallsyms, 0xffffffff81000000), "");
	kallsyms_done(&kallsyms);
	assert_int_equal(read_text(&kallsyms, KERNEL), 0);
	assert_false(kallsyms.hidden);
}

TEST(something_else_is_no_list)
{
	static char line[100000];
	struct kallsyms kallsyms;

	assert_int_equal(read_text(&kallsyms, ""), -EBADMSG);
	assert_int_equal(read_text(&kallsyms, "root:x:0:0:root:/root:/bin/bash\n"), -EBADMSG);
	memset(line, 'f', sizeof(line) - 1);
	assert_int_equal(read_text(&kallsyms, line), -EBADMSG);
}

TEST(odd_lines_are_passed_over)
{
	_cleanup_(kallsyms_done) struct kallsyms kallsyms;

	assert_int_equal(read_text(&kallsyms, "\n"
					      " T no_address\n"
					      "zzz T no_number\n"
					      "ffffffff81000000\n"
					      "ffffffff81000000 T\n"
					      "ffffffff81000000 T \n"
					      "ffffffff810000000000000 T address_too_long\n"
					      "ffffffff81000000 TT two_types\n"
					      "ffffffff81000010 t good\t[]\n"
					      "ffffffff81000020 t cut"),
			 0);
	assert_int_equal(kallsyms.symbols.nr, 1);
	assert_string_equal(at(&kallsyms, 0xffffffff81000011), "good [kernel] + 1");
}

TEST(lines_that_straddle_reads_are_whole)
{
	enum {
		NR = 20000
	};
	char *text = malloc(NR * 64), *to = text, expected[64];
	struct kallsyms kallsyms;

	for (int i = 0; i < NR; i++)
		to += snprintf(to, 64, "%016llx t function_%d\n", 0xffffffff81000000ull + (unsigned)i * 16, i);
	assert_int_equal(read_text(&kallsyms, text), 0);
	assert_int_equal(kallsyms.symbols.nr, NR);
	for (int i = 0; i < NR - 1; i++) {
		snprintf(expected, sizeof(expected), "function_%d [kernel] + f", i);
		assert_string_equal(at(&kallsyms, 0xffffffff81000000ull + (unsigned)i * 16 + 15), expected);
	}
	kallsyms_done(&kallsyms);
	free(text);
}

/* Needs root for addresses; without them it only sees that the list says so. */
TEST(the_list_of_this_kernel_is_understood)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	_cleanup_(kallsyms_done) struct kallsyms kallsyms;

	assert_true(fd >= 0);
	assert_int_equal(kallsyms_read(&kallsyms, fd), 0);
	close(fd);
	assert_true(kallsyms.hidden || kallsyms.symbols.nr > 1000);
}
