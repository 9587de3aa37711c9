/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/words.h"

#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/called.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/escape.h"
#include "core/host/privilege.h"
#include "core/profile/redact.h"
#include "core/session/attachment.h"
#include "core/session/collect.h"
#include "core/spaces/spaces.h"

void run_say(const char *format, ...)
{
	_cleanup_(buf_done) struct buf line = {};
	va_list arguments;

	va_start(arguments, format);
	buf_vaddf(&line, format, arguments);
	va_end(arguments);
	fprintf(stderr, "%s: %s\n", called(), buf_text(&line));
}

bool run_takes_line(int fd)
{
	struct pollfd polled = { .fd = fd, .events = POLLOUT };

	return poll(&polled, 1, 0) != 0;
}

void run_say_lines(const char *lines)
{
	while (*lines) {
		size_t length = strcspn(lines, "\n");

		run_say("%.*s", (int)length, lines);
		lines += length + (lines[length] != '\0');
	}
}

int run_require_targets(const struct plan *plan)
{
	_cleanup_(buf_done) struct buf missing = {};
	int err = process_require(plan->tgids.data, plan->tgids.nr, plan->tids.data, plan->tids.nr, &missing);

	if (!err)
		run_say_lines(buf_text(&missing));
	else if (plan->has_process_names)
		hint("-p found it by its name; it has ended since");
	return err;
}

