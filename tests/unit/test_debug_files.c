/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where separate debug files are looked for. */
#include "core/files/debug_files.h"

#include <sys/stat.h>

#include "core/base/alloc.h"
#include "symbolize/elf/debug_link.h"
#include "tests/harness.h"

struct fixture {
	char directory[64];
};

static void set_up(struct fixture *fixture)
{
	snprintf(fixture->directory, sizeof(fixture->directory), "/tmp/st-debug.XXXXXX");
	assert_non_null(mkdtemp(fixture->directory));
}

static void tear_down(struct fixture *fixture)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", fixture->directory);
	assert_int_equal(system(command), 0);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

/* Makes a file below the directory that holds nothing but its own path, with all folders on the way. */
static void make(const struct fixture *fixture, const char *path)
{
	_cleanup_(freep) char *command =
		xasprintf("cd '%s' && mkdir -p \"$(dirname '%s')\" && printf '%%64s' '%s' >'%s'", fixture->directory,
			  path, path, path);

	assert_int_equal(system(command), 0);
}

/* A program of our root, of this user. */
static struct debug_home home_of(const char *path)
{
	return (struct debug_home){
		.root = open("/", O_PATH | O_CLOEXEC), .where = "", .path = xstrdup(path), .owner = getuid()
	};
}

/* Takes the next candidate, which must be the file at this path; NULL: there is none left. */
static void expect(const struct debug_search *search, struct symbol_debug_request *request, const char *path)
{
	_cleanup_(closep) int fd = debug_files_open(search, request);
	char content[65] = {};

	if (!path) {
		assert_int_equal(fd, -ENOENT);
		return;
	}
	assert_true(fd >= 0);
	assert_int_equal(read(fd, content, 64), 64);
	assert_string_equal(content + strspn(content, " "), path);
}

FIXTURE_TEST(a_build_id_is_a_path_below_each_directory)
{
	struct symbol_debug_request request = { "00ff00ff00ff00ff", "", 0 };
	_cleanup_(freep) char *directories =
		xasprintf("%s/none::%s/two:%s/one", fixture->directory, fixture->directory, fixture->directory);
	struct debug_search search = { .directories = directories };

	make(fixture, "one/.build-id/00/ff00ff00ff00ff.debug");
	make(fixture, "two/.build-id/00/ff00ff00ff00ff.debug");
	expect(&search, &request, "two/.build-id/00/ff00ff00ff00ff.debug");
	expect(&search, &request, "one/.build-id/00/ff00ff00ff00ff.debug");
	expect(&search, &request, NULL);
	expect(&search, &request, NULL);
}

FIXTURE_TEST(a_debug_link_is_beside_the_program_or_below_its_path)
{
	struct symbol_debug_request request = { "", "program.debug", 0 };
	_cleanup_(freep) char *directories = xasprintf("%s/debug", fixture->directory);
	_cleanup_(freep) char *program = xasprintf("%s/bin/program", fixture->directory);
	_cleanup_(freep) char *below = xasprintf("debug%s/bin/program.debug", fixture->directory);
	_cleanup_(debug_home_done) struct debug_home home = home_of(program);
	struct debug_search search = { .directories = directories, .home = &home };

	make(fixture, "bin/program.debug");
	make(fixture, "bin/.debug/program.debug");
	make(fixture, below);
	expect(&search, &request, "bin/program.debug");
	expect(&search, &request, "bin/.debug/program.debug");
	expect(&search, &request, below);
	expect(&search, &request, NULL);
}

FIXTURE_TEST(an_alternate_file_is_below_a_directory_and_cannot_lead_out_of_it)
{
	static const char *const refused[] = { "",        ".dwz",      ".dwz/",          "dwz/a",
					       "/.dwz/a", ".dwz/../a", ".dwz/a/../../b", ".dwz//a" };
	_cleanup_(debug_home_done) struct debug_home home = home_of("/usr/lib/libx.so");
	struct debug_search search = { .directories = fixture->directory, .home = &home };
	struct symbol_debug_request request = { "", ".dwz/here/common.debug", 0 };

	make(fixture, ".dwz/here/common.debug");
	make(fixture, "usr/lib/.dwz/here/common.debug");
	expect(&search, &request, ".dwz/here/common.debug");
	expect(&search, &request, NULL);
	assert_true(debug_link_is_alternate(".dwz/here/common.debug"));
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		assert_false(debug_link_is_alternate(refused[i]));
}

