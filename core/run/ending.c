/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/ending.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/base/called.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/waiting.h"
#include "core/host/signals.h"
#include "core/plan/plan.h"
#include "core/run/words.h"
#include "core/session/collect.h"

#define LINE_MS 90 /* after the signal, and between two lines */
/* After the first signal. The sanitized build is five times slower, and its tests check names. */
#ifdef __SANITIZE_ADDRESS__
#define NAMES_NS (8 * NSEC_PER_SEC)
#else
#define NAMES_NS (2500 * NSEC_PER_MSEC)
#endif
#define READING_MAX_NS (2 * NSEC_PER_SEC)
#define ONE_WISH_NS (50 * NSEC_PER_MSEC) /* timeout(1) sends a signal twice */
#define NEWS_SIGNAL 1
#define NEWS_OVER (1ull << 32)

/* By one write(), because the main thread may hold the lock of stderr. The carriage return removes the terminal's "^C". */
static void say_step(struct ending *ending)
{
	int step = ending->step;
	char what[64], line[256];
	int nr;

	if (ending->is_quiet || step == ending->said || !run_takes_line(STDERR_FILENO))
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
	nr = snprintf(line, sizeof(line), "%s%s: stopping: %s%s …\n", isatty(STDERR_FILENO) ? "\r" : "", called(), what,
		      step == ENDING_NAMING ? "; Ctrl-C again skips the rest" : "");
	if (nr > 0 && write(STDERR_FILENO, line, (size_t)nr) < 0)
		ending->is_quiet = true;
}

static void ignore(int signal_number)
{
	(void)signal_number;
}

/* Replaces a descriptor that takes no more data by a closed pipe: writes fail as if the reader had closed it. */
static void close_reader(int fd)
{
	int ends[2];

	if (run_takes_line(fd) || pipe2(ends, O_CLOEXEC))
		return;
	dup2(ends[1], fd);
	close(ends[0]);
	close(ends[1]);
}

/* Gives up output that nobody reads: a report larger than the pipe, or a message. SIGURG interrupts the write. */
static void give_up_output(struct ending *ending)
{
	const struct sigaction action = { .sa_handler = ignore };

	if (ending->step != ENDING_COLLECTING || (run_takes_line(STDOUT_FILENO) && run_takes_line(STDERR_FILENO)))
		return;
	sigaction(SIGURG, &action, NULL);
	ending->has_given_up = true; /* set first: a write that fails from now on fails because of us */
	close_reader(STDERR_FILENO);
	close_reader(STDOUT_FILENO);
	pthread_kill(ending->main, SIGURG);
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
		give_up_output(ending);
	}
	if (ending->nr_signals > 2 && signal_number && ending->step > ENDING_DETACHING)
		signals_end_program(signal_number);
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

int ending_begin(struct ending *ending, struct collector *collector, const struct plan *plan)
{
	sigset_t before;

	*ending = (struct ending){
		.is_quiet = plan->presentation.quiet || plan->output.format == OUTPUT_SCREEN,
		.signal_fd = collector_signal_fd(collector),
		.told_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.said = -1,
		.main = pthread_self(),
	};
	waiting_can_end();
	signals_hold(&before); /* the thread reads them from the signalfd */
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
	uint64_t now_ns = clock_monotonic_ns(), passed_ns = now_ns - ending->step_ns;

	/* Reading takes long on a busy host. Up to READING_MAX_NS of it do not reduce the time for names. */
	if (ending->step == ENDING_READING && passed_ns > READING_MAX_NS)
		passed_ns = READING_MAX_NS;
	if ((ending->step == ENDING_DETACHING || ending->step == ENDING_READING) && ending->nr_signals < 2)
		waiting_put_off(passed_ns);
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
