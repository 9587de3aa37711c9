/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel functions: which ones a pattern means, and the best way this kernel has to probe them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/host/host.h"
#include "core/host/kernel_types.h"
#include "core/resolve/attach_plan.h"
#include "core/resolve/kernel_functions.h"
#include "core/resolve/patterns.h"
#include "core/resolve/probe_kinds.h"

/* ---- mechanism ---- */

struct kernel_mechanism {
	enum attach_mode mode;
	enum mechanism mechanism;
	enum program_kind program;
	bool (*works)(void);
	const char *name, *needs;
	bool closed_by_lockdown;
};

/* In the order of preference. */
static const struct kernel_mechanism mechanisms[] = {
	{ ATTACH_MULTI, MECHANISM_KPROBE_MULTI, PROGRAM_KPROBE, host_has_kprobe_multi, "kprobe.multi", "CONFIG_FPROBE",
	  false },
	{ ATTACH_KPROBE, MECHANISM_KPROBE, PROGRAM_KPROBE, host_has_kprobes, "kprobe", "CONFIG_KPROBE_EVENTS", true },
	{ ATTACH_FENTRY, MECHANISM_FENTRY, PROGRAM_FENTRY, host_has_fentry, "fentry",
	  "CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS", false },
};

#define NR_MECHANISMS (sizeof(mechanisms) / sizeof(mechanisms[0]))

static void take_mechanism(const struct kernel_mechanism *choice, const struct plan *plan, struct buf *passed,
			   struct attach_plan *attach)
{
	attach->mechanism = choice->mechanism;
	attach->program = choice->program;
	if (plan->attach_mode != ATTACH_AUTO)
		snprintf(attach->why, sizeof(attach->why), "selected by --attach");
	else
		snprintf(attach->why, sizeof(attach->why), "this kernel has %s%s%s", choice->name,
			 passed->nr ? ", but " : "", buf_text(passed));
}

static int no_mechanism(const struct plan *plan, const struct buf *passed)
{
	const struct kernel_mechanism *wanted = mechanisms;

	if (plan->attach_mode == ATTACH_AUTO) {
		fail_host(-EOPNOTSUPP, "this kernel cannot probe kernel functions: %s", buf_text(passed));
		hint("tracepoints (t:…) and user functions (LIB:…) may still work");
		return -EOPNOTSUPP;
	}
	while (wanted->mode != plan->attach_mode)
		wanted++;
	if (!wanted->works())
		return fail_host(-EOPNOTSUPP, "--attach: this kernel has no %s", wanted->needs);
	fail_host(-EPERM, "--attach: %s is forbidden by lockdown=confidentiality", wanted->name);
	hint("without --attach, stacktool uses another method");
	return -EPERM;
}

/* The kernel has it, and lets nobody use it. */
static bool is_closed(const struct kernel_mechanism *choice)
{
	return choice->closed_by_lockdown && host_is_confidential();
}

static int choose_mechanism(const struct plan *plan, struct attach_plan *attach)
{
	_cleanup_(buf_done) struct buf passed = {};

	for (size_t i = 0; i < NR_MECHANISMS; i++) {
		const struct kernel_mechanism *choice = &mechanisms[i];

		if (plan->attach_mode != ATTACH_AUTO && plan->attach_mode != choice->mode)
			continue;
		if (choice->works() && !is_closed(choice)) {
			take_mechanism(choice, plan, &passed, attach);
			return 0;
		}
		buf_addf(&passed, "%sno %s (%s)", passed.nr ? ", " : "", choice->name,
			 is_closed(choice) ? "lockdown=confidentiality" : choice->needs);
	}
	return no_mechanism(plan, &passed);
}

/* ---- functions ---- */

