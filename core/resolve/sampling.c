/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/resolve/sampling.h"

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
#include "core/host/host.h"
#include "core/host/privilege.h"

#define MAX_CLOCK_HZ 20000

/* What read() returns with PERF_FORMAT_TOTAL_TIME_ENABLED. */
struct event_values {
	uint64_t counter, enabled_ns;
};

struct sampled_cpu {
	int cpu;
	int fd;
	struct event_values values; /* last values read */
	uint64_t followed_enabled_ns; /* values.enabled_ns at the last sampling_follow_cpus() */
	uint64_t first_idle, last_idle; /* idle ticks of the CPU: when its sampling began, and now */
};

struct sampling {
	struct sampling_choice choice;
	int program_fd;
	cpu_list only; /* the plan's CPUs; empty: all */
	bool running;
	uint64_t gone_counter, gone_idle; /* of CPUs that went offline */
	uint64_t followed_ns; /* time of the last sampling_follow_cpus() */
	uint64_t unsampled_ns; /* since the last sampling_unsampled_ns() */
	VEC(struct sampled_cpu) cpus;
};

static const struct {
	uint32_t type;
	uint64_t config;
	bool is_clock;
} event_types[] = {
	[SAMPLE_CPU_CYCLES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false },
	[SAMPLE_CPU_CLOCK] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true },
	[SAMPLE_TASK_CLOCK] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true },
	[SAMPLE_INSTRUCTIONS] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false },
	[SAMPLE_CACHE_MISSES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, false },
	[SAMPLE_BRANCH_MISSES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, false },
	[SAMPLE_PAGE_FAULTS] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false },
	[SAMPLE_CONTEXT_SWITCHES] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, false },
};

