/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output formats, files, and options for the renderers. Strings are borrowed from argv. */
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
	FORMAT(STK, "stk", ".stk", true)                            \
	FORMAT(SUMMARY, "summary", "", false) /* no file name selects it */

enum output_format {
	OUTPUT_DEFAULT, /* text, or folded if the view says so */
#define FORMAT(id, name, suffix, binary) OUTPUT_##id,
	OUTPUT_FORMATS(FORMAT)
#undef FORMAT
	OUTPUT_TREE, /* --tree; not a --format, like the next two */
	OUTPUT_FUNCTIONS, /* --functions, and the table of diff */
	OUTPUT_SCREEN, /* --tui */
};

/* The first box of each stack in a flame graph. */
enum graph_root {
	GRAPH_ROOT_DEFAULT, /* COMM; NONE in a difference of profiles without a common command */
	GRAPH_ROOT_COMM,
	GRAPH_ROOT_PID, /* "comm (pid)" */
	GRAPH_ROOT_TID, /* "comm (pid/tid)" */
	GRAPH_ROOT_CONTAINER, /* container id, or the cgroup without one */
	GRAPH_ROOT_NONE,
};

enum graph_colors {
	COLORS_AUTO, /* KIND, or another palette for time off the CPU */
	COLORS_KIND, /* by kind of frame: kernel, user, JIT, inlined */
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

struct output_file {
	const char *path;
	enum output_format format;
};

struct output_options {
	enum output_format format; /* --format; after output_options_settle(): of the first file */
	const char *path; /* the first -o; NULL: standard output */
	struct output_file more[OUTPUT_FILES_MAX - 1]; /* further -o */
	uint32_t nr_more;
	bool is_spread; /* after output_options_settle(): each file has its own format */
	uint32_t keep; /* --keep: how many files are kept if the path has a pattern; 0: all */

	/* pictures */
	const char *title;
	enum graph_colors colors;
	enum graph_root root;
	bool inverted; /* the root on top */
	bool reverse; /* stacks from the leaf: the callers of each function */
	bool normalize; /* differences: the first profile is scaled to the total of the second */
	bool negate; /* differences: colours are swapped */
	uint32_t width; /* SVG, pixels; 0: 1200 */
	uint32_t min_width; /* narrower boxes are left out; thousandths of a percent; 0: 8 */

	/* summary: size of the screen in characters (0: unknown), and whether it shows colours */
	uint16_t rows, columns;
	bool is_colored;

	/* tree and table of functions */
	uint32_t limit; /* lines of the table; for a tree, the smallest share in thousandths of a percent; 0: default */
};

/* Adds a file of -o. A usage error if there are too many. */
_must_check_ int output_options_add(struct output_options *options, const char *path);

/* The number of documents to write, and the options of one. */
size_t output_options_nr(const struct output_options *options);
struct output_options output_options_of(const struct output_options *options, size_t number);

/* The formats of all documents, by --format or suffix: bits 1 << OUTPUT_SVG etc. */
uint32_t output_options_forms(const struct output_options *options);

/* Finds a format by name: sets an enum output_format. 0 or a usage error. */
int output_format_parse(const char *name, void *ret_format);
/* The format of a path's suffix, or OUTPUT_DEFAULT. */
enum output_format output_format_of(const char *path);
bool output_format_is_binary(enum output_format format);

/*
 * Sets the format of each file: --format, or by suffix. A usage error if a suffix is unknown or contradicts --format, for --keep without a
 * pattern in a path, and for an option that none of the formats supports.
 */
_must_check_ int output_options_settle(struct output_options *options);

/* The same for an option such as --tree that selects a form of text. A usage error if -o or --format selects another format. */
_must_check_ int output_options_ask(struct output_options *options, const char *option, enum output_format form);

/* The same for --tui, which excludes -o and --format. */
_must_check_ int output_options_ask_screen(struct output_options *options);

/* -f: text files become folded; standard output and saved profiles do not. A usage error if -o or --format selects another format. */
_must_check_ int output_options_fold(struct output_options *options);

/* A usage error if the path of --save has the suffix of another format. */
_must_check_ int output_check_save(const char *path);

/* A usage error if one of the formats does not support --histogram. `folded`: the default format is folded. */
_must_check_ int output_options_histogram(const struct output_options *options, bool folded);

/* Finds an enum graph_colors or graph_root by name. 0 or a usage error. */
int graph_colors_parse(const char *name, void *ret_colors);
int graph_root_parse(const char *name, void *ret_root);
/* Parses "0.1" or "0.1%" into a uint32_t in thousandths of a percent. 0 or a usage error. */
int graph_percent_parse(const char *text, void *ret_thousandths);
