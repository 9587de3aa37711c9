/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control groups by number, containers in their paths, and what forms of output make of both and of threads. */
#include "core/spaces/cgroup_paths.h"

#include <sys/stat.h>

#include "core/base/err.h"
#include "core/formats/text_read.h"
#include "core/formats/profile_file.h"
#include "core/host/cgroup_target.h"
#include "core/render/container.h"
#include "core/render/documents.h"
#include "core/render/filter.h"
#include "tests/harness.h"

#define PROFILE_TEST(name) TEST_WITH(struct profile, profile, name, profile_init, profile_done)

#define ID64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID32 "0123456789abcdef0123456789abcdef"

TEST(containers_are_found_in_paths)
{
	static const struct {
		const char *path, *id;
	} cases[] = {
		{ "/docker/" ID64, ID64 },
		{ "/system.slice/docker-" ID64 ".scope", ID64 },
		{ "/kubepods.slice/kubepods-burstable.slice/cri-containerd-" ID64 ".scope/init", ID64 },
		{ "/machine.slice/libpod-" ID64 ".scope/container", ID64 },
		{ "/ecs/task/" ID32 "-1234567890", ID32 "-1234567890" },
		{ "/a/" ID64 "/b/" ID32 "-1", ID32 "-1" },
		{ "/system.slice/ssh.service", NULL },
		{ "/" ID64 "0", NULL },
		{ "/x" ID64, NULL },
		{ "/" ID32, NULL },
		{ "/" ID32 "-", NULL },
		{ "/", NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *id = NULL;
		size_t nr = container_id(cases[i].path, &id);

		assert_int_equal(nr, cases[i].id ? strlen(cases[i].id) : 0);
		if (nr)
			assert_memory_equal(id, cases[i].id, nr);
	}
}

static uint64_t make_directory(const char *root, const char *path)
{
	char full[256];
	struct stat st;

	snprintf(full, sizeof(full), "%s%s", root, path);
	assert_int_equal(mkdir(full, 0700), 0);
	assert_int_equal(stat(full, &st), 0);
	return st.st_ino;
}

PROFILE_TEST(groups_are_found_by_number)
{
	char root[] = "/tmp/test_cgroups.XXXXXX", command[64];
	uint64_t inner;

	assert_non_null(mkdtemp(root));
	make_directory(root, "/a");
	make_directory(root, "/a/b");
	inner = make_directory(root, "/a/b/c;d");
	cgroups_note(profile, root, inner, (uint32_t)getpid()); /* whose own group is another */
	assert_string_equal(profile_cgroup_path(profile, inner), "/a/b/c;d");
	cgroups_note(profile, root, 1ULL << 40, 0);
	assert_true(profile_has_cgroup(profile, 1ULL << 40));
	assert_string_equal(profile_cgroup_path(profile, 1ULL << 40), "");
	cgroups_note(profile, root, inner, 0);
	assert_int_equal(profile->cgroups.nr, 2);
	cgroups_note(profile, NULL, 2ULL << 40, (uint32_t)getpid()); /* no mount */
	assert_string_equal(profile_cgroup_path(profile, 2ULL << 40), "");
	snprintf(command, sizeof(command), "%s/a/b/c;d", root);
	rmdir(command);
	snprintf(command, sizeof(command), "%s/a/b", root);
	rmdir(command);
	snprintf(command, sizeof(command), "%s/a", root);
	rmdir(command);
	assert_int_equal(rmdir(root), 0);
}

/*
 * Whoever may make groups removes them again while events of theirs are on the way: each asks for a group that is gone. A
 * search through all that are there took 10 s for these.
 */
PROFILE_TEST(groups_that_are_gone_are_not_searched_for)
{
	enum {
		NR = 200,
		NR_GONE = 5000,
	};
	_cleanup_(freep) char *root = cgroup_mount_point("/proc/self/mountinfo");
	uint64_t numbers[NR];
	char name[128];
	size_t nr = 0;

	snprintf(name, sizeof(name), "%s/cgroup.procs", root ? root : "");
	if (access(name, W_OK))
		skip();
	for (; nr < NR; nr++) {
		snprintf(name, sizeof(name), "/stacktool-test-%d-%zu", getpid(), nr);
		numbers[nr] = make_directory(root, name);
	}
	cgroups_note(profile, root, numbers[NR / 2], 0);
	snprintf(name, sizeof(name), "/stacktool-test-%d-%d", getpid(), NR / 2);
	assert_string_equal(profile_cgroup_path(profile, numbers[NR / 2]), name);
	for (uint64_t id = 1; id <= NR_GONE; id++)
		cgroups_note(profile, root, id << 40, 0);
	assert_string_equal(profile_cgroup_path(profile, 1ULL << 40), "");
	while (nr--) {
		snprintf(name, sizeof(name), "%s/stacktool-test-%d-%zu", root, getpid(), nr);
		assert_int_equal(rmdir(name), 0);
	}
}

/* A saved profile says how many there are, and every row asks for one. A list took a minute for these. */
PROFILE_TEST(any_number_of_groups_is_looked_up_quickly)
{
	for (uint64_t id = 1; id <= 300000; id++) {
		if (!profile_has_cgroup(profile, id))
			profile_add_cgroup(profile, id, profile_add_string(profile, "/a"));
	}
	assert_int_equal(profile->cgroups.nr, 300000);
	assert_string_equal(profile_cgroup_path(profile, 300000), "/a");
}

/* Two threads of a process, the second in a container, 10 s later. */
static void read_threads(struct profile *profile)
{
	static const char text[] = "app 7/7 [000] 100.0: 3 c: \n\t4000 f+0x1 (/x)\n\n"
				   "app 7/9 [001] 110.0: 5 c: \n\t4000 f+0x1 (/x)\n";
	_cleanup_(buf_done) struct buf notes = {};

	err_clear();
	assert_int_equal(perf_script_decode(text, strlen(text), "test", profile, &notes), 0);
	profile->records.data[1].cgroup_id = 77;
	profile_add_cgroup(profile, 77, profile_add_string(profile, "/docker/" ID64));
}

static void expect_tree(struct profile *profile, enum graph_root root, const char *lines)
{
	const struct tree_options options = { .root = root };
	_cleanup_(tree_done) struct tree tree;
	_cleanup_(buf_done) struct buf text = {};

	tree_init(&tree, &options);
	tree_add_all(&tree, profile, TREE_NOW);
	tree_build(&tree);
	render_two_columns(&tree, &text);
	assert_string_equal(buf_text(&text), lines);
}

TEST(trees_begin_with_threads_or_containers)
{
	_cleanup_(profile_done) struct profile profile;

	read_threads(&profile);
	expect_tree(&profile, GRAPH_ROOT_COMM, "app;f 0 8\n");
	expect_tree(&profile, GRAPH_ROOT_PID, "app (7);f 0 8\n");
	expect_tree(&profile, GRAPH_ROOT_TID, "app (7/7);f 0 3\napp (7/9);f 0 5\n");
	expect_tree(&profile, GRAPH_ROOT_CONTAINER, "0123456789ab;f 0 5\n[unknown];f 0 3\n");
	expect_tree(&profile, GRAPH_ROOT_NONE, "f 0 8\n");
}

TEST(json_names_threads_and_containers)
{
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(stream_done) struct stream json = {};

	read_threads(&profile);
	document_json(&profile, profile.intervals.data, 1, &json);
	assert_non_null(strstr(buf_text(&json.text), "\"pid\":7,\"tid\":9,\"cgroup_id\":77,\"cgroup\":\"/docker/" ID64
						     "\",\"container_id\":\"" ID64 "\""));
}

TEST(groups_are_saved)
{
	_cleanup_(profile_done) struct profile profile, loaded;
	_cleanup_(buf_done) struct buf bytes = {};

	read_threads(&profile);
	profile_encode(&profile, &bytes);
	assert_int_equal(profile_decode(bytes.data, bytes.nr, "test", &loaded), 0);
	assert_string_equal(profile_cgroup_path(&loaded, 77), "/docker/" ID64);
	assert_true(loaded.view.times);
}

TEST(since_needs_times_or_intervals)
{
	_cleanup_(profile_done) struct profile profile;
	struct filter filter = { .since_ns = 5000000000 };

	read_threads(&profile);
	assert_int_equal(filter_apply(&filter, &profile), 0);
	expect_tree(&profile, GRAPH_ROOT_NONE, "f 0 5\n");
	profile.view.times = false;
	err_clear();
	assert_true(filter_apply(&filter, &profile) < 0);
	assert_non_null(strstr(err_cause(), "--since: this profile has neither times"));
	vec_push(&profile.intervals, (struct profile_interval){ .start_ns = 110000000000, .end_ns = 120000000000 });
	filter.since_ns = 15000000000;
	assert_int_equal(filter_apply(&filter, &profile), 0);
	assert_int_equal(profile.intervals.nr, 1);
	assert_int_equal(profile.intervals.data[0].end_ns, 120000000000);
}

/* A saved profile may have a million of them, of nothing. One by one, dropping these took 40 s. */
PROFILE_TEST(many_intervals_are_dropped_at_once)
{
	enum {
		NR = 100000
	};
	const struct filter filter = { .since_ns = NR };

	for (uint64_t i = 0; i <= NR; i++)
		vec_push(&profile->intervals, (struct profile_interval){ .start_ns = i, .end_ns = i });
	assert_int_equal(filter_apply(&filter, profile), 0);
	assert_int_equal(profile->intervals.nr, 1);
	assert_int_equal(profile->intervals.data[0].end_ns, NR);
}
