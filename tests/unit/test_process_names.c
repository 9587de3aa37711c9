/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/host/process_names.c */
#include "core/host/process_names.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/vec.h"
#include "tests/harness.h"

enum {
	PLAIN,
	OTHER,
	BLANK,
	COMMA,
	TAB,
	OUTER,
	CUT,
	NR,
};

/* Command names of children. */
static const char *const names[NR] = {
	[PLAIN] = "st-plain",  [OTHER] = "st-other",   [BLANK] = "st: a server",  [COMMA] = "st-a,st-b",
	[TAB] = "st-one\ttab", [OUTER] = " st-outer ", [CUT] = "st-abcdefghijkl",
};

static pid_t children[NR];

static void be_named(const char *name, int ready)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, name);
	if (write(ready, "r", 1) == 1)
		pause();
	_exit(0);
}

static int begin(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR; i++) {
		int ends[2];
		char ready;

		assert_int_equal(pipe(ends), 0);
		children[i] = fork();
		if (!children[i])
			be_named(names[i], ends[1]);
		assert_int_equal(read(ends[0], &ready, 1), 1);
		close(ends[0]);
		close(ends[1]);
	}
	return 0;
}

static int end(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	return 0;
}

TEST_GROUP(begin, end)

/* Which children the text stands for, as bits. */
static unsigned int chosen(const char *text)
{
	struct u32_list list = {};
	unsigned int bits = 0;

	err_clear();
	if (process_ids_parse(text, &list))
		fail_msg("%s: %s", text, err_cause());
	for (size_t i = 0; i < list.nr; i++) {
		size_t n = 0;

		while (n < NR && children[n] != (pid_t)list.data[i])
			n++;
		assert_in_range(n, 0, NR - 1);
		assert_false(bits & 1U << n); /* each once */
		bits |= 1U << n;
	}
	vec_done(&list);
	return bits;
}

#define IS(name) (1U << (name))

TEST(names_have_blanks_and_commas)
{
	assert_int_equal(chosen("st-plain"), IS(PLAIN));
	assert_int_equal(chosen("st: a server"), IS(BLANK));
	assert_int_equal(chosen("st-plain,st: a server,st-other"), IS(PLAIN) | IS(BLANK) | IS(OTHER));
	assert_int_equal(chosen("st-plain, st: a server"), IS(PLAIN) | IS(BLANK));
	assert_int_equal(chosen("st-a,st-b"), IS(COMMA));
	assert_int_equal(chosen("st-one\ttab"), IS(TAB));
	assert_int_equal(chosen(" st-outer "), IS(OUTER));
}

TEST(blanks_also_separate)
{
	_cleanup_(freep) char *ids = xasprintf("%d %d", (int)children[PLAIN], (int)children[OTHER]);
	_cleanup_(freep) char *lines = xasprintf("%d\n%d\n", (int)children[PLAIN], (int)children[OTHER]);
	_cleanup_(freep) char *mixed = xasprintf("st-plain %d,st-other", (int)children[BLANK]);

	assert_int_equal(chosen("st-plain st-other"), IS(PLAIN) | IS(OTHER));
	assert_int_equal(chosen("  st-plain\nst-other\t"), IS(PLAIN) | IS(OTHER));
	assert_int_equal(chosen(ids), IS(PLAIN) | IS(OTHER));
	assert_int_equal(chosen(lines), IS(PLAIN) | IS(OTHER));
	assert_int_equal(chosen(mixed), IS(PLAIN) | IS(BLANK) | IS(OTHER));
}

TEST(a_process_is_in_the_list_once)
{
	_cleanup_(freep) char *twice = xasprintf("st-plain,%d,st-plain st-other", (int)children[PLAIN]);

	assert_int_equal(chosen(twice), IS(PLAIN) | IS(OTHER));
}

/* A longer name: the command name has its first 15 bytes, and is not the beginning of the program's name. */
TEST(the_kernel_cuts_names)
{
	assert_int_equal(chosen("st-abcdefghijkl"), IS(CUT));
	assert_int_equal(chosen("st-abcdefghijklmnop"), IS(CUT));
}

TEST(what_is_wrong_is_in_the_message)
{
	static const struct {
		const char *text, *cause;
	} cases[] = {
		{ "st-plai", "no process has the name 'st-plai'" },
		{ "st-plainer", "no process has the name 'st-plainer'" },
		{ "st: a servers", "no process has the name 'st: a servers'" },
		{ "st-plain st-none", "no process has the name 'st-none'" },
		{ "st-a", "no process has the name 'st-a'" },
		{ "st-abcdefghijk", "no process has the name 'st-abcdefghijk'" },
		{ "[st-plain]", "no process has the name '[st-plain]'" },
		{ "/st-plain", "no process has the name '/st-plain'" },
		{ "st-plain,0", "'0' is not a process id: give 1 to 4194304, or a name" },
		{ "st-plain -5", "'-5' is not a process id: give 1 to 4194304, or a name" },
		{ "1-3", "'1-3' is not a process id: give 1 to 4194304, or a name" },
		{ "st-plain,,st-other", "'st-plain,,st-other' has an empty entry" },
		{ "", "is empty: give process ids or names" },
		{ " , \n", "is empty: give process ids or names" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *cause = xasprintf("argument -p/--pid: %s", cases[i].cause);
		struct u32_list list = {};

		vec_push(&list, 1);
		err_clear();
		assert_true(process_ids_parse(cases[i].text, &list) < 0);
		assert_string_equal(err_cause(), cause);
		assert_int_equal(list.nr, 1);
		vec_done(&list);
	}
}

/* The path of its program, also by a link. */
TEST(a_path_is_that_of_the_program)
{
	struct u32_list list = {};
	char path[] = "/tmp/st-names.XXXXXX";

	close(mkstemp(path));
	unlink(path);
	assert_int_equal(symlink("/proc/self/exe", path), 0);
	assert_int_equal(process_ids_parse(path, &list), 0);
	assert_true(list.nr >= NR); /* all run this program */
	vec_done(&list);
	unlink(path);
}
