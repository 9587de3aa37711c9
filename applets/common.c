/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/common.h"

#include <sys/stat.h>

#include "core/base/alloc.h"

static int parse_unwind(const char *text, void *field)
{
	return unwind_mode_parse(text, field);
}

int host_root_parse(const char *text, void *field)
{
	struct stat status;

	if (stat(text, &status) || !S_ISDIR(status.st_mode))
		return fail_usage("argument --host-root: '%s': no such directory", text);
	*(const char **)field = text;
	return 0;
}

const struct option_spec common_table[] = {
	OPTION(0, "save", struct common_options, save_path, "FILE", "save the profile too, for 'stacktool report FILE'",
	       .noun = "a file name", .ours = true),
	OPTION(0, "strict", struct common_options, strict, NULL, "exit with status 4 if anything was lost",
	       .ours = true),
	OPTION('q', "quiet", struct common_options, quiet, NULL, "print only rows and warnings, no headers or notes",
	       .ours = true),
	OPTION(0, "no-children", struct common_options, no_children, NULL,
	       "do not follow the child processes of the command after --", .ours = true),
	OPTION(0, "no-demangle", struct common_options, no_demangle, NULL, "do not demangle C++, Rust and D names",
	       .ours = true),
	OPTION(0, "no-symbolize", struct common_options, no_symbolize, NULL,
	       "do not look up names of user functions; with --save, 'stacktool report' can look them up later or on "
	       "another host",
	       .ours = true),
	OPTION(0, "lines", struct common_options, lines, NULL,
	       "show source lines after function names, from debug information", .ours = true),
	OPTION(0, "inlines", struct common_options, inlines, NULL, "show inlined functions as frames", .ours = true),
	OPTION(0, "vmlinux", struct common_options, vmlinux, "FILE",
	       "debug information of the kernel, for --lines and --inlines; its build id must match the kernel's "
	       "(default: look where distributions install it)",
	       .noun = "a file name", .ours = true),
	OPTION(0, "debug-dir", struct common_options, debug_directories, "DIR[:DIR...]",
	       "search for separate debug files here first, then in "
	       "/usr/lib/debug",
	       .noun = "a directory", .ours = true),
	OPTION(0, "host-root", struct common_options, host_root, "DIR",
	       "in a container with the host's pid namespace: DIR is where the host's file system is mounted; search "
	       "it for programs, debug files and perf maps",
	       .parse = host_root_parse, .noun = "a directory", .ours = true),
	OPTION(0, "unwind", struct common_options, unwind, "HOW",
	       "how to walk user stacks: auto (unwind tables, else frame pointers), dwarf (unwind tables only), fp "
	       "(frame pointers only) or off (no user stacks); default auto, but fp for count and stacksnoop without "
	       "-p or a command",
	       .parse = parse_unwind, .ours = true),
	OPTION(0, "unwind-mem", struct common_options, unwind_mib, "MIB",
	       "limit of kernel memory for unwind tables (default 128)", .min = 1, .max = 1024, .ours = true),
	OPTION(0, "explain", struct common_options, explain, NULL,
	       "print what would be attached, how and why, then exit", .ours = true),
	OPTION(0, "debug", struct common_options, debug, NULL, "print the plan and the BPF configuration first",
	       .ours = true),
	OPTION_FRAGMENT(output_table, struct common_options, output),
	OPTION_FRAGMENT(graph_table, struct common_options, output),
	OPTION(0, "ebpf", struct common_options, ebpf, NULL, "print how to list the BPF instructions, then exit",
	       .hidden = true),
	OPTION_END,
};

/* Behind stack_plan(). */
static int unwind_plan(const struct common_options *options, struct plan *plan)
{
	bool is_off = options->unwind == UNWIND_NONE;

	if (options->unwind_mib && (is_off || options->unwind == UNWIND_FP))
		return fail_usage("argument --unwind-mem: only with --unwind=auto or --unwind=dwarf");
	if (!plan->want_user && (options->unwind_mib || (options->unwind != UNWIND_DEFAULT && !is_off)))
		return fail_usage("argument --unwind%s: this run takes no user stacks",
				  options->unwind_mib ? "-mem" : "");
	if (is_off && plan->want_user && !plan->want_kernel)
		return fail_usage("argument --unwind: 'off' is not allowed: this run takes only user stacks");
	plan->unwind = options->unwind;
	if (options->unwind_mib)
		plan->unwind_bytes = (uint64_t)options->unwind_mib << 20;
	if (is_off)
		plan->want_user = plan->view.want_user = plan->view.delimited = false;
	return 0;
}

