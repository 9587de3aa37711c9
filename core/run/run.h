/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of a collecting applet: plan, resolve, load, attach, collect, drain, symbolize, render. And the runs of other applets. */
#pragma once

#include <stdbool.h>

#include "core/plan/plan.h"

struct applet;

struct run_result {
	bool lost; /* with --strict: something was lost, exit status 4 */
	bool cut; /* the guard ended the run early: exit status 6 */
	/* Exit status of the plan's command; 126 or 127, and a failure, if it could not be executed; -1: no command. */
	int command_status;
};

/* Runs a plan, and adds the command's process to its tgids. Reports go to stdout, notes to stderr. 0 or a recorded failure. */
int run_plan(const struct applet *applet, struct plan *plan, struct run_result *ret_result);

/* A report of a saved profile. False members: as in the run that saved it. */
struct report_request {
	const char *path; /* a saved profile or folded text; "-": standard input */
	struct output_options output;
	struct filter filter;
	bool folded, text;
	bool delimited;
	bool annotate;
	bool offsets, plain; /* `plain`: names only, without offset and module */
	bool addresses;
	bool by_name;
	bool timestamps;
	bool verbose;
	bool quiet;
	uint32_t top; /* only the heaviest rows; 0: all */
	bool redact; /* profile_redact() after the filters */
	bool lines, inlines; /* source lines, and inlined calls as separate frames */
	const char *vmlinux; /* for lines of the kernel: core/naming/kernel_debug.h */
	bool histogram; /* fails if the profile has none */
	bool tui; /* shows a screen instead of a report */
	const char *debug_directories; /* of programs and debug files by build id, for frames without names */
};

/* Prints the report to stdout or `output`, notes to stderr. 0 or a recorded failure; -EPIPE, unrecorded: the reader closed the pipe. */
int run_saved(const struct report_request *request);

/* Copies the files with frames of a saved profile, and their debug files, into `directory` by build id. Errors as run_saved(). */
int run_bundle(const char *path, const char *directory, const char *debug_directories);

/* The difference of two saved profiles; members as in report_request. */
struct diff_request {
	const char *before, *now; /* paths */
	struct output_options output;
	struct filter filter;
	bool verbose;
	const char *debug_directories;
};

/* Prints the difference. Errors as run_saved(). */
int run_diff(const struct diff_request *request);

/* Prints what the pattern of a plan with `look_only` matches. 0, or the failures of resolve_plan(). */
int run_list(const struct plan *plan);

/*
 * Prints what this host can do, or only the ability `id` (NULL: all), as text or JSON. 0; a usage error for an unknown ability; an ERR_HOST
 * failure if nothing can be collected, or if that ability is missing.
 */
int run_doctor(const char *id, bool json);

/* Removes breakpoints that belong to no known probe, and prints the result. 0 or a recorded failure. */
int run_doctor_heal(void);

/* Addresses to name. Exactly one of file, tgid and kernel is set. */
struct addr2sym_request {
	const char *file;
	uint32_t tgid;
	bool kernel;
	bool is_return; /* they are return addresses */
	const char *find; /* instead, searches for functions of the file, with '*' as wildcard; NULL: no */
	bool no_demangle;
	bool why; /* prints explanations after each answer */
	bool lines; /* prints source lines */
	bool inlines; /* prints inlined calls */
	const char *vmlinux; /* for lines of the kernel: core/naming/kernel_debug.h */
	const char *debug_directories, *host_root; /* as in naming.h */
	struct word_list addresses; /* hexadecimal; empty: read lines from standard input */
};

/* Prints a line for each address. Errors as run_saved(). */
int run_addr2sym(const struct addr2sym_request *request);
