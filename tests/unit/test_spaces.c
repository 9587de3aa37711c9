/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctest: alone */
/*
 * core/spaces/spaces.c with the real side-band and real processes: most of them are gone when their frames are asked
 * for. Alone: their files are known only when a reader with a free CPU looks while they live.
 */
#include "core/spaces/spaces.h"

#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/unit/host.h"
#include "tests/unit/spaces_child.h"
#include "tests/harness.h"

static char copied_library[64]; /* of this run of the test */

struct fixture {
	struct profile profile;
	struct spaces *spaces;
	int pipe[2];
};

static void set_up_with(struct fixture *fixture, struct symbolizer *symbolizer)
{
	struct spaces_options options = { .profile = &fixture->profile, .symbolizer = symbolizer };

	memset(fixture, 0, sizeof(*fixture));
	profile_init(&fixture->profile);
	assert_int_equal(pipe(fixture->pipe), 0);
	fixture->spaces = spaces_new(&options);
}

static void set_up(struct fixture *fixture)
{
	set_up_with(fixture, NULL);
}

static void tear_down(struct fixture *fixture)
{
	spaces_free(fixture->spaces);
	profile_done(&fixture->profile);
	close(fixture->pipe[0]);
	close(fixture->pipe[1]);
}

/* A child that did not report would keep us waiting. */
static void expect_success(int pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static const struct profile_frame *frame_of(struct fixture *fixture, uint32_t tgid, uint64_t time_ns, uint64_t address,
					    bool exact)
{
	struct profile_record record = { .tgid = tgid, .tid = tgid, .time_ns = time_ns };
	uint32_t frame;

	spaces_update(fixture->spaces);
	spaces_add_frames(fixture->spaces, &record, &address, 1, exact, &frame);
	return &fixture->profile.frames.data[frame];
}

static const struct profile_frame *frame_at(struct fixture *fixture, uint32_t tgid, uint64_t time_ns, uint64_t address)
{
	return frame_of(fixture, tgid, time_ns, address, true);
}

static const struct profile_file *file_of(struct fixture *fixture, const struct profile_frame *frame)
{
	return &fixture->profile.files.data[frame->file];
}

static void expect_file_of(struct fixture *fixture, const struct profile_frame *frame, const char *path)
{
	assert_int_equal(frame->kind, FRAME_USER_FILE);
	assert_string_equal(profile_string(&fixture->profile, file_of(fixture, frame)->path), path);
}

static void expect_place(struct fixture *fixture, const struct child_report *report, const struct child_place *place)
{
	const struct profile_frame *frame = frame_at(fixture, report->tgid, report->time_ns, place->address);
	struct stat status;

	if (frame->kind != FRAME_USER_FILE)
		fail_msg("%s: kind %d, reason %s, %llu records lost", place->path, frame->kind,
			 frame_reason_text(frame->reason), (unsigned long long)spaces_lost(fixture->spaces));
	assert_int_equal(frame->reason, REASON_NOT_TRIED);
	assert_int_equal(frame->where, place->file_offset);
	assert_int_equal(stat(place->path, &status), 0);
	assert_int_equal(file_of(fixture, frame)->inode, status.st_ino);
}

static void expect_all_places(struct fixture *fixture, const struct child_report *report)
{
	expect_place(fixture, report, &report->program);
	expect_place(fixture, report, &report->libc);
	if (report->library.address)
		expect_place(fixture, report, &report->library);
}

TEST(programs_that_have_ended_keep_their_files)
{
	struct fixture fixture;
	struct child_report report;
	int pid;

	if (!may_watch_the_host())
		skip();
	child_copy_library(copied_library);
	set_up(&fixture);
	pid = child_exec(fixture.pipe[1], copied_library);
	expect_success(pid);
	child_read_report(fixture.pipe[0], &report);
	expect_all_places(&fixture, &report);
	assert_string_equal(report.library.path, copied_library);
	assert_int_equal(spaces_lost(fixture.spaces), 0);
	tear_down(&fixture);
	unlink(copied_library);
}

static bool is_readable(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, 0) == 1;
}

TEST(hundreds_of_programs_in_a_burst_keep_their_files)
{
	enum {
		NR = 300
	};
	struct fixture fixture;
	struct child_report report;

	if (!may_watch_the_host())
		skip();
	set_up(&fixture);
	for (int i = 0; i < NR; i++) {
		int pid = child_exec(fixture.pipe[1], NULL);

		expect_success(pid);
		if (is_readable(spaces_fd(fixture.spaces))) /* as the collector does */
			spaces_update(fixture.spaces);
		child_read_report(fixture.pipe[0], &report);
		if (i % 10 == 0)
			expect_all_places(&fixture, &report);
	}
	assert_int_equal(spaces_lost(fixture.spaces), 0);
	assert_in_range(fixture.profile.files.nr, 2, 4);
	tear_down(&fixture);
}

