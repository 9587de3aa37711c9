/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/plan/output_options.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/names.h"
#include "core/base/suggest.h"

/* By enum output_format; OUTPUT_DEFAULT has no name. */
static const struct {
	const char *name, *suffix;
	bool binary;
} formats[] = {
#define FORMAT(id, name, suffix, binary) [OUTPUT_##id] = { name, suffix, binary },
	OUTPUT_FORMATS(FORMAT)
#undef FORMAT
};

static const size_t nr_formats = sizeof(formats) / sizeof(*formats);

static const char *const color_names[] = {
	[COLORS_AUTO] = "auto",     [COLORS_KIND] = "kind",     [COLORS_HOT] = "hot",       [COLORS_MEM] = "mem",
	[COLORS_IO] = "io",         [COLORS_WAKEUP] = "wakeup", [COLORS_CHAIN] = "chain",   [COLORS_JAVA] = "java",
	[COLORS_RED] = "red",       [COLORS_GREEN] = "green",   [COLORS_BLUE] = "blue",     [COLORS_YELLOW] = "yellow",
	[COLORS_PURPLE] = "purple", [COLORS_AQUA] = "aqua",     [COLORS_ORANGE] = "orange",
};

/* From GRAPH_ROOT_COMM on. */
static const char *const root_names[] = { "comm", "pid", "tid", "container", "none" };

/* The index of a name, or a usage error that lists all names. */
static int find_name(const char *what, const char *name, const char *const *names, size_t nr)
{
	_cleanup_(buf_done) struct buf all = {};
	const char *nearest = str_nearest(name, names, nr);
	int err;

	for (size_t i = 0; i < nr; i++) {
		if (!strcmp(names[i], name))
			return (int)i;
		buf_addf(&all, "%s%s", i ? ", " : "", names[i]);
	}
	err = nearest ? fail_usage("%s '%s': no such %s: did you mean '%s'?", what, name, what, nearest)
		      : fail_usage("%s '%s': no such %s", what, name, what);
	hint("there are %s", buf_text(&all));
	return err;
}

int output_format_parse(const char *name, void *ret_format)
{
	const char *names[sizeof(formats) / sizeof(*formats)];
	int found;

	for (size_t i = 1; i < nr_formats; i++)
		names[i - 1] = formats[i].name;
	found = find_name("format", name, names, nr_formats - 1);
	if (found < 0)
		return found;
	*(enum output_format *)ret_format = (enum output_format)(found + 1);
	return 0;
}

static bool ends_in(const char *path, const char *suffix)
{
	size_t length = strlen(path), nr = strlen(suffix);

	return length > nr && !strcmp(path + length - nr, suffix);
}

/* The longest matching suffix counts: .speedscope.json also ends in .json. */
enum output_format output_format_of(const char *path)
{
	enum output_format found = OUTPUT_DEFAULT;
	size_t longest = 0;

	for (size_t i = 1; i < nr_formats; i++) {
		size_t length = strlen(formats[i].suffix);

		if (length > longest && ends_in(path, formats[i].suffix)) {
			longest = length;
			found = (enum output_format)i;
		}
	}
	if (!found && ends_in(path, ".pprof"))
		return OUTPUT_PPROF;
	return found;
}

bool output_format_is_binary(enum output_format format)
{
	return format < nr_formats && formats[format].binary;
}

static enum output_format said_form(const struct output_options *options)
{
	return options->format || !options->path ? options->format : output_format_of(options->path);
}

#define FORM(format) (1U << OUTPUT_##format)
#define PICTURES (FORM(SVG) | FORM(HTML))

/* A usage error for an option that none of the formats supports. */
static int check_looks(const struct output_options *options)
{
	uint32_t forms = output_options_forms(options);
	const struct {
		const char *option;
		bool given;
		unsigned int forms;
		const char *names;
	} looks[] = {
		{ "--title", options->title, PICTURES | FORM(SPEEDSCOPE) | FORM(SCREEN), "svg, html and speedscope" },
		{ "--colors", options->colors != COLORS_AUTO, PICTURES, "svg and html" },
		{ "--inverted", options->inverted, PICTURES, "svg and html" },
		{ "--width", options->width, FORM(SVG), "svg" },
		{ "--min-width", options->min_width, PICTURES, "svg and html" },
		{ "--reverse", options->reverse,
		  PICTURES | FORM(SPEEDSCOPE) | FORM(TREE) | FORM(FUNCTIONS) | FORM(SCREEN) | FORM(SUMMARY),
		  "svg, html, speedscope, summary and trees" },
	};

	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++) {
		if (looks[i].given && !(looks[i].forms & forms)) {
			fail_usage("argument %s: only for %s", looks[i].option, looks[i].names);
			hint("-o FILE.svg draws a flame graph");
			return -EINVAL;
		}
	}
	return 0;
}

