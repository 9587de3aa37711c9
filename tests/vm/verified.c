// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads every program of the object on the running kernel, each alone and with everything switched on that costs
 * instructions, and prints what the verifier counted; then with the walk by frame pointers, which is the other one. A
 * program that a kernel must refuse (uprobe.multi before 6.6) is named as such in the list of expectations;
 * tests/vm/accept-verified writes that list.
 *
 *   verified [LIST]   lines "5.10 on_sample 5432" or "5.10 on_uprobe_multi refused"
 *
 * Fails when a program is over the ceiling, has grown by a tenth, is refused unexpectedly, or is not in the list.
 */
#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "bpf/abi.h"
#include "core/host/host.h"
#include "core/session/preempt_count.h"
#include "stacktool.skel.h"

#define CEILING 40000
#define REFUSED 0
#define UNKNOWN -1

static char verifier_log[1 << 23];

static int quiet(enum libbpf_print_level level, const char *format, va_list arguments)
{
	return getenv("VERBOSE") ? vfprintf(stderr, format, arguments) : 0;
}

/* What a host allows, best first; lockdown=confidentiality forbids bpf_probe_read_*(). */
struct access {
	enum task_access task;
	__u8 read_user;
	const char *name;
	__u8 unwind; /* enum st_unwind_mode */
	__u8 python; /* enum st_python_mode */
	__u8 slow; /* what happens inside calls is kept */
};

static const struct access accesses[] = {
	{ TASK_ACCESS_PROBE_READ, 1, "probe read", ST_UNWIND_AUTO, ST_PYTHON_LATER },
	{ TASK_ACCESS_BTF, 0, "btf, user memory closed" },
	{ TASK_ACCESS_NONE, 0, "none" },
};

/* --unwind=fp: other functions walk then, and before 6.8 the verifier looks at those of both. */
static const struct access by_frames = { TASK_ACCESS_PROBE_READ, 1, "probe read, frame pointers", ST_UNWIND_OFF };

/* Where there is an interpreter, the programs that take user stacks walk its frames too. */
static const struct access with_interpreters = { TASK_ACCESS_PROBE_READ, 1, "probe read, interpreters", ST_UNWIND_AUTO,
						 ST_PYTHON_WALK };

static const struct access inside_calls = {
	TASK_ACCESS_PROBE_READ, 1, "probe read, inside calls", ST_UNWIND_AUTO, 0, 1
};

static bool walks_interpreters(const char *name)
{
	static const char *const others[] = { "on_birth",       "on_call", "on_fork",       "on_free",
					      "on_slow_wakeup", "on_task", "on_wall_wakeup" };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strncmp(name, others[i], strlen(others[i])))
			return false;
	return true;
}

static void switch_everything_on(struct st_config *config, const struct access *access)
{
	config->pidns_device = 1;
	config->pidns_inode = 1;
	config->sample_period_ns = 10000000;
	config->key_parts = ~0U;
	config->task_access = access->task;
	config->task_filter = ST_FILTER_TGID;
	config->follow_children = 1;
	config->follows_walls = 1;
	config->latency = 1;
	config->wall_budget = 1;
	config->nr_cpus = 256;
	config->use_cpus = 1;
	config->want_kernel = 1;
	config->want_user = 1;
	config->use_cgroup_map = 1;
	config->use_mntns_map = 1;
	config->filter_pidns = access->task != TASK_ACCESS_NONE;
	config->pidns_level = access->task == TASK_ACCESS_PROBE_READ; /* deeper by dereference: not before v6.5 */
	config->read_user = access->read_user;
	config->unwind = access->unwind;
	config->copies = access->unwind != ST_UNWIND_OFF;
	config->python = access->python;
	config->walks = config->walks_python = config->walks_php = access->python == ST_PYTHON_WALK;
	config->walk_frames = access->read_user;
	config->filters = st_has_filters(config);
}

static void switch_scheduler_on(struct st_offcpu_config *config)
{
	config->max_ns = ~0ULL;
	config->begun_ns = 1;
	config->measure = MEASURE_OFF_WAKE;
	config->part = PART_RUNQUEUE;
	config->thread_filter = THREADS_USER;
	config->state_filter = STATES_LETTERS;
	config->by_duration = 1;
	config->states = ~0U;
}

/* The verifier's count, or REFUSED. */
static long load_one(const char *name, const struct access *access)
{
	struct stacktool *object = stacktool__open();
	struct bpf_program *program;
	long count = REFUSED;
	uint32_t variable;
	char *line;

	if (!object)
		return REFUSED;
	switch_everything_on(&object->rodata->st_config, access);
	switch_scheduler_on(&object->rodata->st_offcpu);
	object->rodata->st_calls_config.limit_ns = access->slow || !strncmp(name, "on_slow", strlen("on_slow"));
	object->rodata->st_calls_config.in_user_code = 1;
	bpf_object__for_each_program(program, object->obj)
		bpf_program__set_autoload(program, !strcmp(bpf_program__name(program), name));
	program = bpf_object__find_program_by_name(object->obj, name);
	if (strstr(bpf_program__section_name(program), "fentry") || strstr(bpf_program__section_name(program), "fexit"))
		bpf_program__set_attach_target(program, 0, "vfs_read");
	if ((!strcmp(name, "on_waking") || !strcmp(name, "on_lock_waking")) && host_tells_interrupts(&variable) &&
	    variable)
		preempt_count_name(program, variable);
	verifier_log[0] = '\0';
	bpf_program__set_log_buf(program, verifier_log, sizeof(verifier_log));
	bpf_program__set_log_level(program, getenv("VERBOSE") ? 5 : 4); /* statistics only */
	if (!stacktool__load(object)) {
		/*
		 * The count includes the global subprograms. 7.x has a line before that starts with "insns processed".
		 */
		line = strstr(verifier_log, "\nprocessed ");
		count = line ? strtol(line + strlen("\nprocessed "), NULL, 10) : REFUSED;
	}
	stacktool__destroy(object);
	return count;
}

