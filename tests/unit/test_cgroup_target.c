/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cgroups by name: the mount point among the mounts, container ids in the names of directories. */

#include "core/base/err.h"
#include "core/host/cgroup_target.h"
#include "tests/harness.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void expect_mount(const char *lines, const char *path)
{
	char name[] = "/tmp/st-mounts-XXXXXX";
	_cleanup_(freep) char *found = NULL;
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, lines, strlen(lines)), (long)strlen(lines));
	close(fd);
	found = cgroup_mount_point(name);
	unlink(name);
	if (path)
		assert_string_equal(found, path);
	else
		assert_null(found);
}

TEST(the_mount_of_version_2_is_found)
{
	expect_mount("36 35 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n", "/sys/fs/cgroup");
	expect_mount("30 25 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
		     "31 25 0:27 / /sys/fs/cgroup/unified rw - cgroup2 x rw\n",
		     "/sys/fs/cgroup/unified");
	expect_mount("30 25 0:26 / /proc rw - proc proc rw\n", NULL);
	expect_mount("", NULL);
	expect_mount(" - cgroup2 \n", NULL);
	assert_null(cgroup_mount_point("/no/such/file"));
}

TEST(containers_are_told_by_their_id)
{
	assert_true(cgroup_is_container(ID, "0123456789ab"));
	assert_true(cgroup_is_container(ID, ID));
	assert_true(cgroup_is_container("docker-" ID ".scope", "0123456789ab"));
	assert_true(cgroup_is_container("cri-containerd-" ID ".scope", "0123456789ab"));
	assert_true(cgroup_is_container("crio-" ID, "0123456789abcd"));
	assert_false(cgroup_is_container("docker-" ID ".scope", "1123456789ab"));
	assert_false(cgroup_is_container("x" ID, "0123456789ab"));
	assert_false(cgroup_is_container(ID "0", "0123456789ab"));
	assert_false(cgroup_is_container("docker-0123456789ab.scope", "0123456789ab"));
	assert_false(cgroup_is_container("", "0123456789ab"));
}

static void expect_no_container(const char *prefix)
{
	err_clear();
	assert_true(cgroup_open_container(prefix) < 0);
	assert_int_equal(err_kind(), ERR_USAGE);
}

TEST(a_beginning_of_an_id_is_asked_for)
{
	expect_no_container("");
	expect_no_container("0123456789a");
	expect_no_container("my-container-1");
	expect_no_container("0123456789AB");
	expect_no_container(ID "0");
}