static const char *name_of(enum output_format format)
{
	return format && format < nr_formats ? formats[format].name : "";
}

static int no_format(const char *path)
{
	_cleanup_(buf_done) struct buf all = {};
	struct stat status;
	int err;

	if (!stat(path, &status) && S_ISDIR(status.st_mode)) {
		err = fail_usage("argument -o/--output: '%s': is a directory", path);
		hint("give a file in it, like %s/report.svg", path);
		return err;
	}
	err = fail_usage("argument -o/--output: '%s': unknown suffix", path);

	for (size_t i = 1; i < nr_formats; i++)
		if (*formats[i].suffix)
			buf_addf(&all, "%s%s", all.nr ? ", " : "", formats[i].suffix);
	hint("known suffixes: %s; for other names add --format NAME", buf_text(&all));
	return err;
}

/* Whether --format may select `format` for a file whose suffix selects `suffix`: .txt may be any text, .json also speedscope. */
static bool suffix_allows(enum output_format suffix, enum output_format format)
{
	switch (suffix) {
	case OUTPUT_DEFAULT:
		return true;
	case OUTPUT_TEXT:
		return !output_format_is_binary(format) && !(PICTURES & 1U << format);
	case OUTPUT_JSON:
		return format == OUTPUT_JSON || format == OUTPUT_SPEEDSCOPE;
	default:
		return format == suffix;
	}
}

/* ---- several files ---- */

int output_options_add(struct output_options *options, const char *path)
{
	if (!options->path) {
		options->path = path;
		return 0;
	}
	if (options->nr_more == OUTPUT_FILES_MAX - 1)
		return fail_usage("argument -o/--output: at most %d files", OUTPUT_FILES_MAX);
	options->more[options->nr_more++].path = path;
	return 0;
}

size_t output_options_nr(const struct output_options *options)
{
	return 1 + options->nr_more;
}

struct output_options output_options_of(const struct output_options *options, size_t number)
{
	struct output_options one = *options;

	one.nr_more = 0;
	if (number) {
		one.path = options->more[number - 1].path;
		one.format = options->is_spread ? options->more[number - 1].format : options->format;
	}
	return one;
}

uint32_t output_options_forms(const struct output_options *options)
{
	uint32_t forms = 0;

	for (size_t i = 0; i < output_options_nr(options); i++) {
		const struct output_options one = output_options_of(options, i);

		forms |= 1U << said_form(&one);
	}
	return forms;
}

/* Calls `change` with the options of each file, and keeps the format that it sets. Changes nothing if one call fails. */
static int for_each_file(struct output_options *options,
			 int (*change)(struct output_options *options, const void *context), const void *context)
{
	struct output_options changed = *options;

	changed.is_spread = true;
	for (size_t i = 0; i < output_options_nr(options); i++) {
		struct output_options one = output_options_of(options, i);
		int err = change(&one, context);

		if (err)
			return err;
		*(i ? &changed.more[i - 1].format : &changed.format) = one.format;
	}
	*options = changed;
	return 0;
}

/* Refuses "-": for other programs it means standard output, here it would be a file name. */
static int check_path(const struct output_options *options)
{
	int err;

	if (!options->path || strcmp(options->path, "-"))
		return 0;
	err = fail_usage("argument -o/--output: '-': not a file name");
	hint("leave out -o to write to standard output, or use ./- for a file named '-'");
	return err;
}

static int settle(struct output_options *options, const void *unused)
{
	enum output_format suffix = options->path ? output_format_of(options->path) : OUTPUT_DEFAULT;
	int err = check_path(options);

	(void)unused;
	if (err)
		return err;
	if (!options->format && options->path && !suffix)
		return no_format(options->path);
	if (!options->format)
		options->format = suffix;
	if (!suffix_allows(suffix, options->format))
		return fail_usage("argument --format: %s: not allowed with argument -o/--output: '%s' selects %s",
				  name_of(options->format), options->path, name_of(suffix));
	return 0;
}

static bool is_pattern(const char *path)
{
	return path && (strstr(path, "%n") || strstr(path, "%t"));
}

/* Each path may occur once, and --keep needs a pattern. output_check() compares paths that are spelled differently. */
static int check_files(const struct output_options *options)
{
	bool any_pattern = is_pattern(options->path);

	for (uint32_t i = 0; i < options->nr_more; i++) {
		const char *path = options->more[i].path;

		any_pattern |= is_pattern(path);
		for (uint32_t other = 0; other <= i; other++)
			if (!strcmp(other ? options->more[other - 1].path : options->path, path))
				return fail_usage("argument -o/--output: '%s': given twice", path);
	}
	if (options->keep && !any_pattern)
		return fail_usage("argument --keep: needs -o with %%n or %%t in the name: one file per interval");
	return 0;
}

