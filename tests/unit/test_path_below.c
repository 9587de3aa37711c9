/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/files/path_below.c against openat2(RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS), and against those who move things meanwhile. */
#include "core/files/path_below.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "core/base/clock.h"
#include "tests/harness.h"

struct fixture {
	char folder[64];
	int outside, root; /* root is outside/root */
};

static void must(int result)
{
	if (result)
		fail_msg("%s", strerror(errno));
}

static void make_file(int directory, const char *name)
{
	_cleanup_(closep) int fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL, 0644);

	assert_true(fd >= 0);
}

static void set_up(struct fixture *fixture)
{
	static const char *const links[][2] = {
		{ "a", "to_a" },
		{ "/a/b", "absolute" },
		{ "../../../secret", "up" },
		{ "/../secret", "root_up" },
		{ "loop", "loop" },
		{ "a/../to_a/b/file", "winding" },
		{ "nowhere", "dangling" },
		{ "a/b/", "with_slash" },
		{ "a/b/file/", "file_with_slash" },
		{ ".", "here" },
		{ "..", "parent" },
		{ "/", "slash" },
		{ "to_to_a/b", "twice" },
		{ "to_a", "to_to_a" },
		{ "/proc/self/root", "proc" },
	};
	int root;

	snprintf(fixture->folder, sizeof(fixture->folder), "/tmp/stacktool-below-XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	fixture->outside = open(fixture->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(mkdirat(fixture->outside, "root", 0755));
	make_file(fixture->outside, "secret");
	root = fixture->root = openat(fixture->outside, "root", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(mkdirat(root, "a", 0755));
	must(mkdirat(root, "a/b", 0755));
	make_file(root, "a/b/file");
	must(mkfifoat(root, "a/fifo", 0600));
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		must(symlinkat(links[i][0], root, links[i][1]));
	must(symlinkat("../../to_a", root, "a/b/back"));
	must(symlinkat("../../../../secret", root, "a/b/out"));
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
	return remove(path);
}

static void tear_down(struct fixture *fixture)
{
	close(fixture->root);
	close(fixture->outside);
	nftw(fixture->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

static int by_kernel(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(O_PATH | O_CLOEXEC | flags),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd;

	do { /* openat2(2): EAGAIN where anybody on the host renames or mounts something while it takes a ".." */
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	} while (fd < 0 && errno == EAGAIN);
	return fd < 0 ? -errno : fd;
}

static ino_t inode_of(int fd)
{
	struct stat status;

	assert_int_equal(fstat(fd, &status), 0);
	return status.st_ino;
}

static void compare(int root, const char *path, int flags)
{
	_cleanup_(closep) int kernel = by_kernel(root, path, flags), fd = path_below(root, path, flags);

	if (kernel < 0 ? fd != kernel : fd < 0 || inode_of(fd) != inode_of(kernel))
		fail_msg("'%s' with flags %#x: %d, the kernel %d", path, (unsigned int)flags, fd, kernel);
	if (fd >= 0)
		assert_true(fcntl(fd, F_GETFL) & O_PATH && fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

static const char *const names[] = {
	"a",    "b",      "file",     "to_a",   "absolute", "up",      "root_up",    "loop",  "winding",
	"..",   ".",      "dangling", "back",   "out",      "fifo",    "with_slash", "twice", "file_with_slash",
	"here", "parent", "slash",    "secret", "root",     "to_to_a", "",
};

#define NR_NAMES (sizeof(names) / sizeof(*names))

/* A repeatable number. */
static size_t next_number(uint32_t *seed, size_t limit)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % limit;
}

FIXTURE_TEST(every_path_leads_where_the_kernel_goes)
{
	static const int flags[] = { 0, O_NOFOLLOW, O_DIRECTORY, O_DIRECTORY | O_NOFOLLOW };
	uint32_t seed = 1;

	for (size_t i = 0; i < 50000; i++) {
		size_t nr = 1 + next_number(&seed, 6);
		char path[256];
		size_t length = (size_t)snprintf(path, sizeof(path), "%s", next_number(&seed, 2) ? "/" : "");

		for (size_t j = 0; j < nr; j++)
			length += (size_t)snprintf(path + length, sizeof(path) - length, "%s%s",
						   names[next_number(&seed, NR_NAMES)],
						   j + 1 < nr || !next_number(&seed, 4) ? "/" : "");
		compare(fixture->root, path, flags[next_number(&seed, 4)]);
	}
}

FIXTURE_TEST(limits_are_those_of_the_kernel)
{
	char name[NAME_MAX + 2], path[PATH_MAX + 1];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	compare(fixture->root, name, 0); /* too long by one */
	compare(fixture->root, name + 1, 0);
	memset(path, '/', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	compare(fixture->root, path, 0); /* too long by one */
	compare(fixture->root, path + 1, 0);
	must(symlinkat("a", fixture->root, "link0"));
	for (int i = 1; i <= 41; i++) {
		snprintf(path, sizeof(path), "link%d", i);
		snprintf(name, sizeof(name), "link%d", i - 1);
		must(symlinkat(name, fixture->root, path));
		compare(fixture->root, path, 0);
	}
	for (int depth = 0; depth < 127; depth++) {
		snprintf(path + 2 * depth, 3, "d/");
		must(mkdirat(fixture->root, path, 0755));
	}
	compare(fixture->root, path, 0);
	strcat(path, "d");
	must(mkdirat(fixture->root, path, 0755));
	assert_int_equal(path_below(fixture->root, path, 0), -ENAMETOOLONG); /* the kernel goes on */
}

FIXTURE_TEST(links_of_proc_lead_nowhere)
{
	_cleanup_(closep) int root = open("/", O_PATH | O_CLOEXEC);
	static const char *const links[] = { "proc/self/exe", "proc/self/root/etc", "proc/self/cwd", "proc/self/fd/0",
					     "proc/self/ns/mnt" };
	char path[64];

	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		snprintf(path, sizeof(path), "/proc/%d%s", getpid(), links[i] + strlen("proc/self"));
		compare(root, path, 0);
		assert_int_equal(path_below(root, path, 0), -ELOOP);
		assert_int_equal(path_below(root, links[i], 0), -ELOOP);
	}
}

/* Only the mount below `outside` forbids to follow links; v5.10. */
FIXTURE_TEST(mounts_that_follow_no_links_are_obeyed)
{
#ifdef MS_NOSYMFOLLOW
	int pid = fork(), status;

	if (!pid) {
		int root;

		if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mount(fixture->folder, fixture->folder, NULL, MS_BIND, NULL) ||
		    mount(NULL, fixture->folder, NULL, MS_BIND | MS_REMOUNT | MS_NOSYMFOLLOW, NULL))
			_exit(77);
		root = open(fixture->folder, O_PATH | O_CLOEXEC);
		_exit(by_kernel(root, "root/to_a", 0) == -ELOOP && path_below(root, "root/to_a", 0) == -ELOOP ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
#endif
}

/* ---- while others move things ---- */

/* Exchanges a directory in the root with one outside, and a directory with a link that leads out, until it is killed. */
static _Noreturn void move_without_end(const struct fixture *fixture)
{
	for (;;) {
		renameat2(fixture->root, "a/b", fixture->outside, "b", RENAME_EXCHANGE);
		renameat2(fixture->root, "a/x", fixture->root, "a/y", RENAME_EXCHANGE);
	}
}

FIXTURE_TEST(nobody_leads_the_walk_out)
{
	static const char *const paths[] = { "a/b/../../../secret", "a/b/../../secret", "a/x/secret",
					     "a/x/../../secret",    "a/b/out",          "a/b/../b/../../../../secret",
					     "winding/../../secret" };
	uint64_t end_ns = clock_monotonic_ns() + NSEC_PER_SEC / 2;
	int pid;

	must(mkdirat(fixture->outside, "b", 0755));
	must(mkdirat(fixture->root, "a/x", 0755));
	must(symlinkat("../../..", fixture->root, "a/y"));
	pid = fork();
	if (!pid)
		move_without_end(fixture);
	for (size_t i = 0; clock_monotonic_ns() < end_ns; i++) {
		int fd = path_below(fixture->root, paths[i % (sizeof(paths) / sizeof(*paths))], 0);

		if (fd >= 0)
			fail_msg("'%s' leads out", paths[i % (sizeof(paths) / sizeof(*paths))]);
	}
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

FIXTURE_TEST(descriptors_are_closed)
{
	int before = open("/dev/null", O_RDONLY), after;

	close(before);
	for (size_t i = 0; i < NR_NAMES; i++) {
		char path[64];

		snprintf(path, sizeof(path), "a/b/../b/%s/b", names[i]);
		close(path_below(fixture->root, path, 0));
	}
	after = open("/dev/null", O_RDONLY);
	assert_int_equal(after, before);
	close(after);
}
