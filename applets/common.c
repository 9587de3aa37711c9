/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/common.h"

#include "core/base/alloc.h"

const struct option_spec common_table[] = {
	OPTION(0, "save", struct common_options, save_path, "FILE",
	       "also save the profile, for 'stacktool report FILE'", .noun = "a file name", .ours = true),
	OPTION(0, "strict", struct common_options, strict, NULL, "end with status 4 if any event was lost",
	       .ours = true),
	OPTION(0, "no-demangle", struct common_options, no_demangle, NULL,
	       "show C++ and Rust names as they stand in the symbol table", .ours = true),
	OPTION(0, "explain", struct common_options, explain, NULL,
	       "print what would be attached, how and why, and stop", .ours = true),
	OPTION(0, "debug", struct common_options, debug, NULL,
	       "print the plan and the BPF instructions before starting", .ours = true),
	OPTION(0, "ebpf", struct common_options, dump_bpf, NULL, "print the BPF instructions and stop", .hidden = true),
	OPTION_END,
};

void common_plan(const struct common_options *options, struct plan *plan)
{
	plan->save_path = options->save_path ? xstrdup(options->save_path) : NULL;
	plan->strict = options->strict;
	plan->explain = options->explain;
	plan->debug = plan->view.verbose = options->debug;
	plan->dump_bpf = options->dump_bpf;
	plan->no_demangle = options->no_demangle;
}

const struct option_spec stack_table[] = {
	OPTION('U', "user-stacks-only", struct stack_options, user_only, NULL, "only user stacks, no kernel stacks",
	       .exclusive = "stacks"),
	OPTION('K', "kernel-stacks-only", struct stack_options, kernel_only, NULL, "only kernel stacks, no user stacks",
	       .exclusive = "stacks"),
	OPTION('d', "delimited", struct stack_options, delimited, NULL, "a delimiter between kernel and user stack"),
	OPTION('f', "folded", struct stack_options, folded, NULL,
	       "folded output, one line per stack, for flame graphs"),
	OPTION_END,
};

void stack_plan(const struct stack_options *options, struct plan *plan)
{
	plan->want_kernel = plan->view.want_kernel = !options->user_only;
	plan->want_user = plan->view.want_user = !options->kernel_only;
	/* With one stack there is nothing to separate. */
	plan->view.delimited = options->delimited && plan->want_kernel && plan->want_user;
	plan->view.folded = options->folded;
}
