/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread prints the message, because the step may be a single system call. Without the thread only the message is missing. */
#include "core/run/slow_step.h"

#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/called.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/host/signals.h"
#include "core/host/unpreempted.h"
#include "core/plan/plan.h"
#include "core/run/ending.h"
#include "core/run/words.h"
#include "core/session/attachment.h"
#include "core/spaces/spaces.h"

#define TIMEOUT_MS 1000
#define READ_EVERY_NS 50000000ULL /* as often as the collector reads it */

static void *watch(void *argument)
{
	struct slow_step *slow = argument;
	struct pollfd over = { .fd = slow->over_fd, .events = POLLIN };

	if (!poll(&over, 1, TIMEOUT_MS) && run_takes_line(STDERR_FILENO))
		fprintf(stderr, "%s\n", slow->line);
	return NULL;
}

void slow_step_begin(struct slow_step *slow, const char *line)
{
	sigset_t before;

	*slow = (struct slow_step){ .over_fd = eventfd(0, EFD_CLOEXEC) };
	snprintf(slow->line, sizeof(slow->line), "%s", line);
	signals_hold(&before); /* the thread must not take signals that the main thread waits for */
	slow->running = slow->over_fd >= 0 && !pthread_create(&slow->thread, NULL, watch, slow);
	signals_release(&before);
}

void slow_step_end(struct slow_step *slow)
{
	if (slow->running) {
		eventfd_write(slow->over_fd, 1);
		pthread_join(slow->thread, NULL);
	}
	closep(&slow->over_fd);
}

struct step {
	struct slow_step slow;
	bool is_quiet; /* true also for timed samples: these have only one event per CPU */
	struct spaces *spaces;
	uint64_t read_ns;
};

/* The side-band's rings hold a few seconds of a busy host, but attaching thousands of places can take minutes. */
static void read_sideband(void *context)
{
	struct step *step = context;
	uint64_t now_ns = clock_monotonic_ns();

	if (now_ns - step->read_ns < READ_EVERY_NS)
		return;
	spaces_update(step->spaces);
	step->read_ns = now_ns;
}

static void begin_step(struct step *step, struct attachment *attachment, struct spaces *spaces, const struct plan *plan,
		       const char *what, size_t nr)
{
	char line[sizeof(step->slow.line)];

	*step = (struct step){
		.is_quiet = plan->presentation.quiet || plan->probe.kind->is_timer,
		.spaces = spaces,
		.read_ns = clock_monotonic_ns(),
	};
	snprintf(line, sizeof(line), "%s: %s %zu probe%s …", called(), what, nr, nr == 1 ? "" : "s");
	if (!step->is_quiet)
		slow_step_begin(&step->slow, line);
	attachment_set_between(attachment, read_sideband, step);
}

static void end_step(struct step *step, struct attachment *attachment)
{
	attachment_set_between(attachment, NULL, NULL);
	if (!step->is_quiet)
		slow_step_end(&step->slow);
}

int attach_as_slow_step(struct attachment *attachment, struct spaces *spaces, const struct plan *plan, size_t nr_places)
{
	struct step step;
	int err;

	begin_step(&step, attachment, spaces, plan, "attaching", nr_places);
	err = attachment_attach(attachment, plan);
	end_step(&step, attachment);
	return err;
}

void detach_as_slow_step(struct attachment *attachment, struct spaces *spaces, const struct plan *plan,
			 struct ending *ending)
{
	_cleanup_(buf_done) struct buf stuck = {};
	struct step step;

	ending_step(ending, ENDING_DETACHING, attachment_nr_attached(attachment));
	begin_step(&step, attachment, spaces, plan, "detaching", attachment_nr_attached(attachment));
	attachment_detach(attachment);
	end_step(&step, attachment);
	attachment_describe_stuck(attachment, &stuck);
	run_say_lines(buf_text(&stuck));
	ending_step(ending, ENDING_READING, 0);
}

void ask_for_priority(void)
{
	unpreempted_permit();
	if (setpriority(PRIO_PROCESS, 0, -20))
		return;
}
