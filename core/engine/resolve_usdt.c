/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * USDT probes: the notes of one file, or of every file that the processes of -p have mapped (u::PROBE).
 *
 * A probe is a uprobe at an instruction in the middle of a function, with a semaphore that the kernel raises in every
 * process that has the file mapped, also later ones, and lowers when the probe goes, also after kill -9 (v4.20: commit
 * 1cc33161a83d ("uprobes: Support SDT markers having reference count (semaphore)")).
 */
#include "core/engine/resolve_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/suggest.h"
#include "core/engine/opener.h"
#include "core/engine/proc_maps.h"

#define MAX_MAPPED 4096

struct usdt_search {
	const struct plan *plan;
	struct symbolizer *symbolizer;
	struct attach_plan *attach;
	char *provider, *name; /* expressions */
	uint32_t nr_files;
};

static void search_done(struct usdt_search *search)
{
	free(search->provider);
	free(search->name);
}

/* ---- one file ---- */

static bool is_there(const struct attach_plan *attach, const char *path, uint64_t offset)
{
	const struct attach_point *last = attach->points.nr ? &vec_last(&attach->points) : NULL;

	return last && last->offset == offset && !strcmp(last->path, path);
}

static void add_points(struct attach_plan *attach, const char *path, const struct symbol_usdt *probes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!is_there(attach, path, probes[i].file_offset))
			vec_push(&attach->points,
				 (struct attach_point){
					 .name = xasprintf("%s:%s", probes[i].provider, probes[i].name),
					 .path = xstrdup(path),
					 .offset = probes[i].file_offset,
					 .semaphore = probes[i].semaphore_offset,
				 });
}

static int unreadable(const char *path, int err)
{
	if (err == -ENOEXEC)
		return fail(err, "'%s': not an ELF file that can be probed", path);
	if (err == -EBADMSG)
		return fail(err, "'%s': the notes of its USDT probes make no sense", path);
	return fail(err, "'%s': its USDT probes cannot be read: %s", path, strerror(-err));
}

static int find_probes(struct usdt_search *search, const char *path, uint32_t file)
{
	_cleanup_(freep) struct symbol_usdt *probes = NULL;
	size_t nr = 0;
	int err = symbolizer_find_usdt(search->symbolizer, file, search->provider, search->name, &probes, &nr);

	if (!err)
		add_points(search->attach, path, probes, nr);
	return err;
}

/* Takes ownership of fd. */
static int search_file(struct usdt_search *search, const char *path, int fd)
{
	uint32_t file = PROBED_FILE + search->nr_files++;
	int err = symbolizer_add_file(search->symbolizer, file, fd);

	return err ? err : find_probes(search, path, file);
}

/* ---- nothing ---- */

struct known_names {
	VEC(char *) names; /* "probe", or "provider:probe" when the provider was given */
};

static void known_names_done(struct known_names *known)
{
	for (size_t i = 0; i < known->names.nr; i++)
		free(known->names.data[i]);
	vec_done(&known->names);
}

static void collect_names(const struct usdt_search *search, uint32_t file, struct known_names *known)
{
	_cleanup_(freep) struct symbol_usdt *probes = NULL;
	bool with_provider = search->plan->probe.provider;
	size_t nr = 0;

	if (symbolizer_find_usdt(search->symbolizer, file, "", "", &probes, &nr))
		return;
	for (size_t i = 0; i < nr; i++)
		vec_push(&known->names, with_provider ? xasprintf("%s:%s", probes[i].provider, probes[i].name)
						      : xstrdup(probes[i].name));
}

static char *wanted_name(const struct plan *plan)
{
	if (!plan->probe.provider)
		return xstrdup(plan->probe.pattern);
	return xasprintf("%s:%s", plan->probe.provider, plan->probe.pattern);
}

static int nothing_matched(const struct usdt_search *search, const char *where)
{
	_cleanup_(known_names_done) struct known_names known = {};
	_cleanup_(freep) char *wanted = wanted_name(search->plan);
	const char *near;

	for (uint32_t i = 0; i < search->nr_files; i++)
		collect_names(search, PROBED_FILE + i, &known);
	if (!known.names.nr) {
		fail_no_match("USDT probe '%s': there are no USDT probes in %s", wanted, where);
		hint("they are compiled in with sys/sdt.h; readelf -n shows them as stapsdt");
		return -ENOENT;
	}
	fail_no_match("USDT probe '%s': nothing matches among %zu in %s", wanted, known.names.nr, where);
	near = str_nearest(wanted, (const char *const *)known.names.data, known.names.nr);
	if (near)
		hint("did you mean '%s'?", near);
	else
		hint("there is '%s', for example", known.names.data[0]);
	return -ENOENT;
}

