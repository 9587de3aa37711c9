/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/names.h"
#include "core/base/replace.h"
#include "core/formats/profile_file.h"
#include "core/render/documents.h"
#include "core/render/graph.h"
#include "core/render/merge.h"
#include "core/render/render.h"
#include "core/run/screen_loop.h"
#include "core/run/words.h"

enum {
	PATIENCE_S = 30, /* for a file system, after the run: a busy disk can take long to sync a file */
};

void output_done(struct output *output)
{
	for (size_t i = 0; i < OUTPUT_FILES_MAX; i++)
		name_list_done(&output->kept[i]);
	writer_stop(&output->writer);
}

static bool is_lines(enum output_format format)
{
	return format == OUTPUT_DEFAULT || format == OUTPUT_TEXT || format == OUTPUT_FOLDED;
}

bool output_wanted(const struct output_options *options)
{
	return options->path || !is_lines(options->format);
}

void output_change_view(const struct output_options *options, struct profile_view *view)
{
	const uint32_t forms = output_options_forms(options);

	if (forms == 1U << OUTPUT_FOLDED)
		view->folded = true;
	if (forms == 1U << OUTPUT_TEXT)
		view->folded = false;
}

/* ---- file names ---- */

/* Two intervals can end in the same second, the last one because of Ctrl-C: the second file gets another name. */
static void add_time(struct buf *name, const struct output *output, const struct profile *profile,
		     const struct profile_interval *interval)
{
	time_t seconds = (time_t)(interval->wall_end_ns / NSEC_PER_SEC) + (int32_t)profile->utc_offset_s;
	struct tm parts = {};
	char text[32];

	gmtime_r(&seconds, &parts);
	strftime(text, sizeof(text), "%Y%m%d-%H%M%S", &parts);
	buf_adds(name, text);
	if (output->nr_in_second && output->second == interval->wall_end_ns / NSEC_PER_SEC)
		buf_addf(name, "-%u", output->nr_in_second + 1);
}

/* Replaces slashes in the host name. */
static void add_host(struct buf *name, const char *host)
{
	for (; *host; host++)
		buf_addc(name, *host == '/' ? '_' : *host);
}

static int expand(const struct output *output, const char *path, const struct profile *profile,
		  const struct profile_interval *interval, struct buf *name)
{
	const char *at;

	for (at = path; *at; at++) {
		if (*at != '%') {
			buf_addc(name, *at);
			continue;
		}
		switch (*++at) {
		case 'n':
			buf_addf(name, "%06u", output->nr_written + 1);
			break;
		case 't':
			add_time(name, output, profile, interval);
			break;
		case 'h':
			add_host(name, profile_string(profile, profile->hostname));
			break;
		case '%':
			buf_addc(name, '%');
			break;
		default:
			return fail_usage("argument -o/--output: '%s': unknown placeholder: give %%n, %%t, %%h or %%%%",
					  path);
		}
	}
	return 0;
}

/* Whether the text can come from this placeholder. Any host name can, except "." and "..". */
static bool fits_placeholder(char placeholder, const char *text, size_t nr)
{
	if (placeholder == 'h')
		return !memchr(text, '/', nr) && strspn(text, ".") < nr;
	return strspn(text, placeholder == 'n' ? "0123456789" : "0123456789-") >= nr;
}

static bool fits(const char *pattern, const char *path)
{
	for (; *pattern && *pattern != '%'; pattern++)
		if (*pattern != *path++)
			return false;
	if (!*pattern)
		return !*path;
	if (pattern[1] == '%')
		return *path == '%' && fits(pattern + 2, path + 1);
	for (size_t nr = strlen(path); nr > 0; nr--)
		if (fits_placeholder(pattern[1], path, nr) && fits(pattern + 2, path + nr))
			return true;
	return false;
}

/* Whether the path matches the pattern. The directory may be spelled differently, unless it has placeholders. */
static bool fits_path(const char *pattern, const char *path)
{
	const char *name = path_name(pattern);

	if (fits(pattern, path))
		return true;
	return !memchr(pattern, '%', (size_t)(name - pattern)) && fits(name, path_name(path)) &&
	       path_directory_is_same(pattern, path);
}

bool output_fits(const struct output_options *options, const char *path)
{
	for (size_t i = 0; i < output_options_nr(options); i++) {
		const struct output_options one = output_options_of(options, i);

		if (one.path && fits_path(one.path, path))
			return true;
	}
	return false;
}

static bool is_ours(const void *context, const char *path)
{
	const struct output *output = context;

	if (output->options->format == OUTPUT_SCREEN && screen_may_save(path))
		return true;
	return (output->save_path && path_is_same(output->save_path, path)) || output_fits(output->options, path) ||
	       replace_is_kept(path);
}