static int open_event(const struct sampling_choice *choice, int cpu)
{
	struct perf_event_attr attributes = {
		.size = sizeof(attributes),
		.type = event_types[choice->event].type,
		.config = event_types[choice->event].config,
		.disabled = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
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

static bool is_in(const cpu_list *cpus, int cpu)
{
	for (size_t i = 0; i < cpus->nr; i++)
		if (cpus->data[i] == cpu)
			return true;
	return false;
}

/* The plan's CPUs, or all online CPUs. 0 or a recorded failure. */
static int planned_cpus(const struct plan *plan, cpu_list *ret_cpus)
{
	for (size_t i = 0; i < plan->cpus.nr; i++)
		if (!is_in(ret_cpus, (int)plan->cpus.data[i]))
			vec_push(ret_cpus, (int)plan->cpus.data[i]);
	return plan->cpus.nr ? 0 : host_online_cpus(ret_cpus);
}

static int not_allowed(const struct sampling_choice *choice, int err)
{
	long paranoid;

	if (privilege_is_kept_from_perf(&paranoid)) {
		fail_host(err,
			  "%s: the kernel refuses to sample: kernel.perf_event_paranoid is %ld, so it needs "
			  "CAP_SYS_ADMIN",
			  choice->name, paranoid);
		hint("run as root, or: sysctl kernel.perf_event_paranoid=2");
		return err;
	}
	fail_host(err, "%s: the kernel refuses to sample: CAP_PERFMON is missing", choice->name);
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
		hint("use -e cpu-clock, which works on every host");
		return err;
	}
	return fail(err, "event '%s' on CPU %d: cannot be opened: %s", choice->name, cpu, strerror(-err));
}

static void set_event(struct sampling_choice *choice, const struct plan *plan, enum sample_event event)
{
	choice->event = event;
	choice->name = sample_event_name(event);
	choice->is_clock = event_types[event].is_clock;
	choice->frequency_hz = plan->frequency_hz;
	choice->period = plan->period;
	if (choice->is_clock && !choice->period)
		choice->period = NSEC_PER_SEC / plan->frequency_hz;
	choice->tells_expected = choice->period || event_types[event].type == PERF_TYPE_HARDWARE;
}

static int check_frequency(const struct plan *plan)
{
	uint64_t highest = host_max_sample_rate();

	if (plan->period || !highest || plan->frequency_hz <= highest)
		return 0;
	fail_usage("argument -F: %llu Hertz: this kernel allows at most %llu", (unsigned long long)plan->frequency_hz,
		   (unsigned long long)highest);
	hint("sysctl kernel.perf_event_max_sample_rate raises the limit");
	return -EINVAL;
}

/*
 * The kernel lowers the rate of a counter whose interrupts take too long, but not that of a clock: its timer may expire every 10 us, and
 * then nothing else runs on that CPU, not even the end of the run.
 */
static int check_clock(const struct plan *plan, const struct sampling_choice *choice)
{
	if (!choice->is_clock || choice->period >= NSEC_PER_SEC / MAX_CLOCK_HZ)
		return 0;
	if (!plan->period)
		return fail_usage(
			"argument -F: %llu Hertz is too high for %s (the timer would use up the CPUs): give at most %u",
			(unsigned long long)plan->frequency_hz, choice->name, MAX_CLOCK_HZ);
	fail_usage("argument -c: a sample every %llu ns is too often for %s (the timer would use up "
		   "the CPUs): give at least %u",
		   (unsigned long long)plan->period, choice->name, (unsigned int)(NSEC_PER_SEC / MAX_CLOCK_HZ));
	if (choice->why[0])
		hint("-c counts nanoseconds here: %s", choice->why);
	return -EINVAL;
}

int sampling_choose(const struct plan *plan, struct sampling_choice *ret_choice)
{
	struct sampling_choice choice = {};
	cpu_list cpus = {};
	int cpu, fd, err = planned_cpus(plan, &cpus);
	uint64_t highest = host_max_sample_rate();

	cpu = err ? -1 : cpus.data[0];
	vec_done(&cpus);
	if (err)
		return err;
	set_event(&choice, plan, plan->event == SAMPLE_DEFAULT ? SAMPLE_CPU_CYCLES : plan->event);
	if (highest && choice.frequency_hz > highest)
		choice.frequency_hz = highest; /* only to try the event; check_frequency() refuses the frequency */
	fd = open_event(&choice, cpu);
	if (fd < 0 && plan->event == SAMPLE_DEFAULT && fd != -EACCES && fd != -EPERM && fd != -ENODEV) {
		set_event(&choice, plan, SAMPLE_CPU_CLOCK);
		snprintf(choice.why, sizeof(choice.why), "this host has no counter for cpu-cycles (%s)", strerror(-fd));
		fd = open_event(&choice, cpu);
	}
	if (fd < 0)
		return refused(&choice, cpu, fd);
	close(fd);
	*ret_choice = choice;
	return check_clock(plan, &choice) ?: check_frequency(plan);
}

static struct sampled_cpu *sampled_cpu(struct sampling *sampling, int cpu)
{
	for (size_t i = 0; i < sampling->cpus.nr; i++)
		if (sampling->cpus.data[i].cpu == cpu)
			return &sampling->cpus.data[i];
	return NULL;
}

/* "cpu3 user nice system idle iowait …" in ticks: proc(5). The kernel may decrease iowait; this sum does not decrease. */
static void note_idle(struct sampling *sampling, const char *line)
{
	unsigned long long idle, iowait;
	struct sampled_cpu *sampled;
	int cpu;

	if (sscanf(line, "cpu%d %*u %*u %*u %llu %llu", &cpu, &idle, &iowait) != 3)
		return;
	sampled = sampled_cpu(sampling, cpu);
	if (sampled && idle + iowait > sampled->last_idle)
		sampled->last_idle = idle + iowait;
}

static void read_idle(struct sampling *sampling)
{
	_cleanup_(fclosep) FILE *file = fopen("/proc/stat", "re");
	_cleanup_(freep) char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0 && strncmp(line, "cpu", 3) == 0)
		note_idle(sampling, line);
}

static void begin_idle(struct sampling *sampling, size_t first)
{
	if (first == sampling->cpus.nr)
		return;
	read_idle(sampling);
	for (size_t i = first; i < sampling->cpus.nr; i++)
		sampling->cpus.data[i].first_idle = sampling->cpus.data[i].last_idle;
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

		if (err && err != -ENODEV) /* -ENODEV: it just went offline */
			return refused(&sampling->choice, cpus->data[i], err);
	}
	return sampling->cpus.nr ? 0 : fail_host(-ENODEV, "no CPU could be sampled");
}

int sampling_new(const struct plan *plan, const struct sampling_choice *choice, int program_fd,
		 struct sampling **ret_sampling)
{
	struct sampling *sampling = xcalloc(1, sizeof(*sampling));
	cpu_list cpus = {};
	int err;

	*sampling = (struct sampling){ .choice = *choice, .program_fd = program_fd };
	for (size_t i = 0; i < plan->cpus.nr; i++)
		vec_push(&sampling->only, (int)plan->cpus.data[i]);
	err = planned_cpus(plan, &cpus) ?: attach_all(sampling, &cpus);
	vec_done(&cpus);
	if (err)
		sampling_free(sampling);
	else
		*ret_sampling = sampling;
	return err;
}

