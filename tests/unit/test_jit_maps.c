/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/spaces/jit_maps.c: which of many jitdumps are opened, with files that this process has made. */
#include "core/spaces/jit_maps.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "core/base/alloc.h"
#include "tests/harness.h"

#define SECOND 1000000000ull

struct fixture {
	char directory[32];
	struct profile profile;
	struct symbolizer *symbolizer;
	struct jit_maps *maps;
	uint32_t process; /* of the next map and frame */
};

static void set_up(struct fixture *fixture)
{
	snprintf(fixture->directory, sizeof(fixture->directory), "/tmp/st-jit.XXXXXX");
	assert_non_null(mkdtemp(fixture->directory));
	profile_init(&fixture->profile);
	assert_int_equal(symbolizer_new(&(struct symbolizer_options){}, &fixture->symbolizer), 0);
	fixture->maps = jit_maps_new(&fixture->profile, fixture->symbolizer, NULL, NULL);
}

/* The name of the dump number `i`; its directory is there afterwards. */
static char *path_of(const struct fixture *fixture, int i)
{
	_cleanup_(freep) char *directory = xasprintf("%s/%d", fixture->directory, i);

	mkdir(directory, 0700);
	return xasprintf("%s/jit-%d.dump", directory, (int)getpid());
}

static void tear_down(struct fixture *fixture)
{
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
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

/* Its inode. */
static ino_t note_dump(struct fixture *fixture, int i)
{
	_cleanup_(freep) char *path = path_of(fixture, i);
	_cleanup_(closep) int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct proc_mapping mapping = { .path = path };
	struct stat status;

	assert_int_equal(ftruncate(fd, 4096), 0); /* shorter than any header it is not opened */
	assert_int_equal(fstat(fd, &status), 0);
	mapping.inode = status.st_ino;
	mapping.device = (uint64_t)major(status.st_dev) << 32 | minor(status.st_dev);
	jit_maps_note_mapping(fixture->maps, (uint32_t)getpid(), fixture->process, &mapping);
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

FIXTURE_TEST(the_newest_dumps_of_a_process_count)
{
	ino_t inodes[6];

	for (int i = 0; i < 6; i++)
		inodes[i] = note_dump(fixture, i);
	jit_maps_note(fixture->maps, (uint32_t)getpid(), fixture->process, 0, SECOND);
	for (int i = 0; i < 6; i++)
		assert_int_equal(is_open(fixture, inodes[i]), i >= 2);
}

FIXTURE_TEST(what_is_open_stays)
{
	ino_t inodes[5];

	for (int i = 0; i < 5; i++) {
		inodes[i] = note_dump(fixture, i);
		jit_maps_note(fixture->maps, (uint32_t)getpid(), fixture->process, 0, (uint64_t)(i + 1) * SECOND);
	}
	for (int i = 0; i < 5; i++)
		assert_int_equal(is_open(fixture, inodes[i]), i < 4);
}

/* What an earlier one has left unopened is not opened for it, and what was open takes no room from it. */
FIXTURE_TEST(another_process_of_the_same_tgid_has_its_own)
{
	ino_t opened, unopened, own[4];

	opened = note_dump(fixture, 0);
	jit_maps_note(fixture->maps, (uint32_t)getpid(), fixture->process, 0, SECOND);
	unopened = note_dump(fixture, 1);
	jit_maps_note_fork(fixture->maps, (uint32_t)getpid());
	for (int i = 0; i < 4; i++)
		own[i] = note_dump(fixture, i + 2);
	jit_maps_note(fixture->maps, (uint32_t)getpid(), fixture->process, 0, 2 * SECOND);
	assert_true(is_open(fixture, opened));
	assert_false(is_open(fixture, unopened));
	for (int i = 0; i < 4; i++)
		assert_true(is_open(fixture, own[i]));
}

/* ---- perf maps of other processes ---- */

enum {
	CODE = 0x7f0000001000,
};

static void write_map(int pid, const char *text)
{
	_cleanup_(freep) char *path = xasprintf("/tmp/perf-%d.map", pid);
	_cleanup_(fclosep) FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
}

/* A process that waits for its end, with a map that names its code after it. */
static int start_process(void)
{
	int parent = getpid(), pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		syscall(SYS_close_range, 3, ~0u,
			0); /* among them the way to the symbol worker, which is to end with us */
		if (getppid() == parent)
			pause();
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

static void end_process(int pid)
{
	_cleanup_(freep) char *path = xasprintf("/tmp/perf-%d.map", pid);

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unlink(path);
}

static uint32_t add_frame(struct fixture *fixture, int pid, uint64_t where)
{
	const struct profile_frame frame = {
		.kind = FRAME_USER_RAW,
		.reason = REASON_ANONYMOUS,
		.exact = true,
		.tgid = (uint32_t)pid,
		.process = fixture->process,
		.where = where,
	};

	return profile_add_frame(&fixture->profile, &frame);
}

static int reason_at(const struct fixture *fixture, uint32_t frame)
{
	return fixture->profile.frames.data[frame].reason;
}

static size_t nr_descriptors(void)
{
	_cleanup_(closedirp) DIR *directory = opendir("/proc/self/fd");
	size_t nr = 0;

	while (readdir(directory))
		nr++;
	return nr;
}

/* Starts that many processes with maps and code, and notes a frame of each. */
static void start_many(struct fixture *fixture, int *pids, uint32_t *frames, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		_cleanup_(freep) char *text = NULL;

		pids[i] = start_process();
		text = xasprintf("%lx 100 code_of_%d\n", CODE, pids[i]);
		write_map(pids[i], text);
		frames[i] = add_frame(fixture, pids[i], CODE + 0x10);
		jit_maps_note(fixture->maps, (uint32_t)pids[i], fixture->process, 0, SECOND);
	}
}

static void expect_all_named(const struct fixture *fixture, const int *pids, const uint32_t *frames, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		_cleanup_(freep) char *name = xasprintf("code_of_%d", pids[i]);

		assert_int_equal(reason_at(fixture, frames[i]), REASON_NAMED);
		assert_string_equal(profile_string(&fixture->profile, fixture->profile.frames.data[frames[i]].name),
				    name);
	}
}

FIXTURE_TEST(all_of_many_processes_are_named)
{
	enum {
		NR = 400
	};
	uint32_t frames[NR];
	int pids[NR];

	start_many(fixture, pids, frames, NR);
	jit_maps_name_frames(fixture->maps);
	for (int i = 0; i < NR; i++)
		end_process(pids[i]);
	expect_all_named(fixture, pids, frames, NR);
}

/* 64 are open at once then; the others are opened again. */
FIXTURE_TEST(few_descriptors_do_for_processes_that_live)
{
	enum {
		NR = 150
	};
	const struct rlimit few = { 140, 140 };
	uint32_t frames[NR];
	int pids[NR], child, status;

	child = fork(); /* the limit is for good */
	if (!child) {
		symbolizer_free(fixture->symbolizer);
		assert_int_equal(symbolizer_new(&(struct symbolizer_options){}, &fixture->symbolizer), 0);
		jit_maps_free(fixture->maps);
		fixture->maps = jit_maps_new(&fixture->profile, fixture->symbolizer, NULL, NULL);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		start_many(fixture, pids, frames, NR);
		jit_maps_name_frames(fixture->maps);
		for (int i = 0; i < NR; i++)
			end_process(pids[i]);
		expect_all_named(fixture, pids, frames, NR);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

FIXTURE_TEST(the_maps_of_processes_that_have_ended_are_released)
{
	uint32_t frames[10];
	size_t nr_before;
	int pids[10];

	assert_true(symbolizer_worker_pid(fixture->symbolizer) > 0); /* it has its descriptors */
	nr_before = nr_descriptors();
	start_many(fixture, pids, frames, 10);
	assert_true(nr_descriptors() >= nr_before + 10); /* and some on their way to the worker */
	for (int i = 0; i < 10; i++)
		end_process(pids[i]);
	jit_maps_name_frames(fixture->maps);
	expect_all_named(fixture, pids, frames, 10);
	jit_maps_name_frames(fixture->maps);
	assert_int_equal(nr_descriptors(), nr_before);
	start_many(fixture, pids, frames, 10); /* under the same numbers */
	jit_maps_name_frames(fixture->maps);
	for (int i = 0; i < 10; i++)
		end_process(pids[i]);
	expect_all_named(fixture, pids, frames, 10);
}

static const char *name_at(const struct fixture *fixture, uint32_t frame)
{
	return profile_string(&fixture->profile, fixture->profile.frames.data[frame].name);
}

/* The newest map is asked first, but has no names for code of an earlier process of this tgid. */
FIXTURE_TEST(maps_name_only_code_of_their_own_process)
{
	int pid = start_process();
	_cleanup_(freep) char *path = xasprintf("/tmp/perf-%d.map", pid);
	uint32_t old, late, new;

	old = add_frame(fixture, pid, CODE);
	late = add_frame(fixture, pid, CODE + 0x100);
	write_map(pid, "7f0000001000 100 old\n");
	jit_maps_note(fixture->maps, (uint32_t)pid, fixture->process, 0, SECOND);
	jit_maps_note_fork(fixture->maps, (uint32_t)pid);
	fixture->process++;
	new = add_frame(fixture, pid, CODE);
	assert_int_not_equal(new, old);
	unlink(path);
	write_map(pid, "7f0000001000 200 new\n");
	jit_maps_note(fixture->maps, (uint32_t)pid, fixture->process, 0, 2 * SECOND);
	jit_maps_name_frames(fixture->maps);
	assert_string_equal(name_at(fixture, old), "old");
	assert_string_equal(name_at(fixture, new), "new");
	assert_int_equal(reason_at(fixture, late), REASON_ANONYMOUS);
	end_process(pid);
}

FIXTURE_TEST(a_map_that_is_not_believed_is_the_reason)
{
	_cleanup_(buf_done) struct buf note = {};
	int pid = start_process();
	_cleanup_(freep) char *path = xasprintf("/tmp/perf-%d.map", pid);
	uint32_t frame = add_frame(fixture, pid, CODE);

	jit_maps_note(fixture->maps, (uint32_t)pid, fixture->process, 0, SECOND);
	jit_maps_name_frames(fixture->maps);
	assert_int_equal(reason_at(fixture, frame), REASON_ANONYMOUS); /* there is none */
	jit_maps_add_note(fixture->maps, &note);
	assert_int_equal(note.nr, 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	jit_maps_note(fixture->maps, (uint32_t)pid, fixture->process, 0, 2 * SECOND);
	jit_maps_name_frames(fixture->maps);
	assert_int_equal(reason_at(fixture, frame), REASON_MAP_REFUSED);
	jit_maps_add_note(fixture->maps, &note);
	assert_non_null(strstr(buf_text(&note), "not a regular file"));
	unlink(path);
	write_map(pid, "7f0000001000 100 code\n"); /* the right one comes later */
	jit_maps_note(fixture->maps, (uint32_t)pid, fixture->process, 0, 3 * SECOND);
	jit_maps_name_frames(fixture->maps);
	assert_int_equal(reason_at(fixture, frame), REASON_NAMED);
	end_process(pid);
}

/* An old name on new code is worse than none. */
FIXTURE_TEST(a_map_that_is_too_large_names_nothing)
{
	int pid = start_process();
	_cleanup_(freep) char *path = xasprintf("/tmp/perf-%d.map", pid);
	uint32_t first = add_frame(fixture, pid, CODE), second;

	write_map(pid, "7f0000001000 100 old\n");
	jit_maps_note(fixture->maps, (uint32_t)pid, fixture->process, 0, SECOND);
	jit_maps_name_frames(fixture->maps);
	assert_int_equal(reason_at(fixture, first), REASON_NAMED);
	assert_int_equal(truncate(path, 300 << 20), 0);
	second = add_frame(fixture, pid, CODE + 8);
	jit_maps_name_frames(fixture->maps);
	assert_int_equal(reason_at(fixture, second), REASON_MAP_CUT);
	end_process(pid);
}
