/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The roots of processes over a run of weeks. The processes are this test's own: each has the root of its number. */
#include "core/spaces/roots.h"

#include "core/files/opener.h"
#include "tests/harness.h"

#define OURS 7
#define RUN 100000
#define FDS 64

/* ---- in place of opener.c ---- */

static uint32_t first_alive; /* processes with a lower number have gone, but for `container` */
static uint32_t container;
static uint64_t inode_of_fd[FDS];

int opener_root(uint32_t tgid)
{
	int fd;

	if (tgid && tgid < first_alive && tgid != container)
		return -ESRCH;
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_in_range(fd, 0, FDS - 1);
	inode_of_fd[fd] = tgid > 1 ? tgid : OURS;
	return fd;
}

int opener_identify(int fd, struct opener_directory *ret_directory)
{
	*ret_directory = (struct opener_directory){ .device = 1, .inode = inode_of_fd[fd], .mount = 1 };
	return 0;
}

/* ---- the tests ---- */

static bool can_open(struct roots *roots, uint32_t root)
{
	int fd = roots_open(roots, root);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static struct roots *start(void)
{
	first_alive = 0;
	container = 0;
	return roots_new();
}

TEST(roots_of_ended_processes_make_room)
{
	struct roots *roots = start();
	uint32_t root, before = 0;

	for (uint32_t tgid = 1000; tgid < 1000 + RUN; tgid++) {
		first_alive = tgid - 20;
		assert_true(roots_of(roots, tgid, &root));
		assert_true(root > before); /* never a number that a file of another root has */
		assert_true(can_open(roots, root));
		before = root;
	}
	assert_false(can_open(roots, before - ROOTS_MAX));
	roots_free(roots);
}

TEST(a_container_that_runs_all_the_time_keeps_its_root)
{
	struct roots *roots = start();
	uint32_t first, root;

	container = 1000;
	assert_true(roots_of(roots, container, &first));
	for (uint32_t tgid = 1001; tgid < 1000 + RUN; tgid++) {
		first_alive = tgid;
		assert_true(roots_of(roots, tgid, &root));
	}
	assert_true(roots_of(roots, container, &root));
	assert_int_equal(root, first);
	assert_true(can_open(roots, first));
	roots_free(roots);
}

TEST(the_least_recently_used_goes_first)
{
	struct roots *roots = start();
	uint32_t first, second, root;

	assert_true(roots_of(roots, 1000, &first));
	assert_true(roots_of(roots, 1001, &second));
	for (uint32_t tgid = 1002; tgid < 1000 + ROOTS_MAX; tgid++)
		assert_true(roots_of(roots, tgid, &root));
	assert_true(can_open(roots, first)); /* a frame uses it */
	first_alive = 1000 + ROOTS_MAX;
	assert_true(roots_of(roots, first_alive, &root));
	first_alive = 1000;
	assert_true(can_open(roots, first));
	assert_false(can_open(roots, second));
	roots_free(roots);
}

/* Somebody keeps as many as there may be: nothing of theirs is forgotten for others, and nothing is kept beyond it. */
TEST(roots_in_use_are_not_released)
{
	struct roots *roots = start();
	uint32_t first, root;

	assert_true(roots_of(roots, 1000, &first));
	for (uint32_t tgid = 1001; tgid < 1000 + ROOTS_MAX; tgid++)
		assert_true(roots_of(roots, tgid, &root));
	assert_false(roots_of(roots, 1000 + ROOTS_MAX, &root));
	assert_int_equal(root, ROOT_OURS);
	assert_true(can_open(roots, first));
	roots_free(roots);
}