int common_plan(const struct common_options *options, struct plan *plan)
{
	int err;

	if (options->no_children && !plan->command)
		return fail_usage("argument --no-children: there is no command; give one after --");
	if (plan->mode == EVENTS_BY_PROBE && (options->lines || options->inlines))
		return fail_usage("argument --%s: there are no stacks here; 'stacktool count' has them",
				  options->lines ? "lines" : "inlines");
	if (options->vmlinux && !options->lines && !options->inlines)
		return fail_usage("argument --vmlinux: only with --lines or --inlines");
	plan->follow_children = plan->command && !options->no_children;
	plan->save_path = options->save_path ? xstrdup(options->save_path) : NULL;
	plan->strict = options->strict;
	plan->presentation.quiet = options->quiet;
	plan->explain = options->explain;
	plan->debug = plan->view.verbose = options->debug;
	plan->ebpf = options->ebpf;
	plan->no_demangle = options->no_demangle;
	plan->no_symbolize = options->no_symbolize;
	plan->view.lines = options->lines;
	plan->view.inlines = options->inlines;
	plan->vmlinux = options->vmlinux;
	plan->debug_directories = options->debug_directories;
	plan->host_root = options->host_root;
	plan->output = options->output;
	if (options->output.root == GRAPH_ROOT_TID)
		plan->key_parts |= KEY_TGID | KEY_TID | KEY_COMM;
	if (options->output.root == GRAPH_ROOT_CONTAINER)
		plan->key_parts |= KEY_CGROUP;
	err = unwind_plan(options, plan);
	if (!err && options->save_path)
		err = output_check_save(options->save_path);
	if (!err && plan->view.folded)
		err = output_options_fold(&plan->output);
	return err ? err : output_options_settle(&plan->output);
}

static int parse_overhead(const char *text, void *field)
{
	return overhead_parse(text, field);
}

const struct option_spec guard_table[] = {
	OPTION(0, "max-overhead", struct guard_options, max_overhead, "PERCENT",
	       "while the probes use more than this share of all CPU time, detach the costliest one (default 5, or "
	       "$STACKTOOL_MAX_OVERHEAD; 'off': never)",
	       .parse = parse_overhead, .ours = true),
	OPTION_END,
};

void guard_plan(const struct guard_options *options, struct plan *plan)
{
	plan->max_overhead = options->max_overhead;
}

static int parse_output(const char *text, void *field)
{
	return output_options_add((struct output_options *)((char *)field - offsetof(struct output_options, path)),
				  text);
}

static int parse_format(const char *text, void *field)
{
	return output_format_parse(text, field);
}

static int parse_colors(const char *text, void *field)
{
	return graph_colors_parse(text, field);
}

static int parse_root(const char *text, void *field)
{
	return graph_root_parse(text, field);
}

static int parse_percent(const char *text, void *field)
{
	return graph_percent_parse(text, field);
}

const struct option_spec output_table[] = {
	OPTION('o', "output", struct output_options, path, "FILE",
	       "write the report to FILE; the suffix selects the format: .txt, .folded, .json, .svg, .html, .pb.gz, "
	       ".speedscope.json, .perf or .stk; %n, %t and %h in the name stand for the number of the report, time "
	       "and host. May be given several times",
	       .parse = parse_output, .noun = "a file name", .ours = true),
	OPTION(0, "format", struct output_options, format, "NAME",
	       "format of the report: text, folded, json, svg, html, pprof, speedscope, perf (text of perf script) "
	       "or stk",
	       .parse = parse_format, .ours = true),
	OPTION(0, "keep", struct output_options, keep, "N",
	       "keep only the newest N files; needs %n or %t in the name of -o", .min = 1, .ours = true),
	OPTION_END,
};

const struct option_spec graph_table[] = {
	OPTION(0, "title", struct output_options, title, "TEXT", "title of the flame graph", .ours = true),
	OPTION(0, "colors", struct output_options, colors, "PALETTE",
	       "colours of the flame graph: auto (the default), kind (kernel, user, JIT, inlined), hot, mem, io, "
	       "wakeup, chain, java, red, green, blue, yellow, purple, aqua or orange",
	       .parse = parse_colors, .ours = true),
	OPTION(0, "inverted", struct output_options, inverted, NULL, "draw the flame graph with the root on top",
	       .ours = true),
	OPTION(0, "reverse", struct output_options, reverse, NULL,
	       "merge stacks from the leaf: shows who calls the busy functions", .ours = true),
	OPTION(0, "root", struct output_options, root, "WHAT",
	       "what flame graphs and trees begin with: comm (default), pid, tid, container or none (default of diff "
	       "if the profiles have no command in common)",
	       .parse = parse_root, .ours = true),
	OPTION(0, "width", struct output_options, width, "PIXELS", "width of the SVG (default 1200)", .min = 200,
	       .max = 100000, .ours = true),
	OPTION(0, "min-width", struct output_options, min_width, "PERCENT",
	       "omit narrower boxes (default 0.008 in SVG)", .parse = parse_percent, .ours = true),
	OPTION_END,
};

const struct option_spec depth_table[] = {
	OPTION(0, "max-depth", struct pick_options, max_depth, "N",
	       "keep only the N innermost frames of each stack; identical rows are merged", .min = 1, .ours = true),
	OPTION_END,
};

