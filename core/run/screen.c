/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/screen.h"

#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/host/signals.h"
#include "core/render/documents.h"
#include "core/render/filter.h"
#include "core/run/screen_loop.h"

#define SHARE 50 /* refreshing takes at most 1/50 of the time */

struct run_screen {
	const struct plan *plan;
	struct tui *tui;
	struct caption caption;
	char *save_name;
	pthread_t thread;
	bool has_thread, is_left;
	int bell_fd, news_fd; /* eventfds: to the thread, to the run */

	/* used by the run */
	VEC(struct profile_row) taken; /* by row of the interval: what the screen already has */
	uint64_t due_ns; /* CLOCK_MONOTONIC */
	char path[256]; /* result of run_screen_wish() */

	/* used by the thread */
	struct browser browser;
	char *title; /* the caption with the elapsed time */
	int err; /* the terminal is lost; read after the thread has ended */
	_Atomic bool is_paused;
	_Atomic uint64_t spent_ns; /* CPU time of the thread for what the run passed */

	/* used by both, with the lock */
	pthread_mutex_t lock;
	VEC(struct tree *) inbox;
	char *next_title;
	char said[160];
	bool restarts, has_ended, is_over; /* for the thread */
	unsigned int wishes; /* for the run: bits 1 << enum browser_wish */
	char wished_path[256];
};

/* ---- in the thread ---- */

static bool take_inbox(void *context)
{
	struct run_screen *screen = context;
	struct browser *browser = &screen->browser;
	bool is_over;

	pthread_mutex_lock(&screen->lock);
	if (screen->restarts)
		browser_restart(browser);
	screen->restarts = false;
	for (size_t i = 0; i < screen->inbox.nr; i++)
		browser_take(browser, screen->inbox.data[i]);
	screen->inbox.nr = 0;
	if (screen->next_title) {
		free(screen->title);
		screen->title = take_ptr(screen->next_title);
		screen->caption.graph.title = screen->title;
	}
	if (*screen->said)
		browser_say(browser, "%s", screen->said);
	screen->said[0] = '\0';
	browser->is_ended = screen->has_ended;
	is_over = screen->is_over;
	pthread_mutex_unlock(&screen->lock);
	return !is_over;
}

static bool pass_on(void *context, enum browser_wish wish)
{
	struct run_screen *screen = context;

	if (wish == BROWSER_SAVE && !screen_may_save(buf_text(&screen->browser.typed))) {
		browser_say(&screen->browser, "not saved: give a name without '/' that ends in .stk");
		return true;
	}
	pthread_mutex_lock(&screen->lock);
	screen->wishes |= 1U << wish;
	if (wish == BROWSER_SAVE)
		snprintf(screen->wished_path, sizeof(screen->wished_path), "%s", buf_text(&screen->browser.typed));
	pthread_mutex_unlock(&screen->lock);
	if (wish == BROWSER_SAVE)
		browser_say(&screen->browser, "saving ...");
	eventfd_write(screen->news_fd, 1);
	return true;
}

static void *serve(void *argument)
{
	struct run_screen *screen = argument;
	struct screen_loop loop = { .tui = screen->tui,
				    .browser = &screen->browser,
				    .bell_fd = screen->bell_fd,
				    .context = screen,
				    .take = take_inbox,
				    .wish = pass_on,
				    .is_paused = &screen->is_paused,
				    .spent_ns = &screen->spent_ns };

	screen->err = screen_loop(&loop);
	pthread_mutex_lock(&screen->lock);
	screen->wishes |= 1U << BROWSER_QUIT;
	pthread_mutex_unlock(&screen->lock);
	eventfd_write(screen->news_fd, 1);
	return NULL;
}

/* ---- in the run ---- */

