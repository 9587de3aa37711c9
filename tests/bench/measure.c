// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The measuring instruments of the bench; each prints numbers, tests/bench/run makes the rounds and the table.
 *
 *   measure event LOAD… -- A… -- B…
 *                                 nanoseconds per event of A and of B, which run together: starts both, waits until the BPF
 *                                 programs of both run, runs LOAD ten times, and takes run time / runs of the programs of each
 *                                 (BPF run-time statistics) of the fastest: what disturbs a machine only adds. Who comes
 *                                 second finds warm caches, so the same is done with B first; printed are the geometric means
 *   measure under LOAD… -- A… [-- B…]
 *                                 milliseconds of LOAD by the clock, by itself, while A runs, and while B runs: of the fastest
 *                                 of five each, in turn
 *   measure cpu-under LOAD… -- A… [-- B…]
 *                                 the same of the CPU time of LOAD, which what shares the machine does not add to
 *   measure first CMD…            milliseconds from exec of CMD until one of its BPF programs has run for the first time
 *   measure attached CMD…         milliseconds from exec of CMD, which is ours, until it says that it is attached: nobody looks
 *                                 again and again meanwhile, which takes a CPU where there are few
 *   measure memory CMD…           runs CMD to its end; the peaks of the resident memory of all its processes added up (kB),
 *                                 how many there were at most, and the most kernel memory that their BPF maps had (kB)
 *   measure time CMD…             milliseconds of CMD, by the clock
 *   measure ratios FILE           lines "A B": medians of A, of B and of A/B with the quarter and three-quarter points
 */
#include <bpf/bpf.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"

#define PATIENCE_S 30 /* or PATIENCE in the environment: an emulated guest is slow */
#define NR_LOADS 10

static double now_ms(void)
{
	return (double)clock_monotonic_ns() / 1e6;
}

/* When to give up on a program that does not run. */
static double deadline_ms(void)
{
	const char *text = getenv("PATIENCE");

	return now_ms() + 1e3 * (text ? strtod(text, NULL) : PATIENCE_S);
}

/* How often something is measured, of which the fastest counts; TURNS in the environment is for tests of the bench itself. */
static int nr_turns(int usual)
{
	const char *text = getenv("TURNS");
	int turns = text ? atoi(text) : 0;

	return turns > 0 ? turns : usual;
}

static void pause_us(long microseconds)
{
	struct timespec time = { .tv_nsec = microseconds * 1000 };

	nanosleep(&time, NULL);
}

__attribute__((noreturn)) static void give_up(const char *what)
{
	fprintf(stderr, "measure: %s\n", what);
	exit(1);
}

static pid_t start(char **command)
{
	pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGINT); /* a tracer that we leave behind would slow down all that is measured later */
	/* What the contestants print is not measured and not wanted. */
	if (!getenv("VERBOSE") && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
		_exit(126);
	execvp(command[0], command);
	_exit(127);
}

static int finish(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

static void stop(pid_t child)
{
	double next = 0;

	/* bpftrace forgets a signal that comes before it waits for events. */
	while (!waitpid(child, NULL, WNOHANG)) {
		if (now_ms() >= next) {
			kill(child, SIGINT);
			next = deadline_ms();
		}
		pause_us(1000);
	}
}

/* ---- processes ---- */

static pid_t parent_of(pid_t pid)
{
	char path[64], text[512], *end, state;
	int file, parent = 0;
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	got = read(file, text, sizeof(text) - 1);
	close(file);
	if (got <= 0)
		return 0;
	text[got] = 0;
	end = strrchr(text, ')');
	return end && sscanf(end + 1, " %c %d", &state, &parent) == 2 ? parent : 0;
}

static bool belongs_to(pid_t pid, pid_t root)
{
	while (pid > 1 && pid != root)
		pid = parent_of(pid);
	return pid == root;
}

/* The value of a line "NAME: VALUE" of a small file below /proc; 0 when there is none. */
static unsigned long value_in(const char *path, const char *name)
{
	char line[256];
	unsigned long value = 0;
	size_t length = strlen(name);
	FILE *file = fopen(path, "re");

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, length) && line[length] == ':')
			value = strtoul(line + length + 1, NULL, 10);
	if (file)
		fclose(file);
	return value;
}

