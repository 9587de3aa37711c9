/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/probe.h"

#include "core/resolve/probe_spec.h"

const struct option_spec watch_table[] = {
	RUN_OPTION('p', "pid", plan.tgids, "PID,...", "only these processes", PROCESS_IDS, .exclusive = "who"),
	OUR_OPTION('t', "tid", plan.tids, "TID,...", "only these threads", THREAD_IDS, .exclusive = "who"),
	OPTION_END,
};

const struct option_spec probe_table[] = {
	RUN_OPTION('r', "regexp", regex, NULL,
		   "the pattern is a regular expression; otherwise '*' is its only wildcard"),
	OUR_OPTION('l', "library", library, "LIB", "the library or program of the function, as in LIB:PATTERN"),
	OUR_OPTION(0, "attach", plan.attach_mode, "HOW",
		   "how to probe kernel functions: multi (kprobe.multi), kprobe or fentry (default: the best that this "
		   "kernel supports)",
		   .parse = attach_mode_parse),
	OUR_OPTION(0, "max-probes", plan.max_probes, "N", "accept up to N matches (default 1000 or $BCC_PROBE_LIMIT)",
		   .min = 1, .noun = "a number of probes"),
	OUR_OPTION(0, "force", plan.force, NULL,
		   "accept any number of matches, and functions that are known to hang hosts"),
	OUR_OPTION(0, "forever", plan.forever, NULL, "do not end runs with more than 100 probes after 5 minutes"),
	RUN_FRAGMENT(guard_table),
	OPERAND("pattern", struct run_options, pattern, PATTERN_HELP, .required = true),
	OPTION_END,
};

int probe_plan(struct run_options *options)
{
	return probe_spec_parse(options->pattern, options->library, options->regex, &options->plan.probe);
}

void probe_header(const struct plan *plan, size_t nr_attached, struct buf *line)
{
	buf_addf(line, "Tracing %zu functions for \"%s\"... Hit Ctrl-C to end.", nr_attached, plan->probe.typed);
}
