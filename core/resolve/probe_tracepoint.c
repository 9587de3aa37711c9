/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints, from tracefs, or from the kernel's type information if tracefs cannot be read. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/suggest.h"
#include "core/host/host.h"
#include "core/resolve/attach_plan.h"
#include "core/resolve/patterns.h"
#include "core/resolve/probe_kinds.h"
#include "core/resolve/spelling.h"
#include "core/resolve/system_calls.h"

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The subdirectories, sorted. */
static int list_folders(const char *path, name_list *ret_names)
{
	_cleanup_(closedirp) DIR *directory = opendir(path);
	const struct dirent *entry;

	if (!directory)
		return -errno;
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.' && entry->d_type == DT_DIR)
			vec_push(ret_names, xstrdup(entry->d_name));
	if (ret_names->nr)
		qsort(ret_names->data, ret_names->nr, sizeof(*ret_names->data), compare_names);
	return 0;
}

static void add_tracepoint(struct attach_plan *attach, const char *category, const char *event)
{
	vec_push(&attach->places, (struct probe_place){
					  .name = xasprintf("%s:%s", category, event),
					  .category = xstrdup(category),
					  .event = xstrdup(event),
				  });
}

static void add_events(struct attach_plan *attach, const char *category, const struct match *match, name_list *ret_seen)
{
	_cleanup_(freep) char *folder = xasprintf("%s/events/%s", host_tracefs(), category);
	_cleanup_(name_list_done) name_list events = {};

	if (list_folders(folder, &events))
		return;
	for (size_t i = 0; i < events.nr; i++) {
		_cleanup_(freep) char *full = xasprintf("%s:%s", category, events.data[i]);

		if (match_test(match, full, strlen(full)))
			add_tracepoint(attach, category, events.data[i]);
		vec_push(ret_seen, take_ptr(full));
	}
}

static int no_tracepoint(const struct plan *plan, const char *name, const name_list *seen)
{
	const char *near = str_nearest(name, (const char *const *)seen->data, seen->nr)
				   ?: str_with_words(name, (const char *const *)seen->data, seen->nr);

	fail_no_match("tracepoint '%s': nothing matches among %zu events", plan->probe.typed, seen->nr);
	if (near)
		hint("did you mean 't:%s%s'?", strchr(near, ':') ? "" : "*:", near);
	return -ENOENT;
}

/*
 * Adds the matching events of the kernel's type information, which has a typedef btf_trace_NAME for each event (commit e8c423fb31fa ("bpf:
 * Add typecast to raw_tracepoints to help BTF generation"), v5.5) but no categories, so the category is not checked.
 */
static int add_raw_events(const struct plan *plan, struct attach_plan *attach)
{
	_cleanup_(freep) char *text = pattern_expression(plan->probe.pattern, plan->probe.regex);
	_cleanup_(match_freep) struct match *match = NULL;
	_cleanup_(name_list_done) name_list events = {};
	int err = pattern_compile(plan, text, &match);

	err = err ?: host_raw_tracepoints(&events);
	for (size_t i = 0; !err && i < events.nr; i++)
		if (match_test(match, events.data[i], strlen(events.data[i])))
			add_tracepoint(attach, plan->probe.target ? plan->probe.target : "*", events.data[i]);
	if (err || attach->places.nr)
		return err;
	return no_tracepoint(plan, plan->probe.pattern, &events);
}

/* Adds "t:syscalls:sys_enter_NAME", which has no type information but a known call number. False: another pattern. */
static bool add_system_call(const struct plan *plan, struct attach_plan *attach)
{
	const char *category = plan->probe.target ? plan->probe.target : "";
	struct system_call call;

	if (strcmp(category, "syscalls") || !system_call_of_event(plan->probe.pattern, &call))
		return false;
	add_tracepoint(attach, category, plan->probe.pattern);
	system_calls_prefer_raw(plan, attach);
	return true;
}

/* At sys_exit, a program reads the number of the call from the task. 5.10 forbids that under lockdown=confidentiality. */
static int fail_end_unknown(const struct attach_plan *attach)
{
	return fail_host(-EPERM,
			 "tracepoint '%s': under lockdown=confidentiality, this kernel does not tell BPF "
			 "programs which system call ends",
			 attach->places.data[0].name);
}

static int check_ends(const struct attach_plan *attach)
{
	if (!attach->places.nr || !attach->places.data[0].is_exit ||
	    host_task_access(PROGRAM_RAW_TRACEPOINT) != TASK_ACCESS_NONE)
		return 0;
	return fail_end_unknown(attach);
}

/* Without categories, "t:sched:*" would match all events. */
static int check_raw_pattern(const struct plan *plan)
{
	const struct probe_spec *spec = &plan->probe;

	if (!spec->target || !strcmp(spec->target, "*") || (!spec->regex && !match_is_wildcard(spec->pattern)))
		return 0;
	if (host_tracefs_is_denied()) {
		fail_host(-EACCES,
			  "tracepoint '%s': /sys/kernel/tracing cannot be read, so the events in '%s' are not known",
			  spec->typed, spec->target);
		hint("run it as root, or name one event");
		return -EACCES;
	}
	fail_host(-ENOENT, "tracepoint '%s': without tracefs the events in '%s' are not known", spec->typed,
		  spec->target);
	hint("mount -t tracefs tracefs /sys/kernel/tracing, or name one event");
	return -ENOENT;
}

