/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/ending.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/waiting.h"
#include "core/host/signals.h"
#include "core/plan/plan.h"
#include "core/session/collect.h"

#define LINE_MS 90    /* after the signal, or after the last look */
#define NAMES_NS (2500 * NSEC_PER_MSEC)           /* after the first signal */
#define ONE_WISH_NS (50 * NSEC_PER_MSEC)          /* timeout(1) sends a signal twice */
#define NEWS_SIGNAL 1
#define NEWS_OVER (1ull << 32)

/* ---- in the thread ---- */

/* One write, because the main thread may hold the lock of stderr. A carriage return: a terminal has printed "^C". */
static void say_step(struct ending *ending)
{
	int step = ending->step;
	char what[64], line[256];
	int nr;

	if (ending->is_quiet || step == ending->said)
		return;
	ending->said = step;
	if (step == ENDING_DETACHING)
		snprintf(what, sizeof(what), "detaching %zu probe%s", ending->nr_probes,
			 ending->nr_probes == 1 ? "" : "s");
	else if (step == ENDING_NAMING)
		snprintf(what, sizeof(what), "looking up names, at most 3 seconds");
	else
		snprintf(what, sizeof(what),
			 step == ENDING_READING ? "reading what was counted" : "finishing a report");
	nr = snprintf(line, sizeof(line), "%sstacktool %s: stopping: %s%s …\n", isatty(STDERR_FILENO) ? "\r" : "",
		      ending->applet, what, step == ENDING_NAMING ? "; Ctrl-C again skips the rest" : "");
	if (nr > 0 && write(STDERR_FILENO, line, (size_t)nr) < 0)
		ending->is_quiet = true;
}

/* As the signal would have by default, if nobody had blocked it. */
static void end_program(int signal_number)
{
	sigset_t mask;

	signal(signal_number, SIG_DFL);
	sigemptyset(&mask);
	sigaddset(&mask, signal_number);
	kill(getpid(), signal_number);
	pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
}

static void take_signal(struct ending *ending, int signal_number)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (ending->nr_signals && now_ns - ending->last_ns < ONE_WISH_NS)
		return;
	ending->last_ns = now_ns;
	if (!ending->nr_signals++) {
		waiting_end_in(NAMES_NS);
		eventfd_write(ending->told_fd, 1);
	} else {
		waiting_end_in(0);
	}
	if (ending->nr_signals > 2 && signal_number && ending->step > ENDING_DETACHING)
		end_program(signal_number);
}

static void *take_signals(void *argument)
{
	struct ending *ending = argument;
	struct pollfd waits[] = { { .fd = ending->news_fd, .events = POLLIN },
				  { .fd = ending->signal_fd, .events = POLLIN } };

	for (;;) {
		int nr = poll(waits, 2, ending->nr_signals ? LINE_MS : -1);
		struct signalfd_siginfo info;
		eventfd_t news = 0;

		if (!nr)
			say_step(ending);
		if (nr > 0 && !eventfd_read(ending->news_fd, &news) && news >= NEWS_OVER)
			return NULL;
		if (news)
			take_signal(ending, 0);
		while (nr > 0 && read(ending->signal_fd, &info, sizeof(info)) == sizeof(info))
			take_signal(ending, (int)info.ssi_signo);
	}
}

/* ---- in the run ---- */

int ending_begin(struct ending *ending, struct collector *collector, const struct plan *plan)
{
	sigset_t before;

	*ending = (struct ending){
		.is_quiet = plan->presentation.quiet || plan->output.format == OUTPUT_SCREEN,
		.signal_fd = collector_signal_fd(collector),
		.told_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.applet = plan->applet,
		.said = -1,
	};
	waiting_can_end();
	signals_hold(&before); /* the thread takes them from the descriptor */
	ending->running = ending->told_fd >= 0 && ending->news_fd >= 0 &&
			  !pthread_create(&ending->thread, NULL, take_signals, ending);
	signals_release(&before);
	if (ending->running)
		return collector_give_signals(collector, ending->told_fd);
	closep(&ending->told_fd);
	closep(&ending->news_fd);
	return 0;
}

void ending_step(struct ending *ending, enum ending_step step, size_t nr_probes)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (ending->step == ENDING_DETACHING && ending->nr_signals < 2)
		waiting_put_off(now_ns - ending->step_ns);
	ending->nr_probes = nr_probes;
	ending->step_ns = now_ns;
	ending->step = (int)step;
}

void ending_note_signal(struct ending *ending)
{
	if (ending->running)
		eventfd_write(ending->news_fd, NEWS_SIGNAL);
}

void ending_end(struct ending *ending)
{
	if (!ending->running)
		return;
	eventfd_write(ending->news_fd, NEWS_OVER);
	pthread_join(ending->thread, NULL);
	ending->running = false;
	closep(&ending->news_fd);
}