int run_screen_new(const struct plan *plan, struct run_screen **ret_screen)
{
	struct run_screen *screen;
	int err;

	*ret_screen = NULL;
	if (plan->output.format != OUTPUT_SCREEN)
		return 0;
	screen = xcalloc(1, sizeof(*screen));
	screen->plan = plan;
	screen->save_name = screen_save_name(plan->applet);
	pthread_mutex_init(&screen->lock, NULL);
	screen->bell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	screen->news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = screen->bell_fd < 0 || screen->news_fd < 0 ? fail(-errno, "eventfd: %s", strerror(errno))
							 : tui_new(&screen->tui);
	if (err)
		run_screen_free(screen);
	else
		*ret_screen = screen;
	return err;
}

static void make_title(struct run_screen *screen, const struct profile_interval *interval, bool is_end)
{
	uint64_t ns = !interval ? 0 : (is_end ? interval->end_ns : clock_monotonic_ns()) - interval->start_ns;

	free(screen->next_title);
	screen->next_title = xasprintf("%s: %llu s%s", screen->caption.title, (unsigned long long)(ns / NSEC_PER_SEC),
				       is_end ? ", ended" : "");
}

int run_screen_begin(struct run_screen *screen, const struct profile *profile)
{
	struct browser_options options = screen_options(&screen->plan->output);
	sigset_t before;
	int err;

	caption_init(&screen->caption, &screen->plan->output, profile);
	options.is_live = true;
	options.save_name = screen->save_name;
	browser_init(&screen->browser, &screen->caption.graph, &options);
	make_title(screen, NULL, false);
	take_inbox(screen);
	err = tui_begin(screen->tui);
	if (err)
		return err;
	signals_hold(&before); /* the thread reads them from a signalfd */
	err = pthread_create(&screen->thread, NULL, serve, screen);
	signals_release(&before);
	if (err)
		return fail_start(-err, "the thread of the screen");
	screen->has_thread = true;
	return 0;
}

int run_screen_fd(const struct run_screen *screen)
{
	return screen ? screen->news_fd : -1;
}

int run_screen_wish(struct run_screen *screen, enum browser_wish *ret_wish, const char **ret_path)
{
	eventfd_t rung;

	eventfd_read(screen->news_fd, &rung);
	pthread_mutex_lock(&screen->lock);
	*ret_wish = screen_take_wish(&screen->wishes);
	if (screen->wishes)
		eventfd_write(screen->news_fd, 1);
	memcpy(screen->path, screen->wished_path, sizeof(screen->path));
	pthread_mutex_unlock(&screen->lock);
	*ret_path = screen->path;
	if (*ret_wish != BROWSER_QUIT)
		return 0;
	run_screen_leave(screen);
	return screen->err ? fail(screen->err, "terminal: %s", strerror(-screen->err)) : 0;
}

void run_screen_await(const struct run_screen *screen)
{
	struct pollfd wait = { .fd = screen->news_fd, .events = POLLIN };

	poll(&wait, 1, -1);
}

static void ring(struct run_screen *screen)
{
	pthread_mutex_unlock(&screen->lock);
	eventfd_write(screen->bell_fd, 1);
}

void run_screen_say(struct run_screen *screen, const char *format, ...)
{
	va_list arguments;

	pthread_mutex_lock(&screen->lock);
	va_start(arguments, format);
	vsnprintf(screen->said, sizeof(screen->said), format, arguments);
	va_end(arguments);
	ring(screen);
}

/* If the thread has not taken the last batch, because the terminal blocks, the next batch waits and has all that comes meanwhile. */
bool run_screen_is_due(struct run_screen *screen)
{
	bool is_behind;

	if (screen->is_paused || clock_monotonic_ns() < screen->due_ns)
		return false;
	pthread_mutex_lock(&screen->lock);
	is_behind = screen->inbox.nr;
	pthread_mutex_unlock(&screen->lock);
	return !is_behind;
}

/* ---- batches ---- */

/* Returns what the rows of an interval have gained, and remembers that the screen has it. */
static void take_rows(struct run_screen *screen, const struct profile_interval *interval,
		      struct profile_interval *ret_more)
{
	for (size_t i = 0; i < interval->rows.nr; i++) {
		struct profile_row row = interval->rows.data[i];

		if (i >= screen->taken.nr)
			vec_push(&screen->taken, (struct profile_row){});
		row.count -= screen->taken.data[i].count;
		row.sum -= screen->taken.data[i].sum;
		screen->taken.data[i] = interval->rows.data[i];
		if (row.count || row.sum)
			vec_push(&ret_more->rows, row);
	}
}

