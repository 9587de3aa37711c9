/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a saved profile as the run did: the same header, reports, footer and notes in the same order. */
#include <errno.h>
#include <malloc.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/formats/profile_file.h"
#include "core/naming/local_files.h"
#include "core/profile/redact.h"
#include "core/render/documents.h"
#include "core/render/filter.h"
#include "core/render/merge.h"
#include "core/render/render.h"
#include "core/run/output.h"
#include "core/run/run.h"
#include "core/run/screen_loop.h"
#include "core/run/words.h"

static void change_view(struct profile_view *view, const struct report_request *request)
{
	view->folded = (view->folded || request->folded) && !request->text && !request->histogram;
	view->histogram = view->histogram || request->histogram;
	view->delimited = view->delimited || (request->delimited && view->want_kernel && view->want_user);
	view->annotate = view->annotate || request->annotate;
	view->offsets = (view->offsets || request->offsets) && !request->plain;
	view->modules = view->modules && !request->plain;
	view->addresses = view->addresses || request->addresses;
	view->by_name = view->by_name || request->by_name;
	view->timestamps = view->timestamps || request->timestamps;
	view->verbose = view->verbose || request->verbose;
}

/* Marks frames for look-up if the user wants lines or inlined calls that the run did not look up. */
static void ask_for_lines(struct profile *profile, const struct report_request *request)
{
	struct profile_view *view = &profile->view;
	bool more = (request->lines && !view->lines) || (request->inlines && !view->inlines);

	view->lines = view->lines || request->lines;
	view->inlines = view->inlines || request->inlines;
	for (size_t i = 0; more && i < profile->frames.nr; i++)
		profile->frames.data[i].line_reason = LINES_NOT_TRIED;
}

static int print(const struct profile *profile)
{
	int err = render_header(profile, &profile->view, stdout);

	for (size_t i = 0; !err && i < profile->intervals.nr; i++) {
		err = render_report(profile, &profile->intervals.data[i], &profile->view, stdout);
		if (!err && fflush(stdout))
			err = -errno;
		render_notes(profile, &profile->intervals.data[i], stderr);
	}
	err = err ?: render_footer(profile, &profile->view, stdout);
	if (err && err != -EPIPE)
		return fail_write(err, "standard output");
	return err;
}

static void say_notes(const struct profile *profile)
{
	for (size_t i = 0; i < profile->intervals.nr; i++)
		render_notes(profile, &profile->intervals.data[i], stderr);
}

/* Writes one document of all intervals. */
static int write_out(const struct profile *profile, const struct output_options *options, bool quiet)
{
	_cleanup_(output_done) struct output output = { .options = options };
	int err = output_write(&output, profile, 0, profile->intervals.nr);

	if (!err)
		say_notes(profile);
	if (!err && !quiet)
		run_say_files(options, NULL, profile);
	return err;
}

/* A report makes large tables one after the other. The heap reuses their memory; new mmap()s would cost a third of its time. */
static void keep_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, 32 << 20); /* glibc's maximum */
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	mallopt(M_TOP_PAD, 1 << 20);
}

struct browsing {
	const struct profile *profile;
	struct browser browser;
};

static bool save_typed(void *context, enum browser_wish wish)
{
	struct browsing *browsing = context;
	const char *path = buf_text(&browsing->browser.typed);

	if (wish != BROWSER_SAVE)
		return true;
	if (!screen_may_save(path))
		browser_say(&browsing->browser, "not saved: give a name without '/' that ends in .stk");
	else if (profile_save(browsing->profile, path))
		browser_say(&browsing->browser, "not saved: %s", err_cause());
	else
		browser_say(&browsing->browser, "saved as %s", path);
	return true;
}

static int browse(const struct profile *profile, const struct output_options *options)
{
	const struct tree_options tree_options = { .every_root = true, .delimited = profile->view.delimited };
	struct browser_options browser_options = screen_options(options);
	_cleanup_(freep) char *name = screen_save_name("profile");
	_cleanup_(caption_done) struct caption caption;
	struct tree *tree = xcalloc(1, sizeof(*tree));
	struct browsing browsing = { .profile = profile };
	struct screen_loop loop = {
		.bell_fd = -1, .browser = &browsing.browser, .context = &browsing, .wish = save_typed
	};
	int err = tui_new(&loop.tui);

	caption_init(&caption, options, profile);
	browser_options.save_name = name;
	browser_init(&browsing.browser, &caption.graph, &browser_options);
	tree_init(tree, &tree_options);
	tree_add_all(tree, profile, TREE_NOW);
	browser_take(&browsing.browser, tree);
	err = err ?: tui_begin(loop.tui);
	err = err ?: screen_loop(&loop);
	tui_free(loop.tui);
	browser_done(&browsing.browser);
	if (!err)
		say_notes(profile);
	return err;
}

static bool has_rows(const struct profile *profile)
{
	for (size_t i = 0; i < profile->intervals.nr; i++)
		if (profile->intervals.data[i].rows.nr)
			return true;
	return false;
}

/* Applies the filters. Prints a note if they have removed all rows. */
static int choose(const struct filter *filter, bool quiet, struct profile *profile)
{
	bool had_rows = has_rows(profile);
	int err = filter_apply(filter, profile);

	if (!err && had_rows && !has_rows(profile) && !quiet)
		run_say_filtered();
	return err;
}

int run_saved(const struct report_request *request)
{
	const struct output_options *options = &request->output;
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(buf_done) struct buf notes = {};
	int err;

	keep_memory();
	profile_init(&profile);
	err = output_check(options, NULL);
	err = err ?: profile_read(request->path, &profile, &notes);
	if (!err && request->histogram && !view_has_durations(&profile.view))
		err = fail(-ENODATA,
			   "'%s': has no histogram: only runs of offcputime, offwaketime and wakeuptime with "
			   "--histogram or --timestamps have one",
			   request->path);
	ask_for_lines(&profile, request);
	if (!err && local_files_is_needed(&profile))
		err = local_files_name(&profile, request->debug_directories, request->vmlinux);
	err = err ?: tree_require_root(&profile, options->root);
	err = err ?: choose(&request->filter, request->quiet, &profile);
	if (err)
		return err;
	if (request->redact)
		profile_redact(&profile);
	fputs(buf_text(&notes), stderr);
	change_view(&profile.view, request);
	profile.presentation.quiet = request->quiet;
	profile.presentation.top = request->top;
	profile.presentation.shows_files = true;
	output_change_view(options, &profile.view);
	if (request->tui)
		return browse(&profile, options);
	return output_wanted(options) ? write_out(&profile, options, request->quiet) : print(&profile);
}
