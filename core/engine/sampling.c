/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/sampling.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/engine/host.h"
#include "core/engine/privilege.h"

#define MAX_CLOCK_HZ 20000

struct sampled_cpu {
	int cpu;
	int fd; /* -1: the CPU went away; its samples so far stay in `gone` */
	uint64_t counter; /* when CPUs were last followed */
};

struct sampling {
	struct sampling_choice choice;
	int program_fd;
	int only_cpu;
	bool running;
	uint64_t gone; /* counters of events that were closed */
	uint64_t followed_ns;
	uint64_t nr_missing; /* samples of CPUs that could not be followed */
	VEC(struct sampled_cpu) cpus;
};

static const struct event_type {
	enum sample_event event;
	uint32_t type;
	uint64_t config;
	bool is_clock;
} event_types[] = {
	{ SAMPLE_CPU_CYCLES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false },
	{ SAMPLE_CPU_CLOCK, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true },
	{ SAMPLE_TASK_CLOCK, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true },
	{ SAMPLE_INSTRUCTIONS, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false },
	{ SAMPLE_CACHE_MISSES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, false },
	{ SAMPLE_BRANCH_MISSES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, false },
	{ SAMPLE_PAGE_FAULTS, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false },
	{ SAMPLE_CONTEXT_SWITCHES, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, false },
};

static const struct event_type *event_type(enum sample_event event)
{
	for (size_t i = 0; i < sizeof(event_types) / sizeof(event_types[0]); i++)
		if (event_types[i].event == event)
			return &event_types[i];
	return NULL;
}

static int open_event(const struct sampling_choice *choice, int cpu)
{
	const struct event_type *type = event_type(choice->event);
	struct perf_event_attr attributes = {
		.size = sizeof(attributes),
		.type = type->type,
		.config = type->config,
		.disabled = 1,
	};
	int fd;

	if (choice->period) {
		attributes.sample_period = choice->period;
	} else {
		attributes.freq = 1;
		attributes.sample_freq = choice->frequency_hz;
	}
	fd = (int)syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int first_cpu(const struct plan *plan, int *ret_cpu)
{
	cpu_list cpus = {};
	int err = 0;

	*ret_cpu = plan->cpu;
	if (plan->cpu < 0) {
		err = host_online_cpus(&cpus);
		if (!err)
			*ret_cpu = cpus.data[0];
	}
	vec_done(&cpus);
	return err;
}

static int not_allowed(const struct sampling_choice *choice, int err)
{
	long paranoid;

	if (privilege_is_kept_from_perf(&paranoid)) {
		fail_host(
			err,
			"%s: the kernel does not let us sample: kernel.perf_event_paranoid is %ld, which takes CAP_SYS_ADMIN",
			choice->name, paranoid);
		hint("run as root, or: sysctl kernel.perf_event_paranoid=2");
		return err;
	}
	fail_host(err, "%s: the kernel does not let us sample: CAP_PERFMON is missing", choice->name);
	hint("run as root; a seccomp filter or security module may also forbid it");
	return err;
}

static int refused(const struct sampling_choice *choice, int cpu, int err)
{
	if (err == -EACCES || err == -EPERM)
		return not_allowed(choice, err);
	if (err == -ENODEV || err == -ENXIO)
		return fail(err, "CPU %d: not online", cpu);
	if (err == -ENOENT || err == -EOPNOTSUPP) {
		fail_host(err, "event '%s': this host has no such counter", choice->name);
		hint("cpu-clock works everywhere: -e cpu-clock");
		return err;
	}
	return fail(err, "event '%s' on CPU %d: cannot open: %s", choice->name, cpu, strerror(-err));
}

static void set_event(struct sampling_choice *choice, const struct plan *plan, enum sample_event event)
{
	choice->event = event;
	choice->name = sample_event_name(event);
	choice->is_clock = event_type(event)->is_clock;
	choice->frequency_hz = plan->frequency_hz;
	choice->period = plan->period;
	if (choice->is_clock && !choice->period)
		choice->period = NSEC_PER_SEC / plan->frequency_hz;
	choice->tells_expected = choice->period || event_type(event)->type == PERF_TYPE_HARDWARE;
}

static int check_frequency(const struct plan *plan)
{
	uint64_t highest = host_max_sample_rate();

	if (plan->period || !highest || plan->frequency_hz <= highest)
		return 0;
	fail_usage("argument -F: %llu Hertz is more than this kernel allows: at most %llu",
		   (unsigned long long)plan->frequency_hz, (unsigned long long)highest);
	hint("sysctl kernel.perf_event_max_sample_rate raises the limit");
	return -EINVAL;
}

/*
 * The kernel lowers the rate of a counter that takes too long, but not that of a clock: its timer goes off every 10 us if
 * need be, and then nothing else runs on that CPU, the end of the run included.
 */
static int check_clock(const struct plan *plan, const struct sampling_choice *choice)
{
	if (!choice->is_clock || choice->period >= NSEC_PER_SEC / MAX_CLOCK_HZ)
		return 0;
	if (!plan->period)
		return fail_usage("argument -F: %llu Hertz by %s would leave the CPUs to the timer: at most %u",
				  (unsigned long long)plan->frequency_hz, choice->name, MAX_CLOCK_HZ);
	fail_usage("argument -c: a sample every %llu ns by %s would leave the CPUs to the timer: at least %u",
		   (unsigned long long)plan->period, choice->name, (unsigned int)(NSEC_PER_SEC / MAX_CLOCK_HZ));
	if (choice->why[0])
		hint("what -c counts are nanoseconds: %s", choice->why);
	return -EINVAL;
}

int sampling_choose(const struct plan *plan, struct sampling_choice *ret_choice)
{
	struct sampling_choice choice = {};
	int cpu, fd, err;

	err = check_frequency(plan);
	if (!err)
		err = first_cpu(plan, &cpu);
	if (err)
		return err;
	set_event(&choice, plan, plan->event == SAMPLE_DEFAULT ? SAMPLE_CPU_CYCLES : plan->event);
	fd = open_event(&choice, cpu);
	if (fd < 0 && plan->event == SAMPLE_DEFAULT && fd != -EACCES && fd != -EPERM && fd != -ENODEV) {
		set_event(&choice, plan, SAMPLE_CPU_CLOCK);
		snprintf(choice.why, sizeof(choice.why), "this host has no counter for cpu-cycles (%s)", strerror(-fd));
		fd = open_event(&choice, cpu);
	}
	if (fd < 0)
		return refused(&choice, cpu, fd);
	close(fd);
	err = check_clock(plan, &choice);
	if (err)
		return err;
	*ret_choice = choice;
	return 0;
}

static int attach_cpu(struct sampling *sampling, int cpu)
{
	_cleanup_(closep) int fd = open_event(&sampling->choice, cpu);

	if (fd < 0)
		return fd;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, sampling->program_fd))
		return -errno;
	if (sampling->running && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	vec_push(&sampling->cpus, (struct sampled_cpu){ .cpu = cpu, .fd = take_fd(&fd) });
	return 0;
}

