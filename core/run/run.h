/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of a run of a collecting applet: plan, resolve, load, attach, collect, drain, symbolize, render. */
#pragma once

#include <stdbool.h>

#include "core/plan/plan.h"

struct applet;

struct run_result {
	bool lost;          /* --strict and something was lost: exit status 4 */
	/* To end with: of the plan's command, or 126 or 127 with a failure to execute it; -1: none. */
	int command_status;
};

/*
 * Carries out a plan; its command's process is added to its tgids. 0, or a negative errno with a recorded cause.
 * Reports go to stdout, notes to stderr.
 */
int run_plan(const struct applet *applet, struct plan *plan, struct run_result *ret_result);

/* A report of a saved profile. What it shows otherwise than the run it was saved by: false leaves it as it was. */
struct report_request {
	const char *path; /* a saved profile or folded text; "-": the standard input */
	struct output_options output;
	struct filter filter;
	bool folded, text;
	bool delimited;
	bool annotate;
	bool offsets, plain; /* plain: names alone, without offset and module */
	bool addresses;
	bool by_name;
	bool timestamps;
	bool verbose;
	bool quiet;
	bool lines, inlines; /* source lines, and inlined calls as frames of their own */
	const char *vmlinux; /* for those of the kernel: as in core/naming/kernel_debug.h */
	bool histogram; /* that of a run without one is an error */
	bool tui; /* to walk through on the terminal, instead of printing */
	const char *debug_directories; /* of programs and debug files by build id, for frames that have no names yet */
};

/*
 * Prints it, reports to stdout or where `output` says, and notes to stderr. 0, or a negative errno with a recorded cause;
 * -EPIPE without one when the reader has closed the pipe.
 */
int run_saved(const struct report_request *request);

/*
 * Copies the files that frames of a saved profile lie in, and their debug files, into `directory` by build id. The same
 * errors; files that are not there get a note.
 */
int run_bundle(const char *path, const char *directory, const char *debug_directories);

/* Prints how the profile `now` differs from the profile `before`; directories as in report_request; the same errors. */
int run_diff(const char *before, const char *now, const char *debug_directories, const struct output_options *options,
	     const struct filter *filter);

/*
 * Prints what the pattern of a plan with `look_only` matches. 0, or the failures of resolve_plan().
 */
int run_list(const struct plan *plan);

/*
 * Prints what this host can and cannot do, or only the ability `id` (NULL: all), as text or JSON. 0; a usage error for
 * an ability that does not exist; an ERR_HOST failure when nothing can be collected here, or the one ability is not
 * there.
 */
int run_doctor(const char *id, bool json);

/* Removes breakpoints that no probe accounts for, and prints what became of them. */
int run_doctor_heal(void);

/* Addresses to name: of a file, a process or the kernel, exactly one of which is given. */
struct addr2sym_request {
	const char *file;
	uint32_t tgid;
	bool kernel;
	bool is_return; /* they are return addresses */
	const char *find; /* the other way: functions of the file by name, '*' is a wildcard; NULL */
	bool no_demangle;
	bool why; /* after each line, the decisions that led to it */
	bool lines; /* with the source line */
	bool inlines; /* and the calls that were inlined there */
	const char *vmlinux; /* for those of the kernel: as in core/naming/kernel_debug.h */
	const char *debug_directories, *host_root; /* as in naming.h */
	struct word_list addresses; /* hexadecimal; none: lines of the standard input */
};

/*
 * Prints a line per address. 0, or a negative errno with a recorded cause; -EPIPE without one when the reader has closed the pipe.
 */
int run_addr2sym(const struct addr2sym_request *request);