static struct tree *make_batch(const struct profile *profile, const struct profile_interval *interval)
{
	const struct tree_options options = { .every_root = true, .delimited = profile->view.delimited };
	struct tree *batch = xcalloc(1, sizeof(*batch));

	tree_init(batch, &options);
	tree_add(batch, profile, interval, TREE_NOW);
	return batch;
}

/* Delays the next refresh by SHARE times the CPU time of this one, here and in the thread. */
static void put_off(struct run_screen *screen, uint64_t began_ns)
{
	const uint64_t spent_ns =
		clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns + atomic_exchange(&screen->spent_ns, 0);

	screen->due_ns = clock_monotonic_ns() + SHARE * spent_ns;
}

int run_screen_refresh(struct run_screen *screen, const struct profile *profile,
		       const struct profile_interval *interval, uint64_t began_ns)
{
	struct profile_interval more = { .start_ns = interval->start_ns };
	struct profile shown = *profile; /* borrows all tables except the intervals */
	int err;

	take_rows(screen, interval, &more);
	shown.intervals = (typeof(shown.intervals)){};
	vec_push(&shown.intervals, more);
	err = filter_apply(&screen->plan->filter, &shown);
	if (!err) {
		struct tree *batch = make_batch(&shown, &shown.intervals.data[0]);

		pthread_mutex_lock(&screen->lock);
		vec_push(&screen->inbox, batch);
		make_title(screen, interval, false);
		ring(screen);
	}
	profile_interval_done(&shown.intervals.data[0]);
	vec_done(&shown.intervals);
	put_off(screen, began_ns);
	return err;
}

void run_screen_restart(struct run_screen *screen)
{
	screen->taken.nr = 0;
	screen->due_ns = 0;
	pthread_mutex_lock(&screen->lock);
	for (size_t i = 0; i < screen->inbox.nr; i++) {
		tree_done(screen->inbox.data[i]);
		free(screen->inbox.data[i]);
	}
	screen->inbox.nr = 0;
	screen->restarts = true;
	ring(screen);
}

void run_screen_set_ended(struct run_screen *screen, const struct profile_interval *interval)
{
	pthread_mutex_lock(&screen->lock);
	make_title(screen, interval, true);
	screen->has_ended = true;
	ring(screen);
}

/* ---- the end ---- */

void run_screen_leave(struct run_screen *screen)
{
	if (screen->has_thread) {
		pthread_mutex_lock(&screen->lock);
		screen->is_over = true;
		ring(screen);
		tui_give_up(screen->tui);
		pthread_join(screen->thread, NULL);
		screen->has_thread = false;
	}
	screen->is_left = true;
	tui_end(screen->tui);
}

const char *run_screen_unsaved(struct run_screen *screen)
{
	const bool is_wished = screen->wishes & 1U << BROWSER_SAVE;

	screen->wishes &= ~(1U << BROWSER_SAVE);
	return is_wished ? screen->wished_path : NULL;
}

bool run_screen_is_signalled(const struct run_screen *screen)
{
	return tui_is_signalled(screen->tui);
}

bool run_screen_is_left(const struct run_screen *screen)
{
	return screen && screen->is_left;
}

void run_screen_free(struct run_screen *screen)
{
	if (!screen)
		return;
	if (screen->has_thread)
		run_screen_leave(screen);
	tui_free(screen->tui);
	if (screen->browser.caption)
		browser_done(&screen->browser);
	for (size_t i = 0; i < screen->inbox.nr; i++) {
		tree_done(screen->inbox.data[i]);
		free(screen->inbox.data[i]);
	}
	vec_done(&screen->inbox);
	vec_done(&screen->taken);
	caption_done(&screen->caption);
	closep(&screen->bell_fd);
	closep(&screen->news_fd);
	pthread_mutex_destroy(&screen->lock);
	free(screen->next_title);
	free(screen->save_name);
	free(screen->title);
	free(screen);
}