/* With the best access that it loads with. */
static long load_best(const char *name, const struct access **ret_access)
{
	long count = REFUSED;

	for (size_t i = 0; count == REFUSED && i < sizeof(accesses) / sizeof(*accesses); i++) {
		count = load_one(name, &accesses[i]);
		*ret_access = &accesses[i];
	}
	return count;
}

/* Some programs come in two (core/session/attach.c): where none may read memory, the one by type is taken. */
static bool has_substitute(const struct stacktool *object, const char *name)
{
	char by_type[64];
	const struct access *access;

	snprintf(by_type, sizeof(by_type), "%s_by_type", name);
	return bpf_object__find_program_by_name(object->obj, by_type) && load_best(by_type, &access) != REFUSED;
}

/*
 * What reads another task than the current one has no other way: the iterator, and wall's ids of a new thread. Under
 * lockdown=confidentiality they are refused, and doctor says so of the iterator, which wall needs as well.
 */
static bool is_forbidden(const char *name)
{
	return (!strcmp(name, "on_task") || !strcmp(name, "on_wall_wakeup_new")) &&
	       load_one("on_sample", &accesses[0]) == REFUSED;
}

static long expected(const char *list, const char *kernel, const char *name)
{
	char line_kernel[32], line_name[64], value[32];
	long result = UNKNOWN;
	FILE *file = fopen(list, "r");

	if (!file)
		return UNKNOWN;
	while (fscanf(file, "%31s %63s %31s", line_kernel, line_name, value) == 3)
		if (!strcmp(line_kernel, kernel) && !strcmp(line_name, name))
			result = strcmp(value, "refused") ? strtol(value, NULL, 10) : REFUSED;
	fclose(file);
	return result;
}

/* What the verifier said last. */
static const char *tail_of(const char *log)
{
	size_t nr = strlen(log);

	return log + (nr > 4000 ? nr - 4000 : 0);
}

/* lockdown=confidentiality: `slow` does not run there. */
static bool is_confidential(void)
{
	char words[4096] = "";
	FILE *file = fopen("/proc/cmdline", "r");

	if (file && !fgets(words, sizeof(words), file))
		words[0] = '\0';
	if (file)
		fclose(file);
	return strstr(words, "lockdown=confidentiality");
}

static int judge(const char *name, const struct access *access, long count, long before)
{
	long walking = walks_interpreters(name) && access == &accesses[0] && count != REFUSED
			       ? load_one(name, &with_interpreters)
			       : UNKNOWN;
	bool walks_frames = count != REFUSED && access->read_user; /* as core/session/load_config.c has it */

	if (walking == REFUSED)
		return printf("not ok: %s was refused with frames of interpreters:\n%s\n", name, tail_of(verifier_log)),
		       1;
	if (walking != UNKNOWN)
		printf("with frames of interpreters: %s %ld\n", name, walking);
	if (count != REFUSED && !is_confidential() && !strncmp(name, "on_call", strlen("on_call"))) {
		long slow = load_one(name, &inside_calls);

		if (slow == REFUSED)
			return printf("not ok: %s was refused with what happens inside calls:\n%s\n", name,
				      tail_of(verifier_log)),
			       1;
		printf("inside calls: %s %ld\n", name, slow);
	}
	if (before != REFUSED && walks_frames && load_one(name, &by_frames) == REFUSED)
		return printf("not ok: %s was refused with frame pointers:\n%s\n", name, tail_of(verifier_log)), 1;
	if (before == UNKNOWN)
		return printf("not ok: %s is not in the list: tests/vm/accept-verified\n", name), 1;
	if (count == REFUSED && before != REFUSED)
		return printf("not ok: %s was refused:\n%s\n", name, tail_of(verifier_log)), 1;
	if (count > CEILING)
		return printf("not ok: %s is over the ceiling of %d\n", name, CEILING), 1;
	if (before != REFUSED && count * 10 > before * 11)
		return printf("not ok: %s has grown by more than a tenth, from %ld\n", name, before), 1;
	return 0;
}

int main(int argc, char **argv)
{
	const char *list = argc > 1 ? argv[1] : "/tests/verified-instructions";
	struct stacktool *object;
	struct bpf_program *program;
	struct utsname host;
	char kernel[32];
	int failures = 0, major = 0, minor = 0;

	libbpf_set_print(quiet);
	uname(&host);
	if (sscanf(host.release, "%d.%d", &major, &minor) != 2)
		return 1;
	snprintf(kernel, sizeof(kernel), "%d.%d", major, minor);
	object = stacktool__open();
	if (!object) {
		perror("open");
		return 1;
	}
	bpf_object__for_each_program(program, object->obj)
	{
		const char *name = bpf_program__name(program);
		const struct access *access;
		long count = load_best(name, &access);

		if (count == REFUSED)
			printf("verified %s %s refused\n", kernel, name);
		else
			printf("verified %s %s %ld (task access: %s)\n", kernel, name, count, access->name);
		if (count != REFUSED || (!has_substitute(object, name) && !is_forbidden(name)))
			failures += judge(name, access, count, expected(list, kernel, name));
	}
	stacktool__destroy(object);
	return failures != 0;
}