static int resolve_raw(const struct plan *plan, struct attach_plan *attach)
{
	int err = check_raw_pattern(plan);

	if (err)
		return err;
	attach->program = PROGRAM_RAW_TRACEPOINT;
	attach->mechanism = MECHANISM_RAW_TRACEPOINT;
	err = add_system_call(plan, attach) ? check_ends(attach) : add_raw_events(plan, attach);
	snprintf(attach->why, sizeof(attach->why),
		 "tracefs is not mounted or not readable; categories are not checked");
	return err ? err : pattern_check_limit(plan, attach->places.nr);
}

static int resolve_classic(const struct plan *plan, struct attach_plan *attach)
{
	const struct probe_spec *spec = &plan->probe;
	/* one expression for "category:event", matched against the whole name of each event */
	_cleanup_(freep) char *whole = xasprintf("%s:%s", spec->target ? spec->target : "*", spec->pattern),
			      *text = pattern_expression(whole, spec->regex),
			      *folder = xasprintf("%s/events", host_tracefs());
	_cleanup_(name_list_done) name_list categories = {}, seen = {};
	_cleanup_(match_freep) struct match *match = NULL;
	int err = pattern_compile(plan, text, &match);

	if (err)
		return err;
	err = list_folders(folder, &categories);
	if (err)
		return fail_host(err, "%s: cannot be listed: %s", folder, strerror(-err));
	for (size_t i = 0; i < categories.nr; i++)
		add_events(attach, categories.data[i], match, &seen);
	if (!attach->places.nr)
		return no_tracepoint(plan, whole, &seen);
	attach->program = PROGRAM_TRACEPOINT;
	attach->mechanism = MECHANISM_TRACEPOINT;
	snprintf(attach->why, sizeof(attach->why), "tracefs is readable");
	system_calls_prefer_raw(plan, attach);
	return pattern_check_limit(plan, attach->places.nr);
}

/* EVENTS_BY_LENGTH: of all tracepoints, only entries of system calls have an end. */
static int add_ends(const struct plan *plan, struct attach_plan *attach)
{
	bool are_calls = attach->mechanism == MECHANISM_SYSTEM_CALLS;

	for (size_t i = 0; i < attach->places.nr; i++)
		are_calls &= !attach->places.data[i].is_exit;
	if (!are_calls) {
		fail_usage("tracepoint '%s': it has no end that could be timed", plan->probe.typed);
		hint("t:syscalls:sys_enter_NAME times a system call");
		return -EINVAL;
	}
	attach_plan_add_returns(attach, "on_call_enter", "on_call_exit");
	if (host_task_access(PROGRAM_RAW_TRACEPOINT) != TASK_ACCESS_NONE)
		return 0;
	return fail_end_unknown(attach);
}

static int resolve(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach)
{
	int err = host_tracefs() ? resolve_classic(plan, attach) : resolve_raw(plan, attach);

	return !err && plan->mode == EVENTS_BY_LENGTH ? add_ends(plan, attach) : err;
}

static bool is_raw_event(const char *event)
{
	_cleanup_(err_restore) struct err_saved before = err_save();
	_cleanup_(name_list_done) name_list events = {};

	if (host_raw_tracepoints(&events))
		return false;
	for (size_t i = 0; i < events.nr; i++)
		if (!strcmp(events.data[i], event))
			return true;
	return false;
}

bool probe_is_event(const char *category, const char *event)
{
	_cleanup_(freep) char *path = NULL;

	if (!category || strchr(category, '/') || strchr(event, '/'))
		return false;
	if (!host_tracefs())
		return is_raw_event(event);
	path = xasprintf("%s/events/%s/%s/id", host_tracefs(), category, event);
	return !access(path, F_OK);
}

bool probe_is_category(const char *category)
{
	_cleanup_(freep) char *path = NULL;

	if (!category || !*category || *category == '.' || strchr(category, '/') || !host_tracefs())
		return false;
	path = xasprintf("%s/events/%s/enable", host_tracefs(), category);
	return !access(path, F_OK);
}

/* CATEGORY:EVENT */
static int split(struct spelling *spelling)
{
	const char *separator = spelling_separator(spelling, spelling->rest);

	if (spelling_skips_target(spelling))
		return spelling_fail_form(spelling, "the category is missing", "t:CATEGORY:EVENT");
	if (!separator)
		return spelling_fail_form(spelling, "the category or the event is missing", "t:CATEGORY:EVENT");
	if (!spelling->regex && spelling_next_separator(spelling, separator))
		return spelling_fail_too_many(spelling);
	spelling->target = piece_cut(spelling->rest, separator);
	spelling->pattern = piece_of(separator + 1);
	return 0;
}

const struct probe_kind probe_tracepoint = {
	.name = "tracepoint",
	.letter = 't',
	.target_is_pattern = true,
	.split = split,
	.resolve = resolve,
};
