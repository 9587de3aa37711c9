/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/engine/jit_maps.c: which of many jitdumps are opened, with files that this process has made. */
#include "core/engine/jit_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"

#include <cmocka.h>

#define SECOND 1000000000ull

struct fixture {
	char directory[32];
	struct profile profile;
	struct symbolizer *symbolizer;
	struct jit_maps *maps;
};

static int set_up(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));

	snprintf(fixture->directory, sizeof(fixture->directory), "/tmp/st-jit.XXXXXX");
	assert_non_null(mkdtemp(fixture->directory));
	profile_init(&fixture->profile);
	assert_int_equal(symbolizer_new(&(struct symbolizer_options){}, &fixture->symbolizer), 0);
	fixture->maps = jit_maps_new(&fixture->profile, fixture->symbolizer);
	*state = fixture;
	return 0;
}

/* The name of the dump number `i`; its directory is there afterwards. */
static char *path_of(const struct fixture *fixture, int i)
{
	_cleanup_(freep) char *directory = xasprintf("%s/%d", fixture->directory, i);

	mkdir(directory, 0700);
	return xasprintf("%s/jit-%d.dump", directory, (int)getpid());
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	jit_maps_free(fixture->maps);
	symbolizer_free(fixture->symbolizer);
	profile_done(&fixture->profile);
	for (int i = 0; i < 10; i++) {
		_cleanup_(freep) char *path = path_of(fixture, i),
				      *directory = xasprintf("%s/%d", fixture->directory, i);

		unlink(path);
		rmdir(directory);
	}
	rmdir(fixture->directory);
	free(fixture);
	return 0;
}

/* Its inode. */
static ino_t note_dump(struct fixture *fixture, int i)
{
	_cleanup_(freep) char *path = path_of(fixture, i);
	_cleanup_(closep) int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct opener_request request = { .tgid = (uint32_t)getpid(), .path = path };
	struct stat status;

	assert_int_equal(ftruncate(fd, 4096), 0); /* shorter than any header it is not opened */
	assert_int_equal(fstat(fd, &status), 0);
	request.inode = status.st_ino;
	request.device = (uint64_t)major(status.st_dev) << 32 | minor(status.st_dev);
	jit_maps_note_mapping(fixture->maps, &request);
	return status.st_ino;
}

static bool is_open(const struct fixture *fixture, ino_t inode)
{
	bool found = false;

	for (uint32_t i = 0; i < 20; i++) {
		_cleanup_(closep) int fd = jit_maps_open_again(fixture->maps, JIT_MAP_FIRST + i);
		struct stat status;

		found = found || (fd >= 0 && !fstat(fd, &status) && status.st_ino == inode);
	}
	return found;
}

static void the_newest_dumps_of_a_process_count(void **state)
{
	struct fixture *fixture = *state;
	ino_t inodes[6];

	for (int i = 0; i < 6; i++)
		inodes[i] = note_dump(fixture, i);
	jit_maps_note(fixture->maps, (uint32_t)getpid(), SECOND);
	for (int i = 0; i < 6; i++)
		assert_int_equal(is_open(fixture, inodes[i]), i >= 2);
}

static void what_is_open_stays(void **state)
{
	struct fixture *fixture = *state;
	ino_t inodes[5];

	for (int i = 0; i < 5; i++) {
		inodes[i] = note_dump(fixture, i);
		jit_maps_note(fixture->maps, (uint32_t)getpid(), (uint64_t)(i + 1) * SECOND);
	}
	for (int i = 0; i < 5; i++)
		assert_int_equal(is_open(fixture, inodes[i]), i < 4);
}

/* What an earlier one has left unopened is not opened for it, and what was open takes no room from it. */
static void another_process_of_the_same_tgid_has_its_own(void **state)
{
	struct fixture *fixture = *state;
	ino_t opened, unopened, own[4];

	opened = note_dump(fixture, 0);
	jit_maps_note(fixture->maps, (uint32_t)getpid(), SECOND);
	unopened = note_dump(fixture, 1);
	jit_maps_note_fork(fixture->maps, (uint32_t)getpid());
	for (int i = 0; i < 4; i++)
		own[i] = note_dump(fixture, i + 2);
	jit_maps_note(fixture->maps, (uint32_t)getpid(), 2 * SECOND);
	assert_true(is_open(fixture, opened));
	assert_false(is_open(fixture, unopened));
	for (int i = 0; i < 4; i++)
		assert_true(is_open(fixture, own[i]));
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(the_newest_dumps_of_a_process_count),
		TEST(what_is_open_stays),
		TEST(another_process_of_the_same_tgid_has_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
