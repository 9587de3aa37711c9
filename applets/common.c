/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/common.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"

int host_root_parse(const char *text, void *field)
{
	struct stat status;

	if (stat(text, &status) || !S_ISDIR(status.st_mode))
		return fail_usage("argument --host-root: '%s': no such directory", text);
	*(const char **)field = text;
	return 0;
}

static int check_debug_directories(const char *text)
{
	for (const char *at = text; *at; at += strspn(at, ":")) {
		const int length = (int)strcspn(at, ":");
		_cleanup_(freep) char *directory = xasprintf("%.*s", length, at);
		struct stat status;

		if (length && (stat(directory, &status) || !S_ISDIR(status.st_mode)))
			return fail_usage("argument --debug-dir: '%s': no such directory", directory);
		at += length;
	}
	return 0;
}

int processes_parse(const char *text, void *field)
{
	struct plan *plan = (struct plan *)((char *)field - offsetof(struct plan, tgids));
	int err = process_ids_parse(text, field);

	if (!err && text[strspn(text, "0123456789, \t\n")])
		plan->has_process_names = true;
	return err;
}

int debug_directories_parse(const char *text, void *field)
{
	*(const char **)field = text;
	return check_debug_directories(text);
}

const struct option_spec redact_table[] = {
	OUR_OPTION(
		0, "redact", plan.redact, NULL,
		"replace names of processes, control groups and the host, and paths outside the system's directories, in "
		"reports and saved profiles"),
	OPTION_END,
};

const struct option_spec common_table[] = {
	OUR_OPTION(0, "save", plan.save_path, "FILE", "save the profile too, for 'stacktool report FILE'"),
	OUR_OPTION(0, "strict", plan.strict, NULL, "exit with status 4 if anything was lost"),
	OUR_OPTION(0, "status-file", status_path, "FILE",
		   "write stacktool's own status, its reason and that of the command to FILE, as JSON"),
	RUN_FRAGMENT(redact_table),
	OUR_OPTION('q', "quiet", plan.presentation.quiet, NULL, "print only rows and warnings, no headers or notes"),
	OUR_OPTION('v', "verbose", plan.view.verbose, NULL,
		   "print notes even if nothing is missing: how many stacks are complete, the account of samples, and "
		   "what the run cost"),
	OUR_OPTION(0, "no-children", no_children, NULL, "do not follow the child processes of the command after --"),
	OUR_OPTION(0, "no-demangle", plan.no_demangle, NULL, "do not demangle C++, Rust and D names"),
	OUR_OPTION(0, "no-symbolize", plan.no_symbolize, NULL,
		   "do not look up names of user functions; with --save, 'stacktool report' can look them up later or "
		   "on another host"),
	OUR_OPTION(0, "lines", plan.view.lines, NULL, "show source lines after function names, from debug information"),
	OUR_OPTION(0, "inlines", plan.view.inlines, NULL, "show inlined functions as frames"),
	OUR_OPTION(0, "vmlinux", plan.vmlinux, "FILE",
		   "debug information of the kernel, for --lines and --inlines; its build id must match the kernel's "
		   "(default: look where distributions install it)"),
	OUR_OPTION(0, "debug-dir", plan.debug_directories, "DIR[:DIR...]",
		   "search for separate debug files here first, then in /usr/lib/debug"),
	OUR_OPTION(0, "host-root", plan.host_root, "DIR",
		   "in a container with the host's pid namespace: DIR is where the host's file system is mounted; "
		   "search it for programs, debug files and perf maps",
		   .parse = host_root_parse),
	OUR_OPTION(0, "unwind", plan.unwind, "HOW",
		   "how to walk user stacks: auto (unwind tables, else frame pointers), dwarf (unwind tables only), fp "
		   "(frame pointers only) or off (no user stacks); default auto, but fp for count and stacksnoop "
		   "without -p or a command",
		   .values = "auto fp dwarf off", .parse = unwind_mode_parse),
	OUR_OPTION(0, "frames", plan.frames, "KIND",
		   "which user frames to show of programs that run in an interpreter: mixed (its functions between the "
		   "native ones) or native; default mixed",
		   .values = "mixed native", .parse = frames_parse),
	OUR_OPTION(0, "unwind-mem", unwind_mib, "MIB", "limit of kernel memory for unwind tables (default 128)",
		   .min = 1, .max = 1024),
	OUR_OPTION(0, "explain", plan.explain, NULL, "print what would be attached, how and why, then exit"),
	OUR_OPTION(0, "debug", plan.debug, NULL, "print the plan and the BPF configuration first"),
	OPTION_FRAGMENT(output_table, struct run_options, plan.output),
	OPTION_FRAGMENT(graph_table, struct run_options, plan.output),
	RUN_OPTION(0, "ebpf", plan.ebpf, NULL, "print how to list the BPF instructions, then exit", .hidden = true),
	OPTION_END,
};

