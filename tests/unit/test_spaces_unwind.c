/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which run of a process the kernel side is told to believe its mappings for: a fork copies the exec id of the parent
 * and exec() counts it up, so the mappings from before an exec are not taken for those after it.
 */
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <bpf/bpf.h>

#include "bpf/unwind_space.h"
#include "core/base/clock.h"
#include "core/unwind/unwinding.h"
#include "tests/unit/host.h"
#include "tests/unit/symbolizer_fixture.h"
#include "tests/harness.h"

enum {
	EXEC_ID = 41,
	START_NS = 5,
	FLOOD = 20000, /* records for each CPU: a ring has room for a few thousand */
};

struct stage {
	struct unwind_store_options store;
	struct profile profile;
	struct spaces *spaces;
	struct unwinding *unwinding;
	int inner;
};

/* False where maps or the side-band may not be opened. */
static bool begin(struct stage *stage, struct symbolizer *symbolizer)
{
	LIBBPF_OPTS(bpf_map_create_opts, mapped, .map_flags = BPF_F_MMAPABLE);
	LIBBPF_OPTS(bpf_map_create_opts, of_slabs);
	struct spaces_options options = { .symbolizer = symbolizer, .profile = &stage->profile };

	*stage = (struct stage){};
	stage->inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "slab", 4, sizeof(struct st_slab), 1, &mapped);
	if (stage->inner < 0 || !may_watch_the_host()) {
		print_message("maps or the side-band are not permitted here\n");
		closep(&stage->inner);
		return false;
	}
	of_slabs.inner_map_fd = (__u32)stage->inner;
	stage->store = (struct unwind_store_options){
		.first_slab = -1,
		.max_bytes = 64 * ST_SLAB_BYTES,
		.slabs = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "slabs", 4, 4, ST_MAX_SLABS, &of_slabs),
		.processes =
			bpf_map_create(BPF_MAP_TYPE_HASH, "processes", 4, sizeof(struct st_unwind_process), 64, NULL),
	};
	assert_true(stage->store.slabs >= 0 && stage->store.processes >= 0);
	profile_init(&stage->profile);
	options.follows = true;
	stage->spaces = spaces_new(&options);
	stage->unwinding =
		unwinding_new(&(struct unwinding_options){ symbolizer, spaces_images(stage->spaces), stage->spaces });
	unwinding_set_store(stage->unwinding, &stage->store);
	return true;
}

static void end(struct stage *stage)
{
	unwinding_free(stage->unwinding);
	spaces_free(stage->spaces);
	profile_done(&stage->profile);
	close(stage->store.slabs);
	close(stage->store.processes);
	close(stage->inner);
}

/* As if an event of this process had come. */
static void add_own_record(struct stage *stage)
{
	const struct profile_record record = {
		.tgid = (uint32_t)getpid(),
		.start_time_ns = START_NS,
		.exec_id = EXEC_ID,
	};
	const uint64_t address = (uint64_t)&add_own_record;
	uint32_t frame;

	spaces_add_frames(stage->spaces, &record, &address, 1, true, &frame);
}

/* What the kernel side knows by now; all zeros without an entry. */
static struct st_unwind_process entry_of(struct stage *stage, int pid)
{
	struct st_unwind_process entry = {};

	spaces_update(stage->spaces);
	unwinding_work(stage->unwinding, 0);
	bpf_map_lookup_elem(stage->store.processes, &pid, &entry);
	return entry;
}

/* A child that says when it was forked, executes cat(1) when it is told to, and then echoes. */
static int start_child(int to_child[2], int from_child[2])
{
	int pid;

	assert_int_equal(pipe(to_child), 0);
	assert_int_equal(pipe(from_child), 0);
	pid = fork();
	if (!pid) {
		char word;

		dup2(to_child[0], STDIN_FILENO);
		dup2(from_child[1], STDOUT_FILENO);
		if (write(STDOUT_FILENO, "f", 1) == 1 && read(STDIN_FILENO, &word, 1) == 1)
			execlp("cat", "cat", NULL);
		_exit(99);
	}
	return pid;
}

static char next_byte(int fd)
{
	char got = 0;

	return read(fd, &got, 1) == 1 ? got : 0;
}

SYMBOLIZER_TEST(entries_follow_fork_and_exec)
{
	struct st_unwind_process parent, forked, executed;
	int to_child[2], from_child[2], pid;
	struct stage stage;
	char said[2];

	if (!begin(&stage, fixture->symbolizer))
		skip();
	add_own_record(&stage);
	parent = entry_of(&stage, getpid());
	assert_int_equal(parent.exec_id, EXEC_ID);
	assert_int_equal(parent.start_time_ns, START_NS);

	/* The child has the worker's socket: it ends before anything is asserted. */
	pid = start_child(to_child, from_child);
	said[0] = next_byte(from_child[0]);
	forked = entry_of(&stage, pid);
	said[1] = write(to_child[1], "ab", 2) == 2 ? next_byte(from_child[0]) : 0;
	executed = entry_of(&stage, pid);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);

	assert_memory_equal(said, "fb", 2);
	assert_int_equal(forked.tgid, pid);
	assert_int_equal(forked.exec_id, EXEC_ID);
	assert_int_equal(forked.start_time_ns, 0); /* its first event will tell */
	assert_int_equal(executed.tgid, pid);
	assert_int_equal(executed.exec_id, EXEC_ID + 1);
	assert_int_not_equal(executed.space, forked.space);
	for (int i = 0; i < 2; i++) {
		close(to_child[i]);
		close(from_child[i]);
	}
	end(&stage);
}

