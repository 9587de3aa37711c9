/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/words.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/host/privilege.h"

void run_say(const struct plan *plan, const char *format, ...)
{
	_cleanup_(buf_done) struct buf line = {};
	va_list arguments;

	va_start(arguments, format);
	buf_vaddf(&line, format, arguments);
	va_end(arguments);
	fprintf(stderr, "stacktool %s: %s\n", plan->applet, buf_text(&line));
}

void run_say_lines(const struct plan *plan, const char *lines)
{
	while (*lines) {
		size_t length = strcspn(lines, "\n");

		run_say(plan, "%.*s", (int)length, lines);
		lines += length + (lines[length] != '\0');
	}
}

int run_require_targets(const struct plan *plan)
{
	_cleanup_(buf_done) struct buf missing = {};
	int err = process_require(plan->tgids.data, plan->tgids.nr, plan->tids.data, plan->tids.nr, &missing);

	if (!err)
		run_say_lines(plan, buf_text(&missing));
	return err;
}

void run_say_gone(const struct plan *plan)
{
	if (plan->tgids.nr == 1)
		run_say(plan, "process %u has ended", plan->tgids.data[0]);
	else if (plan->tids.nr == 1)
		run_say(plan, "thread %u has ended", plan->tids.data[0]);
	else
		run_say(plan, "all %zu targets have ended", plan->tgids.nr + plan->tids.nr);
}

static uint32_t target(const struct plan *plan, size_t index)
{
	return index < plan->tgids.nr ? plan->tgids.data[index] : plan->tids.data[index - plan->tgids.nr];
}

void run_say_some_gone(const struct plan *plan, struct process_watch *watch)
{
	size_t nr = plan->tgids.nr + plan->tids.nr, nr_ended = 0, nr_said = 0;
	bool threads = !plan->tgids.nr;

	process_watch_left(watch);
	for (size_t i = 0; i < nr; i++)
		nr_ended += process_watch_has_ended(watch, i);
	if (!nr_ended)
		return;
	fprintf(stderr, "NOTE: ");
	if (nr_ended == 1)
		fprintf(stderr, "%s", threads ? "thread" : "process");
	else
		fprintf(stderr, "%zu %s:", nr_ended, threads ? "threads" : "processes");
	for (size_t i = 0; i < nr; i++)
		if (process_watch_has_ended(watch, i))
			fprintf(stderr, "%s %u", nr_said++ ? "," : "", target(plan, i));
	fprintf(stderr, " ended before the run did\n");
}

bool run_say_leaderless(const struct attach_plan *attach)
{
	uint32_t tgid = (uint32_t)attach->only_process;

	if (!tgid || attach->mechanism != MECHANISM_UPROBE || process_living_task(tgid) == tgid)
		return false;
	fprintf(stderr,
		"WARNING: the main thread of process %u ended, so the kernel removed the probes from the process: "
		"later events are not counted\n",
		tgid);
	return true;
}

/* What hangs does not come back onto a CPU, and a service that a command calls is none of its children. */
void run_say_empty(const struct plan *plan, uint32_t command_tgid)
{
	const char *why = plan->tgids.nr == 1 ? plan->probe.kind->nothing : NULL;

	if (command_tgid) {
		run_say(plan, "nothing recorded for process %u%s", command_tgid,
			plan->follow_children ? " and its children" : " itself (--no-children)");
	} else if (plan->probe.kind->is_timer && !plan->tgids.nr && !plan->tids.nr && !plan->include_idle) {
		run_say(plan, "no sample matched; -I includes idle CPUs, offcputime shows blocked threads");
	} else if (why) {
		uint32_t tgid = plan->tgids.data[0];
		char advice[80] = "";

		if (!process_exists(tgid))
			snprintf(advice, sizeof(advice), "; to see where it waits: /proc/%u/task/*/stack", tgid);
		err_clear();
		run_say(plan, "nothing recorded for process %u: %s%s", tgid, why, advice);
	}
}

void run_say_attached(void)
{
	const char *text = getenv("STACKTOOL_READY_FD");
	long fd = text ? strtol(text, NULL, 10) : -1;

	if (fd > 2 && fd < INT_MAX && write((int)fd, "attached\n", 9) == 9)
		close((int)fd);
}

void run_say_privileges(const struct plan *plan)
{
	_cleanup_(buf_done) struct buf kept = {};

	privilege_describe(&kept);
	run_say_lines(plan, buf_text(&kept));
}
