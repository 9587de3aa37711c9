/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread of its own, because the step may be a single system call. If it cannot be started, only the message is missing. */
#include "core/run/patience.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/base/clock.h"
#include "core/host/signals.h"
#include "core/host/unpreempted.h"
#include "core/plan/plan.h"
#include "core/resolve/resolve.h"
#include "core/session/attachment.h"
#include "core/spaces/spaces.h"

#define PATIENCE_S 1
#define READ_EVERY_NS 50000000ULL /* the side-band, as often as the collector does */

static void *watch(void *argument)
{
	struct patience *patience = argument;
	struct timespec until;
	int err = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += PATIENCE_S;
	pthread_mutex_lock(&patience->lock);
	while (!patience->over && !err)
		err = pthread_cond_timedwait(&patience->over_now, &patience->lock, &until);
	if (!patience->over)
		fprintf(stderr, "%s\n", patience->line);
	pthread_mutex_unlock(&patience->lock);
	return NULL;
}

/* The thread must not take the signals that the main thread waits for. */
static void start_watch(struct patience *patience)
{
	sigset_t before;

	signals_hold(&before);
	patience->running = !pthread_create(&patience->thread, NULL, watch, patience);
	signals_release(&before);
}

void patience_begin(struct patience *patience, const char *line)
{
	pthread_condattr_t attributes;

	*patience = (struct patience){};
	snprintf(patience->line, sizeof(patience->line), "%s", line);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_mutex_init(&patience->lock, NULL);
	pthread_cond_init(&patience->over_now, &attributes);
	pthread_condattr_destroy(&attributes);
	start_watch(patience);
}

void patience_end(struct patience *patience)
{
	pthread_mutex_lock(&patience->lock);
	patience->over = true;
	pthread_cond_signal(&patience->over_now);
	pthread_mutex_unlock(&patience->lock);
	if (patience->running)
		pthread_join(patience->thread, NULL);
	pthread_cond_destroy(&patience->over_now);
	pthread_mutex_destroy(&patience->lock);
}

/* ---- the two steps ---- */

/* Not for timed samples, of which there is only one event per CPU. */
static void begin_step(struct patience *patience, const struct plan *plan, const char *what, size_t nr)
{
	char line[sizeof(patience->line)];

	snprintf(line, sizeof(line), "stacktool %s: %s %zu probe%s …", plan->applet, what, nr, nr == 1 ? "" : "s");
	patience_begin(patience, line);
}

/* The rings of the side-band hold some seconds of a busy host; thousands of places can take minutes. */
struct reader {
	struct spaces *spaces;
	uint64_t read_ns;
};

static void read_sideband(void *context)
{
	struct reader *reader = context;
	uint64_t now_ns = clock_monotonic_ns();

	if (now_ns - reader->read_ns < READ_EVERY_NS)
		return;
	spaces_update(reader->spaces);
	reader->read_ns = now_ns;
}

static bool is_quiet(const struct plan *plan)
{
	return plan->presentation.quiet || plan->probe.kind->is_timer;
}

int attach_patiently(struct attachment *attachment, struct spaces *spaces, const struct plan *plan, size_t nr_places)
{
	struct reader reader = { spaces, clock_monotonic_ns() };
	struct patience patience;
	int err;

	if (!is_quiet(plan))
		begin_step(&patience, plan, "attaching", nr_places);
	attachment_set_between(attachment, read_sideband, &reader);
	err = attachment_attach(attachment, plan);
	attachment_set_between(attachment, NULL, NULL);
	if (!is_quiet(plan))
		patience_end(&patience);
	return err;
}

void detach_patiently(struct attachment *attachment, struct spaces *spaces, const struct plan *plan)
{
	struct reader reader = { spaces, clock_monotonic_ns() };
	struct patience patience;

	if (!is_quiet(plan))
		begin_step(&patience, plan, "detaching", attachment_nr_attached(attachment));
	attachment_set_between(attachment, read_sideband, &reader);
	attachment_detach(attachment);
	attachment_set_between(attachment, NULL, NULL);
	if (!is_quiet(plan))
		patience_end(&patience);
}

void ask_for_priority(void)
{
	unpreempted_permit();
	if (setpriority(PRIO_PROCESS, 0, -20))
		return;
}
