/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Uses no escape sequences: a carriage return and blanks work on every terminal. Nothing waits for a stopped terminal. */
#include "core/run/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/run/words.h"
#include "core/session/drain.h"

#define FIRST_NS (2 * NSEC_PER_SEC)
#define PERIOD_NS (NSEC_PER_SEC / 2)
#define ECHO_COLUMNS 2 /* of "^C", which the terminal prints */

/* False if reports, events or output of a command go to the terminal during the run: these would be mixed with the progress line. */
static bool terminal_is_free(const struct plan *plan)
{
	bool prints = plan->interval_ns || plan->mode == EVENTS_EACH;

	return !plan->command && plan->output.format != OUTPUT_SCREEN &&
	       !(prints && !plan->output.path && isatty(STDOUT_FILENO));
}

void run_progress_begin(struct run_progress *progress, const struct plan *plan)
{
	*progress = (struct run_progress){
		.wanted = !plan->presentation.quiet && isatty(STDERR_FILENO) && terminal_is_free(plan),
		.has_stacks = plan->mode == EVENTS_BY_STACK,
		.begun_ns = clock_monotonic_ns(),
	};
}

/* In the background the line would overwrite what the user types. */
static bool is_in_background(void)
{
	pid_t group = tcgetpgrp(STDERR_FILENO);

	return group > 0 && group != getpgrp();
}

/* Maximum width: a wrapped line could not be erased. */
static unsigned int columns(void)
{
	struct winsize size = {};
	unsigned int all = !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;

	return all > ECHO_COLUMNS + 1 ? all - ECHO_COLUMNS - 1 : 0;
}

static void add_elapsed(struct buf *line, uint64_t elapsed_s)
{
	if (elapsed_s >= 3600)
		buf_addf(line, "%" PRIu64 ":%02" PRIu64, elapsed_s / 3600, elapsed_s / 60 % 60);
	else
		buf_addf(line, "%" PRIu64, elapsed_s / 60);
	buf_addf(line, ":%02" PRIu64, elapsed_s % 60);
}

static void add_number(struct buf *line, uint64_t number, const char *what)
{
	buf_adds(line, ", ");
	buf_add_grouped(line, number);
	buf_adds(line, what);
}

void run_progress_show(struct run_progress *progress, const struct drain *drain, const struct profile *profile)
{
	uint64_t now_ns = clock_monotonic_ns();
	_cleanup_(buf_done) struct buf line = {};
	struct drain_progress counted;
	int written;

	if (!progress->wanted || now_ns - progress->begun_ns < FIRST_NS)
		return;
	if (progress->width && now_ns - progress->shown_ns < PERIOD_NS)
		return;
	run_progress_erase(progress);
	if (is_in_background() || !run_takes_line(STDERR_FILENO))
		return;
	progress->shown_ns = now_ns;
	drain_progress(drain, &counted);
	add_elapsed(&line, (now_ns - progress->begun_ns) / NSEC_PER_SEC);
	if (counted.has_events)
		add_number(&line, counted.events, counted.events == 1 ? " event" : " events");
	if (progress->has_stacks)
		add_number(&line, profile->records.nr, profile->records.nr == 1 ? " stack" : " stacks");
	if (counted.has_lost)
		add_number(&line, counted.lost, " lost");
	written = fprintf(stderr, "%.*s", (int)columns(), buf_text(&line));
	progress->width = written > 0 ? (unsigned int)written + ECHO_COLUMNS : 0;
}

void run_progress_erase(struct run_progress *progress)
{
	if (!progress->width || !run_takes_line(STDERR_FILENO))
		return;
	fprintf(stderr, "\r%*s\r", (int)progress->width, "");
	progress->width = 0;
}
