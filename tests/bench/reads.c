// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How often the walk by unwind tables reads user memory: the code of the programs (tests/bpf/step.h) on the stacks of a
 * process that is stopped again and again.
 *
 *   reads PID STOPS     prints "READS-PER-FRAME FRAMES READS WHOLE STOPS"
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/files/proc_maps.h"
#include "core/unwind/unwind_store.h"
#include "symbolize/cfi/unwind_compile.h"
#include "tests/bpf/step.h"

#define PAUSE_NS 2000000 /* that it runs in between */

struct reading {
	struct unwind_store *store;
	VEC(struct unwind_space_mapping) mappings;
};

__attribute__((noreturn)) static void fail_with(const char *what)
{
	fprintf(stderr, "reads: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void add_mapping(void *context, const struct proc_mapping *found)
{
	struct unwind_space_mapping mapping = { found->start, found->end, found->file_offset, 0, UNWIND_NO_TABLE };
	_cleanup_(closep) int fd = found->kind == MAPPING_FILE ? open(found->path, O_RDONLY | O_CLOEXEC) : -1;
	struct reading *reading = context;
	struct unwind_table table = {};
	struct elf_file elf;
	uint64_t address;

	if (fd < 0 || elf_file_open(&elf, fd))
		return;
	if (!unwind_compile(&elf, &table) && !unwind_table_address_of_offset(&table, found->file_offset, &address)) {
		mapping.to_address = address - found->file_offset;
		if (unwind_store_add(reading->store, &table, &mapping.table))
			fail_with("no room for a table");
		vec_push(&reading->mappings, mapping);
	}
	unwind_table_done(&table);
	elf_file_done(&elf);
}

static void read_mappings(struct reading *reading, pid_t pid)
{
	struct unwind_process process = { .tgid = (uint32_t)pid };
	_cleanup_(closep) int fd = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || proc_maps_read(fd, add_mapping, reading) <= 0)
		fail_with(path);
	if (unwind_store_set_process(reading->store, &process, reading->mappings.data, reading->mappings.nr) ||
	    unwind_store_settle(reading->store))
		fail_with("the mappings are not published");
}

static void walk_once(pid_t pid, struct step_walk *ret_walk)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct user_regs_struct registers;
	int status;

	nanosleep(&pause, NULL);
	if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) || waitpid(pid, &status, __WALL) != pid)
		fail_with("ptrace");
	if (!WIFSTOPPED(status)) {
		fprintf(stderr, "reads: the process ended\n");
		exit(1);
	}
	if (ptrace(PTRACE_GETREGS, pid, NULL, &registers))
		fail_with("ptrace");
	step_walk(pid, &registers, ret_walk);
	if (ptrace(PTRACE_CONT, pid, NULL, NULL))
		fail_with("ptrace");
}

int main(int argc, char **argv)
{
	struct reading reading = {};
	size_t nr_frames = 0, nr_reads = 0, nr_whole = 0;
	int nr_stops = argc == 3 ? atoi(argv[2]) : 0;
	pid_t pid = argc == 3 ? atoi(argv[1]) : 0;
	struct step_walk walk;

	if (nr_stops <= 0 || pid <= 0) {
		fprintf(stderr, "usage: reads PID STOPS\n");
		return 2;
	}
	reading.store = step_store_new();
	read_mappings(&reading, pid);
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL))
		fail_with("ptrace");
	for (int i = 0; i < nr_stops; i++) {
		walk_once(pid, &walk);
		nr_frames += walk.nr;
		nr_reads += walk.nr_reads;
		nr_whole += walk.end == ST_END_ROOT;
	}
	printf("%.3f %zu %zu %zu %d\n", nr_frames ? (double)nr_reads / (double)nr_frames : 0, nr_frames, nr_reads,
	       nr_whole, nr_stops);
	vec_done(&reading.mappings);
	step_store_free(reading.store);
	return 0;
}
