/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debuginfod-find as a script: it has the time that it is given and no more. tests/e2e/addr2sym.sh has the rest. */
#include "core/files/debuginfod.h"

#include <sys/stat.h>

#include "core/base/clock.h"
#include "tests/harness.h"

#define NEARLY_ALL_MS 59500 /* of a minute for all files: half a second is left */

/* Asks a program with this text; how long it took in *ret_ms. */
static int ask(const char *script, uint64_t *ret_ms)
{
	char folder[] = "/tmp/test_debuginfod.XXXXXX", program[128], path[256];
	struct debuginfod debuginfod = {};
	uint64_t start_ns = clock_monotonic_ns();
	int fd, answer;

	assert_non_null(mkdtemp(folder));
	assert_int_equal(chmod(folder, 0755), 0); /* for nobody */
	snprintf(program, sizeof(program), "%s/debuginfod-find", folder);
	snprintf(path, sizeof(path), "%s:/usr/bin:/bin", folder);
	fd = open(program, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	assert_int_equal(write(fd, script, strlen(script)), strlen(script));
	close(fd);
	setenv("PATH", path, 1);
	setenv("DEBUGINFOD_URLS", "http://localhost:1", 1);
	debuginfod_start(&debuginfod);
	debuginfod.spent_ms = NEARLY_ALL_MS;
	answer = debuginfod_open(&debuginfod, "0123", NULL);
	*ret_ms = (clock_monotonic_ns() - start_ns) / 1000000;
	debuginfod_done(&debuginfod);
	assert_int_equal(unlink(program), 0);
	assert_int_equal(rmdir(folder), 0);
	return answer;
}

TEST(an_answer_is_a_file)
{
	uint64_t took_ms;
	_cleanup_(closep) int fd = ask("#!/bin/sh\necho /bin/sh\n", &took_ms);

	assert_true(fd >= 0);
}

TEST(the_time_is_up_for_whoever_does_not_end)
{
	uint64_t took_ms;

	assert_int_equal(ask("#!/bin/sh\nexec sleep 8\n", &took_ms), -ENOENT);
	assert_in_range(took_ms, 0, 4000);
	assert_int_equal(ask("#!/bin/sh\necho /bin/sh\nexec sleep 8 >&-\n", &took_ms), -ENOENT);
	assert_in_range(took_ms, 0, 4000);
}