int output_options_settle(struct output_options *options)
{
	return check_files(options) ?: for_each_file(options, settle, NULL) ?: check_looks(options);
}

int output_check_save(const char *path)
{
	enum output_format suffix = output_format_of(path);
	int err;

	if (!strcmp(path, "-")) {
		err = fail_usage("argument --save: '-': not a file name");
		hint("use --format stk to write a profile to standard output, or ./- for a file named '-'");
		return err;
	}
	if (suffix == OUTPUT_DEFAULT || suffix == OUTPUT_STK)
		return 0;
	err = fail_usage("argument --save: '%s' selects %s, but profiles are saved as stk", path, name_of(suffix));
	hint("-o %s writes %s", path, name_of(suffix));
	return err;
}

static int check_histogram(enum output_format format, bool folded)
{
	if (folded && (format == OUTPUT_DEFAULT || format == OUTPUT_FOLDED))
		return fail_usage("argument --histogram: not supported by format folded: use text, json or stk");
	if (format == OUTPUT_DEFAULT || format == OUTPUT_TEXT || format == OUTPUT_JSON || format == OUTPUT_STK)
		return 0;
	return fail_usage("argument --histogram: not supported by format %s: use text, json or stk", name_of(format));
}

int output_options_histogram(const struct output_options *options, bool folded)
{
	int err = 0;

	for (size_t i = 0; !err && i < output_options_nr(options); i++)
		err = check_histogram(output_options_of(options, i).format, folded);
	return err;
}

static int not_that_form(const struct output_options *options, const char *option, enum output_format said)
{
	if (options->format)
		return fail_usage("argument %s: not allowed with argument --format, which selects %s", option,
				  name_of(said));
	return fail_usage("argument %s: not allowed with argument -o/--output: '%s' selects %s", option, options->path,
			  name_of(said));
}

struct asked {
	const char *option;
	enum output_format form;
};

static int ask(struct output_options *options, const void *context)
{
	const struct asked *asked = context;
	enum output_format said = said_form(options);
	int err = check_path(options);

	if (err)
		return err;
	if (said != OUTPUT_DEFAULT && said != OUTPUT_TEXT && said != asked->form)
		return not_that_form(options, asked->option, said);
	options->format = asked->form;
	return 0;
}

int output_options_ask(struct output_options *options, const char *option, enum output_format form)
{
	const struct asked asked = { option, form };

	return check_files(options) ?: for_each_file(options, ask, &asked) ?: check_looks(options);
}

static int fold(struct output_options *options, const void *unused)
{
	enum output_format said = said_form(options);

	(void)unused;
	if (!options->format && said == OUTPUT_TEXT)
		options->format = said = OUTPUT_FOLDED;
	if (said == OUTPUT_DEFAULT || said == OUTPUT_FOLDED || said == OUTPUT_STK)
		return 0;
	return not_that_form(options, "-f/--folded", said);
}

int output_options_fold(struct output_options *options)
{
	return for_each_file(options, fold, NULL);
}

int output_options_ask_screen(struct output_options *options)
{
	if (options->path || options->format)
		return fail_usage("argument %s: not allowed with a screen", options->path ? "-o/--output" : "--format");
	return output_options_ask(options, "--tui", OUTPUT_SCREEN);
}

int graph_colors_parse(const char *name, void *ret_colors)
{
	int found = find_name("palette", name, color_names, COLORS_NR);

	if (found < 0)
		return found;
	*(enum graph_colors *)ret_colors = (enum graph_colors)found;
	return 0;
}

int graph_root_parse(const char *name, void *ret_root)
{
	int found;

	if (*name == '/')
		return fail_usage("root '%s': a directory: if it is the host's file system, use --host-root %s", name,
				  name);
	found = find_name("root", name, root_names, sizeof(root_names) / sizeof(*root_names));
	if (found < 0)
		return found;
	*(enum graph_root *)ret_root = GRAPH_ROOT_COMM + (enum graph_root)found;
	return 0;
}

int graph_percent_parse(const char *text, void *ret_thousandths)
{
	uint32_t value = 0, decimals = 0;
	bool dot = false, digits = false;
	const char *at = text;

	for (; (*at >= '0' && *at <= '9' && value <= 10000000) || (*at == '.' && !dot); at++) {
		if (*at == '.') {
			dot = true;
		} else if (!dot || decimals < 3) {
			value = value * 10 + (uint32_t)(*at - '0');
			decimals += dot;
			digits = true;
		}
	}
	for (; decimals < 3 && value <= 10000000; decimals++)
		value *= 10;
	if (!digits || (*at && strcmp(at, "%")) || value > 100000)
		return fail_usage("percentage '%s': give a number from 0 to 100", text);
	*(uint32_t *)ret_thousandths = value;
	return 0;
}