const struct option_spec screen_table[] = {
	OUR_OPTION(
		0, "tui", tui, NULL,
		"browse the result in the terminal while the run goes on: the call tree, functions and their callers; "
		"--interval sets how often the screen is refreshed (default 1 second)"),
	OPTION_END,
};

/* Adds up single events, because a screen has no room for each; the process is part of the key, because a screen can group by it. */
static int screen_plan(struct plan *plan)
{
	if (plan->view.folded)
		return fail_usage("argument -f/--folded: not allowed with a screen");
	if (plan->max_events)
		return fail_usage("argument -n/--events: not allowed with a screen");
	if (plan->view.style == VIEW_SNOOP) {
		plan->view.style = VIEW_STACKCOUNT;
		plan->view.times = false;
		plan->mode = EVENTS_BY_STACK;
	}
	if (!plan_counts_functions(plan))
		plan->key_parts |= KEY_TGID | KEY_TID | KEY_COMM | KEY_CGROUP;
	if (!plan->interval_ns)
		plan->interval_ns = NSEC_PER_SEC;
	return output_options_ask_screen(&plan->output);
}

static int unwind_plan(uint32_t mib, struct plan *plan)
{
	bool is_off = plan->unwind == UNWIND_NONE;

	if (mib && (is_off || plan->unwind == UNWIND_FP))
		return fail_usage("argument --unwind-mem: only with --unwind=auto or --unwind=dwarf");
	if (!plan->want_user && (mib || (plan->unwind != UNWIND_DEFAULT && !is_off)))
		return fail_usage("argument --unwind%s: this run takes no user stacks", mib ? "-mem" : "");
	if (is_off && plan->want_user && !plan->want_kernel)
		return fail_usage("argument --unwind: 'off' is not allowed: this run takes only user stacks");
	if (mib)
		plan->unwind_bytes = (uint64_t)mib << 20;
	if (is_off)
		plan->want_user = plan->view.want_user = plan->view.delimited = false;
	return 0;
}

int common_plan(struct run_options *options)
{
	struct plan *plan = &options->plan;
	int err = options->tui ? screen_plan(plan) : 0;

	if (err)
		return err;
	if (options->no_children && !plan->command)
		return fail_usage("argument --no-children: there is no command; give one after --");
	if (plan->output.root == GRAPH_ROOT_CONTAINER && (plan->looks || plan->wall))
		return fail_usage(
			"argument --root: 'container': the cgroups of threads that sleep are not read; give comm, pid, tid or none");
	if (plan_counts_functions(plan) && (plan->view.lines || plan->view.inlines))
		return fail_usage("argument --%s: events are counted without stacks; use 'stacktool count'",
				  plan->view.lines ? "lines" : "inlines");
	/* With --host-root, the directory may exist only below it. */
	if (plan->debug_directories && !plan->host_root && check_debug_directories(plan->debug_directories))
		return -EINVAL;
	if (plan->vmlinux && !plan->view.lines && !plan->view.inlines)
		return fail_usage("argument --vmlinux: only with --lines or --inlines");
	if (plan->redact && (plan->interval_ns || (plan->mode == EVENTS_EACH && !plan->looks) ||
			     plan->output.format == OUTPUT_SCREEN)) {
		fail_usage(
			"argument --redact: names are replaced when a run has ended: not allowed with intervals, single events "
			"and --tui");
		hint("--save the profile and use 'stacktool report --redact'");
		return -EINVAL;
	}
	plan->follow_children = plan->command && !options->no_children;
	plan->view.verbose |= plan->debug;
	plan->presentation.max_depth = plan->filter.max_depth;
	if (plan->filter.comm)
		plan->key_parts |= KEY_COMM;
	if (plan->output.root == GRAPH_ROOT_TID)
		plan->key_parts |= KEY_TGID | KEY_TID | KEY_COMM;
	if (plan->output.root == GRAPH_ROOT_CONTAINER)
		plan->key_parts |= KEY_CGROUP;
	err = unwind_plan(options->unwind_mib, plan);
	if (!err && plan->save_path)
		err = output_check_save(plan->save_path);
	if (!err && plan->view.folded)
		err = output_options_fold(&plan->output);
	return err ? err : output_options_settle(&plan->output);
}

