/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/probe.h"

#include "core/resolve/probe_spec.h"

static int parse_attach_mode(const char *text, void *field)
{
	return attach_mode_parse(text, field);
}

const struct option_spec watch_table[] = {
	OPTION('p', "pid", struct watch_options, tgids, "PID,...", "only these processes", .min = 1, .max = PID_MAX,
	       .noun = "a list of process ids", .exclusive = "who"),
	OPTION('t', "tid", struct watch_options, tids, "TID,...", "only these threads", .min = 1, .max = PID_MAX,
	       .noun = "a list of thread ids", .exclusive = "who", .ours = true),
	OPTION_END,
};

/* An event of the idle task is an event like others. */
void watch_plan(const struct watch_options *options, struct plan *plan)
{
	plan_add_ids(&plan->tgids, &options->tgids);
	plan_add_ids(&plan->tids, &options->tids);
	plan->command = options->command;
	plan->cpu = options->cpu;
	plan->include_idle = true;
}

const struct option_spec probe_table[] = {
	OPTION('r', "regexp", struct probe_options, regex, NULL,
	       "the pattern is a regular expression; otherwise '*' is its only wildcard"),
	OPTION('l', "library", struct probe_options, library, "LIB",
	       "the library or program of the function, as in LIB:PATTERN", .noun = "a library", .ours = true),
	OPTION(0, "attach", struct probe_options, attach_mode, "HOW",
	       "how to probe kernel functions: multi (kprobe.multi), kprobe or fentry (default: the best that this "
	       "kernel supports)",
	       .parse = parse_attach_mode, .ours = true),
	OPTION(0, "max-probes", struct probe_options, max_probes, "N",
	       "accept up to N matches (default 1000 or $BCC_PROBE_LIMIT)", .min = 1, .noun = "a number of probes",
	       .ours = true),
	OPTION(0, "force", struct probe_options, force, NULL,
	       "accept any number of matches, and functions that are known to hang hosts", .ours = true),
	OPTION(0, "forever", struct probe_options, forever, NULL, "no limit of 5 minutes for more than 100 probes",
	       .ours = true),
	OPTION_FRAGMENT(guard_table, struct probe_options, guard),
	OPERAND("pattern", struct probe_options, pattern, PATTERN_HELP, .required = true, .noun = "a pattern"),
	OPTION_END,
};

int probe_plan(const struct probe_options *options, struct plan *plan)
{
	plan->attach_mode = options->attach_mode;
	plan->max_probes = options->max_probes;
	plan->force = options->force;
	plan->forever = options->forever;
	guard_plan(&options->guard, plan);
	return probe_spec_parse(options->pattern, options->library, options->regex, &plan->probe);
}

void probe_header(const struct plan *plan, size_t nr_attached, struct buf *line)
{
	buf_addf(line, "Tracing %zu functions for \"%s\"... Hit Ctrl-C to end.", nr_attached, plan->probe.typed);
}