static int attach_all(struct sampling *sampling, const cpu_list *cpus)
{
	for (size_t i = 0; i < cpus->nr; i++) {
		int err = attach_cpu(sampling, cpus->data[i]);

		if (err == -ENODEV) /* went offline just now */
			continue;
		if (err)
			return refused(&sampling->choice, cpus->data[i], err);
	}
	return sampling->cpus.nr ? 0 : fail_host(-ENODEV, "no CPU could be sampled");
}

int sampling_new(const struct plan *plan, const struct sampling_choice *choice, int program_fd,
		 struct sampling **ret_sampling)
{
	struct sampling *sampling = xcalloc(1, sizeof(*sampling));
	cpu_list cpus = {};
	int err = 0;

	sampling->choice = *choice;
	sampling->program_fd = program_fd;
	sampling->only_cpu = plan->cpu;
	if (plan->cpu >= 0)
		vec_push(&cpus, plan->cpu);
	else
		err = host_online_cpus(&cpus);
	if (!err)
		err = attach_all(sampling, &cpus);
	vec_done(&cpus);
	if (err) {
		sampling_free(sampling);
		return err;
	}
	*ret_sampling = sampling;
	return 0;
}

void sampling_free(struct sampling *sampling)
{
	if (!sampling)
		return;
	for (size_t i = 0; i < sampling->cpus.nr; i++)
		closep(&sampling->cpus.data[i].fd);
	vec_done(&sampling->cpus);
	free(sampling);
}

static int for_each_event(struct sampling *sampling, unsigned long request)
{
	for (size_t i = 0; i < sampling->cpus.nr; i++)
		if (sampling->cpus.data[i].fd >= 0 && ioctl(sampling->cpus.data[i].fd, request, 0))
			return -errno;
	return 0;
}