void sampling_free(struct sampling *sampling)
{
	if (!sampling)
		return;
	for (size_t i = 0; i < sampling->cpus.nr; i++)
		closep(&sampling->cpus.data[i].fd);
	vec_done(&sampling->cpus);
	vec_done(&sampling->only);
	free(sampling);
}

static int for_each_event(struct sampling *sampling, unsigned long request)
{
	for (size_t i = 0; i < sampling->cpus.nr; i++)
		if (ioctl(sampling->cpus.data[i].fd, request, 0))
			return -errno;
	return 0;
}

int sampling_start(struct sampling *sampling)
{
	int err;

	begin_idle(sampling, 0);
	err = for_each_event(sampling, PERF_EVENT_IOC_ENABLE);
	sampling->running = true;
	sampling->followed_ns = clock_monotonic_ns();
	return err ? fail(err, "event '%s': cannot start: %s", sampling->choice.name, strerror(-err)) : 0;
}

/* Keeps the last values if the event of an offline CPU cannot be read. */
static void read_event(struct sampled_cpu *sampled)
{
	struct event_values values;

	if (read(sampled->fd, &values, sizeof(values)) == sizeof(values))
		sampled->values = values;
}

/* An offlined CPU's event never works again: its enabled time stops (list_del_event()), unlike that of an event that counts nothing. */
static bool is_dead(struct sampled_cpu *sampled, const cpu_list *online)
{
	uint64_t before = sampled->followed_enabled_ns;

	read_event(sampled);
	sampled->followed_enabled_ns = sampled->values.enabled_ns;
	return sampled->values.enabled_ns == before || !is_in(online, sampled->cpu);
}

static void drop_dead(struct sampling *sampling, const cpu_list *online)
{
	size_t nr = 0;

	for (size_t i = 0; i < sampling->cpus.nr; i++) {
		struct sampled_cpu *sampled = &sampling->cpus.data[i];

		if (!is_dead(sampled, online)) {
			sampling->cpus.data[nr++] = *sampled;
			continue;
		}
		sampling->gone_counter += sampled->values.counter;
		sampling->gone_idle += sampled->last_idle - sampled->first_idle;
		closep(&sampled->fd);
	}
	sampling->cpus.nr = nr;
}

/* Adds `time_ns` to the unsampled time for each CPU that is online and not sampled; `attach`: starts to sample it. */
static void note_unsampled(struct sampling *sampling, const cpu_list *online, uint64_t time_ns, bool attach)
{
	size_t nr_before = sampling->cpus.nr;

	for (size_t i = 0; i < online->nr; i++) {
		int cpu = online->data[i];

		if (sampled_cpu(sampling, cpu) || (sampling->only.nr && !is_in(&sampling->only, cpu)))
			continue;
		sampling->unsampled_ns += time_ns;
		if (attach)
			attach_cpu(sampling, cpu);
	}
	begin_idle(sampling, nr_before);
}

static void look_at_cpus(struct sampling *sampling, bool attach)
{
	uint64_t now = clock_monotonic_ns();
	cpu_list online = {};

	if (sampling->running && host_tells_online_cpus(&online)) {
		drop_dead(sampling, &online);
		note_unsampled(sampling, &online, now - sampling->followed_ns, attach);
		sampling->followed_ns = now;
	}
	vec_done(&online);
}

void sampling_follow_cpus(struct sampling *sampling)
{
	look_at_cpus(sampling, true);
}

void sampling_stop(struct sampling *sampling)
{
	look_at_cpus(sampling, false);
	for_each_event(sampling, PERF_EVENT_IOC_DISABLE);
	sampling->running = false;
}

uint64_t sampling_unsampled_ns(struct sampling *sampling)
{
	uint64_t time_ns = sampling->unsampled_ns;

	sampling->unsampled_ns = 0;
	return time_ns;
}

uint64_t sampling_counter(struct sampling *sampling)
{
	uint64_t sum = sampling->gone_counter;

	for (size_t i = 0; i < sampling->cpus.nr; i++) {
		read_event(&sampling->cpus.data[i]);
		sum += sampling->cpus.data[i].values.counter;
	}
	return sum;
}

uint64_t sampling_idle_ns(struct sampling *sampling)
{
	uint64_t ticks = sampling->gone_idle;

	read_idle(sampling);
	for (size_t i = 0; i < sampling->cpus.nr; i++)
		ticks += sampling->cpus.data[i].last_idle - sampling->cpus.data[i].first_idle;
	return ticks * (NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK));
}

size_t sampling_nr_cpus(const struct sampling *sampling)
{
	return sampling->cpus.nr;
}
