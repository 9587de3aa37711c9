/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In which form a profile leaves the program, and what pictures look like: plain data, from the options to the
 * renderers. Strings live as long as argv.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

/* FORMAT(id, name, suffix, binary) */
#define OUTPUT_FORMATS(FORMAT)                                      \
	FORMAT(TEXT, "text", ".txt", false)                         \
	FORMAT(FOLDED, "folded", ".folded", false)                  \
	FORMAT(JSON, "json", ".json", false)                        \
	FORMAT(SVG, "svg", ".svg", false)                           \
	FORMAT(HTML, "html", ".html", false)                        \
	FORMAT(PPROF, "pprof", ".pb.gz", true)                      \
	FORMAT(SPEEDSCOPE, "speedscope", ".speedscope.json", false) \
	FORMAT(PERF, "perf", ".perf", false)                        \
	FORMAT(STK, "stk", ".stk", true)

enum output_format {
	OUTPUT_DEFAULT, /* text, or folded if the view says so */
#define FORMAT(id, name, suffix, binary) OUTPUT_##id,
	OUTPUT_FORMATS(FORMAT)
#undef FORMAT
	OUTPUT_TREE, /* forms of text that options of their own ask for */
	OUTPUT_TOP,
	OUTPUT_SCREEN, /* --tui */
};

/* What the boxes of a flame graph begin with. */
enum graph_root {
	GRAPH_ROOT_DEFAULT, /* COMM; NONE in a difference of profiles without a common command */
	GRAPH_ROOT_COMM,
	GRAPH_ROOT_PID, /* "comm (pid)" */
	GRAPH_ROOT_TID, /* "comm (pid/tid)" */
	GRAPH_ROOT_CONTAINER, /* its id, else the cgroup */
	GRAPH_ROOT_NONE,
};

enum graph_colors {
	COLORS_AUTO, /* kind, or what suits the time off the CPU */
	COLORS_KIND, /* by kernel, user, JIT, inlined */
	COLORS_HOT,
	COLORS_MEM,
	COLORS_IO,
	COLORS_WAKEUP,
	COLORS_CHAIN,
	COLORS_JAVA,
	COLORS_RED,
	COLORS_GREEN,
	COLORS_BLUE,
	COLORS_YELLOW,
	COLORS_PURPLE,
	COLORS_AQUA,
	COLORS_ORANGE,
	COLORS_NR
};

#define OUTPUT_FILES_MAX 16

/* A file of -o, and its form. */
struct output_file {
	const char *path;
	enum output_format format;
};

struct output_options {
	enum output_format format; /* of --format; with several files only that of the first one, once they are settled */
	const char *path; /* NULL: standard output */
	struct output_file more[OUTPUT_FILES_MAX - 1]; /* of further -o */
	uint32_t nr_more;
	bool is_spread; /* each file has a format of its own */
	uint32_t keep; /* with a pattern: how many files stay; 0 all */

	/* pictures */
	const char *title;
	enum graph_colors colors;
	enum graph_root root;
	bool inverted; /* the root on top */
	bool reverse; /* stacks leaf first: who calls what is hot */
	bool normalize; /* differences: the first profile scaled to the total of the second */
	bool negate; /* differences: colours the other way round */
	uint32_t width; /* SVG, pixels; 0 = 1200 */
	uint32_t min_width; /* narrower boxes are left out; thousandths of a percent; 0 = 8 */

	/* tree and top */
	uint32_t limit; /* lines of top; thousandths of a percent below which tree stops; 0 = default */
};

/* A file of -o, one of several. Usage error when there are too many. */
_must_check_ int output_options_add(struct output_options *options, const char *path);

/* How many documents are to be written, and what is to be done for one of them. */
size_t output_options_nr(const struct output_options *options);
struct output_options output_options_of(const struct output_options *options, size_t number);

/* The forms that all files, --format or nothing ask for: a bit for each, 1 << OUTPUT_SVG. */
uint32_t output_options_forms(const struct output_options *options);

/* The enum output_format with this name, or a usage error. */
int output_format_parse(const char *name, void *ret_format);
/* The format that the suffix of a path stands for, or OUTPUT_DEFAULT. */
enum output_format output_format_of(const char *path);
bool output_format_is_binary(enum output_format format);

/*
 * Settles the format of each file from its suffix where none is given. Usage error for a path with an unknown suffix or one
 * that contradicts --format, for --keep without a pattern in the path, and for an option that no form of the output supports.
 */
_must_check_ int output_options_settle(struct output_options *options);

/* Usage error when the name of --save asks for something that is not a saved profile. */
_must_check_ int output_check_save(const char *path);

/* 0 where the settled form, folded lines where `folded` says so, has room for --histogram; else a usage error. */
_must_check_ int output_options_histogram(const struct output_options *options, bool folded);

/*
 * The same where an option of its own, such as --tree, asks for a form: it goes into a text or into a file whose suffix
 * says nothing. Usage error when -o or --format say another form.
 */
_must_check_ int output_options_ask(struct output_options *options, const char *option, enum output_format form);

/*
 * -f: folded lines where text would be written, also into a .txt; a saved profile keeps the wish. Usage error when -o or
 * --format say another form.
 */
_must_check_ int output_options_fold(struct output_options *options);

/* The same for --tui, which has no place for -o and --format. */
_must_check_ int output_options_ask_screen(struct output_options *options);

/* The enum with this name, or a usage error. */
int graph_colors_parse(const char *name, void *ret_colors);
int graph_root_parse(const char *name, void *ret_root);
/* "0.1" or "0.1%" as a uint32_t: thousandths of a percent. */
int graph_percent_parse(const char *text, void *ret_thousandths);