/* Fills the ring of each CPU. */
static void flood_rings(void)
{
	cpu_set_t before, one;

	sched_getaffinity(0, sizeof(before), &before);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (!CPU_ISSET(cpu, &before) || sched_setaffinity(0, sizeof(one), &one))
			continue;
		for (int i = 0; i < FLOOD; i++)
			munmap(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
	}
	sched_setaffinity(0, sizeof(before), &before);
}

/* The records of the exec and of what the program maps do not fit into the rings. */
SYMBOLIZER_TEST(a_held_process_is_known_though_records_are_lost)
{
	struct st_unwind_process forked, stale, executed;
	int to_child[2], from_child[2], pid;
	uint64_t before_ns, nr_lost;
	struct stage stage;
	char said[2];

	if (!begin(&stage, fixture->symbolizer))
		skip();
	add_own_record(&stage);
	entry_of(&stage, getpid());
	pid = start_child(to_child, from_child);
	said[0] = next_byte(from_child[0]);
	forked = entry_of(&stage, pid);
	before_ns = clock_monotonic_ns();
	flood_rings();
	said[1] = write(to_child[1], "ab", 2) == 2 ? next_byte(from_child[0]) : 0;
	stale = entry_of(&stage, pid);
	nr_lost = spaces_lost(stage.spaces);
	spaces_update_held(stage.spaces, (uint32_t)pid, before_ns);
	executed = entry_of(&stage, pid);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);

	assert_memory_equal(said, "fb", 2);
	assert_int_not_equal(nr_lost, 0);
	assert_int_equal(stale.exec_id,
			 forked.exec_id); /* the exec went unnoticed; its space may have more tables by now */
	assert_int_equal(executed.exec_id, EXEC_ID + 1);
	assert_int_not_equal(executed.space, forked.space);
	assert_int_not_equal(executed.space, 0);
	for (int i = 0; i < 2; i++) {
		close(to_child[i]);
		close(from_child[i]);
	}
	end(&stage);
}

/* The place in the file of the program at which its code begins, and its address. */
static void find_code(int pid, char *ret_path, size_t room, uint64_t *ret_address)
{
	char name[64], line[4096 + 128], *end;
	ssize_t nr;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/exe", pid);
	nr = readlink(name, ret_path, room - 1);
	assert_true(nr > 0);
	ret_path[nr] = '\0';
	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	maps = fopen(name, "r");
	assert_non_null(maps);
	*ret_address = 0;
	while (!*ret_address && fgets(line, sizeof(line), maps))
		if (strstr(line, " r-xp ") && strstr(line, ret_path))
			*ret_address = strtoull(line, &end, 16);
	fclose(maps);
	assert_int_not_equal(*ret_address, 0);
}

/* The exec of a process is lost before the run: it does not keep the mappings of the program before. */
SYMBOLIZER_TEST(what_was_lost_before_the_run_is_read_again)
{
	struct st_unwind_process forked, executed;
	struct profile_record record = {};
	int to_child[2], from_child[2], pid;
	uint64_t before, after, address;
	const struct profile_frame *at;
	char said[2], path[4096];
	struct stage stage;
	uint32_t frame;

	if (!begin(&stage, fixture->symbolizer))
		skip();
	add_own_record(&stage);
	entry_of(&stage, getpid());
	pid = start_child(to_child, from_child);
	said[0] = next_byte(from_child[0]);
	forked = entry_of(&stage, pid);
	flood_rings();
	said[1] = write(to_child[1], "ab", 2) == 2 ? next_byte(from_child[0]) : 0;
	spaces_update(stage.spaces);
	before = spaces_lost(stage.spaces);
	spaces_start_over(stage.spaces);
	after = spaces_lost(stage.spaces);
	executed = entry_of(&stage, pid);
	record =
		(struct profile_record){ .tgid = (uint32_t)pid, .tid = (uint32_t)pid, .time_ns = clock_monotonic_ns() };
	find_code(pid, path, sizeof(path), &address);
	spaces_add_frames(stage.spaces, &record, &address, 1, true, &frame);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);

	assert_memory_equal(said, "fb", 2);
	assert_int_not_equal(before, 0);
	assert_true(after < before); /* other tests may flood the new rings */
	assert_int_equal(forked.exec_id, EXEC_ID);
	assert_int_equal(executed.exec_id, 0); /* its first event will tell */
	at = &stage.profile.frames.data[frame];
	assert_int_equal(at->kind, FRAME_USER_FILE);
	assert_string_equal(profile_string(&stage.profile, stage.profile.files.data[at->file].path), path);
	for (int i = 0; i < 2; i++) {
		close(to_child[i]);
		close(from_child[i]);
	}
	end(&stage);
}