static void say_wait(const char *path)
{
	run_say("'%s': its file system does not answer: waiting at most %d seconds", path, PATIENCE_S);
}

int output_start(struct output *output, const char *save_path)
{
	const struct writer_options writer_options = {
		.fits = is_ours,
		.context = output,
		.patience_ms = PATIENCE_S * 1000,
		.say_wait = say_wait,
	};

	output->save_path = save_path;
	if (!save_path && !output->options->path && output->options->format != OUTPUT_SCREEN)
		return 0;
	return writer_start(&output->writer, &writer_options);
}

void output_run_ends(struct output *output, uint64_t end_ns)
{
	writer_run_ends(&output->writer, end_ns);
}

static int check_one(const struct output_options *options, struct stat *ret_directory)
{
	static const struct profile_interval interval;
	_cleanup_(buf_done) struct buf name = {};
	struct output output = { .options = options };
	struct profile profile;
	int err;

	if (options->format == OUTPUT_SCREEN)
		return tui_check();
	if (!options->path) {
		if (!output_format_is_binary(options->format) || !isatty(STDOUT_FILENO))
			return 0;
		err = fail_usage("argument --format: this format is binary and the output is a terminal");
		hint("-o FILE writes it into a file");
		return err;
	}
	profile_init(&profile);
	err = expand(&output, options->path, &profile, &interval, &name);
	profile_done(&profile);
	return err ? err : replace_file_check(buf_text(&name), ret_directory);
}

