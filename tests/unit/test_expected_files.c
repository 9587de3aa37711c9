/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/unwind/expected_files.c: what a command will map, from its first word and from what files say that they need. */
#include "core/unwind/expected_files.h"

#include <sys/stat.h>

#include "core/base/alloc.h"
#include "tests/harness.h"

struct fixture {
	char folder[64];
	char *program; /* a copy of this one */
	char *self;
};

static void expect_file(struct expected_files *files, uint32_t number, const char *path)
{
	struct expected_file file;
	struct stat is, wanted;

	assert_true(expected_files_next(files, &file));
	assert_int_equal(file.number, number);
	assert_int_equal(fstat(file.fd, &is), 0);
	assert_int_equal(stat(path, &wanted), 0);
	assert_true(is.st_ino == wanted.st_ino && is.st_dev == wanted.st_dev);
	close(file.fd);
}

static void expect_no_more(struct expected_files *files)
{
	struct expected_file file;

	assert_false(expected_files_next(files, &file));
	expected_files_free(files);
}

static char *write_file(const struct fixture *fixture, const char *name, mode_t mode, const char *bytes, size_t nr)
{
	char *path = xasprintf("%s/%s", fixture->folder, name);
	_cleanup_(closep) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, bytes, nr), nr);
	assert_int_equal(fchmod(fd, mode), 0);
	return path;
}

static void set_up(struct fixture *fixture)
{
	_cleanup_(freep) char *command = NULL;

	snprintf(fixture->folder, sizeof(fixture->folder), "%s/expected-XXXXXX", "/tmp");
	assert_non_null(mkdtemp(fixture->folder));
	fixture->program = xasprintf("%s/program", fixture->folder);
	fixture->self = realpath("/proc/self/exe", NULL);
	command = xasprintf("cp /proc/%d/exe %s && chmod 700 %s", getpid(), fixture->program, fixture->program);
	setenv("PATH", "/usr/bin:/bin", 1);
	assert_int_equal(system(command), 0);
}

