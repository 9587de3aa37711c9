/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/resolve.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/match.h"
#include "core/base/suggest.h"
#include "core/engine/host.h"
#include "core/engine/library.h"
#include "core/engine/opener.h"

/* Numbers for the symbol worker that no file of a profile has. */
#define PROBED_FILE 0xf0000000U

static void point_done(struct attach_point *point)
{
	free(point->name);
	free(point->category);
	free(point->event);
	free(point->path);
}

void attach_plan_done(struct attach_plan *attach)
{
	for (size_t i = 0; i < attach->points.nr; i++)
		point_done(&attach->points.data[i]);
	vec_done(&attach->points);
}

/* ---- patterns ---- */

static void match_freep(struct match **match)
{
	match_free(*match);
}

/* A wildcard must match the whole name; a regular expression is anchored at the start only, as Python's re.match. */
static char *expression(const char *pattern, bool regex)
{
	char *text = regex ? xasprintf("^(?:%s)", pattern) : match_wildcard(pattern);

	return text ? text : xstrdup("");
}

static int compile(const struct plan *plan, const char *text, struct match **ret_match)
{
	char reason[256];
	int err = match_new(text, ret_match, reason, sizeof(reason));

	return err ? fail_usage("pattern '%s': %s", plan->probe.typed, reason) : 0;
}

/* ---- timed samples ---- */

static int resolve_samples(const struct plan *plan, struct attach_plan *attach)
{
	int err = sampling_choose(plan, &attach->sample);

	if (err)
		return err;
	attach->program = PROGRAM_SAMPLE;
	attach->mechanism = MECHANISM_PERF_EVENT;
	if (attach->sample.why[0])
		snprintf(attach->why, sizeof(attach->why), "%s: %s", attach->sample.name, attach->sample.why);
	else
		snprintf(attach->why, sizeof(attach->why), "%s", attach->sample.name);
	return 0;
}

/* ---- tracepoints ---- */

typedef VEC(char *) name_list;

static void names_done(name_list *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->data[i]);
	vec_done(names);
}

