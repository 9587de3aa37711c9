/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options that several applets share, as fragments of option tables, so that an option is the same everywhere. Most are members of the
 * plan; the functions below, which the applet's plan() calls, do the rest.
 */
#pragma once

#include "core/base/err.h"
#include "core/cli/options.h"
#include "core/host/process_names.h"
#include "core/plan/plan.h"

struct run_options {
	struct plan plan; /* must be the first member: core/cli/applet.h */

	bool as_link; /* not an option: called by the applet's name, like bcc's tools */
	bool no_children;
	const char *status_path; /* also found by main.c before the options are parsed */
	uint32_t unwind_mib; /* 0: default */

	bool user_only, kernel_only, both;
	bool kernel_by_default; /* not an option: the applet's default is kernel stacks only */

	/* Events: applets/probe.h */
	struct word_list patterns;
	const char *library;
	bool regex;

	/* Part of the time off the CPU: applets/off_cpu.h */
	uint64_t min_us, max_us;
	bool user_threads, kernel_threads;
	bool blocked, runqueue;

	bool plain;
	bool all;
	bool tui; /* --tui, or an applet that is a screen */
};

/* OPTION() for a member of struct run_options. OUR_OPTION(): bcc's tool does not have it. */
#define RUN_OPTION(letter, name, field, metavar, help, ...) \
	OPTION(letter, name, struct run_options, field, metavar, help, ##__VA_ARGS__)
#define OUR_OPTION(letter, name, field, metavar, help, ...) \
	RUN_OPTION(letter, name, field, metavar, help, ##__VA_ARGS__, .ours = true)
#define RUN_FRAGMENT(table) { .kind = OPTION_KIND_FRAGMENT, .fragment = (table) }

#define PROCESS_IDS .min = 1, .max = PID_MAX, .noun = "a list of process ids"
#define PROCESSES .parse = processes_parse /* processes of this host, by id or name */
#define THREAD_IDS .min = 1, .max = PID_MAX, .noun = "a list of thread ids"
#define PID_MAX 4194304 /* the kernel's PID_MAX_LIMIT, on 64-bit */

#define CPUS .max = 4095, .noun = "a list of CPUs", .ranges = true
#define MAP_ENTRIES .min = 1, .max = 1 << 24

/* Options of every collecting applet. */
extern const struct option_spec common_table[];
extern const struct option_spec redact_table[];
/* --tui */
extern const struct option_spec screen_table[];
/* Call it after key_parts and the stacks are set. Returns 0, or a usage error. */
_must_check_ int common_plan(struct run_options *options);

/* Parsers return 0, or a usage error. For -p, the option of plan.tgids: ids and names. */
int processes_parse(const char *text, void *field);
/* For --debug-dir: directories, separated by ':', that must exist. */
int debug_directories_parse(const char *text, void *field);
/* For --host-root: a directory that must exist. */
int host_root_parse(const char *text, void *field);

/* --max-overhead, for applets whose rate of events has no limit. */
extern const struct option_spec guard_table[];
/* Filters by cgroup, container and namespace. */
extern const struct option_spec group_table[];
extern const struct option_spec limit_table[];

/* Which stacks are recorded and how they are printed. */
extern const struct option_spec stack_table[];
void stack_plan(struct run_options *options);

/*
 * The command after "--": last entry of a table, exclusive with other options that select processes. COMMAND_DESCRIPTION is a paragraph for
 * the applet's description.
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

/* For -o, the option of output_options.path: adds a file. */
int output_parse(const char *text, void *field);

/* Members of struct output_options: files, formats, and the look of pictures. */
extern const struct option_spec output_table[];
extern const struct option_spec graph_table[];
/* The part of graph_table that is only for pictures. */
extern const struct option_spec picture_table[];

/* Members of struct filter: which stacks are shown; only --max-depth; which parts of a saved profile. */
extern const struct option_spec pick_table[];
extern const struct option_spec depth_table[];
extern const struct option_spec filter_table[];

/* For headers: "user + kernel", "user" or "kernel". */
const char *stacks_name(const struct plan *plan);

/* For applets that trace all processes only with -a. 0, or a usage error: nothing says which threads. */
_must_check_ int require_targets(const struct run_options *options);

/* For their headers: "PID 185,186", "the command and its children", "all processes". */
void add_targets(const struct plan *plan, struct buf *line);

/* Adds the end of a header: " for 5 secs.", or "... Hit Ctrl-C to end.". */
void add_duration(const struct plan *plan, struct buf *line);

/* The header of profile and top. */
void profile_header(const struct plan *plan, size_t nr_attached, struct buf *line);
