/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * USDT probes, from the notes of one file, or of all files that the processes of -p map (u::PROBE).
 *
 * A USDT probe is attached as a uprobe in the middle of a function. It may have a semaphore: the kernel increments it in all processes that
 * map the file now or later, and decrements it when the probe is detached, also by kill -9 (v4.20: commit 1cc33161a83d ("uprobes: Support
 * SDT markers having reference count (semaphore)")).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/names.h"
#include "core/base/suggest.h"
#include "core/files/opener.h"
#include "core/files/proc_maps.h"
#include "core/host/process.h"
#include "core/resolve/file_search.h"
#include "core/resolve/patterns.h"
#include "core/resolve/probe_kinds.h"
#include "core/resolve/spelling.h"
#include "core/resolve/user_code.h"

#define MAX_MAPPED 4096

struct usdt_search {
	struct file_search files;
	char *provider, *name; /* expressions */
};

static void search_done(struct usdt_search *search)
{
	file_search_done(&search->files);
	free(search->provider);
	free(search->name);
}

/* ---- one file ---- */

/* `probes` is sorted by offset. Of several probes at one offset, for example of different providers, the first one becomes a place. */
static void add_places(const struct usdt_search *search, const struct probed_file *file,
		       const struct symbol_usdt *probes, size_t nr)
{
	struct attach_plan *attach = search->files.attach;

	for (size_t i = 0; i < nr; i++) {
		struct probe_place *place;

		if (!user_code_add(attach, file, probes[i].file_offset))
			continue;
		place = &vec_last(&attach->places);
		place->name = xasprintf("%s:%s", probes[i].provider, probes[i].name);
		place->shown = xstrdup(probes[i].name);
		place->semaphore = probes[i].semaphore_offset;
		if (!search->files.plan->look_only)
			place->first = user_code_first(file->fd, place->offset, false);
	}
}

static int unreadable(const char *path, int err)
{
	if (err == -ENOEXEC)
		return fail(err, "'%s': not an ELF file that can be probed", path);
	if (err == -EBADMSG)
		return fail(err, "'%s': the notes of its USDT probes are malformed", path);
	if (err == -EMSGSIZE)
		return fail(err, "'%s': too many USDT probes, or their names are too long", path);
	return fail(err, "'%s': its USDT probes cannot be read: %s", path, strerror(-err));
}

/* Adds the matching probes of a file. 0 or a negative errno without a recorded cause. */
static int find_probes(struct usdt_search *search, const struct probed_file *file)
{
	_cleanup_(freep) struct symbol_usdt *probes = NULL;
	size_t nr = 0;
	int err = symbolizer_find_usdt(search->files.symbolizer, file->number, search->provider, search->name, &probes,
				       &nr);

	if (!err)
		add_places(search, file, probes, nr);
	return err;
}

/* ---- nothing matches ---- */

static void collect_names(const struct usdt_search *search, uint32_t file, name_list *known)
{
	_cleanup_(freep) struct symbol_usdt *probes = NULL;
	bool with_provider = search->files.plan->probe.provider;
	size_t nr = 0;

	if (symbolizer_find_usdt(search->files.symbolizer, file, "", "", &probes, &nr))
		return;
	for (size_t i = 0; i < nr; i++)
		vec_push(known, with_provider ? xasprintf("%s:%s", probes[i].provider, probes[i].name)
					      : xstrdup(probes[i].name));
}

static char *wanted_name(const struct plan *plan)
{
	if (!plan->probe.provider)
		return xstrdup(plan->probe.pattern);
	return xasprintf("%s:%s", plan->probe.provider, plan->probe.pattern);
}

static int nothing_among(const name_list *known, const char *wanted, const char *where)
{
	const char *near;

	if (!known->nr) {
		fail_no_match("USDT probe '%s': no USDT probes in %s", wanted, where);
		hint("programs define them with sys/sdt.h, readelf -n lists them as stapsdt; a function is "
		     "LIBRARY:FUNCTION, without u:");
		return -ENOENT;
	}
	fail_no_match("USDT probe '%s': nothing matches among %zu in %s", wanted, known->nr, where);
	near = str_nearest(wanted, (const char *const *)known->data, known->nr);
	if (near)
		hint("did you mean '%s'?", near);
	else
		hint("for example, there is '%s'", known->data[0]);
	return -ENOENT;
}

/* ---- a file of a target ---- */

static int find_in_target(struct file_search *files, const struct probed_file *file, void *context)
{
	struct usdt_search *search = context;
	size_t nr_before = files->attach->places.nr;
	_cleanup_(name_list_done) name_list known = {};
	_cleanup_(freep) char *wanted = wanted_name(files->plan);
	int err = find_probes(search, file);

	if (err)
		return unreadable(file->path, err);
	if (files->attach->places.nr > nr_before)
		return 0;
	collect_names(search, file->number, &known);
	return nothing_among(&known, wanted, file->path);
}

/* ---- files that processes map ---- */

struct mapped_files {
	uint32_t tgid;
	VEC(struct opener_request) files; /* one mapping of each file; the paths are owned */
	bool is_full;
};

static void mapped_files_done(struct mapped_files *files)
{
	for (size_t i = 0; i < files->files.nr; i++)
		free((char *)files->files.data[i].path);
	vec_done(&files->files);
}

/* Compares names too: on btrfs, files of two subvolumes can have the same device and inode in /proc/PID/maps. */
static void remember_file(void *context, const struct proc_mapping *mapping)
{
	struct mapped_files *files = context;

	if (mapping->kind != MAPPING_FILE || mapping->path[0] != '/')
		return;
	for (size_t i = 0; i < files->files.nr; i++)
		if (files->files.data[i].inode == mapping->inode && files->files.data[i].device == mapping->device &&
		    !strcmp(files->files.data[i].path, mapping->path))
			return;
	files->is_full |= files->files.nr == MAX_MAPPED;
	if (files->files.nr < MAX_MAPPED)
		vec_push(&files->files, (struct opener_request){
						.tgid = files->tgid,
						.path = xstrdup(mapping->path),
						.start = mapping->start,
						.end = mapping->end,
						.device = mapping->device,
						.inode = mapping->inode,
					});
}

static void search_file(struct usdt_search *search, size_t index, uint32_t tgid)
{
	const struct probed_file *file = &search->files.files.data[index];
	size_t nr_before = search->files.attach->places.nr;
	int err = find_probes(search, file);

	if (err && err != -ENOEXEC) {
		unreadable(file->path, err);
		file_search_miss(&search->files, "process %u: %s", tgid, err_cause());
		err_clear();
	}
	if (search->files.attach->places.nr == nr_before) /* closes it, because a process may map thousands of files */
		file_search_close(&search->files, index);
}

/* Searches the mapped file itself: its path may lead to another file now. */
static void search_mapped(struct usdt_search *search, const struct opener_request *mapped)
{
	uint32_t tgid = mapped->tgid;
	size_t index = 0;
	int fd = opener_open(mapped), known;

	if (fd == -EINVAL || fd == -ENOEXEC) /* a device, or too small for a program */
		return;
	if (fd < 0) {
		file_search_miss(&search->files, "process %u: '%s': its USDT probes cannot be read: %s", tgid,
				 mapped->path, strerror(-fd));
		return;
	}
	known = file_search_add(&search->files, fd, path_from_here(xstrdup(mapped->path), tgid, fd), tgid, &index);
	if (known == 1)
		search_file(search, index, tgid);
	else if (known < 0)
		file_search_miss(&search->files, "process %u: %s", tgid, err_cause());
	err_clear();
}

static bool has_place(const struct file_search *search, uint32_t tgid)
{
	for (size_t i = 0; i < search->files.nr; i++)
		for (size_t k = 0; search->files.data[i].fd >= 0 && k < search->files.data[i].tgids.nr; k++)
			if (search->files.data[i].tgids.data[k] == tgid)
				return true;
	return false;
}

static int search_process(struct usdt_search *search, uint32_t tgid)
{
	_cleanup_(mapped_files_done) struct mapped_files mapped = { .tgid = tgid };
	int nr = proc_maps_read_of(tgid, remember_file, &mapped);

	if (nr < 0)
		return fail(nr, "process %" PRIu32 ": its mappings cannot be read: %s", tgid, strerror(-nr));
	for (size_t i = 0; i < mapped.files.nr; i++)
		search_mapped(search, &mapped.files.data[i]);
	if (mapped.is_full)
		file_search_miss(&search->files, "process %u: only %d of its files are searched", tgid, MAX_MAPPED);
	return 0;
}

/* Processes that have ended are not misses: other messages report them, before and after the run. */
static void search_one_of_several(struct usdt_search *search, uint32_t tgid, const char *wanted)
{
	_cleanup_(freep) char *cause = search_process(search, tgid) ? xstrdup(err_cause()) : NULL;

	err_clear();
	if (!has_place(&search->files, tgid) && !process_exists(tgid))
		file_search_miss(&search->files, "process %u is not probed: %s%s%s", tgid,
				 cause ? cause : "its files have no USDT probe '", cause ? "" : wanted,
				 cause ? "" : "'");
	err_clear();
}

static int search_processes(struct usdt_search *search)
{
	const struct plan *plan = search->files.plan;
	_cleanup_(freep) char *wanted = wanted_name(plan);
	_cleanup_(name_list_done) name_list known = {};
	int err = 0;

	if (!plan->tgids.nr) {
		fail_usage("pattern '%s': a USDT probe without a file needs a process", plan->probe.typed);
		hint("add -p PID, or name the file: u:LIBRARY:PROBE or u:/path:PROBE");
		return -EINVAL;
	}
	if (plan->tgids.nr == 1)
		err = search_process(search, plan->tgids.data[0]);
	for (size_t i = 0; plan->tgids.nr > 1 && i < plan->tgids.nr; i++)
		search_one_of_several(search, plan->tgids.data[i], wanted);
	if (err || search->files.attach->places.nr)
		return err;
	for (size_t i = 0; i < search->files.files.nr; i++)
		collect_names(search, search->files.files.data[i].number, &known);
	return nothing_among(&known, wanted,
			     plan->tgids.nr == 1 ? "the files of the process" : "the files of the processes");
}

/* ---- resolution ---- */

static int compile(struct usdt_search *search)
{
	const struct plan *plan = search->files.plan;
	const struct probe_spec *probe = &plan->probe;
	_cleanup_(match_freep) struct match *provider = NULL, *name = NULL;
	int err;

	search->name = pattern_expression(probe->pattern, probe->regex);
	search->provider = probe->provider ? pattern_expression(probe->provider, probe->regex) : xstrdup("");
	err = pattern_compile(plan, search->name, &name);
	return err ? err : pattern_compile(plan, search->provider, &provider);
}

static int resolve(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach)
{
	_cleanup_(search_done) struct usdt_search search = {
		.files = { .plan = plan, .symbolizer = symbolizer, .attach = attach },
	};
	int err = compile(&search);

	if (!err)
		err = plan->probe.target ? file_search_targets(&search.files, find_in_target, &search)
					 : search_processes(&search);
	attach->inside_functions = true;
	return err ? err : user_code_finish(&search.files);
}

/* ---- parsing ---- */

/* LIB:PROBE, /path:PROBE, LIB:PROVIDER:PROBE, /path:PROVIDER:PROBE, or :PROBE for files of processes */
static int split(struct spelling *spelling)
{
	const char *rest = spelling->rest, *last = spelling_last_separator(spelling, rest), *provider = NULL;

	if (spelling_skips_target(spelling))
		return 0;
	if (!last)
		return spelling_fail_form(spelling, "a USDT probe needs a file",
					  "u:LIBRARY:PROBE or u:/path:PROVIDER:PROBE");
	spelling->pattern = piece_of(last + 1);
	spelling->target = piece_cut(rest, last);
	for (const char *at = spelling_separator(spelling, rest); at && at < last;
	     at = spelling_next_separator(spelling, at)) {
		if (provider && !piece_is_path(spelling->target))
			return spelling_fail_too_many(spelling);
		provider = at;
	}
	if (!provider)
		return 0;
	spelling->target = piece_cut(rest, provider);
	spelling->provider = piece_cut(provider + 1, last);
	return 0;
}

const struct probe_kind probe_usdt = {
	.name = "USDT probe",
	.letter = 'u',
	.split = split,
	.in_user_code = true,
	.resolve = resolve,
};