/* ---- which files ---- */

static int search_target(struct usdt_search *search)
{
	_cleanup_(freep) char *path = NULL;
	uint32_t file = PROBED_FILE;
	int err = resolve_open_target(search->plan, search->symbolizer, search->attach, &file, &path);

	if (err)
		return err;
	search->nr_files = file - PROBED_FILE + 1;
	err = find_probes(search, path, file);
	if (err)
		return unreadable(path, err);
	return search->attach->points.nr ? 0 : nothing_matched(search, path);
}

struct mapped_files {
	VEC(char *) paths;
};

static void mapped_files_done(struct mapped_files *files)
{
	for (size_t i = 0; i < files->paths.nr; i++)
		free(files->paths.data[i]);
	vec_done(&files->paths);
}

static void remember_path(void *context, const struct proc_mapping *mapping)
{
	struct mapped_files *files = context;

	if (mapping->kind != MAPPING_FILE || mapping->path[0] != '/' || mapping->deleted)
		return;
	if (files->paths.nr >= MAX_MAPPED)
		return;
	for (size_t i = 0; i < files->paths.nr; i++)
		if (!strcmp(files->paths.data[i], mapping->path))
			return;
	vec_push(&files->paths, xstrdup(mapping->path));
}

static int search_process(struct usdt_search *search, uint32_t tgid)
{
	_cleanup_(mapped_files_done) struct mapped_files files = {};
	_cleanup_(closep) int maps = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", tgid);
	maps = open(path, O_RDONLY | O_CLOEXEC);
	if (maps < 0 || proc_maps_read(maps, remember_path, &files) < 0)
		return fail(-errno, "process %" PRIu32 ": its mappings cannot be read: %s", tgid, strerror(errno));
	for (size_t i = 0; i < files.paths.nr; i++) {
		_cleanup_(freep) char *from_here = resolve_path_from_here(xstrdup(files.paths.data[i]), tgid);
		int fd = opener_open_user(from_here, 0);

		if (fd >= 0) /* one file that cannot be read is no reason to do without the others */
			search_file(search, from_here, fd);
	}
	return 0;
}

static int search_processes(struct usdt_search *search)
{
	const struct plan *plan = search->plan;
	int err = 0;

	if (!plan->tgids.nr) {
		fail_usage("pattern '%s': a USDT probe without a file needs a process", plan->probe.typed);
		hint("add -p PID, or name the file: u:LIBRARY:PROBE or u:/path:PROBE");
		return -EINVAL;
	}
	for (size_t i = 0; !err && i < plan->tgids.nr; i++)
		err = search_process(search, plan->tgids.data[i]);
	if (err || search->attach->points.nr)
		return err;
	return nothing_matched(search, plan->tgids.nr == 1 ? "the files of the process" : "the files of the processes");
}

/* ---- all ---- */

static int compile(struct usdt_search *search)
{
	const struct probe_spec *probe = &search->plan->probe;
	_cleanup_(match_freep) struct match *provider = NULL, *name = NULL;
	int err;

	search->name = resolve_expression(probe->pattern, probe->regex);
	search->provider = probe->provider ? resolve_expression(probe->provider, probe->regex) : xstrdup("");
	err = resolve_compile(search->plan, search->name, &name);
	return err ? err : resolve_compile(search->plan, search->provider, &provider);
}

int resolve_usdt(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach)
{
	_cleanup_(search_done) struct usdt_search search = { .plan = plan, .symbolizer = symbolizer, .attach = attach };
	int err = compile(&search);

	if (!err)
		err = plan->probe.target ? search_target(&search) : search_processes(&search);
	if (!err)
		err = resolve_check_limit(plan, attach->points.nr);
	attach->inside_functions = true;
	return err || plan->look_only ? err : resolve_choose_uprobe(plan, attach);
}