/* Calls `visit` with the fdinfo file of every descriptor of a process. */
static void each_descriptor(pid_t pid, void (*visit)(void *context, const char *info), void *context)
{
	char path[128];
	struct dirent *entry;
	DIR *directory;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", pid);
	directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.16s", pid, entry->d_name);
		if (isdigit((unsigned char)entry->d_name[0]))
			visit(context, path);
	}
	if (directory)
		closedir(directory);
}

/* ---- BPF programs ---- */

static uint32_t last_program(void)
{
	uint32_t id = 0;

	while (!bpf_prog_get_next_id(id, &id))
		;
	return id;
}

struct ownership {
	uint32_t program;
	bool found;
};

static void compare_program(void *context, const char *info)
{
	struct ownership *ownership = context;

	if (!ownership->found && value_in(info, "prog_id") == ownership->program)
		ownership->found = true;
}

/* Other people load programs too. Asked once for each program; the answer does not change. */
static bool is_program_of(uint32_t program, pid_t process)
{
	static struct {
		uint32_t program;
		pid_t process;
		bool ours;
	} known[1024];
	static size_t nr_known;
	struct ownership ownership = { .program = program };

	for (size_t i = 0; i < nr_known; i++)
		if (known[i].program == program && known[i].process == process)
			return known[i].ours;
	each_descriptor(process, compare_program, &ownership);
	if (nr_known < sizeof(known) / sizeof(*known)) {
		known[nr_known].program = program;
		known[nr_known].process = process;
		known[nr_known++].ours = ownership.found;
	}
	return ownership.found;
}

struct runs {
	uint64_t count, time_ns;
};

/* All runs of all programs of the process; their ids are above `base`. */
static struct runs runs_of(pid_t process, uint32_t base)
{
	struct runs runs = {};
	uint32_t id = base;

	while (!bpf_prog_get_next_id(id, &id)) {
		struct bpf_prog_info info = {};
		uint32_t length = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (!bpf_prog_get_info_by_fd(fd, &info, &length) && info.run_cnt && is_program_of(id, process)) {
			runs.count += info.run_cnt;
			runs.time_ns += info.run_time_ns;
		}
		close(fd);
	}
	return runs;
}

static void await_run(uint32_t base, pid_t child)
{
	double deadline = deadline_ms();

	while (!runs_of(child, base).count) {
		if (now_ms() > deadline || waitpid(child, NULL, WNOHANG) == child)
			give_up("no program of the command has run");
		pause_us(100);
	}
}

static void enable_statistics(void)
{
	if (bpf_enable_stats(BPF_STATS_RUN_TIME) < 0)
		give_up("the kernel has no BPF run-time statistics");
}

struct contestant {
	char **command;
	pid_t pid;
	uint32_t base; /* the last program before it was started */
	double least_ns; /* per event, of its fastest load */
};

static void start_contestant(struct contestant *contestant)
{
	contestant->base = last_program();
	contestant->pid = start(contestant->command);
	contestant->least_ns = 0;
	await_run(contestant->base, contestant->pid);
	/* All of its programs are attached soon after the first has run; the load is the same for every contestant. */
	pause_us(200000);
}

static void note_load(struct contestant *contestant, const struct runs *before)
{
	struct runs after = runs_of(contestant->pid, contestant->base);
	double ns;

	if (after.count == before->count)
		give_up("no program of the command has run");
	ns = (double)(after.time_ns - before->time_ns) / (double)(after.count - before->count);
	if (contestant->least_ns == 0 || ns < contestant->least_ns)
		contestant->least_ns = ns;
}

/* Both are attached all the while, `first` before `second`. */
static void run_together(char **load, struct contestant *first, struct contestant *second)
{
	struct runs before_first, before_second;

	start_contestant(first);
	start_contestant(second);
	for (int i = 0; i < nr_turns(NR_LOADS); i++) {
		before_first = runs_of(first->pid, first->base);
		before_second = runs_of(second->pid, second->base);
		if (finish(start(load)))
			give_up("the load failed");
		note_load(first, &before_first);
		note_load(second, &before_second);
	}
	stop(second->pid);
	stop(first->pid);
}

