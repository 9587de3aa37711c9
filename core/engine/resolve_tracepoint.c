/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints: found in tracefs, or by the kernel's type information where that is absent or closed. */
#include "core/engine/resolve_private.h"

#include <dirent.h>
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/suggest.h"
#include "core/engine/host.h"

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The sub-folders of a folder, sorted. */
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
	vec_push(&attach->points, (struct attach_point){
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
	const char *near = str_nearest(name, (const char *const *)seen->data, seen->nr);

	fail_no_match("tracepoint '%s': nothing matches among %zu events", plan->probe.typed, seen->nr);
	if (near)
		hint("did you mean 't:%s%s'?", strchr(near, ':') ? "" : "*:", near);
	return -ENOENT;
}

/* "category:event" as one expression, matched against the whole name of each event. */
static char *tracepoint_expression(const struct probe_spec *spec)
{
	_cleanup_(freep) char *whole = xasprintf("%s:%s", spec->target ? spec->target : "*", spec->pattern);

	return resolve_expression(whole, spec->regex);
}

/* ---- system calls ---- */

#define ENTER "sys_enter_"

/* The number of the system call of an event "sys_enter_NAME"; negative when it is no such event. */
static int syscall_number(const struct attach_point *point)
{
	if (strcmp(point->category, "syscalls") || strncmp(point->event, ENTER, strlen(ENTER)))
		return -1;
	return seccomp_syscall_resolve_name(point->event + strlen(ENTER));
}

/*
 * Entries of system calls are taken from the raw tracepoint: the classic one passes the user's registers before 6.12, so
 * that there is no kernel stack. Anything else among the events keeps all of them classic.
 */
static void prefer_sys_enter(struct attach_plan *attach)
{
	for (size_t i = 0; i < attach->points.nr; i++) {
		int number = syscall_number(&attach->points.data[i]);

		if (number < 0)
			return;
		attach->points.data[i].number = (uint64_t)number;
	}
	attach->program = PROGRAM_RAW_TRACEPOINT;
	attach->mechanism = MECHANISM_SYS_ENTER;
	snprintf(attach->why, sizeof(attach->why), "the classic tracepoint has no kernel stack before 6.12");
}

/* ---- without tracefs ---- */

/*
 * The names of all events from the kernel's type information, which has a typedef btf_trace_NAME for each (commit
 * e8c423fb31fa ("bpf: Add typecast to raw_tracepoints to help BTF generation"), v5.5). It does not tell categories, so
 * the user's is believed.
 */
static int add_raw_events(const struct plan *plan, struct attach_plan *attach)
{
	_cleanup_(freep) char *text = resolve_expression(plan->probe.pattern, plan->probe.regex);
	_cleanup_(match_freep) struct match *match = NULL;
	_cleanup_(name_list_done) name_list events = {};
	int err = resolve_compile(plan, text, &match);

	if (!err)
		err = host_raw_tracepoints(&events);
	for (size_t i = 0; !err && i < events.nr; i++)
		if (match_test(match, events.data[i], strlen(events.data[i])))
			add_tracepoint(attach, plan->probe.target ? plan->probe.target : "*", events.data[i]);
	if (err || attach->points.nr)
		return err;
	return no_tracepoint(plan, plan->probe.pattern, &events);
}

/* "t:syscalls:sys_enter_NAME" is no event of its own there, but the number of the call is known. */
static bool add_syscall(const struct plan *plan, struct attach_plan *attach)
{
	const char *category = plan->probe.target ? plan->probe.target : "";

	if (strcmp(category, "syscalls") || strncmp(plan->probe.pattern, ENTER, strlen(ENTER)))
		return false;
	add_tracepoint(attach, category, plan->probe.pattern);
	prefer_sys_enter(attach);
	return attach->mechanism == MECHANISM_SYS_ENTER;
}

/* Without categories "t:sched:*" would mean every event there is. */
static int check_raw_pattern(const struct plan *plan)
{
	const struct probe_spec *spec = &plan->probe;

	if (!spec->target || !strcmp(spec->target, "*") || (!spec->regex && !match_is_wildcard(spec->pattern)))
		return 0;
	fail_host(-ENOENT, "tracepoint '%s': without tracefs it is not known which events are in '%s'", spec->typed,
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
	if (!add_syscall(plan, attach))
		err = add_raw_events(plan, attach);
	snprintf(attach->why, sizeof(attach->why),
		 "tracefs is not mounted or not readable; categories are not checked");
	return err ? err : resolve_check_limit(plan, attach->points.nr);
}

/* ---- with it ---- */

static int resolve_classic(const struct plan *plan, struct attach_plan *attach)
{
	_cleanup_(freep) char *folder = xasprintf("%s/events", host_tracefs()),
			      *text = tracepoint_expression(&plan->probe);
	_cleanup_(name_list_done) name_list categories = {}, seen = {};
	_cleanup_(match_freep) struct match *match = NULL;
	int err = resolve_compile(plan, text, &match);

	if (err)
		return err;
	err = list_folders(folder, &categories);
	if (err)
		return fail_host(err, "%s: cannot be listed: %s", folder, strerror(-err));
	for (size_t i = 0; i < categories.nr; i++)
		add_events(attach, categories.data[i], match, &seen);
	if (!attach->points.nr)
		return no_tracepoint(plan, plan->probe.typed + 2, &seen);
	attach->program = PROGRAM_TRACEPOINT;
	attach->mechanism = MECHANISM_TRACEPOINT;
	snprintf(attach->why, sizeof(attach->why), "tracefs is readable");
	prefer_sys_enter(attach);
	return resolve_check_limit(plan, attach->points.nr);
}

int resolve_tracepoints(const struct plan *plan, struct attach_plan *attach)
{
	return host_tracefs() ? resolve_classic(plan, attach) : resolve_raw(plan, attach);
}
