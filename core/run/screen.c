/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/screen.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/host/signals.h"
#include "core/render/browser.h"
#include "core/render/documents.h"
#include "core/render/filter.h"
#include "core/run/tui.h"

struct run_screen {
	const struct plan *plan;
	struct tui *tui;
	struct tree *tree; /* that the browser shows; NULL before the first */
	struct browser browser;
	struct caption caption;
	char *title; /* of the caption, with the time so far */
	bool is_left; /* the user has left */
};

int run_screen_new(const struct plan *plan, struct run_screen **ret_screen)
{
	struct run_screen *screen;
	int err;

	*ret_screen = NULL;
	if (plan->output.format != OUTPUT_SCREEN)
		return 0;
	screen = xcalloc(1, sizeof(*screen));
	screen->plan = plan;
	err = tui_new(&screen->tui);
	if (err)
		run_screen_free(screen);
	else
		*ret_screen = screen;
	return err;
}

int run_screen_fd(const struct run_screen *screen)
{
	return screen ? tui_fd(screen->tui) : -1;
}

static void free_tree(struct tree *tree)
{
	if (tree)
		tree_done(tree);
	free(tree);
}

static struct tree *make_tree(const struct run_screen *screen, const struct profile *profile,
			      const struct profile_interval *interval)
{
	const struct tree_options options = {
		.root = screen->plan->output.root,
		.reverse = screen->plan->output.reverse,
		.delimited = profile->view.delimited,
	};
	struct tree *tree = xcalloc(1, sizeof(*tree));

	tree_init(tree, &options);
	if (interval)
		tree_add(tree, profile, interval, TREE_NOW);
	tree_build(tree);
	return tree;
}

static void set_title(struct run_screen *screen, const struct profile_interval *interval, bool is_end)
{
	uint64_t ns = !interval ? 0 : (is_end ? interval->end_ns : clock_monotonic_ns()) - interval->start_ns;

	free(screen->title);
	screen->title = xasprintf("%s: %llu s%s", screen->caption.title, (unsigned long long)(ns / NSEC_PER_SEC),
				  is_end ? ", ended" : "");
	screen->caption.graph.title = screen->title;
}

static int show(struct run_screen *screen, struct tree *tree)
{
	if (screen->tree)
		browser_replace(&screen->browser, tree);
	else
		browser_init(&screen->browser, tree, &screen->caption.graph);
	free_tree(screen->tree);
	screen->tree = tree;
	return tui_draw(screen->tui, &screen->browser);
}

int run_screen_begin(struct run_screen *screen, const struct profile *profile)
{
	int err = tui_begin(screen->tui);

	if (err)
		return err;
	caption_init(&screen->caption, &screen->plan->output, profile);
	set_title(screen, NULL, false);
	err = show(screen, make_tree(screen, profile, NULL));
	tui_fit(screen->tui, &screen->browser);
	return err ? err : tui_draw(screen->tui, &screen->browser);
}

/* More is going to be added to the rows of the interval, so what is asked for is picked from a copy of them. */
int run_screen_refresh(struct run_screen *screen, const struct profile *profile,
		       const struct profile_interval *interval)
{
	struct profile_interval copy = { .start_ns = interval->start_ns };
	struct profile shown = *profile; /* borrows all tables but that of the intervals */
	int err;

	for (size_t i = 0; i < interval->rows.nr; i++)
		vec_push(&copy.rows, interval->rows.data[i]);
	shown.intervals = (typeof(shown.intervals)){};
	vec_push(&shown.intervals, copy);
	err = filter_apply(&screen->plan->filter, &shown);
	set_title(screen, interval, false);
	err = err ?: show(screen, make_tree(screen, &shown, &shown.intervals.data[0]));
	profile_interval_done(&shown.intervals.data[0]);
	vec_done(&shown.intervals);
	return err;
}

int run_screen_take(struct run_screen *screen, bool *ret_end)
{
	*ret_end = !tui_take(screen->tui, &screen->browser);
	if (!*ret_end)
		return tui_draw(screen->tui, &screen->browser);
	run_screen_leave(screen);
	return 0;
}

void run_screen_leave(struct run_screen *screen)
{
	screen->is_left = true;
	tui_end(screen->tui);
}

bool run_screen_is_signalled(const struct run_screen *screen)
{
	return tui_is_signalled(screen->tui);
}

bool run_screen_is_left(const struct run_screen *screen)
{
	return screen && screen->is_left;
}

int run_screen_end(struct run_screen *screen, const struct profile *profile, const struct profile_interval *interval)
{
	int err;

	if (screen->is_left)
		return 0;
	set_title(screen, interval, true);
	err = show(screen, make_tree(screen, profile, interval));
	err = err ?: tui_serve(screen->tui, &screen->browser);
	if (run_screen_is_signalled(screen))
		signals_first_is_taken();
	run_screen_leave(screen);
	return err;
}

void run_screen_free(struct run_screen *screen)
{
	if (!screen)
		return;
	tui_free(screen->tui);
	if (screen->tree)
		browser_done(&screen->browser);
	free_tree(screen->tree);
	caption_done(&screen->caption);
	free(screen->title);
	free(screen);
}
