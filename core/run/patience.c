/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread of its own, because the step may be a single system call. If it cannot be started, only the message is missing. */
#include "core/run/patience.h"

#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/host/signals.h"
#include "core/host/unpreempted.h"
#include "core/plan/plan.h"
#include "core/run/ending.h"
#include "core/session/attachment.h"
#include "core/spaces/spaces.h"

#define PATIENCE_MS 1000
#define READ_EVERY_NS 50000000ULL /* the side-band, as often as the collector does */

static void *watch(void *argument)
{
	struct patience *patience = argument;
	struct pollfd over = { .fd = patience->over_fd, .events = POLLIN };

	if (!poll(&over, 1, PATIENCE_MS))
		fprintf(stderr, "%s\n", patience->line);
	return NULL;
}

void patience_begin(struct patience *patience, const char *line)
{
	sigset_t before;

	*patience = (struct patience){ .over_fd = eventfd(0, EFD_CLOEXEC) };
	snprintf(patience->line, sizeof(patience->line), "%s", line);
	signals_hold(&before); /* the thread must not take those that the main thread waits for */
	patience->running = patience->over_fd >= 0 && !pthread_create(&patience->thread, NULL, watch, patience);
	signals_release(&before);
}

void patience_end(struct patience *patience)
{
	if (patience->running) {
		eventfd_write(patience->over_fd, 1);
		pthread_join(patience->thread, NULL);
	}
	closep(&patience->over_fd);
}

/* ---- the two steps ---- */

struct step {
	struct patience patience;
	bool is_quiet; /* also for timed samples, of which there is only one event per CPU */
	struct spaces *spaces;
	uint64_t read_ns;
};

/* The rings of the side-band hold some seconds of a busy host; thousands of places can take minutes. */
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
	char line[sizeof(step->patience.line)];

	*step = (struct step){
		.is_quiet = plan->presentation.quiet || plan->probe.kind->is_timer,
		.spaces = spaces,
		.read_ns = clock_monotonic_ns(),
	};
	snprintf(line, sizeof(line), "stacktool %s: %s %zu probe%s …", plan->applet, what, nr, nr == 1 ? "" : "s");
	if (!step->is_quiet)
		patience_begin(&step->patience, line);
	attachment_set_between(attachment, read_sideband, step);
}

static void end_step(struct step *step, struct attachment *attachment)
{
	attachment_set_between(attachment, NULL, NULL);
	if (!step->is_quiet)
		patience_end(&step->patience);
}

int attach_patiently(struct attachment *attachment, struct spaces *spaces, const struct plan *plan, size_t nr_places)
{
	struct step step;
	int err;

	begin_step(&step, attachment, spaces, plan, "attaching", nr_places);
	err = attachment_attach(attachment, plan);
	end_step(&step, attachment);
	return err;
}

void detach_patiently(struct attachment *attachment, struct spaces *spaces, const struct plan *plan,
		      struct ending *ending)
{
	struct step step;

	ending_step(ending, ENDING_DETACHING, attachment_nr_attached(attachment));
	begin_step(&step, attachment, spaces, plan, "detaching", attachment_nr_attached(attachment));
	attachment_detach(attachment);
	end_step(&step, attachment);
	ending_step(ending, ENDING_READING, 0);
}

void ask_for_priority(void)
{
	unpreempted_permit();
	if (setpriority(PRIO_PROCESS, 0, -20))
		return;
}