void run_say_gone(const struct plan *plan)
{
	if (plan->tgids.nr == 1)
		run_say("process %u has ended", plan->tgids.data[0]);
	else if (plan->tids.nr == 1)
		run_say("thread %u has ended", plan->tids.data[0]);
	else
		run_say("all %zu targets have ended", plan->tgids.nr + plan->tids.nr);
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

static void say_nothing_of(const struct plan *plan, uint32_t tgid, const char *why)
{
	char advice[160] = "";

	if (!process_exists(tgid))
		snprintf(
			advice, sizeof(advice),
			plan->probe.kind->is_timer
				? "; 'stacktool offcputime -p %u' shows its waits, 'stacktool dump -p %u' where it is now"
				: "; --unfinished -p %u shows waits that began during the run, 'stacktool dump -p %u' older ones",
			tgid, tgid);
	err_clear();
	run_say("nothing recorded for process %u: %s%s", tgid, why, advice);
}

/* A process that hangs is on no CPU; a service that works for a command is not the command's child. */
void run_say_empty(const struct plan *plan, uint32_t command_tgid)
{
	const char *why = plan->tgids.nr == 1 ? plan->probe.kind->nothing : NULL;

	if (plan->looks) {
		run_say("no thread%s", plan->off_cpu.state_filter ? " is in this state (--state)" : "");
	} else if (command_tgid) {
		run_say("nothing recorded for process %u%s%s", command_tgid,
			plan->follow_children ? " and its children" : " itself (--no-children)",
			plan->probe.kind->is_timer ? "; -F or -c samples more often, offcputime shows waits" : "");
	} else if (plan->probe.kind->is_timer && !plan->tgids.nr && !plan->tids.nr && !plan->include_idle) {
		run_say("no sample matched; -I includes idle CPUs, offcputime shows blocked threads");
	} else if (why) {
		say_nothing_of(plan, plan->tgids.data[0], why);
	} else if (plan->probe.typed) {
		_cleanup_(buf_done) struct buf typed = {};
		bool is_part = plan->tgids.nr || plan->tids.nr || plan->filter.comm;

		escape_add(&typed, plan->probe.typed, ESCAPE_LINE);
		run_say("no event: '%s' was not reached%s; %s", buf_text(&typed), is_part ? " by what is traced" : "",
			is_part ? "'stacktool funccount' without -p, -t and --comm shows whether others reach it"
				: "--explain shows what was probed, 'stacktool list' what else has such a name");
	} else if (plan->probe.kind->is_timer) {
		run_say("no sample matched; 'stacktool offcputime' shows waits");
	} else {
		run_say("no off-CPU interval matched; --unfinished shows those that did not end");
	}
}

void run_say_filtered(void)
{
	fputs("NOTE: no stack matches the filters\n", stderr);
}

void run_say_attached(void)
{
	const char *text = getenv("STACKTOOL_READY_FD");
	long fd = text ? strtol(text, NULL, 10) : -1;

	if (fd > 2 && fd < INT_MAX && write((int)fd, "attached\n", 9) == 9)
		close((int)fd);
}

void run_say_privileges(void)
{
	_cleanup_(buf_done) struct buf kept = {};

	privilege_describe(&kept);
	run_say_lines(buf_text(&kept));
}

void run_end_collecting(const struct plan *plan, struct collector **collector)
{
	const char *what;
	uint64_t ns = collector_longest_turn(*collector, &what);

	if (ns && plan->debug && !plan->presentation.quiet)
		fprintf(stderr, "NOTE: the main loop was busy for at most %.1f ms at a time (%s)\n", (double)ns / 1e6,
			what);
	collector_free(*collector);
	*collector = NULL;
}

void run_say_places(const struct attach_plan *attach)
{
	run_say_lines(buf_text(&attach->note));
	run_say_lines(buf_text(&attach->missing));
}

/* Prints which processes the names of -p select. */
static void say_processes(const struct plan *plan)
{
	_cleanup_(buf_done) struct buf ids = {};

	for (size_t i = 0; i < plan->tgids.nr; i++)
		buf_addf(&ids, "%s%u", i ? ", " : "", plan->tgids.data[i]);
	if (plan->has_process_names && !plan->presentation.quiet)
		run_say("-p selects process%s %s", plan->tgids.nr == 1 ? "" : "es", buf_text(&ids));
}

void run_say_fallback(const struct plan *plan, const struct attach_plan *attach, const struct attachment *attachment,
		      struct spaces *spaces, const char *lacking)
{
	_cleanup_(buf_done) struct buf lines = {};

	say_processes(plan);
	run_say_lines(lacking);
	attachment_describe_refused(attachment, &lines);
	run_say_lines(buf_text(&lines));
	run_say_places(attach);
	run_say_lines(attach->unwind_note);
	/* with a rate in Hertz, only code with interrupts off is sampled elsewhere (docs/use/troubleshooting.md) */
	if (attach->mechanism == MECHANISM_PERF_EVENT && attach->sample.why[0] &&
	    (plan->period || plan->view.verbose) && !plan->presentation.quiet)
		run_say("sampling by %s: %s", attach->sample.name, attach->sample.why);
	if (spaces && spaces_note(spaces))
		run_say("%s", spaces_note(spaces));
}

void run_say_secrets(const struct plan *plan, const struct profile *profile)
{
	_cleanup_(buf_done) struct buf secrets = {};

	if (plan->presentation.quiet || plan->interval_ns || (!plan->output.path && !plan->save_path))
		return;
	profile_list_secrets(profile, &secrets);
	if (secrets.nr)
		run_say("before you share the report: it names processes and%s; --redact replaces them",
			buf_text(&secrets));
}

void run_say_file(const char *path, const char *content)
{
	_cleanup_(buf_done) struct buf shown = {};
	struct stat status;

	if (strchr(path, '%') || stat(path, &status))
		return;
	escape_add(&shown, path, ESCAPE_LINE);
	run_say("wrote %s (%s, %llu kB)", buf_text(&shown), content, ((unsigned long long)status.st_size + 999) / 1000);
}

static void say_file(const struct profile *profile, const char *path)
{
	_cleanup_(buf_done) struct buf line = {};
	const bool is_time = view_shows_time(&profile->view);
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->intervals.nr; i++) {
		const struct profile_interval *interval = &profile->intervals.data[i];

		for (size_t k = 0; k < interval->rows.nr; k++)
			if (!view_row_is_of_calls(&profile->view,
						  &profile->records.data[interval->rows.data[k].record]))
				sum += is_time ? interval->rows.data[k].sum : interval->rows.data[k].count;
	}
	if (is_time) {
		buf_addf(&line, "%.6f seconds", (double)sum / 1e9);
	} else {
		buf_add_grouped(&line, sum);
		buf_addf(&line, " %s", profile_string(profile, profile->unit));
	}
	run_say_file(path, buf_text(&line));
}

void run_say_files(const struct output_options *options, const char *save_path, const struct profile *profile)
{
	for (size_t i = 0; i < output_options_nr(options); i++) {
		const struct output_options one = output_options_of(options, i);

		if (one.path)
			say_file(profile, one.path);
	}
	if (save_path)
		say_file(profile, save_path);
}