const struct option_spec pick_table[] = {
	OPTION(0, "include", struct pick_options, include, "REGEX", "only stacks with a function that matches",
	       .noun = "a regular expression", .ours = true),
	OPTION(0, "exclude", struct pick_options, exclude, "REGEX", "only stacks without a function that matches",
	       .noun = "a regular expression", .ours = true),
	OPTION(0, "comm", struct pick_options, comm, "REGEX", "only commands that match",
	       .noun = "a regular expression", .ours = true),
	{ .kind = OPTION_KIND_FRAGMENT, .fragment = depth_table },
	OPTION_END,
};

void pick_plan(const struct pick_options *options, struct plan *plan)
{
	plan->include = options->include;
	plan->exclude = options->exclude;
	plan->comm = options->comm;
	plan->presentation.max_depth = options->max_depth;
	if (options->comm)
		plan->key_parts |= KEY_COMM;
}

const struct option_spec group_table[] = {
	OPTION(0, "cgroup", struct group_options, cgroup, "PATH|ID", "only this cgroup and those below it",
	       .noun = "a cgroup", .exclusive = "cgroup", .ours = true),
	OPTION(0, "container", struct group_options, container, "ID",
	       "only this container: at least 12 digits of its id", .noun = "a container id", .exclusive = "cgroup",
	       .ours = true),
	OPTION(0, "cgroupmap", struct group_options, cgroup_map, "PATH", "only cgroups in this pinned BPF map",
	       .noun = "a path"),
	OPTION(0, "mntnsmap", struct group_options, mntns_map, "PATH", "only mount namespaces in this pinned BPF map",
	       .noun = "a path"),
	OPTION(0, "pidns", struct group_options, pidns, "ID",
	       "only this pid namespace and those below it: its number (readlink /proc/PID/ns/pid), that path, or "
	       "the id of a process in it",
	       .noun = "a pid namespace", .ours = true),
	OPTION_END,
};

void group_plan(const struct group_options *options, struct plan *plan)
{
	plan->cgroup = options->cgroup;
	plan->container = options->container;
	plan->cgroup_map = options->cgroup_map ? xstrdup(options->cgroup_map) : NULL;
	plan->mntns_map = options->mntns_map ? xstrdup(options->mntns_map) : NULL;
	plan->pidns = options->pidns ? xstrdup(options->pidns) : NULL;
}

const struct option_spec limit_table[] = {
	OPTION(0, "top", struct limit_options, top, "N", "print only the N largest rows", .min = 1, .ours = true),
	OPTION(0, "min-count", struct limit_options, least, "N",
	       "print only rows of at least N (microseconds for times)", .min = 1, .ours = true),
	OPTION_END,
};

void limit_plan(const struct limit_options *options, struct plan *plan)
{
	plan->presentation.top = options->top;
	plan->presentation.least = options->least;
}

const struct option_spec filter_table[] = {
	OPTION_FRAGMENT(pick_table, struct filter_options, pick),
	OPTION('p', "pid", struct filter_options, tgids, "PID,...", "only these processes", .min = 1, .max = PID_MAX,
	       .noun = "a list of process ids"),
	OPTION(0, "since", struct filter_options, since, "SECONDS",
	       "skip this time from the start; needs a profile with times (--timestamps, perf script) or intervals"),
	OPTION_END,
};

struct filter filter_of(const struct filter_options *options)
{
	return (struct filter){
		.include = options->pick.include,
		.exclude = options->pick.exclude,
		.comm = options->pick.comm,
		.tgids = options->tgids.data,
		.nr_tgids = options->tgids.nr,
		.since_ns = options->since.ns,
		.max_depth = options->pick.max_depth,
	};
}

const struct option_spec stack_table[] = {
	OPTION('U', "user-stacks-only", struct stack_options, user_only, NULL, "only user stacks, no kernel stacks",
	       .exclusive = "stacks"),
	OPTION('K', "kernel-stacks-only", struct stack_options, kernel_only, NULL, "only kernel stacks, no user stacks",
	       .exclusive = "stacks"),
	OPTION(0, "both", struct stack_options, both, NULL, "kernel and user stacks", .exclusive = "stacks",
	       .ours = true),
	OPTION('d', "delimited", struct stack_options, delimited, NULL,
	       "print a delimiter between kernel and user stack"),
	OPTION('f', "folded", struct stack_options, folded, NULL,
	       "folded output, one line per stack, for flame graphs"),
	OPTION_END,
};

void stack_plan(const struct stack_options *options, struct plan *plan)
{
	plan->want_kernel = plan->view.want_kernel = !options->user_only;
	plan->want_user = plan->view.want_user = !options->kernel_only &&
						 (!options->kernel_by_default || options->user_only || options->both);
	/* With one stack there is nothing to separate. */
	plan->view.delimited = options->delimited && plan->want_kernel && plan->want_user;
	plan->view.folded = options->folded;
}
