/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options that several applets share, as table fragments, so that an option is the same everywhere. Most options of
 * collecting applets are fields of the plan; functions, which the applet's plan() calls, do the rest.
 */
#pragma once

#include "core/base/err.h"
#include "core/cli/options.h"
#include "core/host/process_names.h"
#include "core/plan/plan.h"

/* The options of a collecting applet. */
struct run_options {
	struct plan plan; /* the first member: core/cli/applet.h */

	bool as_link; /* not an option: called by the applet's name, as bcc's tools are */
	bool no_children;
	const char *status_path; /* main.c has found it before the options are parsed */
	uint32_t unwind_mib; /* 0: default */

	/* Kernel or user stacks. */
	bool user_only, kernel_only, both;
	bool kernel_by_default; /* not an option: the applet shows only kernel stacks by default */

	/* The events: applets/probe.h */
	struct word_list patterns;
	const char *library;
	bool regex;

	/* The part of the time off the CPU: applets/off_cpu.h */
	uint64_t min_us, max_us;
	bool user_threads, kernel_threads;
	bool blocked, runqueue;

	/* Options of a single applet each. */
	bool plain; /* profile, dump */
	bool all; /* dump, wall */
	bool tui; /* --tui, or the applet is a screen */
};

/* OPTION() for a field of struct run_options; OUR_OPTION() for one that bcc's tool does not have. */
#define RUN_OPTION(letter, name, field, metavar, help, ...) \
	OPTION(letter, name, struct run_options, field, metavar, help, ##__VA_ARGS__)
#define OUR_OPTION(letter, name, field, metavar, help, ...) \
	RUN_OPTION(letter, name, field, metavar, help, ##__VA_ARGS__, .ours = true)
#define RUN_FRAGMENT(table) { .kind = OPTION_KIND_FRAGMENT, .fragment = (table) }

#define PROCESS_IDS .min = 1, .max = PID_MAX, .noun = "a list of process ids"
#define PROCESSES .parse = processes_parse /* of processes on this host; names are allowed too */
#define THREAD_IDS .min = 1, .max = PID_MAX, .noun = "a list of thread ids"
#define PID_MAX 4194304 /* PID_MAX_LIMIT of 64-bit kernels */

#define CPUS .max = 4095, .noun = "a list of CPUs", .ranges = true
#define MAP_ENTRIES .min = 1, .max = 1 << 24

/* Options of every collecting applet: what becomes of the result, and printing the plan instead of running it. */
extern const struct option_spec common_table[];
/* --redact, which common_table has */
extern const struct option_spec redact_table[];
/* --tui */
extern const struct option_spec screen_table[];
/* Call it after key_parts and the stacks are set. 0, or a usage error. */
_must_check_ int common_plan(struct run_options *options);

/* For -p, the option of plan.tgids: ids and names. */
int processes_parse(const char *text, void *field);
/* For --debug-dir: the directories, separated by ':', must exist. 0, or a usage error. */
int debug_directories_parse(const char *text, void *field);
/* For --host-root: the directory must exist. 0, or a usage error. */
int host_root_parse(const char *text, void *field);

/* The limit of the cost, for applets whose rate of events is not limited. */
extern const struct option_spec guard_table[];
/* Filters by cgroup, container and namespace, which the kernel applies to each event. */
extern const struct option_spec group_table[];
/* How many rows are printed. */
extern const struct option_spec limit_table[];

/* Which stacks are recorded, and how they are separated and printed. */
extern const struct option_spec stack_table[];
void stack_plan(struct run_options *options);

/*
 * The command after "--", as the last entry of a table. It excludes the other options that select processes. The second
 * macro is a paragraph about it for the applet's description.
 */
#define COMMAND                                                                                                      \
	OPERAND("command", struct run_options, plan.command,                                                         \
		"after --: a command to start and follow, with all its children, instead of -p", .exclusive = "who", \
		.ours = true)

#define COMMAND_DESCRIPTION                                                                                          \
	"A command after -- starts once everything is attached, with stacktool's standard input, output and error, " \
	"and as the user who called sudo. Its children and their children are followed too. The run ends when the "  \
	"command ends, even if children are left. stacktool then exits with the status of the command: 128+N if "    \
	"signal N killed it, 126 or 127 if it could not be executed."

/* For -o, the option of output_options.path: adds a file. 0, or a usage error. */
int output_parse(const char *text, void *field);

/* Fields of struct output_options: where a report goes, in which format, and how its pictures look. */
extern const struct option_spec output_table[];
extern const struct option_spec graph_table[];
/* Those of graph_table that only a picture has. */
extern const struct option_spec picture_table[];

/* Fields of struct filter: which stacks are shown; --max-depth alone, which shows parts of them; and which parts of a saved profile. */
extern const struct option_spec pick_table[];
extern const struct option_spec depth_table[];
extern const struct option_spec filter_table[];

/* "user + kernel", "user" or "kernel": for headers. */
const char *stacks_name(const struct plan *plan);

/* " for 5 secs.", or "... Hit Ctrl-C to end.": the end of a header. */
void add_duration(const struct plan *plan, struct buf *line);

/* The header of profile and top. */
void profile_header(const struct plan *plan, size_t nr_attached, struct buf *line);
