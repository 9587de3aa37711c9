/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/probe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"

#include "core/resolve/probe_kinds.h"
#include "core/resolve/probe_spec.h"

const struct option_spec watch_table[] = {
	RUN_OPTION('p', "pid", plan.tgids, "PID|NAME,...", "only these processes", PROCESSES, .exclusive = "who"),
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
		   .values = "multi kprobe fentry", .parse = attach_mode_parse),
	OUR_OPTION(0, "max-probes", plan.max_probes, "N", "accept up to N matches (default 1000 or $BCC_PROBE_LIMIT)",
		   .min = 1, .noun = "a number of probes"),
	OUR_OPTION(0, "force", plan.force, NULL,
		   "accept any number of matches, and functions that are known to hang hosts"),
	OUR_OPTION(0, "forever", plan.forever, NULL, "do not end runs with more than 100 probes after 5 minutes"),
	RUN_FRAGMENT(guard_table),
	OPERAND("pattern", struct run_options, patterns, PATTERN_HELP, .required = true),
	OPTION_END,
};

#define MOST_PATTERNS 1000
#define LONGEST_LINE 4095

static int refuse_pattern(const char *pattern, const struct probe_spec *spec, const struct probe_spec *first)
{
	int err;

	if (strpbrk(pattern, "0123456789") && !pattern[strspn(pattern, "0123456789.")]) {
		err = fail_usage("pattern '%s': a number is not a pattern", pattern);
		hint("to run for that many seconds: --duration %s", pattern);
		return err;
	}
	if (!first || spec->kind == first->kind)
		return 0;
	err = fail_usage("pattern '%s': is a %s, and '%s' a %s: patterns of one run have one kind", pattern,
			 spec->kind->name, first->typed, first->kind->name);
	if (spec->kind == &probe_kernel_function && !strpbrk(pattern, ":*"))
		hint("a command follows --, as in '... -- %s'", pattern);
	return err;
}

/* Whether the user wrote a tracepoint as perf does, without a letter: "sched:sched_switch" has the form LIBRARY:FUNCTION. */
static bool is_bare_event(const struct probe_spec *spec)
{
	return spec->kind == &probe_user_function && spec->target &&
	       !strncmp(spec->typed, spec->target, strlen(spec->target)) && probe_is_event(spec->target, spec->pattern);
}

static int add_pattern(struct run_options *options, const char *pattern)
{
	struct plan *plan = &options->plan;
	struct probe_spec spec = {};
	int err;

	if (plan->probes.nr == MOST_PATTERNS)
		return fail_usage("argument pattern: more than %d patterns", MOST_PATTERNS);
	err = probe_spec_parse(pattern, options->library, options->regex, &spec);
	if (err)
		return err;
	if (is_bare_event(&spec))
		spec.kind = &probe_tracepoint;
	vec_push(&plan->probes, spec);
	return refuse_pattern(pattern, &spec, plan->probes.nr > 1 ? &plan->probes.data[0] : NULL);
}

/* Whether fgets() has read a whole line. */
static bool is_line(const char *line, FILE *file)
{
	const size_t nr = strlen(line);

	return nr && (line[nr - 1] == '\n' || (nr <= LONGEST_LINE && feof(file)));
}

/* @FILE has a pattern in each line. Skips empty lines and lines that begin with '#'. */
static int add_patterns_of(struct run_options *options, const char *path)
{
	_cleanup_(fclosep) FILE *file = fopen(path, "re");
	const size_t nr_before = options->plan.probes.nr;
	char line[LONGEST_LINE + 2];
	int err = file ? 0 : fail(-errno, "'%s': cannot be opened: %s", path, strerror(errno));

	if (!*path)
		return fail_usage("pattern '@': give the name of a file with patterns, as in @FILE");
	for (unsigned int nr = 1; !err && fgets(line, sizeof(line), file); nr++) {
		char *pattern = line + strspn(line, " \t");

		if (!is_line(line, file))
			return fail_usage("'%s': line %u is not text of at most %d bytes", path, nr, LONGEST_LINE);
		pattern[strcspn(pattern, " \t\r\n")] = '\0';
		if (*pattern && *pattern != '#')
			err = add_pattern(options, pattern);
	}
	if (!err && ferror(file))
		err = fail(-errno, "'%s': cannot be read: %s", path, strerror(errno));
	if (!err && options->plan.probes.nr == nr_before)
		err = fail_usage("'%s': has no pattern", path);
	return err;
}

/* Sets plan->probe: the only pattern, or for several ones their kind, and all their texts for headers. */
static void settle_patterns(struct plan *plan)
{
	_cleanup_(buf_done) struct buf typed = {};

	if (plan->probes.nr == 1) {
		plan->probe = plan->probes.data[0];
		vec_done(&plan->probes);
		return;
	}
	for (size_t i = 0; i < plan->probes.nr; i++)
		buf_addf(&typed, "%s%s", i ? " " : "", plan->probes.data[i].typed);
	plan->probe = (struct probe_spec){ .kind = plan->probes.data[0].kind,
					   .typed = xstrdup(buf_text(&typed)),
					   .regex = plan->probes.data[0].regex };
}

int probe_plan(struct run_options *options)
{
	struct plan *plan = &options->plan;
	int err = 0;

	for (size_t i = 0; !err && i < options->patterns.nr; i++) {
		const char *pattern = options->patterns.data[i];

		err = *pattern == '@' ? add_patterns_of(options, pattern + 1) : add_pattern(options, pattern);
	}
	if (err)
		return err;
	settle_patterns(plan);
	if (plan->attach_mode != ATTACH_AUTO && plan->probe.kind != &probe_kernel_function)
		return fail_usage("argument --attach: only for kernel functions; '%s' is a %s", plan->probe.typed,
				  plan->probe.kind->name);
	return 0;
}

int probe_plan_calls(struct plan *plan)
{
	bool is_usdt = plan->probe.kind == &probe_usdt;

	if (is_usdt && plan->probes.nr != 2)
		return fail_usage("pattern '%s': a USDT probe has no end that could be timed: give that of the end too",
				  plan->probe.typed);
	if (plan->probes.nr && !is_usdt)
		return fail_usage("argument pattern: only one is allowed: use wildcards, or -r");
	plan->is_pair = is_usdt;
	return 0;
}

void probe_header(const struct plan *plan, size_t nr_attached, struct buf *line)
{
	if (plan->output.format != OUTPUT_SUMMARY) { /* bcc's text */
		buf_addf(line, "Tracing %zu functions for \"%s\"... Hit Ctrl-C to end.", nr_attached,
			 plan->probe.typed);
		return;
	}
	buf_addf(line, "Tracing %s", plan->probe.typed);
	if (nr_attached > 1)
		buf_addf(line, " (%zu probes)", nr_attached);
	add_duration(plan, line);
}
