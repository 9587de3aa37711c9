/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread of its own, because the step may be a single system call. Without it there is no word, and nothing else is missing. */
#include "core/run_patience.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/engine/plan.h"
#include "core/engine/resolve.h"
#include "core/engine/session.h"

#define PATIENCE_S 1

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

/* Signals are for those who wait for them. */
static void start_watch(struct patience *patience)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	patience->running = !pthread_create(&patience->thread, NULL, watch, patience);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
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

/* Of timed samples there is nothing to say: one per CPU. */
static void begin_step(struct patience *patience, const char *applet, const char *what, size_t nr)
{
	char line[sizeof(patience->line)];

	snprintf(line, sizeof(line), "stacktool %s: %s %zu probe%s …", applet, what, nr, nr == 1 ? "" : "s");
	patience_begin(patience, line);
}

int attach_patiently(struct session *session, const char *applet, const struct plan *plan,
		     const struct attach_plan *attach)
{
	struct patience patience;
	int err;

	if (plan->view.quiet || plan->probe.kind == PROBE_SAMPLE)
		return session_attach(session, plan, attach);
	begin_step(&patience, applet, "attaching", attach->points.nr);
	err = session_attach(session, plan, attach);
	patience_end(&patience);
	return err;
}

void detach_patiently(struct session *session, const char *applet, const struct plan *plan)
{
	struct patience patience;

	if (plan->view.quiet || plan->probe.kind == PROBE_SAMPLE) {
		session_detach(session);
		return;
	}
	begin_step(&patience, applet, "detaching", session_nr_attached(session));
	session_detach(session);
	patience_end(&patience);
}
