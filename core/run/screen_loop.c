/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/screen_loop.h"

#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"

#define DRAW_NS (200 * NSEC_PER_MSEC) /* between drawings while there is work; keys are drawn at once */

static void fit(struct screen_loop *loop)
{
	size_t rows, columns;

	if (tui_size(loop->tui, &rows, &columns))
		browser_resize(loop->browser, rows, columns);
}

static int draw(struct screen_loop *loop)
{
	_cleanup_(buf_done) struct buf screen = {};

	browser_draw(loop->browser, &screen);
	return tui_show(loop->tui, buf_text(&screen));
}

/* Handles all available keys, before the screen is drawn once. */
static bool press_keys(struct screen_loop *loop)
{
	struct pollfd wait = { .fd = tui_fd(loop->tui), .events = POLLIN };

	while (poll(&wait, 1, 0) > 0) {
		const int key = tui_take(loop->tui);
		enum browser_wish wish;

		if (key == KEY_REDRAW)
			fit(loop);
		if (!key)
			continue;
		wish = browser_press(loop->browser, key);
		if (wish == BROWSER_QUIT || (wish != BROWSER_STAY && !loop->wish(loop->context, wish)))
			return false;
	}
	return true;
}

/* Counts CPU time, except for drawing because of a key. */
static void count_time(struct screen_loop *loop, uint64_t began_ns)
{
	if (loop->spent_ns)
		*loop->spent_ns += clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
}

static bool answer_bell(struct screen_loop *loop)
{
	eventfd_t rung;

	return eventfd_read(loop->bell_fd, &rung) || loop->take(loop->context);
}

int screen_loop(struct screen_loop *loop)
{
	struct pollfd waits[] = { { .fd = tui_fd(loop->tui), .events = POLLIN },
				  { .fd = loop->bell_fd, .events = POLLIN } };
	bool goes_on = true, is_due = true, is_key = false;
	uint64_t drawn_ns = 0, began_ns;
	int err = 0;

	fit(loop);
	while (goes_on && !err) {
		const bool works = loop->browser->is_working;

		began_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
		if (is_due || (works && clock_monotonic_ns() - drawn_ns > DRAW_NS)) {
			err = draw(loop);
			drawn_ns = clock_monotonic_ns();
			is_due = false;
			if (!is_key)
				count_time(loop, began_ns);
		}
		if (err || poll(waits, 2, works ? 0 : -1) < 0)
			continue;
		is_key = waits[0].revents;
		if (is_key) {
			goes_on = press_keys(loop);
			is_due = true;
			if (loop->is_paused)
				*loop->is_paused = loop->browser->is_paused;
		}
		began_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
		if (goes_on && waits[1].revents) {
			goes_on = answer_bell(loop);
			is_due = true;
		} else if (goes_on && works && !is_due) {
			is_due = !browser_work(loop->browser);
		}
		count_time(loop, began_ns);
	}
	return err;
}

struct browser_options screen_options(const struct output_options *output)
{
	return (struct browser_options){
		.root = output->root,
		.view = output->reverse ? FOREST_CALLERS : FOREST_TREE,
		.is_colored = tui_has_colors(),
		.is_utf8 = tui_is_utf8(),
	};
}

char *screen_save_name(const char *applet)
{
	const time_t now = time(NULL);
	struct tm parts = {};
	char text[32];

	localtime_r(&now, &parts);
	strftime(text, sizeof(text), "%Y%m%d-%H%M%S", &parts);
	return xasprintf("%s-%s.stk", applet, text);
}

bool screen_may_save(const char *path)
{
	const size_t nr = strlen(path), suffix = strlen(".stk");

	return nr > suffix && *path != '.' && !strchr(path, '/') && !strcmp(path + nr - suffix, ".stk");
}

enum browser_wish screen_take_wish(unsigned int *wishes)
{
	static const enum browser_wish order[] = { BROWSER_SAVE, BROWSER_RESTART, BROWSER_QUIT };

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		if (!(*wishes & 1U << order[i]))
			continue;
		*wishes &= ~(1U << order[i]);
		return order[i];
	}
	return BROWSER_STAY;
}