static void tear_down(struct fixture *fixture)
{
	_cleanup_(freep) char *command = xasprintf("rm -rf %s", fixture->folder);

	setenv("PATH", "/usr/bin:/bin", 1);
	free(fixture->program);
	free(fixture->self);
	assert_int_equal(system(command), 0);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

FIXTURE_TEST(a_program_is_found_as_execvp_finds_it)
{
	_cleanup_(freep) char *path = xasprintf("/nowhere:%s", fixture->folder);
	struct expected_files *files;

	files = expected_files_new(fixture->program);
	expect_file(files, 0, fixture->program);
	expect_no_more(files);
	setenv("PATH", path, 1);
	files = expected_files_new("program");
	expect_file(files, 0, fixture->program);
	expect_no_more(files);
	chmod(fixture->program, 0600);
	expect_no_more(expected_files_new("program"));
	expect_no_more(expected_files_new("no-such-program"));
	expect_no_more(expected_files_new(""));
	expect_no_more(expected_files_new("/"));
}

FIXTURE_TEST(a_script_has_an_interpreter)
{
	_cleanup_(freep) char *line = xasprintf("#! %s -x\nexit 1\n", fixture->program);
	_cleanup_(freep) char *script = write_file(fixture, "script", 0700, line, strlen(line));
	_cleanup_(freep) char *by_env = write_file(fixture, "by_env", 0700, "#!/usr/bin/env -S A=b program\n", 30);
	_cleanup_(freep) char *own_line = xasprintf("#!%s/itself\n", fixture->folder);
	_cleanup_(freep) char *itself = write_file(fixture, "itself", 0700, own_line, strlen(own_line));
	struct expected_files *files;

	files = expected_files_new(script);
	expect_file(files, 0, fixture->program);
	expect_no_more(files);
	setenv("PATH", fixture->folder, 1);
	files = expected_files_new(by_env);
	expect_file(files, 0, "/usr/bin/env");
	expect_file(files, 1, fixture->program);
	expect_no_more(files);
	expect_no_more(expected_files_new(itself));
}

/* A script with this first line is run by the program, and by `first` before it unless that is NULL. */
static void expect_interpreted(const struct fixture *fixture, const char *line, const char *first)
{
	_cleanup_(freep) char *text = xasprintf("%s\n", line);
	_cleanup_(freep) char *script = write_file(fixture, "script", 0700, text, strlen(text));
	struct expected_files *files = expected_files_new(script);

	if (first)
		expect_file(files, 0, first);
	expect_file(files, first ? 1 : 0, fixture->program);
	expect_no_more(files);
}

FIXTURE_TEST(what_env_executes_is_behind_its_options)
{
	setenv("PATH", fixture->folder, 1);
	expect_interpreted(fixture, "#!/usr/bin/env -S -u by_env -i program -u no", "/usr/bin/env");
	expect_interpreted(fixture, "#!/usr/bin/env -S -iC /tmp -uA B=c --unset=D program", "/usr/bin/env");
	expect_interpreted(fixture, "#!/usr/bin/env -Sprogram no", "/usr/bin/env");
	expect_interpreted(fixture, "#!/usr/bin/env -vSA=b program", "/usr/bin/env");
}

FIXTURE_TEST(an_interpreter_without_a_slash_is_in_the_working_directory)
{
	_cleanup_(freep) char *before = realpath(".", NULL);

	assert_int_equal(chdir(fixture->folder), 0);
	expect_interpreted(fixture, "#!program", NULL);
	assert_int_equal(chdir("/"), 0);
	setenv("PATH", fixture->folder, 1);
	expect_no_more(expected_files_new("script"));
	assert_int_equal(chdir(before), 0);
}

FIXTURE_TEST(libraries_are_found_as_the_loader_finds_them)
{
	static const char origin[] = "f/nowhere:$ORIGIN\0nprogram\0nno-such-library\0nprogram";
	static const char by_path[] = "l/proc/self/exe\0n/no/such/path";
	_cleanup_(freep) char *copy = write_file(fixture, "library", 0600, "", 0);
	struct expected_files *files = expected_files_new("/proc/self/exe");

	setenv("LD_LIBRARY_PATH", fixture->folder, 1);
	expect_file(files, 0, "/proc/self/exe");
	expected_files_add_needs(files, 0, "nprogram", 9);
	expect_file(files, 1, fixture->program);
	expected_files_add_needs(files, 1, origin, sizeof(origin)); /* itself, beside itself */
	expected_files_add_needs(files, 1, by_path, sizeof(by_path));
	expected_files_add_needs(files, 1, "nlibrary", 9); /* no ELF file */
	expected_files_add_needs(files, 99, "nlibrary", 9);
	expect_no_more(files);
	unsetenv("LD_LIBRARY_PATH");
	files = expected_files_new(fixture->program);
	expect_file(files, 0, fixture->program);
	expected_files_add_needs(files, 0, "nlibc.so.6", 11);
	assert_true(expected_files_next(files, &(struct expected_file){}) || access("/lib64/libc.so.6", F_OK));
	expected_files_free(files);
}

/* Makes FOLDER/NAME/lib.so, a copy of the program. */
static char *make_library(const struct fixture *fixture, const char *name)
{
	_cleanup_(freep) char *command = xasprintf("mkdir %s/%s && cp %s %s/%s/lib.so", fixture->folder, name,
						   fixture->program, fixture->folder, name);

	assert_int_equal(system(command), 0);
	return xasprintf("%s/%s/lib.so", fixture->folder, name);
}

/* The next file is the one at `path`, when the program says of itself `program`, and its library `library`. */
static void expect_choice(const struct fixture *fixture, const char *program, const char *library, const char *path)
{
	struct expected_files *files = expected_files_new(fixture->program);
	char needs[2][128] = {};
	int nr;

	expect_file(files, 0, fixture->program);
	nr = snprintf(needs[0], sizeof(needs[0]), "%s%cn%s", program, 0, fixture->self);
	expected_files_add_needs(files, 0, needs[0], (size_t)nr + 1);
	expect_file(files, 1, fixture->self);
	nr = snprintf(needs[1], sizeof(needs[1]), "%s%cnlib.so", library, 0);
	expected_files_add_needs(files, 1, needs[1], (size_t)nr + 1);
	expect_file(files, 2, path);
	expect_no_more(files);
}

FIXTURE_TEST(folders_have_the_order_of_the_loader)
{
	_cleanup_(freep) char *variable = make_library(fixture, "variable"), *own = make_library(fixture, "own");
	_cleanup_(freep) char *old = make_library(fixture, "old"), *of_program = make_library(fixture, "of_program");
	_cleanup_(freep) char *program_old = xasprintf("o%s/of_program", fixture->folder);
	_cleanup_(freep) char *program_own = xasprintf("f%s/of_program", fixture->folder);
	_cleanup_(freep) char *says_own = xasprintf("f%s/own", fixture->folder);
	_cleanup_(freep) char *says_old = xasprintf("o%s/old", fixture->folder);
	_cleanup_(freep) char *before = realpath(".", NULL);

	assert_int_equal(chdir(fixture->folder), 0);
	setenv("LD_LIBRARY_PATH", "nowhere:variable", 1);
	expect_choice(fixture, program_old, says_old, old);
	expect_choice(fixture, program_old, "?", of_program);
	expect_choice(fixture, program_old, says_own, variable); /* DT_RUNPATH turns off DT_RPATH of others too */
	expect_choice(fixture, program_own, "?", variable);
	unsetenv("LD_LIBRARY_PATH");
	expect_choice(fixture, program_old, says_own, own);
	assert_int_equal(chdir(before), 0);
}

FIXTURE_TEST(a_preloaded_library_is_no_program)
{
	struct expected_files *files;

	setenv("LD_PRELOAD", fixture->self, 1);
	files = expected_files_new("no-such-program");
	unsetenv("LD_PRELOAD");
	expect_no_more(files);
	setenv("LD_PRELOAD", fixture->self, 1);
	files = expected_files_new(fixture->program);
	unsetenv("LD_PRELOAD");
	expect_file(files, 0, fixture->program);
	expect_file(files, 1, fixture->self);
	expect_no_more(files);
}