const struct option_spec guard_table[] = {
	OUR_OPTION(
		0, "max-overhead", plan.max_overhead, "PERCENT",
		"while the probes use more than this share of all CPU time, or with -p of the CPU time of the traced processes, "
		"detach the costliest one, or end the run if it needs all of them; a command after -- has no limit (default 5, "
		"or $STACKTOOL_MAX_OVERHEAD; 'off': no limit)",
		.parse = overhead_parse),
	OPTION_END,
};

int output_parse(const char *text, void *field)
{
	return output_options_add((struct output_options *)((char *)field - offsetof(struct output_options, path)),
				  text);
}

const struct option_spec output_table[] = {
	OPTION('o', "output", struct output_options, path, "FILE",
	       "write the report to FILE; the suffix selects the format: .txt, .folded, .json, .svg, .html, .pb.gz, "
	       ".speedscope.json, .perf or .stk; %n, %t and %h in the name stand for the number of the report, time "
	       "and host. May be given several times",
	       .parse = output_parse, .ours = true),
	OPTION(0, "format", struct output_options, format, "NAME",
	       "format of the report: text, folded, json, svg, html, pprof, speedscope, perf (text of perf script), "
	       "stk, or summary: the heaviest call tree and the busiest functions, which is what a subcommand prints on a "
	       "terminal (default: $STACKTOOL_FORMAT, else text)",
	       .values = "text folded json svg html pprof speedscope perf stk summary", .parse = output_format_parse,
	       .ours = true),
	OPTION(0, "keep", struct output_options, keep, "N",
	       "keep only the newest N files; needs %n or %t in the name of -o", .min = 1, .ours = true),
	OPTION_END,
};

const struct option_spec picture_table[] = {
	OPTION(0, "colors", struct output_options, colors, "PALETTE",
	       "colours of the flame graph: auto (the default), kind (kernel, user, JIT, inlined), hot, mem, io, "
	       "wakeup, chain, java, red, green, blue, yellow, purple, aqua or orange",
	       .values = "auto kind hot mem io wakeup chain java red green blue yellow purple aqua orange",
	       .parse = graph_colors_parse, .ours = true),
	OPTION(0, "inverted", struct output_options, inverted, NULL, "draw the flame graph with the root on top",
	       .ours = true),
	OPTION(0, "width", struct output_options, width, "PIXELS", "width of the SVG (default 1200)", .min = 200,
	       .max = 100000, .ours = true),
	OPTION(0, "min-width", struct output_options, min_width, "PERCENT",
	       "omit narrower boxes (default 0.008 in SVG)", .parse = graph_percent_parse, .ours = true),
	OPTION_END,
};

const struct option_spec graph_table[] = {
	OPTION(0, "title", struct output_options, title, "TEXT", "title of the flame graph", .ours = true),
	OPTION(0, "reverse", struct output_options, reverse, NULL,
	       "merge stacks from the leaf: shows who calls the busy functions", .ours = true),
	OPTION(0, "root", struct output_options, root, "WHAT",
	       "what flame graphs and trees begin with: comm (default), pid, tid, container or none (default of diff "
	       "if the profiles have no command in common)",
	       .values = "comm pid tid container none", .parse = graph_root_parse, .ours = true),
	{ .kind = OPTION_KIND_FRAGMENT, .fragment = picture_table },
	OPTION_END,
};

const struct option_spec depth_table[] = {
	OPTION(0, "max-depth", struct filter, max_depth, "N",
	       "keep only the N innermost frames of each stack; identical rows are merged", .min = 1, .ours = true),
	OPTION_END,
};

const struct option_spec pick_table[] = {
	OPTION(0, "include", struct filter, include, "REGEX", "only stacks with a function that matches", .ours = true),
	OPTION(0, "exclude", struct filter, exclude, "REGEX", "only stacks without a function that matches",
	       .ours = true),
	OPTION(0, "comm", struct filter, comm, "REGEX", "only commands that match", .ours = true),
	{ .kind = OPTION_KIND_FRAGMENT, .fragment = depth_table },
	OPTION_END,
};

