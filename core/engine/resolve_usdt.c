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
#include "core/engine/process.h"

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

static bool is_there(const struct attach_plan *attach, int fd, uint64_t offset)
{
	const struct attach_point *last = attach->points.nr ? &vec_last(&attach->points) : NULL;

	return last && last->offset == offset && last->fd == fd;
}

static void add_points(struct attach_plan *attach, const struct probed_file *file, const struct symbol_usdt *probes,
		       size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!is_there(attach, file->fd, probes[i].file_offset))
			vec_push(&attach->points,
				 (struct attach_point){
					 .name = xasprintf("%s:%s", probes[i].provider, probes[i].name),
					 .shown = xstrdup(probes[i].name),
					 .path = xstrdup(file->path),
					 .fd = file->fd,
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
	if (err == -EMSGSIZE)
		return fail(err, "'%s': its USDT probes are too many, or their names too long", path);
	return fail(err, "'%s': its USDT probes cannot be read: %s", path, strerror(-err));
}

static int find_probes(struct usdt_search *search, const struct probed_file *file)
{
	_cleanup_(freep) struct symbol_usdt *probes = NULL;
	size_t nr = 0;
	int err = symbolizer_find_usdt(search->symbolizer, file->number, search->provider, search->name, &probes, &nr);

	if (!err)
		add_points(search->attach, file, probes, nr);
	return err;
}

/* Takes ownership of `fd`. Of the files without such a probe none stays open: a process may have thousands mapped. */
static void search_file(struct usdt_search *search, char *path, int fd)
{
	struct attach_plan *attach = search->attach;
	struct probed_file file = { .number = PROBED_FILE + search->nr_files++, .path = path };
	size_t nr_points = attach->points.nr, nr_fds = attach->fds.nr;

	if (!resolve_add_file(search->symbolizer, attach, fd, &file))
		find_probes(search, &file);
	if (attach->points.nr == nr_points && attach->fds.nr > nr_fds)
		close(attach->fds.data[--attach->fds.nr]);
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
	struct probed_file file;
	int err = resolve_open_target(search->plan, search->symbolizer, search->attach, &file);

	if (!err) {
		search->nr_files = file.number - PROBED_FILE + 1;
		err = find_probes(search, &file);
		if (err)
			err = unreadable(file.path, err);
		else if (!search->attach->points.nr)
			err = nothing_matched(search, file.path);
	}
	free(file.path);
	return err;
}

struct mapped_file {
	char *path;
	uint64_t start, end, device, inode; /* of one mapping of it */
};

struct mapped_files {
	VEC(struct mapped_file) files;
};

static void mapped_files_done(struct mapped_files *files)
{
	for (size_t i = 0; i < files->files.nr; i++)
		free(files->files.data[i].path);
	vec_done(&files->files);
}

static void remember_file(void *context, const struct proc_mapping *mapping)
{
	struct mapped_files *files = context;

	if (mapping->kind != MAPPING_FILE || mapping->path[0] != '/' || files->files.nr >= MAX_MAPPED)
		return;
	for (size_t i = 0; i < files->files.nr; i++)
		if (files->files.data[i].inode == mapping->inode && files->files.data[i].device == mapping->device)
			return;
	vec_push(&files->files, (struct mapped_file){
					.path = xstrdup(mapping->path),
					.start = mapping->start,
					.end = mapping->end,
					.device = mapping->device,
					.inode = mapping->inode,
				});
}

/* The very file that is mapped, also when its path leads to another one by now. */
static void search_mapped(struct usdt_search *search, uint32_t tgid, const struct mapped_file *mapped)
{
	const struct opener_request request = {
		.tgid = tgid,
		.start = mapped->start,
		.end = mapped->end,
		.path = mapped->path,
		.device = mapped->device,
		.inode = mapped->inode,
	};
	_cleanup_(freep) char *path = NULL;
	int fd = opener_open(&request);

	if (fd < 0) /* one file that cannot be read is no reason to do without the others */
		return;
	path = resolve_path_from_here(xstrdup(mapped->path), tgid, fd);
	search_file(search, path, fd);
}

static int search_process(struct usdt_search *search, uint32_t tgid)
{
	_cleanup_(mapped_files_done) struct mapped_files mapped = {};
	_cleanup_(closep) int maps = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", process_living_task(tgid));
	maps = open(path, O_RDONLY | O_CLOEXEC);
	if (maps < 0 || proc_maps_read(maps, remember_file, &mapped) < 0)
		return fail(-errno, "process %" PRIu32 ": its mappings cannot be read: %s", tgid, strerror(errno));
	for (size_t i = 0; i < mapped.files.nr; i++)
		search_mapped(search, tgid, &mapped.files.data[i]);
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