static void dir_closep(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The sub-folders of a folder, sorted. */
static int list_folders(const char *path, name_list *ret_names)
{
	_cleanup_(dir_closep) DIR *directory = opendir(path);
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
	_cleanup_(names_done) name_list events = {};

	if (list_folders(folder, &events))
		return;
	for (size_t i = 0; i < events.nr; i++) {
		_cleanup_(freep) char *full = xasprintf("%s:%s", category, events.data[i]);

		if (match_test(match, full, strlen(full)))
			add_tracepoint(attach, category, events.data[i]);
		vec_push(ret_seen, take_ptr(full));
	}
}

static int no_tracepoint(const struct plan *plan, const name_list *seen)
{
	const char *near = str_nearest(plan->probe.typed + 2, (const char *const *)seen->data, seen->nr);

	fail_no_match("tracepoint '%s': nothing matches among %zu events", plan->probe.typed, seen->nr);
	if (near)
		hint("did you mean 't:%s'?", near);
	return -ENOENT;
}

/* "category:event" as one expression, matched against the whole name of each event. */
static char *tracepoint_expression(const struct probe_spec *spec)
{
	_cleanup_(freep) char *whole = xasprintf("%s:%s", spec->target ? spec->target : "*", spec->pattern);

	return expression(whole, spec->regex);
}

static int resolve_tracepoints(const struct plan *plan, struct attach_plan *attach)
{
	_cleanup_(freep) char *folder = NULL, *text = NULL;
	_cleanup_(names_done) name_list categories = {}, seen = {};
	_cleanup_(match_freep) struct match *match = NULL;
	int err = host_require_tracefs();

	if (err)
		return err;
	text = tracepoint_expression(&plan->probe);
	err = compile(plan, text, &match);
	if (err)
		return err;
	folder = xasprintf("%s/events", host_tracefs());
	err = list_folders(folder, &categories);
	if (err)
		return fail_host(err, "%s: cannot be listed: %s", folder, strerror(-err));
	for (size_t i = 0; i < categories.nr; i++)
		add_events(attach, categories.data[i], match, &seen);
	attach->program = PROGRAM_TRACEPOINT;
	attach->mechanism = MECHANISM_TRACEPOINT;
	snprintf(attach->why, sizeof(attach->why), "tracefs is readable");
	return attach->points.nr ? 0 : no_tracepoint(plan, &seen);
}

/* ---- user functions ---- */

static int choose_uprobe(const struct plan *plan, struct attach_plan *attach)
{
	attach->program = PROGRAM_UPROBE;
	attach->mechanism = MECHANISM_UPROBE;
	if (plan->tgids.nr == 1)
		snprintf(attach->why, sizeof(attach->why), "one process: the breakpoint is put into that process only");
	else if (host_has_uprobe_multi())
		attach->mechanism = MECHANISM_UPROBE_MULTI;
	else
		snprintf(attach->why, sizeof(attach->why), "this kernel has no uprobe.multi links");
	if (attach->mechanism == MECHANISM_UPROBE_MULTI)
		snprintf(attach->why, sizeof(attach->why), "this kernel has uprobe.multi links");
	return 0;
}

/* A name of one address is enough: aliases would count every call several times. */
static bool is_new_place(const struct attach_plan *attach, uint64_t offset)
{
	return !attach->points.nr || vec_last(&attach->points).offset != offset;
}

static void add_functions(struct attach_plan *attach, const char *path, const struct symbol_function *functions, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (is_new_place(attach, functions[i].file_offset))
			vec_push(&attach->points, (struct attach_point){
							  .name = xstrdup(functions[i].name),
							  .path = xstrdup(path),
							  .offset = functions[i].file_offset,
						  });
}

static int no_function(const struct plan *plan, struct symbolizer *symbolizer, const char *path)
{
	const char *near = NULL;

	fail_no_match("function '%s': nothing matches in %s", plan->probe.pattern, path);
	if (symbolizer_suggest(symbolizer, PROBED_FILE, plan->probe.pattern, &near, 1) == 1)
		hint("did you mean '%s'?", near);
	return -ENOENT;
}

/* An indirect function is chosen at run time: its symbol is the resolver, which runs once, not the implementation. */
static int refuse_ifuncs(const struct symbol_function *functions, size_t nr)
{
	if (nr != 1 || !functions[0].ifunc)
		return 0;
	fail_host(-EOPNOTSUPP, "function '%s': it is an indirect function (IFUNC), whose symbol is only its resolver",
		  functions[0].name);
	hint("name an implementation, such as __memcpy_avx_unaligned_erms (debug symbols needed)");
	return -EOPNOTSUPP;
}

static int find_functions(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach,
			  const char *path)
{
	_cleanup_(freep) struct symbol_function *functions = NULL;
	_cleanup_(freep) char *pattern = NULL;
	_cleanup_(match_freep) struct match *match = NULL;
	size_t nr = 0;
	int err;

	pattern = expression(plan->probe.pattern, plan->probe.regex);
	err = compile(plan, pattern, &match);
	if (err)
		return err;
	err = symbolizer_find(symbolizer, PROBED_FILE, pattern, &functions, &nr);
	if (err == -ENOEXEC)
		return fail(-ENOEXEC, "'%s': not an ELF file that can be probed", path);
	if (err)
		return fail(err, "'%s': its functions cannot be read: %s", path, strerror(-err));
	if (!nr)
		return no_function(plan, symbolizer, path);
	add_functions(attach, path, functions, nr);
	return refuse_ifuncs(functions, nr);
}

/*
 * A path that the target sees, as we can give it to the kernel: below the target's root unless both see the same file
 * there.
 */
static char *path_from_here(char *path, uint32_t tgid)
{
	_cleanup_(freep) char *below = xasprintf("/proc/%u/root%s", tgid, path);
	struct stat theirs, ours;

	if (!tgid || stat(below, &theirs))
		return path;
	if (!stat(path, &ours) && ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino)
		return path;
	free(path);
	return take_ptr(below);
}

static int resolve_user_functions(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach)
{
	uint32_t tgid = plan->tgids.nr == 1 ? plan->tgids.data[0] : 0;
	_cleanup_(freep) char *path = NULL;
	int err = opener_find_library(plan->probe.target, tgid, &path);
	int fd;

	if (err)
		return err;
	fd = opener_open_user(path, tgid);
	if (fd < 0)
		return fd;
	path = path_from_here(path, tgid);
	err = symbolizer_add_file(symbolizer, PROBED_FILE, fd);
	if (!err)
		err = find_functions(plan, symbolizer, attach, path);
	return err ? err : choose_uprobe(plan, attach);
}

/* ---- all ---- */

static int not_yet(const struct plan *plan)
{
	fail_host(-EOPNOTSUPP, "'%s': this version cannot attach to a %s", plan->probe.typed,
		  probe_kind_name(plan->probe.kind));
	hint("it can count tracepoints (t:sched:sched_switch) and user functions (c:malloc)");
	return -EOPNOTSUPP;
}

int resolve_plan(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *ret_attach)
{
	switch (plan->probe.kind) {
	case PROBE_SAMPLE:
		return resolve_samples(plan, ret_attach);
	case PROBE_TRACEPOINT:
		return resolve_tracepoints(plan, ret_attach);
	case PROBE_USER_FUNCTION:
		return resolve_user_functions(plan, symbolizer, ret_attach);
	case PROBE_KERNEL_FUNCTION:
	case PROBE_USDT:
		return not_yet(plan);
	}
	return fail(-EINVAL, "plan without a probe");
}

/* ---- words ---- */

size_t attach_plan_count(const struct attach_plan *attach)
{
	return attach->mechanism == MECHANISM_PERF_EVENT ? 1 : attach->points.nr;
}

const char *mechanism_name(enum mechanism mechanism)
{
	static const char *const names[] = {
		[MECHANISM_PERF_EVENT] = "perf_event",
		[MECHANISM_TRACEPOINT] = "tracepoint",
		[MECHANISM_UPROBE] = "uprobe",
		[MECHANISM_UPROBE_MULTI] = "uprobe.multi",
	};

	return names[mechanism];
}

const char *attach_plan_program(const struct attach_plan *attach)
{
	static const char *const programs[] = {
		[MECHANISM_PERF_EVENT] = "on_sample",
		[MECHANISM_TRACEPOINT] = "on_tracepoint",
		[MECHANISM_UPROBE] = "on_uprobe",
		[MECHANISM_UPROBE_MULTI] = "on_uprobe_multi",
	};

	return programs[attach->mechanism];
}

static void describe_sample(const struct sampling_choice *sample, struct buf *text)
{
	if (sample->is_clock)
		buf_addf(text, "attach: %s every %llu ns on every CPU\n", sample->name, (unsigned long long)sample->period);
	else if (sample->period)
		buf_addf(text, "attach: %s every %llu events on every CPU\n", sample->name,
			 (unsigned long long)sample->period);
	else
		buf_addf(text, "attach: %s at %llu Hertz on every CPU\n", sample->name,
			 (unsigned long long)sample->frequency_hz);
}

void attach_plan_describe(const struct attach_plan *attach, struct buf *ret_text)
{
	buf_addf(ret_text, "program: %s\nmechanism: %s\nwhy: %s\n", attach_plan_program(attach),
		 mechanism_name(attach->mechanism), attach->why);
	if (attach->mechanism == MECHANISM_PERF_EVENT)
		describe_sample(&attach->sample, ret_text);
	for (size_t i = 0; i < attach->points.nr; i++) {
		const struct attach_point *point = &attach->points.data[i];

		if (point->path)
			buf_addf(ret_text, "attach: %s:%s+%#llx\n", point->path, point->name,
				 (unsigned long long)point->offset);
		else
			buf_addf(ret_text, "attach: %s\n", point->name);
	}
}
