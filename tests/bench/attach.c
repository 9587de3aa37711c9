// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What attaching and detaching cost: of many places and of one, in turning order, by the code of the program itself.
 *
 *   attach MECHANISM PATTERN NR ROUNDS   MECHANISM is multi, kprobe, fentry (kernel functions) or uprobe. One line per round:
 *                                        milliseconds for NR places and for one, system calls for NR places and for one,
 *                                        milliseconds of detaching in the first
 *   attach wait                          does nothing until its input ends: somebody who has the file mapped
 *
 * Loading the first program is not part of it; with fentry each further place loads a copy, which is.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/host/host.h"
#include "core/naming/naming.h"
#include "core/resolve/probe_spec.h"
#include "core/resolve/resolve.h"
#include "core/session/attachment.h"
#include "symbolize/symbolize.h"

struct cost {
	double ms, detach_ms;
	uint64_t nr_calls;
};

__attribute__((noreturn)) static void give_up(const char *what)
{
	fprintf(stderr, "attach: %s%s%s\n", what, err_cause()[0] ? ": " : "", err_cause());
	exit(1);
}

static double now_ms(void)
{
	return (double)clock_monotonic_ns() / 1e6;
}

/* A counter of this thread's system calls, not yet running: everything is attached by one thread. */
static int count_calls(void)
{
	struct perf_event_attr attributes = {
		.size = sizeof(attributes),
		.type = PERF_TYPE_TRACEPOINT,
		.disabled = 1,
	};
	char path[256];
	char text[32];
	int fd;

	snprintf(path, sizeof(path), "%s/events/raw_syscalls/sys_enter/id", host_tracefs() ?: "");
	if (host_first_line(path, text, sizeof(text)))
		give_up("no tracepoint raw_syscalls:sys_enter");
	attributes.config = strtoull(text, NULL, 10);
	fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		give_up("system calls cannot be counted");
	return fd;
}

static struct cost measure(const struct plan *plan, struct attach_plan *attach, size_t nr)
{
	size_t all = attach->places.nr;
	_cleanup_(closep) int calls = count_calls();
	struct loaded *loaded;
	struct attachment *attachment;
	struct cost cost;

	attach->places.nr = nr;
	if (loaded_new(plan, attach, &loaded) || attachment_new(loaded, &attachment))
		give_up("cannot be loaded");
	ioctl(calls, PERF_EVENT_IOC_ENABLE, 0);
	cost.ms = now_ms();
	if (attachment_attach(attachment, plan))
		give_up("cannot be attached");
	if (attachment_nr_attached(attachment) * 10 < nr * 9)
		give_up("more than a tenth of the places were refused");
	cost.detach_ms = now_ms();
	attachment_detach(attachment);
	cost.detach_ms = now_ms() - cost.detach_ms;
	cost.ms = now_ms() - cost.ms;
	ioctl(calls, PERF_EVENT_IOC_DISABLE, 0);
	if (read(calls, &cost.nr_calls, sizeof(cost.nr_calls)) != sizeof(cost.nr_calls))
		give_up("system calls cannot be counted");
	attachment_free(attachment);
	loaded_free(loaded);
	attach->places.nr = all;
	return cost;
}

static void plan_mechanism(struct plan *plan, const char *mechanism)
{
	if (strcmp(mechanism, "uprobe") && attach_mode_parse(mechanism, &plan->attach_mode))
		give_up(mechanism);
	plan->applet = "count";
	plan->want_kernel = plan->want_user = true;
	plan->key_parts = KEY_TGID | KEY_COMM;
	plan->max_probes = UINT32_MAX;
}

static void rounds(const struct plan *plan, struct attach_plan *attach, size_t nr, unsigned long nr_rounds)
{
	struct cost many, one;

	if (attach->places.nr < nr)
		give_up("the pattern has fewer places");
	measure(plan, attach, 1); /* the first pays for what all share */
	for (unsigned long i = 0; i < nr_rounds; i++) {
		if (i % 2)
			one = measure(plan, attach, 1);
		many = measure(plan, attach, nr);
		if (!(i % 2))
			one = measure(plan, attach, 1);
		printf("%.3f %.3f %llu %llu %.3f\n", many.ms, one.ms, (unsigned long long)many.nr_calls,
		       (unsigned long long)one.nr_calls, many.detach_ms);
		fflush(stdout);
	}
}

static int wait_for_end(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}

int main(int argc, char **argv)
{
	struct attach_plan attach = {};
	struct symbolizer *symbolizer;
	struct plan plan;

	if (argc == 2 && !strcmp(argv[1], "wait"))
		return wait_for_end();
	if (argc != 5)
		return 2;
	plan_init(&plan);
	plan_mechanism(&plan, argv[1]);
	if (probe_spec_parse(argv[2], NULL, true, &plan.probe) ||
	    naming_start(&(struct naming){ .no_demangle = true }, &symbolizer) ||
	    resolve_plan(&plan, symbolizer, &attach))
		give_up(argv[2]);
	rounds(&plan, &attach, strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10));
	attach_plan_done(&attach);
	symbolizer_free(symbolizer);
	plan_done(&plan);
	return 0;
}