TEST(a_forked_child_that_has_ended_looks_like_its_parent)
{
	struct fixture fixture;
	struct child_report report;
	int pid;

	if (!may_watch_the_host())
		skip();
	child_copy_library(copied_library);
	set_up(&fixture);
	pid = fork();
	if (!pid) {
		child_report_self(fixture.pipe[1], copied_library);
		_exit(0);
	}
	expect_success(pid);
	child_read_report(fixture.pipe[0], &report);
	expect_all_places(&fixture, &report);
	tear_down(&fixture);
	unlink(copied_library);
}

/* A process that was there before the fixture: it reports through `ends` and stays. */
static int start_before(const char *library, struct child_report *ret_report)
{
	int ends[2], pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		child_report_self(ends[1], library);
		pause();
		_exit(0);
	}
	close(ends[1]); /* so that a child that dies ends the reading */
	child_read_report(ends[0], ret_report);
	close(ends[0]);
	return pid;
}

static void stop(int pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

TEST(a_process_from_before_is_read_while_it_lives)
{
	struct fixture fixture;
	struct child_report report;
	int pid = start_before(NULL, &report);

	set_up(&fixture);
	report.time_ns = now_ns();
	expect_all_places(&fixture, &report);
	tear_down(&fixture);
	stop(pid);
}

TEST(an_unknown_process_that_has_ended_gives_that_reason)
{
	struct fixture fixture;
	int pid = fork();

	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	set_up(&fixture);
	assert_int_equal(frame_at(&fixture, (uint32_t)pid, now_ns(), 0x400000)->reason, REASON_EXITED);
	tear_down(&fixture);
}

static void expect_name(struct symbolizer *symbolizer, const struct profile_frame *frame, const char *name)
{
	struct symbol_query query = { .where = frame->where, .exact = true };
	struct symbol_answer answer;

	assert_int_equal(frame->kind, FRAME_USER_FILE);
	assert_int_equal(symbolizer_name_file(symbolizer, frame->file, &query, 1, &answer), 0);
	assert_int_equal(answer.status, SYMBOL_OK);
	assert_string_equal(answer.name, name);
}

/* The file went to the symbolizer at the first frame in it; by the time of the question neither is there any more. */
TEST(names_survive_the_process_and_the_file)
{
	struct symbolizer_options symbolizer_options = {};
	struct symbolizer *symbolizer;
	struct fixture fixture;
	struct child_report report;
	const struct profile_frame *program, *library;
	int pid;

	child_copy_library(copied_library);
	assert_int_equal(symbolizer_new(&symbolizer_options, &symbolizer), 0);
	pid = start_before(copied_library, &report);
	unlink(copied_library);
	set_up_with(&fixture, symbolizer);
	library = frame_at(&fixture, report.tgid, now_ns(), report.library.address);
	expect_file_of(&fixture, library, copied_library);
	stop(pid);
	expect_name(symbolizer, library, "lgamma");
	program = frame_at(&fixture, report.tgid, now_ns(), report.program.address);
	expect_name(symbolizer, program, "child_report_self");
	tear_down(&fixture);
	symbolizer_free(symbolizer);
}

TEST(exec_divides_a_process_into_two_programs)
{
	struct fixture fixture;
	struct child_report before, after;
	char number[16];
	int pid;

	if (!may_watch_the_host())
		skip();
	set_up(&fixture);
	snprintf(number, sizeof(number), "%d", fixture.pipe[1]);
	pid = fork();
	if (!pid) {
		child_report_self(fixture.pipe[1], NULL);
		execl("/proc/self/exe", "child", "--report-addresses", number, NULL);
		_exit(99);
	}
	expect_success(pid);
	child_read_report(fixture.pipe[0], &before);
	child_read_report(fixture.pipe[0], &after);
	assert_int_equal(before.tgid, after.tgid);
	assert_int_not_equal(before.program.address, after.program.address); /* ASLR */
	expect_all_places(&fixture, &after);
	expect_all_places(&fixture, &before);
	assert_int_equal(frame_of(&fixture, after.tgid, after.time_ns, before.program.address, false)->kind,
			 FRAME_USER_RAW);
	/* registers that lie in what was there before: execve() is not done yet */
	assert_int_equal(frame_at(&fixture, after.tgid, after.time_ns, before.program.address)->kind, FRAME_USER_FILE);
	assert_int_equal(frame_at(&fixture, before.tgid, before.time_ns, after.program.address)->kind, FRAME_USER_RAW);
	tear_down(&fixture);
}

/* The profile itself can tell where its frames were: in which life, and how the file was mapped. */
TEST(mappings_are_part_of_the_profile)
{
	struct fixture fixture;
	struct child_report report;
	const struct profile_mapping *mapping;
	const struct profile_life *life;
	const struct profile_frame *frame;

	if (!may_watch_the_host())
		skip();
	set_up(&fixture);
	expect_success(child_exec(fixture.pipe[1], NULL));
	child_read_report(fixture.pipe[0], &report);
	frame = frame_at(&fixture, report.tgid, report.time_ns, report.program.address);
	spaces_update(fixture.spaces);
	assert_int_equal(fixture.profile.mappings.nr, 1);
	mapping = &fixture.profile.mappings.data[0];
	assert_int_equal(mapping->file, frame->file);
	assert_true(mapping->start <= report.program.address && report.program.address < mapping->end);
	assert_int_equal(report.program.address - mapping->start + mapping->file_offset, report.program.file_offset);
	assert_int_equal(fixture.profile.lives.nr, 1);
	life = &fixture.profile.lives.data[mapping->life];
	assert_int_equal(life->tgid, report.tgid);
	assert_true(life->begin_ns && life->begin_ns < report.time_ns && mapping->since_ns >= life->begin_ns);
	assert_true(life->end_ns > report.time_ns && life->end_ns < UINT64_MAX);
	tear_down(&fixture);
}

TEST(code_without_a_file_says_so)
{
	struct fixture fixture;
	size_t nr_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *code = mmap(NULL, nr_bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t self = (uint32_t)getpid();
	const struct profile_frame *frame;

	set_up(&fixture);
	frame = frame_at(&fixture, self, now_ns(), (uint64_t)(uintptr_t)code + 16);
	assert_int_equal(frame->kind, FRAME_USER_RAW);
	assert_int_equal(frame->reason, REASON_ANONYMOUS);
	assert_int_equal(frame->tgid, self);
	frame = frame_at(&fixture, self, now_ns(), 0xffffffff81000000);
	assert_int_equal(frame->reason, REASON_UNMAPPED);
	assert_int_equal(frame->where, 0); /* no place at all: the same for every such address */
	assert_int_equal(frame->tgid, 0);
	frame = frame_at(&fixture, self, now_ns(), 0);
	assert_int_equal(frame->reason, REASON_UNMAPPED);
	munmap(code, nr_bytes);
	tear_down(&fixture);
}

TEST(the_vdso_is_a_file_of_its_own)
{
	struct fixture fixture;
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
	const struct profile_frame *frame;

	if (!vdso) {
		print_message("this kernel gives no vDSO\n");
		skip();
	}
	set_up(&fixture);
	frame = frame_at(&fixture, (uint32_t)getpid(), now_ns(), vdso + 0x123);
	expect_file_of(&fixture, frame, "[vdso]");
	assert_int_equal(frame->where, 0x123);
	tear_down(&fixture);
}

TEST(a_deleted_file_is_flagged_and_keeps_its_name)
{
	struct fixture fixture;
	struct child_report report;
	const struct profile_frame *frame;
	int pid;

	child_copy_library(copied_library);
	pid = start_before(copied_library, &report);
	unlink(copied_library);
	set_up(&fixture);
	frame = frame_at(&fixture, report.tgid, now_ns(), report.library.address);
	expect_file_of(&fixture, frame, copied_library);
	assert_true(file_of(&fixture, frame)->deleted);
	tear_down(&fixture);
	stop(pid);
}

/* ---- other code at the same address ---- */

static const char *own_path(void)
{
	static char path[256];

	assert_in_range(readlink("/proc/self/exe", path, sizeof(path) - 1), 1, sizeof(path) - 2);
	return path;
}

static void count_remap(void *context, uint32_t tgid)
{
	unsigned int *nr = context;

	*nr += tgid == (uint32_t)getpid();
}

static void map_code(void *at, const char *path)
{
	_cleanup_(closep) int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	assert_ptr_equal(mmap(at, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC,
			      MAP_PRIVATE | MAP_FIXED | (path ? 0 : MAP_ANONYMOUS), fd, 0),
			 at);
}

TEST(another_file_where_a_file_was_is_told)
{
	struct fixture fixture = {};
	unsigned int nr = 0;
	struct spaces_options options = { .profile = &fixture.profile,
					  .note_remap = count_remap,
					  .remap_context = &nr };
	void *code = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t first_ns, second_ns;

	if (!may_watch_the_host())
		skip();
	child_copy_library(copied_library);
	profile_init(&fixture.profile);
	fixture.spaces = spaces_new(&options);
	map_code(code, "/proc/self/exe");
	first_ns = now_ns();
	expect_file_of(&fixture, frame_at(&fixture, (uint32_t)getpid(), first_ns, (uint64_t)(uintptr_t)code),
		       own_path());
	map_code(code, "/proc/self/exe");
	spaces_update(fixture.spaces);
	assert_int_equal(nr, 0);
	map_code(code, copied_library);
	second_ns = now_ns();
	spaces_update(fixture.spaces);
	assert_int_equal(nr, 1);
	expect_file_of(&fixture, frame_at(&fixture, (uint32_t)getpid(), second_ns, (uint64_t)(uintptr_t)code),
		       copied_library);
	expect_file_of(&fixture, frame_at(&fixture, (uint32_t)getpid(), first_ns, (uint64_t)(uintptr_t)code),
		       own_path());
	map_code(code, NULL);
	map_code(code, copied_library);
	spaces_update(fixture.spaces);
	assert_int_equal(nr, 1);
	munmap(code, (size_t)sysconf(_SC_PAGESIZE));
	unlink(copied_library);
	spaces_free(fixture.spaces);
	profile_done(&fixture.profile);
}

/* ---- without the side-band: in a child that gives its privileges up ---- */

static const struct profile_frame *own_frame(struct fixture *fixture, uint64_t exec_id, uint64_t time_ns,
					     const void *address)
{
	struct profile_record record = { .tgid = (uint32_t)getpid(), .time_ns = time_ns, .exec_id = exec_id };
	uint64_t place = (uintptr_t)address;
	uint32_t frame;

	spaces_update(fixture->spaces);
	spaces_add_frames(fixture->spaces, &record, &place, 1, true, &frame);
	return &fixture->profile.frames.data[frame];
}

/* 0, or which expectation was not met. */
static int check_maps_alone(struct fixture *fixture)
{
	size_t nr_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *code = mmap(NULL, nr_bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	_cleanup_(closep) int fd = open("/proc/self/exe", O_RDONLY);
	uint64_t before_ns = now_ns();

	if (spaces_fd(fixture->spaces) != -1 || !spaces_note(fixture->spaces) ||
	    !strstr(spaces_note(fixture->spaces), "side-band"))
		return 1;
	if (own_frame(fixture, 1, before_ns, (const void *)check_maps_alone)->kind != FRAME_USER_FILE)
		return 2;
	if (own_frame(fixture, 1, before_ns, code)->reason != REASON_ANONYMOUS)
		return 3;
	if (mmap(code, nr_bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0) != code)
		return 8;
	if (own_frame(fixture, 2, now_ns(), code)->kind != FRAME_USER_FILE) /* as after an exec */
		return 4;
	if (own_frame(fixture, 1, before_ns, code)->reason != REASON_ANONYMOUS)
		return 5;
	if (frame_at(fixture, 1, now_ns(), 0x400000)->reason != REASON_UNREAD)
		return 6;
	return strstr(spaces_note(fixture->spaces), "maps of process 1: permission denied") ? 0 : 7;
}

static int without_privileges(void)
{
	struct fixture fixture = {};
	struct spaces_options options = { .profile = &fixture.profile };
	int result;

	if (!geteuid() && (setgid(65534) || setuid(65534)))
		return 77;
	if (may_watch_the_host()) /* kernel.perf_event_paranoid is below 1 */
		return 77;
	profile_init(&fixture.profile);
	fixture.spaces = spaces_new(&options);
	result = check_maps_alone(&fixture);
	spaces_free(fixture.spaces);
	profile_done(&fixture.profile);
	return result;
}

TEST(without_the_side_band_maps_are_read)
{
	int status, pid = fork();

	if (!pid)
		_exit(without_privileges());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(int argc, char **argv)
{
	child_main_if_child(argc, argv);
	snprintf(copied_library, sizeof(copied_library), "/tmp/stacktool test library %d.so", getpid());
	return run_all_tests();
}