static int nothing_matched(const struct plan *plan, const struct kernel_functions_left_out *left_out)
{
	_cleanup_(freep) char *near = NULL;

	if (left_out->hidden) {
		fail_host(-EPERM, "function '%s': /proc/kallsyms shows no addresses", plan->probe.pattern);
		hint("this needs CAP_SYSLOG (or root) and kernel.kptr_restrict below 2");
		return -EPERM;
	}
	if (left_out->nr_dangerous) {
		fail_usage("function '%s': probing it is known to hang hosts", left_out->dangerous);
		hint("--force probes it anyway");
		return -EINVAL;
	}
	if (left_out->nr_unreachable)
		return fail_no_match("function '%s': the kernel does not allow a probe on it", left_out->unreachable);
	fail_no_match("function '%s': nothing matches among %zu kernel functions", plan->probe.pattern,
		      left_out->nr_candidates);
	near = kernel_functions_suggest(plan->probe.pattern);
	if (near)
		hint("did you mean '%s'?", near);
	return -ENOENT;
}

/*
 * fentry goes by type. A function without one is refused when its turn comes; the first must have one, because the object is
 * loaded for it. The types of modules are left to libbpf.
 */
static int find_types(struct attach_plan *attach)
{
	struct probe_place *places = attach->places.data, first;
	_cleanup_(freep) const char **names = xcalloc(attach->places.nr, sizeof(*names));
	_cleanup_(freep) uint32_t *ids = xcalloc(attach->places.nr, sizeof(*ids));
	size_t known = 0;
	int err;

	for (size_t i = 0; i < attach->places.nr; i++)
		names[i] = places[i].name;
	err = kernel_types_functions(names, attach->places.nr, ids);
	if (err)
		return fail_host(err, "kernel: its type information cannot be read: %s", strerror(-err));
	for (size_t i = 0; i < attach->places.nr; i++)
		places[i].number = places[i].module ? 0 : ids[i];
	while (known < attach->places.nr && !places[known].number)
		known++;
	if (known == attach->places.nr)
		return 0;
	first = places[known];
	memmove(places + 1, places, known * sizeof(*places));
	places[0] = first;
	return 0;
}

/* "3 functions such as 'do_nmi' left out: REASON", after what is in the text already. */
static void add_left_out(struct buf *text, size_t nr, const char *example, const char *reason)
{
	const char *between = text->nr ? "; " : "";

	if (nr == 1)
		buf_addf(text, "%sfunction '%s' skipped: %s", between, example, reason);
	else if (nr)
		buf_addf(text, "%s%zu functions such as '%s' skipped: %s", between, nr, example, reason);
}

/* What the pattern meant and did not get, for --explain and for the user. */
static void note_left_out(struct attach_plan *attach, const struct kernel_functions_left_out *left_out)
{
	_cleanup_(buf_done) struct buf text = {};

	add_left_out(&text, left_out->nr_dangerous, left_out->dangerous, "probing it is known to hang hosts (--force)");
	add_left_out(&text, left_out->nr_unreachable, left_out->unreachable, "the kernel does not allow a probe on it");
	if (text.nr)
		attach_plan_note(attach, "%s", buf_text(&text));
}

static int resolve(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach)
{
	_cleanup_(kernel_functions_left_out_done) struct kernel_functions_left_out left_out = {};
	_cleanup_(freep) char *expression = pattern_expression(plan->probe.pattern, plan->probe.regex);
	_cleanup_(match_freep) struct match *match = NULL;
	_cleanup_(freep) char *whole = NULL;
	int err;

	/* bcc anchors a regular expression for kernel functions at both ends (re.fullmatch) */
	whole = plan->probe.regex ? xasprintf("%s$", expression) : xstrdup(expression);
	err = pattern_compile(plan, whole, &match);
	if (!err && !plan->look_only)
		err = choose_mechanism(plan, attach);
	if (!err)
		err = kernel_functions_find(match, plan->force, attach, &left_out);
	if (!err && !attach->places.nr)
		err = nothing_matched(plan, &left_out);
	if (!err)
		err = pattern_check_limit(plan, attach->places.nr);
	if (err)
		return err;
	note_left_out(attach, &left_out);
	return attach->mechanism == MECHANISM_FENTRY ? find_types(attach) : 0;
}

static const char *home(const struct probe_place *place)
{
	return place->module ? place->module : "kernel";
}

const struct probe_kind probe_kernel_function = {
	.name = "kernel function",
	.resolve = resolve,
	.list_home = home,
};
