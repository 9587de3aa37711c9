/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/engine/forecast.c: what a command will map, from its first word and from what files say that they need. */
#include "core/engine/forecast.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"

#include <cmocka.h>

struct fixture {
	char folder[64];
	char *program; /* a copy of this one */
};

static void expect_file(struct forecast *forecast, uint32_t number, const char *path)
{
	struct forecast_file file;
	struct stat is, wanted;

	assert_true(forecast_next(forecast, &file));
	assert_int_equal(file.number, number);
	assert_int_equal(fstat(file.fd, &is), 0);
	assert_int_equal(stat(path, &wanted), 0);
	assert_true(is.st_ino == wanted.st_ino && is.st_dev == wanted.st_dev);
	close(file.fd);
}

static void expect_no_more(struct forecast *forecast)
{
	struct forecast_file file;

	assert_false(forecast_next(forecast, &file));
	forecast_free(forecast);
}

static char *write_file(const struct fixture *fixture, const char *name, mode_t mode, const char *bytes, size_t nr)
{
	char *path = xasprintf("%s/%s", fixture->folder, name);
	_cleanup_(closep) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, bytes, nr), nr);
	assert_int_equal(fchmod(fd, mode), 0);
	return path;
}

static void a_program_is_found_as_execvp_finds_it(void **state)
{
	const struct fixture *fixture = *state;
	_cleanup_(freep) char *path = xasprintf("/nowhere:%s", fixture->folder);
	struct forecast *forecast;

	forecast = forecast_new(fixture->program);
	expect_file(forecast, 0, fixture->program);
	expect_no_more(forecast);
	setenv("PATH", path, 1);
	forecast = forecast_new("program");
	expect_file(forecast, 0, fixture->program);
	expect_no_more(forecast);
	chmod(fixture->program, 0600);
	expect_no_more(forecast_new("program"));
	expect_no_more(forecast_new("no-such-program"));
	expect_no_more(forecast_new(""));
	expect_no_more(forecast_new("/"));
}

static void a_script_has_an_interpreter(void **state)
{
	const struct fixture *fixture = *state;
	_cleanup_(freep) char *line = xasprintf("#! %s -x\nexit 1\n", fixture->program);
	_cleanup_(freep) char *script = write_file(fixture, "script", 0700, line, strlen(line));
	_cleanup_(freep) char *by_env = write_file(fixture, "by_env", 0700, "#!/usr/bin/env -S A=b program\n", 30);
	_cleanup_(freep) char *own_line = xasprintf("#!%s/itself\n", fixture->folder);
	_cleanup_(freep) char *itself = write_file(fixture, "itself", 0700, own_line, strlen(own_line));
	struct forecast *forecast;

	forecast = forecast_new(script);
	expect_file(forecast, 0, fixture->program);
	expect_no_more(forecast);
	setenv("PATH", fixture->folder, 1);
	forecast = forecast_new(by_env);
	expect_file(forecast, 0, "/usr/bin/env");
	expect_file(forecast, 1, fixture->program);
	expect_no_more(forecast);
	expect_no_more(forecast_new(itself));
}

static void libraries_are_found_as_the_loader_finds_them(void **state)
{
	const struct fixture *fixture = *state;
	static const char origin[] = "f/nowhere:$ORIGIN\0nprogram\0nno-such-library\0nprogram";
	static const char by_path[] = "l/proc/self/exe\0n/no/such/path";
	_cleanup_(freep) char *copy = write_file(fixture, "library", 0600, "", 0);
	struct forecast *forecast = forecast_new("/proc/self/exe");

	setenv("LD_LIBRARY_PATH", fixture->folder, 1);
	expect_file(forecast, 0, "/proc/self/exe");
	forecast_add_needs(forecast, 0, "nprogram", 9);
	expect_file(forecast, 1, fixture->program);
	forecast_add_needs(forecast, 1, origin, sizeof(origin)); /* itself, beside itself */
	forecast_add_needs(forecast, 1, by_path, sizeof(by_path));
	forecast_add_needs(forecast, 1, "nlibrary", 9); /* no ELF file */
	forecast_add_needs(forecast, 99, "nlibrary", 9);
	expect_no_more(forecast);
	unsetenv("LD_LIBRARY_PATH");
	forecast = forecast_new(fixture->program);
	expect_file(forecast, 0, fixture->program);
	forecast_add_needs(forecast, 0, "nlibc.so.6", 11);
	assert_true(forecast_next(forecast, &(struct forecast_file){}) || access("/lib64/libc.so.6", F_OK));
	forecast_free(forecast);
}

static int set_up(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));
	_cleanup_(freep) char *command = NULL;

	snprintf(fixture->folder, sizeof(fixture->folder), "%s/forecast-XXXXXX", "/tmp");
	if (!mkdtemp(fixture->folder))
		return -1;
	fixture->program = xasprintf("%s/program", fixture->folder);
	command = xasprintf("cp /proc/%d/exe %s && chmod 700 %s", getpid(), fixture->program, fixture->program);
	*state = fixture;
	setenv("PATH", "/usr/bin:/bin", 1);
	return system(command);
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_(freep) char *command = xasprintf("rm -rf %s", fixture->folder);

	setenv("PATH", "/usr/bin:/bin", 1);
	free(fixture->program);
	free(fixture);
	return system(command);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	static const struct CMUnitTest tests[] = {
		TEST(a_program_is_found_as_execvp_finds_it),
		TEST(a_script_has_an_interpreter),
		TEST(libraries_are_found_as_the_loader_finds_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