int sampling_start(struct sampling *sampling)
{
	int err = for_each_event(sampling, PERF_EVENT_IOC_ENABLE);

	sampling->running = true;
	return err ? fail(err, "event '%s': cannot start: %s", sampling->choice.name, strerror(-err)) : 0;
}

void sampling_stop(struct sampling *sampling)
{
	for_each_event(sampling, PERF_EVENT_IOC_DISABLE);
	sampling->running = false;
}

static uint64_t read_counter(int fd)
{
	uint64_t value = 0;

	return fd >= 0 && read(fd, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

static bool is_in(const cpu_list *cpus, int cpu)
{
	for (size_t i = 0; i < cpus->nr; i++)
		if (cpus->data[i] == cpu)
			return true;
	return false;
}

static void drop_event(struct sampling *sampling, struct sampled_cpu *sampled)
{
	sampling->gone += read_counter(sampled->fd);
	closep(&sampled->fd);
	sampled->fd = -1;
}

/* The event of a CPU that went offline is gone for good, so its counter is kept and the descriptor closed. */
static void drop_dead(struct sampling *sampling, const cpu_list *online)
{
	for (size_t i = 0; i < sampling->cpus.nr; i++) {
		struct sampled_cpu *sampled = &sampling->cpus.data[i];
		uint64_t counter = read_counter(sampled->fd);
		bool stands_still = sampling->choice.is_clock && counter && counter == sampled->counter;

		if (sampled->fd >= 0 && (stands_still || !is_in(online, sampled->cpu)))
			drop_event(sampling, sampled);
		sampled->counter = counter;
	}
}

static bool is_sampled(const struct sampling *sampling, int cpu)
{
	for (size_t i = 0; i < sampling->cpus.nr; i++)
		if (sampling->cpus.data[i].cpu == cpu && sampling->cpus.data[i].fd >= 0)
			return true;
	return false;
}

/* How many samples one CPU should have had since CPUs were last followed. */
static uint64_t samples_since(const struct sampling *sampling, uint64_t now)
{
	uint64_t period_ns = sampling->choice.is_clock ? sampling->choice.period
						       : NSEC_PER_SEC / sampling->choice.frequency_hz;

	return sampling->followed_ns && period_ns ? (now - sampling->followed_ns) / period_ns : 0;
}

void sampling_follow_cpus(struct sampling *sampling)
{
	uint64_t now = clock_monotonic_ns();
	cpu_list online = {};

	if (sampling->only_cpu < 0 && sampling->running && host_tells_online_cpus(&online)) {
		drop_dead(sampling, &online);
		for (size_t i = 0; i < online.nr; i++)
			if (!is_sampled(sampling, online.data[i]) && attach_cpu(sampling, online.data[i]))
				sampling->nr_missing += samples_since(sampling, now);
	}
	sampling->followed_ns = now;
	vec_done(&online);
}

uint64_t sampling_unfollowed(struct sampling *sampling)
{
	uint64_t nr = sampling->nr_missing;

	sampling->nr_missing = 0;
	return nr;
}

uint64_t sampling_counter(const struct sampling *sampling)
{
	uint64_t sum = sampling->gone;

	for (size_t i = 0; i < sampling->cpus.nr; i++)
		sum += read_counter(sampling->cpus.data[i].fd);
	return sum;
}

/* "cpu3 user nice system idle iowait …", in ticks: proc(5). */
static uint64_t idle_ticks(const struct sampling *sampling, const char *line)
{
	unsigned long long idle, iowait;
	int cpu;

	if (sscanf(line, "cpu%d %*u %*u %*u %llu %llu", &cpu, &idle, &iowait) != 3 || !is_sampled(sampling, cpu))
		return 0;
	return idle + iowait;
}

uint64_t sampling_idle_ns(const struct sampling *sampling)
{
	_cleanup_(fclosep) FILE *file = fopen("/proc/stat", "re");
	_cleanup_(freep) char *line = NULL;
	uint64_t ticks = 0;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0 && strncmp(line, "cpu", 3) == 0)
		ticks += idle_ticks(sampling, line);
	return ticks * (NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK));
}

size_t sampling_nr_cpus(const struct sampling *sampling)
{
	size_t nr = 0;

	for (size_t i = 0; i < sampling->cpus.nr; i++)
		nr += sampling->cpus.data[i].fd >= 0;
	return nr;
}
