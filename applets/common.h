/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options that several applets have, as table fragments: an applet puts the structure into its own options, names the
 * fragment in its table and calls the ..._plan function, so that the same option is the same everywhere.
 */
#pragma once

#include "core/base/err.h"
#include "core/cli/options.h"
#include "core/plan/plan.h"
#include "core/run/run.h"

/* Of every collecting applet: what becomes of the result, and looking instead of running. */
struct common_options {
	const char *save_path;
	bool strict;
	bool quiet;
	bool explain;
	bool debug;
	bool ebpf;
	bool no_children;
	bool no_demangle;
	bool no_symbolize;
	bool lines, inlines;
	const char *vmlinux;
	const char *debug_directories, *host_root;
	enum unwind_mode unwind;
	uint32_t unwind_mib; /* 0: default */
	struct output_options output;
};

extern const struct option_spec common_table[];
/* After plan->command is set. 0, or a usage error about where the output goes. */
_must_check_ int common_plan(const struct common_options *options, struct plan *plan);

/* For --host-root: a directory that is there. 0, or a usage error. */
int host_root_parse(const char *text, void *field);

/* Where a report goes, in which form, and what its pictures look like. */
extern const struct option_spec output_table[];
extern const struct option_spec graph_table[];

/* When the run costs too much; for applets whose events come as often as they like. */
struct guard_options {
	uint32_t max_overhead;
};

extern const struct option_spec guard_table[];
void guard_plan(const struct guard_options *options, struct plan *plan);

/* Which stacks are shown. */
struct pick_options {
	const char *include, *exclude, *comm;
	uint32_t max_depth; /* of which only so much */
};

extern const struct option_spec depth_table[]; /* --max-depth alone, a part of: */

extern const struct option_spec pick_table[];
/* After plan->view and plan->key_parts are set: the command becomes a part of the key when it is asked for. */
void pick_plan(const struct pick_options *options, struct plan *plan);

/* Only tasks of some containers, as the kernel sees them when the event comes. */
struct group_options {
	const char *cgroup, *container;
	const char *cgroup_map, *mntns_map;
	const char *pidns;
};

extern const struct option_spec group_table[];
void group_plan(const struct group_options *options, struct plan *plan);

/* How many rows are shown. */
struct limit_options {
	uint32_t top;
	uint64_t least;
};

extern const struct option_spec limit_table[];
/* After plan->view is set. */
void limit_plan(const struct limit_options *options, struct plan *plan);

/* What of a saved profile is shown. */
struct filter_options {
	struct pick_options pick;
	struct u32_list tgids;
	struct seconds since;
};

extern const struct option_spec filter_table[];
struct filter filter_of(const struct filter_options *options);

/*
 * The command after "--", as the last entry of a table; it excludes the other options that say who is followed. And the
 * paragraph about it in the applet's description.
 */
#define COMMAND(structure, field)                                                                                    \
	OPERAND("command", structure, field,                                                                         \
		"after --: a command to start and follow, with all its children, instead of -p", .exclusive = "who", \
		.ours = true)

#define COMMAND_DESCRIPTION                                                                                          \
	"A command after -- starts once everything is attached, with stacktool's standard input, output and error, " \
	"and as the user who called sudo. Its children and their children are followed too. The run ends when the "  \
	"command ends, even if children are left. stacktool then exits with the status of the command: 128+N if "    \
	"signal N killed it, 126 or 127 if it could not be executed."

/* Which of the two stacks, and how they are separated and written. */
struct stack_options {
	bool user_only, kernel_only, both;
	bool kernel_by_default; /* not an option: what an applet shows that is asked for neither */
	bool delimited;
	bool folded;
};

extern const struct option_spec stack_table[];
void stack_plan(const struct stack_options *options, struct plan *plan);

#define PID_MAX 4194304 /* PID_MAX_LIMIT of 64-bit kernels */
#define CPU_MAX 1048575

/* Adds the ids to a VEC(uint32_t) of the plan. */
#define plan_add_ids(ids, list)                            \
	do {                                               \
		for (size_t i_ = 0; i_ < (list)->nr; i_++) \
			vec_push((ids), (list)->data[i_]); \
	} while (0)
