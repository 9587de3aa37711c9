/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of a run of a collecting applet: plan, resolve, load, attach, collect, drain, symbolize, render. */
#pragma once

#include <stdbool.h>

#include "core/plan/plan.h"

struct applet;

struct run_result {
	bool lost;          /* --strict and something was lost: exit status 4 */
	bool cut;           /* the guard ended the run early: exit status 6 */
	/* Exit status of the plan's command, or 126 or 127 and a failure if it could not be executed; -1: none. */
	int command_status;
};

/*
 * Runs a plan, and adds the command's process to its tgids. Reports go to stdout, notes to stderr. 0, or a negative
 * errno with a recorded cause.
 */
int run_plan(const struct applet *applet, struct plan *plan, struct run_result *ret_result);

/* A report of a saved profile. False means: as in the run that saved it. */
struct report_request {
	const char *path; /* a saved profile or folded text; "-": standard input */
	struct output_options output;
	struct filter filter;
	bool folded, text;
	bool delimited;
	bool annotate;
	bool offsets, plain; /* plain: names only, without offset and module */
	bool addresses;
	bool by_name;
	bool timestamps;
	bool verbose;
	bool quiet;
	uint32_t top; /* only so many rows, the heaviest; 0: all */
	bool redact; /* profile_redact() after the filters */
	bool lines, inlines; /* source lines, and inlined calls as separate frames */
	const char *vmlinux; /* for lines of the kernel: as in core/naming/kernel_debug.h */
	bool histogram; /* an error if the run had none */
	bool tui; /* browse on the terminal instead of printing */
	const char *debug_directories; /* with programs and debug files by build id, for frames without names */
};

/*
 * Prints the report, to stdout or to `output`, and notes to stderr. 0, or a negative errno with a recorded cause;
 * -EPIPE without one if the reader has closed the pipe.
 */
int run_saved(const struct report_request *request);

/*
 * Copies the files that contain frames of a saved profile, and their debug files, into `directory` by build id. The
 * same errors; a note for each missing file.
 */
int run_bundle(const char *path, const char *directory, const char *debug_directories);

/* The difference of two saved profiles; what has the same name in report_request is the same. */
struct diff_request {
	const char *before, *now; /* paths */
	struct output_options output;
	struct filter filter;
	bool verbose;
	const char *debug_directories;
};

/* Prints the difference; the same errors. */
int run_diff(const struct diff_request *request);

/* Prints what the pattern of a plan with `look_only` matches. 0, or the failures of resolve_plan(). */
int run_list(const struct plan *plan);

/*
 * Prints what this host can do, or only the ability `id` (NULL: all), as text or JSON. 0; a usage error for an unknown
 * ability; an ERR_HOST failure if nothing can be collected here, or if that ability is missing.
 */
int run_doctor(const char *id, bool json);

/* Removes breakpoints that belong to no known probe, and prints the result. */
int run_doctor_heal(void);

/* Addresses to name: of a file, a process or the kernel; exactly one of these is set. */
struct addr2sym_request {
	const char *file;
	uint32_t tgid;
	bool kernel;
	bool is_return; /* they are return addresses */
	const char *find; /* functions of the file to search for instead, '*' is a wildcard; NULL: none */
	bool no_demangle;
	bool why; /* print the decisions below each answer */
	bool lines; /* print the source line */
	bool inlines; /* print inlined calls */
	const char *vmlinux; /* for lines of the kernel: as in core/naming/kernel_debug.h */
	const char *debug_directories, *host_root; /* as in naming.h */
	struct word_list addresses; /* hexadecimal; empty: read lines from standard input */
};

/* Prints a line for each address. 0, or a negative errno with a recorded cause; -EPIPE without one if the reader has closed the pipe. */
int run_addr2sym(const struct addr2sym_request *request);