const struct option_spec filter_table[] = {
	{ .kind = OPTION_KIND_FRAGMENT, .fragment = pick_table },
	OPTION('p', "pid", struct filter, tgids, "PID,...", "only these processes", PROCESS_IDS),
	OPTION_SECONDS(
		0, "since", struct filter, since_ns,
		"skip this time from the start; needs a profile with times (--timestamps, perf script) or intervals"),
	OPTION_END,
};

const struct option_spec group_table[] = {
	OUR_OPTION(0, "cgroup", plan.cgroup, "PATH|ID", "only this cgroup and those below it", .exclusive = "cgroup"),
	OUR_OPTION(0, "container", plan.container, "ID", "only this container: the first 12 or more digits of its id",
		   .exclusive = "cgroup"),
	RUN_OPTION(0, "cgroupmap", plan.cgroup_map, "PATH", "only cgroups in this pinned BPF map"),
	RUN_OPTION(0, "mntnsmap", plan.mntns_map, "PATH", "only mount namespaces in this pinned BPF map"),
	OUR_OPTION(0, "pidns", plan.pidns, "ID",
		   "only this pid namespace and those below it: its number (readlink /proc/PID/ns/pid), that path, or "
		   "the id of a process in it"),
	OPTION_END,
};

const struct option_spec limit_table[] = {
	OUR_OPTION(0, "top", plan.presentation.top, "N", "print only the N heaviest rows", .min = 1),
	OUR_OPTION(0, "min-count", plan.presentation.least, "N", "print only rows of at least N", .min = 1),
	OPTION_END,
};

const struct option_spec stack_table[] = {
	RUN_OPTION('U', "user-stacks-only", user_only, NULL, "only user stacks, no kernel stacks",
		   .exclusive = "stacks"),
	RUN_OPTION('K', "kernel-stacks-only", kernel_only, NULL, "only kernel stacks, no user stacks",
		   .exclusive = "stacks"),
	OUR_OPTION(0, "both", both, NULL, "kernel and user stacks", .exclusive = "stacks"),
	RUN_OPTION('d', "delimited", plan.view.delimited, NULL, "print a delimiter between kernel and user stack"),
	RUN_OPTION('f', "folded", plan.view.folded, NULL, "folded output, one line per stack, for flame graphs"),
	OPTION_END,
};

void stack_plan(struct run_options *options)
{
	struct plan *plan = &options->plan;
	bool user_by_default = !options->kernel_by_default && !options->kernel_only;

	plan->want_kernel = plan->view.want_kernel = !options->user_only;
	plan->want_user = plan->view.want_user = user_by_default || options->user_only || options->both;
	plan->view.delimited &= plan->want_kernel && plan->want_user;
}

const char *stacks_name(const struct plan *plan)
{
	if (!plan->want_kernel)
		return "user";
	return plan->want_user ? "user + kernel" : "kernel";
}

int require_targets(const struct run_options *options)
{
	const struct plan *plan = &options->plan;

	if (plan->tgids.nr || plan->command || plan->cgroup || plan->container || options->all)
		return 0;
	return fail_usage(
		"no threads selected: give -p PID, --cgroup PATH, -a for all processes, or a command after --");
}

void add_targets(const struct plan *plan, struct buf *line)
{
	if (plan->command) {
		buf_adds(line, plan->follow_children ? "the command and its children" : "the command");
	} else if (plan->cgroup || plan->container) {
		buf_addf(line, "%s %s", plan->cgroup ? "cgroup" : "container", plan->cgroup ?: plan->container);
	} else if (!plan->tgids.nr) {
		buf_adds(line, "all processes");
	} else {
		buf_adds(line, "PID ");
		for (size_t i = 0; i < plan->tgids.nr; i++)
			buf_addf(line, "%s%" PRIu32, i ? "," : "", plan->tgids.data[i]);
	}
}

void add_duration(const struct plan *plan, struct buf *line)
{
	if (!plan->duration_ns) {
		buf_adds(line, "... Hit Ctrl-C to end.");
		return;
	}
	buf_adds(line, " for ");
	seconds_describe(plan->duration_ns, line);
	buf_adds(line, " secs.");
}
