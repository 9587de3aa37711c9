/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints, found in tracefs. */
#include "core/engine/resolve_private.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/suggest.h"
#include "core/engine/host.h"

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

	return resolve_expression(whole, spec->regex);
}

int resolve_tracepoints(const struct plan *plan, struct attach_plan *attach)
{
	_cleanup_(freep) char *folder = NULL, *text = NULL;
	_cleanup_(names_done) name_list categories = {}, seen = {};
	_cleanup_(match_freep) struct match *match = NULL;
	int err = host_require_tracefs();

	if (err)
		return err;
	text = tracepoint_expression(&plan->probe);
	err = resolve_compile(plan, text, &match);
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