FIXTURE_TEST(split_information_is_where_it_was_made_or_beside_the_program)
{
	static const char *const refused[] = { "",      "a.dwo",       "/.dwo",          "/a/.dwo",
					       "/a.dw", "/etc/shadow", "/a.dwo/b.debug", "dwp" };
	_cleanup_(freep) char *program = xasprintf("%s/bin/program", fixture->directory);
	_cleanup_(freep) char *directories = xasprintf("%s/debug", fixture->directory);
	_cleanup_(freep) char *path = xasprintf("%s/made/unit.dwo", fixture->directory);
	_cleanup_(freep) char *below = xasprintf("debug%s", path), *package = xasprintf("debug%s.dwp", program);
	_cleanup_(debug_home_done) struct debug_home home = home_of(program);
	struct debug_search search = { .directories = directories, .home = &home };
	struct symbol_debug_request split = { "", path, 0 }, packed = { "", SYMBOL_PACKAGE, 0 };

	make(fixture, "made/unit.dwo");
	make(fixture, "bin/unit.dwo");
	make(fixture, below);
	make(fixture, "bin/program.dwp");
	make(fixture, package);
	expect(&search, &split, "made/unit.dwo");
	expect(&search, &split, "bin/unit.dwo");
	expect(&search, &split, below);
	expect(&search, &split, NULL);
	expect(&search, &packed, "bin/program.dwp");
	expect(&search, &packed, package);
	expect(&search, &packed, NULL);
	assert_true(debug_link_is_split(path) && debug_link_is_split(SYMBOL_PACKAGE));
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		assert_false(debug_link_is_split(refused[i]));
}

/* Beside itself a program may lead anywhere: what is there is believed of its owner only. */
FIXTURE_TEST(a_link_with_dots_leads_out_of_no_debug_directory)
{
	static const char *const links[] = { "/../made/unit.dwo", "/a/../../made/unit.dwo",
					     "/a/../../made/../made/unit.dwo" };
	_cleanup_(freep) char *directories = xasprintf("%s/debug", fixture->directory);
	_cleanup_(debug_home_done) struct debug_home home = home_of("/nowhere/program");
	struct debug_search search = { .directories = directories, .home = &home };

	make(fixture, "made/unit.dwo");
	make(fixture, "debug/a/unit.dwo");
	make(fixture, "debug/a/..unit.dwo");
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		expect(&search, &(struct symbol_debug_request){ "", links[i], 0 }, NULL);
	expect(&search, &(struct symbol_debug_request){ "", ".dwz/../../made/unit.dwo", 0 }, NULL);
	expect(&search, &(struct symbol_debug_request){ "", "/a/..unit.dwo", 0 }, "debug/a/..unit.dwo");
}

FIXTURE_TEST(lib_and_usr_lib_are_one)
{
	_cleanup_(debug_home_done) struct debug_home home = home_of("/usr/lib/libx.so");
	struct debug_search search = { .directories = fixture->directory, .home = &home };
	struct symbol_debug_request request = { "", "libx.debug", 0 };

	make(fixture, "lib/libx.debug");
	expect(&search, &request, "lib/libx.debug");
	free(home.path);
	home.path = xstrdup("/lib64/libx.so");
	request.candidate = 0;
	make(fixture, "usr/lib64/libx.debug");
	expect(&search, &request, "usr/lib64/libx.debug");
}

FIXTURE_TEST(what_is_no_regular_file_is_no_candidate)
{
	struct symbol_debug_request request = { "", "pipe", 0 };
	_cleanup_(freep) char *program = xasprintf("%s/program", fixture->directory);
	_cleanup_(freep) char *fifo = xasprintf("%s/pipe", fixture->directory);
	_cleanup_(debug_home_done) struct debug_home home = home_of(program);
	struct debug_search search = { .home = &home };

	assert_int_equal(mkfifo(fifo, 0600), 0);
	expect(&search, &request, NULL);
	free(home.path);
	home.path = xstrdup("[vdso]");
	request.candidate = 0;
	expect(&search, &request, NULL);
}

/* chown() needs root: another user cannot make the files of the test. */
FIXTURE_TEST(what_a_program_tells_is_believed_of_its_owner_and_of_root)
{
	_cleanup_(freep) char *program = xasprintf("%s/bin/program", fixture->directory);
	_cleanup_(freep) char *beside = xasprintf("%s/bin/program.debug", fixture->directory);
	_cleanup_(freep) char *below = xasprintf("%s/usr/lib/debug/.build-id/00/ff.debug", fixture->directory);
	_cleanup_(debug_home_done) struct debug_home home = home_of(program);
	struct debug_search search = { .home = &home };
	struct symbol_debug_request request = { "", "program.debug", 0 };

	if (geteuid())
		skip();
	make(fixture, "bin/program.debug");
	make(fixture, "usr/lib/debug/.build-id/00/ff.debug");
	home.owner = 4711;
	expect(&search, &request, "bin/program.debug");
	request.candidate = 0;
	assert_int_equal(chown(beside, 4711, 0), 0);
	expect(&search, &request, "bin/program.debug");
	request.candidate = 0;
	assert_int_equal(chown(beside, 4712, 0), 0);
	expect(&search, &request, NULL);

	/* below another root everything is, and of its owner too */
	closep(&home.root);
	home.root = open(fixture->directory, O_PATH | O_CLOEXEC);
	home.is_foreign = true;
	home.root_owner = 4713;
	request = (struct symbol_debug_request){ "00ff", "", 0 };
	expect(&search, &request, "usr/lib/debug/.build-id/00/ff.debug");
	request.candidate = 0;
	assert_int_equal(chown(below, 4713, 0), 0);
	expect(&search, &request, "usr/lib/debug/.build-id/00/ff.debug");
	request.candidate = 0;
	assert_int_equal(chown(below, 4714, 0), 0);
	expect(&search, &request, NULL);
}
