/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options that several applets have, as table fragments, so that the same option is the same everywhere. Most of those of
 * a collecting applet fill its plan; what takes more than that is done by a function, which the applet's plan() calls.
 */
#pragma once

#include "core/base/err.h"
#include "core/cli/options.h"
#include "core/plan/plan.h"

/* The options of a collecting applet. */
struct run_options {
	struct plan plan; /* the first member: core/cli/applet.h */

	bool no_children;
	uint32_t unwind_mib; /* 0: default */

	/* Which of the two stacks. */
	bool user_only, kernel_only, both;
	bool kernel_by_default; /* not an option: whether an applet shows kernel stacks alone when no option selects stacks */

	/* Which events: applets/probe.h */
	const char *pattern, *library;
	bool regex;

	/* Which time off the CPU: applets/off_cpu.h */
	uint64_t min_us, max_us;
	bool user_threads, kernel_threads;
	bool blocked, runqueue;

	/* Of one applet each. */
	bool plain, tui; /* profile */
	bool verbose; /* stacksnoop */
};

/* OPTION() for a field of struct run_options; OUR_OPTION() for one that bcc's tool does not have. */
#define RUN_OPTION(letter, name, field, metavar, help, ...) \
	OPTION(letter, name, struct run_options, field, metavar, help, ##__VA_ARGS__)
#define OUR_OPTION(letter, name, field, metavar, help, ...) \
	RUN_OPTION(letter, name, field, metavar, help, ##__VA_ARGS__, .ours = true)
#define RUN_FRAGMENT(table) { .kind = OPTION_KIND_FRAGMENT, .fragment = (table) }

#define PROCESS_IDS .min = 1, .max = PID_MAX, .noun = "a list of process ids"
#define THREAD_IDS .min = 1, .max = PID_MAX, .noun = "a list of thread ids"
#define PID_MAX 4194304 /* PID_MAX_LIMIT of 64-bit kernels */

#define ONE_CPU .max = 1048575, .noun = "a CPU number"
#define MAP_ENTRIES .min = 1, .max = 1 << 24

/* Of every collecting applet: what becomes of the result, and looking instead of running. */
extern const struct option_spec common_table[];
/* After key_parts and the stacks are set. 0, or a usage error. */
_must_check_ int common_plan(struct run_options *options);

/* For --host-root: a directory that is there. 0, or a usage error. */
int host_root_parse(const char *text, void *field);

/* When the run costs too much; for applets whose events come as often as they like. */
extern const struct option_spec guard_table[];
/* Only tasks of some containers, as the kernel sees them when the event comes. */
extern const struct option_spec group_table[];
/* How many rows are shown. */
extern const struct option_spec limit_table[];

/* Which stacks are taken, and how they are separated and written. */
extern const struct option_spec stack_table[];
void stack_plan(struct run_options *options);

/*
 * The command after "--", as the last entry of a table; it excludes the other options that select processes. And the
 * paragraph about it in the applet's description.
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

/* Of struct output_options: where a report goes, in which form, and what its pictures look like. */
extern const struct option_spec output_table[];
extern const struct option_spec graph_table[];

/* Of struct filter: which stacks are shown; --max-depth alone, which is a part of them; and what of a saved profile. */
extern const struct option_spec pick_table[];
extern const struct option_spec depth_table[];
extern const struct option_spec filter_table[];

/* "user + kernel", "user" or "kernel": for headers. */
const char *stacks_name(const struct plan *plan);

/* " for 5 secs.", or "... Hit Ctrl-C to end.": the end of a header. */
void add_duration(const struct plan *plan, struct buf *line);