static bool is_same_directory(const struct stat *one, const struct stat *other)
{
	return one->st_ino && one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

int output_check(const struct output_options *options, const char *save_path)
{
	struct stat directories[OUTPUT_FILES_MAX] = {}, saved = {};
	int err = 0;

	for (size_t i = 0; !err && i < output_options_nr(options); i++) {
		const struct output_options one = output_options_of(options, i);

		err = check_one(&one, &directories[i]);
		for (size_t other = 0; !err && other < i; other++)
			if (is_same_directory(&directories[other], &directories[i]) &&
			    !strcmp(path_name(output_options_of(options, other).path), path_name(one.path)))
				err = fail_usage("argument -o/--output: '%s': given twice", one.path);
	}
	if (!err && save_path)
		err = replace_file_check(save_path, &saved);
	for (size_t i = 0; !err && save_path && i < output_options_nr(options); i++)
		if (is_same_directory(&directories[i], &saved) &&
		    fits(path_name(output_options_of(options, i).path), path_name(save_path)))
			err = fail_usage("argument --save: '%s': -o/--output writes this file too", save_path);
	return err;
}

/* ---- documents ---- */

static int make_lines(const struct output_options *options, const struct profile *profile,
		      const struct profile_interval *intervals, size_t nr, FILE *out)
{
	struct profile_view view = profile->view;
	int err;

	output_change_view(options, &view);
	err = render_header(profile, &view, out);
	for (size_t i = 0; !err && i < nr; i++)
		err = render_report(profile, &intervals[i], &view, out);
	err = err ?: render_footer(profile, &view, out);
	return err && !ferror(out) ? fail(err, "cannot create the report: %s", strerror(-err)) : err;
}

static void make_tree(const struct output_options *options, const struct tree *tree,
		      const struct graph_caption *caption, struct buf *bytes)
{
	switch (options->format) {
	case OUTPUT_SVG:
		graph_svg(tree, options, caption, bytes);
		break;
	case OUTPUT_HTML:
		graph_html(tree, options, caption, bytes);
		break;
	case OUTPUT_SUMMARY:
		render_summary(tree, options, caption, bytes);
		break;
	case OUTPUT_FUNCTIONS:
		render_functions(tree, options, caption, bytes);
		break;
	default:
		render_tree(tree, options, caption, bytes);
	}
}

/* Blue for waiting times, as is usual; another palette distinguishes wakers from sleepers. */
static enum graph_colors fitting_colors(const struct profile_view *view)
{
	if (!view_shows_time(view) || view->style == VIEW_WALL)
		return COLORS_KIND;
	return view->style == VIEW_OFFCPU ? COLORS_IO : COLORS_CHAIN;
}

/* The HTML page can group by command itself, so it gets single processes. */
static enum graph_root finest_root(const struct output_options *options, const struct profile *profile)
{
	if (options->format != OUTPUT_HTML || options->root > GRAPH_ROOT_COMM)
		return options->root;
	for (size_t i = 0; i < profile->records.nr; i++)
		if (profile->records.data[i].tgid)
			return GRAPH_ROOT_PID;
	return GRAPH_ROOT_COMM;
}

typedef VEC(uint64_t) time_list;

static void time_list_done(time_list *list)
{
	vec_done(list);
}

/* The host's local time at a time in the interval, ms since 1970; 0: unknown. */
static uint64_t clock_at(const struct profile *profile, const struct profile_interval *interval, uint64_t time_ns)
{
	const int64_t offset_ms = (int64_t)(int32_t)profile->utc_offset_s * 1000;
	uint64_t ms;

	if (interval->end_ns < time_ns || interval->wall_end_ns < interval->end_ns - time_ns)
		return 0;
	ms = (interval->wall_end_ns - (interval->end_ns - time_ns)) / NSEC_PER_MSEC;
	return ms && (int64_t)ms + offset_ms > 0 ? (uint64_t)((int64_t)ms + offset_ms) : 0;
}

/* Adds the bounds of the intervals. False if these do not follow each other, which is possible in a saved profile. */
static bool add_edges(const struct profile_interval *intervals, size_t nr, time_list *edges)
{
	for (size_t i = 0; i < nr; i++) {
		if (intervals[i].start_ns >= intervals[i].end_ns ||
		    (i && intervals[i].start_ns < intervals[i - 1].end_ns))
			return false;
		vec_push(edges, intervals[i].start_ns);
	}
	vec_push(edges, intervals[nr - 1].end_ns);
	return true;
}

/* Sets the times of a page: of each event, or of intervals. False: none, or only one. */
static bool add_times(const struct profile *profile, const struct profile_interval *intervals, size_t nr,
		      const struct tree *tree, time_list *edges, struct graph_times *ret_times)
{
	uint64_t first_ns;

	if (!tree->moments.nr)
		return false;
	first_ns = tree->moments.data[0].time_ns;
	if (!profile->view.times) {
		if (!add_edges(intervals, nr, edges))
			return false;
		first_ns = edges->data[0];
	} else if (vec_last(&tree->moments).time_ns - first_ns < 1000 /* the page's resolution */) {
		return false;
	}
	*ret_times = (struct graph_times){
		.edges = edges->data,
		.nr_edges = edges->nr,
		.clock_ms = clock_at(profile, intervals, first_ns),
	};
	return true;
}

static void make_picture(const struct output_options *options, const struct profile *profile,
			 const struct profile_interval *intervals, size_t nr, struct buf *bytes)
{
	const struct tree_options tree_options = {
		.root = finest_root(options, profile),
		.reverse = options->reverse,
		.delimited = profile->view.delimited,
		.times = options->format == OUTPUT_HTML && (profile->view.times || nr > 1),
		.lines_apart = options->format == OUTPUT_HTML,
	};
	struct output_options settled = *options;
	_cleanup_(time_list_done) time_list edges = {};
	struct graph_times times;
	_cleanup_(caption_done) struct caption caption;
	_cleanup_(buf_done) struct buf losses = {}, about = {}, words = {};
	_cleanup_(tree_done) struct tree tree;

	if (options->colors == COLORS_AUTO)
		settled.colors = fitting_colors(&profile->view);
	caption_init(&caption, options, profile);
	tree_init(&tree, &tree_options);
	for (size_t i = 0; i < nr; i++)
		tree_add(&tree, profile, &intervals[i], TREE_NOW);
	tree_build(&tree);
	if (options->format == OUTPUT_SVG || options->format == OUTPUT_HTML)
		for (size_t i = 0; i < nr; i++)
			render_add_notes(profile, &intervals[i], &losses);
	caption.graph.losses = buf_text(&losses);
	caption_add_about(&about, profile, intervals, nr);
	caption.graph.about = buf_text(&about);
	if (profile->view.style == VIEW_WALL && nr == 1)
		wall_add_words(profile, intervals, &words);
	caption.graph.words = words.nr ? buf_text(&words) : NULL;
	if (add_times(profile, intervals, nr, &tree, &edges, &times))
		caption.graph.times = &times;
	make_tree(&settled, &tree, &caption.graph, bytes);
	for (size_t i = 0; options->format != OUTPUT_SVG && options->format != OUTPUT_HTML && i < nr; i++)
		render_add_cut(&intervals[i], bytes);
}

/* No default case, so that the compiler reports a missing format. 0 or a negative errno, recorded unless a write failed. */
static int make_document(const struct output_options *options, const struct profile *profile,
			 const struct profile_interval *intervals, size_t nr, FILE *out)
{
	_cleanup_(stream_done) struct stream stream = { .out = out };
	int err = 0;

	switch (options->format) {
	case OUTPUT_DEFAULT:
	case OUTPUT_TEXT:
	case OUTPUT_FOLDED:
		return make_lines(options, profile, intervals, nr, out);
	case OUTPUT_JSON:
		document_json(profile, intervals, nr, &stream);
		break;
	case OUTPUT_SPEEDSCOPE:
		document_speedscope(profile, options, intervals, nr, &stream);
		break;
	case OUTPUT_PPROF:
		err = document_pprof(profile, intervals, nr, &stream.text);
		break;
	case OUTPUT_PERF:
		document_perf(profile, intervals, nr, &stream);
		break;
	case OUTPUT_STK:
		profile_encode(profile, &stream.text);
		break;
	case OUTPUT_SVG:
	case OUTPUT_HTML:
	case OUTPUT_SUMMARY:
	case OUTPUT_TREE:
	case OUTPUT_FUNCTIONS:
		make_picture(options, profile, intervals, nr, &stream.text);
		break;
	case OUTPUT_SCREEN: /* drawn by core/run/screen.h */
		err = fail(-EINVAL, "the screen is not a document");
	}
	return err ? err : stream_finish(&stream);
}

/* ---- writing ---- */

/* The result of writing to standard output; without a recorded cause if the reader has closed the pipe. */
static int printed(int err)
{
	errno = 0;
	if (!err && fflush(stdout))
		err = -errno;
	if (err == -EINTR) /* the output was given up: ending.c */
		err = -EPIPE;
	if (!err || err == -EPIPE || !ferror(stdout))
		return err;
	return fail_write(err, "standard output");
}

/* The result of writing to a file. */
static int replaced(struct replacement *replacement, int err)
{
	_cleanup_(freep) char *what = xasprintf("'%s'", replacement->path);

	if (err && ferror(replacement->out))
		fail_write(err, what);
	return replace_end(replacement, err);
}

int output_bytes(const struct output_options *options, const struct buf *bytes)
{
	errno = 0;
	if (options->path)
		return replace_file(options->path, bytes->data, bytes->nr);
	return printed(fwrite(bytes->data, 1, bytes->nr, stdout) == bytes->nr ? 0 : errno ? -errno : -EIO);
}

/* Keeps the newest `keep` files that this run wrote for one -o, and removes the others. */
static void remember(struct output *output, size_t number, const char *name)
{
	name_list *kept = &output->kept[number];

	if (!kept->nr || strcmp(vec_last(kept), name))
		vec_push(kept, xstrdup(name));
	while (kept->nr > output->options->keep) {
		char *oldest = kept->data[0];

		replace_remove(oldest);
		free(oldest);
		memmove(kept->data, kept->data + 1, --kept->nr * sizeof(oldest));
	}
}

struct document {
	const struct output_options *options;
	const struct profile *profile;
	const struct profile_interval *intervals;
	size_t nr;
};

static int write_document(void *context, const char *path)
{
	const struct document *document = context;
	struct replacement replacement;
	int err = replace_begin(path, &replacement);

	if (err)
		return err;
	return replaced(&replacement, make_document(document->options, document->profile, document->intervals,
						    document->nr, replacement.out));
}

static int write_one(struct output *output, size_t number, const struct profile *profile,
		     const struct profile_interval *intervals, size_t nr)
{
	const struct output_options options = output_options_of(output->options, number);
	struct document document = { &options, profile, intervals, nr };
	_cleanup_(buf_done) struct buf name = {};
	int err;

	if (!options.path)
		return printed(make_document(&options, profile, intervals, nr, stdout));
	err = expand(output, options.path, profile, &intervals[nr ? nr - 1 : 0], &name);
	err = err ?: replace_or_keep(buf_text(&name), write_document, &document);
	if (!err && options.keep && strchr(options.path, '%'))
		remember(output, number, buf_text(&name));
	return err;
}

int output_each(const struct output_options *options, int (*write)(void *context, size_t number), void *context)
{
	struct err_saved first = {};
	int result = 0;

	for (size_t i = 0; i < output_options_nr(options); i++) {
		int err;

		err_clear();
		err = write(context, i);
		if (!err)
			continue;
		if (result)
			err_join(result, &first, err);
		result = result ?: err;
		first = err_save();
	}
	if (result)
		err_restore(&first);
	return result;
}

struct written {
	struct output *output;
	const struct profile *profile;
	const struct profile_interval *intervals;
	size_t nr;
};

static int write_numbered(void *context, size_t number)
{
	const struct written *written = context;

	return write_one(written->output, number, written->profile, written->intervals, written->nr);
}

int output_write(struct output *output, const struct profile *profile, size_t first, size_t nr)
{
	static const struct profile_interval none;
	struct written written = { output, profile, nr ? profile->intervals.data + first : &none, nr };
	uint64_t second = written.intervals[nr ? nr - 1 : 0].wall_end_ns / NSEC_PER_SEC;
	int err = output_each(output->options, write_numbered, &written);

	if (err || !output->options->path)
		return err;
	output->nr_written++;
	output->nr_in_second = output->second == second ? output->nr_in_second + 1 : 1;
	output->second = second;
	return 0;
}

int output_write_tree(const struct output_options *options, const struct tree *tree,
		      const struct graph_caption *caption)
{
	_cleanup_(buf_done) struct buf bytes = {};

	make_tree(options, tree, caption, &bytes);
	return output_bytes(options, &bytes);
}