/* Returns what follows the next "--" and ends the list there. NULL if there is no "--". */
static char **after_dashes(char **arguments)
{
	while (*arguments && strcmp(*arguments, "--"))
		arguments++;
	if (!*arguments)
		return NULL;
	*arguments++ = NULL;
	return *arguments ? arguments : NULL;
}

static int measure_event(char **load)
{
	struct contestant a = { .command = after_dashes(load) };
	struct contestant b = { .command = a.command ? after_dashes(a.command) : NULL };
	double a_first, b_second;

	if (!b.command)
		return 2;
	enable_statistics();
	run_together(load, &a, &b);
	a_first = a.least_ns;
	b_second = b.least_ns;
	run_together(load, &b, &a);
	if (getenv("VERBOSE"))
		fprintf(stderr, "first %.1f %.1f, then %.1f %.1f\n", a_first, b_second, b.least_ns, a.least_ns);
	printf("%.1f %.1f\n", sqrt(a_first * a.least_ns), sqrt(b_second * b.least_ns));
	return 0;
}

#define NR_TURNS 5

/* CPU time of all children that have been waited for: what shares the machine does not add to it. */
static double children_ms(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

/* Milliseconds of one load while the command runs, or by itself. A load before that is there for the programs to be attached. */
static double load_ms(char **load, char **command, double (*clock_ms)(void))
{
	struct contestant contestant = { .command = command };
	double begin, deadline = deadline_ms();

	if (command) {
		contestant.base = last_program();
		contestant.pid = start(command);
		while (!runs_of(contestant.pid, contestant.base).count) {
			if (now_ms() > deadline || finish(start(load)))
				give_up("no program of the command has run");
		}
		pause_us(200000); /* until the rest is attached */
	}
	begin = clock_ms();
	if (finish(start(load)))
		give_up("the load failed");
	begin = clock_ms() - begin;
	if (command)
		stop(contestant.pid);
	return begin;
}

static int measure_under(char **load, double (*clock_ms)(void))
{
	char **a = after_dashes(load), **b = a ? after_dashes(a) : NULL;
	char **commands[] = { NULL, a, b };
	double least[3] = {};
	int nr = b ? 3 : 2;

	if (!a)
		return 2;
	enable_statistics();
	for (int turn = 0; turn < nr_turns(NR_TURNS); turn++) {
		for (int i = 0; i < nr; i++) {
			double ms = load_ms(load, commands[i], clock_ms);

			least[i] = turn && least[i] < ms ? least[i] : ms;
		}
	}
	printf("%.2f %.2f %.2f\n", least[0], least[1], least[nr - 1]);
	return 0;
}

static int measure_first(char **command)
{
	uint32_t base;
	double begin;
	pid_t child;

	enable_statistics();
	base = last_program();
	begin = now_ms();
	child = start(command);
	await_run(base, child);
	printf("%.2f\n", now_ms() - begin);
	stop(child);
	return 0;
}

static int measure_attached(char **command)
{
	double begin;
	char word[16];
	int ends[2];
	pid_t child;

	if (pipe(ends))
		give_up("pipe");
	snprintf(word, sizeof(word), "%d", ends[1]);
	setenv("STACKTOOL_READY_FD", word, 1);
	begin = now_ms();
	child = start(command);
	close(ends[1]);
	if (read(ends[0], word, 1) != 1)
		give_up("the command was not attached");
	printf("%.2f\n", now_ms() - begin);
	stop(child);
	return 0;
}

/* ---- memory ---- */

#define MAX_MAPS 256

struct memory {
	unsigned long root_kb, others_kb, maps_kb; /* peaks of the processes' resident memory */
	int nr_processes;
	unsigned long map_ids[MAX_MAPS];
	int nr_maps;
};

/* A map counts once, however many descriptors and processes hold it. */
static void add_map(void *context, const char *info)
{
	struct memory *memory = context;
	unsigned long id = value_in(info, "map_id");

	if (!id)
		return;
	for (int i = 0; i < memory->nr_maps; i++)
		if (memory->map_ids[i] == id)
			return;
	if (memory->nr_maps < MAX_MAPS)
		memory->map_ids[memory->nr_maps++] = id;
	memory->maps_kb += value_in(info, "memlock") / 1024;
}

static struct memory memory_of(pid_t root, bool with_maps)
{
	struct memory memory = {};
	DIR *directory = opendir("/proc");
	struct dirent *entry;
	char path[64];

	while (directory && (entry = readdir(directory))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		unsigned long peak;

		if (pid <= 0 || !belongs_to(pid, root))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/status", pid);
		peak = value_in(path, "VmHWM");
		*(pid == root ? &memory.root_kb : &memory.others_kb) += peak;
		memory.nr_processes += peak > 0;
		if (with_maps)
			each_descriptor(pid, add_map, &memory);
	}
	if (directory)
		closedir(directory);
	return memory;
}

/*
 * The sum of the peaks of all processes: for one process exactly its peak, for several never less than theirs together.
 * What the first process used last of all is in its resource usage.
 */
static int measure_memory(char **command)
{
	unsigned long root = 0, others = 0, maps = 0;
	int nr_processes = 0, tick = 0, status = 0;
	pid_t child = start(command);
	struct rusage usage = {};

	while (wait4(child, &status, WNOHANG, &usage) != child) {
		struct memory memory = memory_of(child, tick++ % 16 == 0);

		root = memory.root_kb > root ? memory.root_kb : root;
		others = memory.others_kb > others ? memory.others_kb : others;
		maps = memory.maps_kb > maps ? memory.maps_kb : maps;
		nr_processes = memory.nr_processes > nr_processes ? memory.nr_processes : nr_processes;
		pause_us(4000);
	}
	if (status)
		give_up("the command failed");
	root = (unsigned long)usage.ru_maxrss > root ? (unsigned long)usage.ru_maxrss : root;
	printf("%lu %d %lu\n", root + others, nr_processes, maps);
	return 0;
}

static int measure_time(char **command)
{
	double begin = now_ms();
	int status = finish(start(command));

	printf("%.2f\n", now_ms() - begin);
	return status != 0;
}

/* ---- statistics ---- */

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double quantile(double *values, size_t nr, double part)
{
	double at = part * (double)(nr - 1), below = floor(at);
	size_t i = (size_t)below;

	qsort(values, nr, sizeof(*values), compare);
	return i + 1 < nr ? values[i] + (values[i + 1] - values[i]) * (at - below) : values[i];
}

static int print_ratios(const char *path)
{
	static double left[1000], right[1000], ratios[1000];
	FILE *file = fopen(path, "re");
	size_t nr = 0;

	if (!file)
		return 1;
	while (nr < 1000 && fscanf(file, "%lf %lf", &left[nr], &right[nr]) == 2) {
		ratios[nr] = left[nr] / right[nr];
		nr++;
	}
	fclose(file);
	if (!nr)
		return 1;
	printf("%.6g %.6g %.3f %.3f %.3f %zu\n", quantile(left, nr, 0.5), quantile(right, nr, 0.5),
	       quantile(ratios, nr, 0.5), quantile(ratios, nr, 0.25), quantile(ratios, nr, 0.75), nr);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 3 && !strcmp(argv[1], "event"))
		return measure_event(argv + 2);
	if (argc > 3 && !strcmp(argv[1], "under"))
		return measure_under(argv + 2, now_ms);
	if (argc > 3 && !strcmp(argv[1], "cpu-under"))
		return measure_under(argv + 2, children_ms);
	if (argc > 2 && !strcmp(argv[1], "first"))
		return measure_first(argv + 2);
	if (argc > 2 && !strcmp(argv[1], "attached"))
		return measure_attached(argv + 2);
	if (argc > 2 && !strcmp(argv[1], "memory"))
		return measure_memory(argv + 2);
	if (argc > 2 && !strcmp(argv[1], "time"))
		return measure_time(argv + 2);
	if (argc == 3 && !strcmp(argv[1], "ratios"))
		return print_ratios(argv[2]);
	fprintf(stderr, "usage: measure event|under|cpu-under|first|attached|memory|time|ratios …\n");
	return 2;
}
