/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User functions: the file by its library name or path, the functions in it by the symbol worker. */
#include "core/resolve/resolve_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/host/host.h"
#include "core/host/process.h"
#include "core/host/red_zone.h"

#define FEW_UPROBES 4

/*
 * For one process. To remove a perf uprobe takes the kernel some grace periods, one after the other: 150 ms each on a busy host,
 * where a link of any number takes them once. But the children that the process forks keep the breakpoints of a link, and lose
 * those of perf uprobes with the first hit, so a few are not worth it.
 */
static void choose_for_process(uint32_t tgid, struct attach_plan *attach)
{
	attach->only_process = (pid_t)tgid;
	attach->mechanism = MECHANISM_UPROBE;
	if (attach->points.nr <= FEW_UPROBES)
		snprintf(attach->why, sizeof(attach->why), "one process: the breakpoint is put into that process only");
	else if (!host_limits_uprobe_multi())
		snprintf(attach->why, sizeof(attach->why),
			 "one process, and this kernel has no uprobe.multi links for one process");
	else {
		attach->mechanism = MECHANISM_UPROBE_MULTI;
		snprintf(attach->why, sizeof(attach->why),
			 "this kernel has uprobe.multi links; the breakpoints are put into the one process only");
	}
}

/* Then the breakpoints are put into all processes, and the programs look for the one. */
static bool lacks_leader(uint32_t tgid)
{
	return process_living_task(tgid) != tgid;
}

int resolve_choose_uprobe(const struct plan *plan, struct attach_plan *attach)
{
	attach->program = PROGRAM_UPROBE;
	if (plan_is_one_process(plan) && !lacks_leader(plan->tgids.data[0])) {
		choose_for_process(plan->tgids.data[0], attach);
		return 0;
	}
	attach->mechanism = host_has_uprobe_multi() ? MECHANISM_UPROBE_MULTI : MECHANISM_UPROBE;
	snprintf(attach->why, sizeof(attach->why), "this kernel has %suprobe.multi links%s",
		 attach->mechanism == MECHANISM_UPROBE ? "no " : "",
		 plan_is_one_process(plan) ? "; not put into the one process only, whose first thread has ended" : "");
	return 0;
}

/* ---- places ---- */

enum first_instruction resolve_first(const struct probed_file *file, uint64_t offset, bool at_entry)
{
	uint8_t code[FIRST_INSTRUCTION_BYTES];
	ssize_t nr = pread(file->fd, code, sizeof(code), (off_t)offset);
	enum first_instruction first = nr > 0 ? first_instruction(code, (size_t)nr) : FIRST_DOUBTFUL;

	if (first != FIRST_NOP5)
		return first;
	if (at_entry)
		return FIRST_TAKEN;
	switch (red_zone_try()) {
	case RED_ZONE_SPARED:
		return FIRST_TAKEN;
	case RED_ZONE_OVERWRITTEN:
		return FIRST_NOP5;
	default:
		return FIRST_UNTRIED;
	}
}

/* A part of a function that compilers put elsewhere is jumped to. */
static bool begins_function(const struct symbol_function *function)
{
	return !strstr(function->name, ".cold");
}

/*
 * A link of many places is refused as a whole for one of them, and to find that one by halves takes the kernel a second: what
 * it may refuse (the lock prefix, most of VEX) is tried apart from the others of its file, whose places begin with `first`.
 */
static void put_doubtful_last(struct attach_plan *attach, size_t first)
{
	struct {
		VEC(struct attach_point) points;
	} doubtful = {};
	size_t nr = first;

	for (size_t i = first; i < attach->points.nr; i++) {
		if (attach->points.data[i].first != FIRST_TAKEN)
			vec_push(&doubtful.points, attach->points.data[i]);
		else
			attach->points.data[nr++] = attach->points.data[i];
	}
	for (size_t i = 0; i < doubtful.points.nr; i++)
		attach->points.data[nr++] = doubtful.points.data[i];
	vec_done(&doubtful.points);
}

/* A name of one address is enough: aliases would count every call several times. They follow each other, the best last. */
static bool is_new_place(const struct attach_plan *attach, const struct probed_file *file, uint64_t offset)
{
	const struct attach_point *last = attach->points.nr ? &vec_last(&attach->points) : NULL;

	return !last || last->offset != offset || last->fd != file->fd;
}

static void add_function(struct attach_plan *attach, const struct probed_file *file,
			 const struct symbol_function *function)
{
	if (is_new_place(attach, file, function->file_offset))
		vec_push(&attach->points,
			 (struct attach_point){
				 .path = xstrdup(file->path),
				 .fd = file->fd,
				 .offset = function->file_offset,
				 .first = resolve_first(file, function->file_offset, begins_function(function)),
			 });
	freep(&vec_last(&attach->points).name);
	freep(&vec_last(&attach->points).shown);
	vec_last(&attach->points).name = xstrdup(function->name);
	vec_last(&attach->points).shown = function->readable ? xstrdup(function->readable) : NULL;
}

/* A resolver runs once, when the program is linked: to probe it in place of what it chose would be a lie. */
static void add_functions(struct attach_plan *attach, const struct probed_file *file,
			  const struct symbol_function *functions, size_t nr)
{
	size_t nr_before = attach->points.nr;

	for (size_t i = 0; i < nr; i++)
		if (functions[i].kind != FUNCTION_RESOLVER)
			add_function(attach, file, &functions[i]);
	put_doubtful_last(attach, nr_before);
}

static int no_function(const struct plan *plan, struct symbolizer *symbolizer, const struct probed_file *file)
{
	const char *near = NULL;

	fail_no_match("function '%s': nothing matches in %s", plan->probe.pattern, file->path);
	if (symbolizer_suggest(symbolizer, file->number, plan->probe.pattern, &near, 1) == 1)
		hint("did you mean '%s'?", near);
	return -ENOENT;
}

/* ---- indirect functions ---- */

/* The first function of a kind, and how many there are. */
static const struct symbol_function *first_of(const struct symbol_function *functions, size_t nr,
					      enum symbol_function_kind kind, size_t *ret_nr)
{
	const struct symbol_function *first = NULL;

	*ret_nr = 0;
	for (size_t i = 0; i < nr; i++) {
		if (functions[i].kind != kind)
			continue;
		first = first ? first : &functions[i];
		++*ret_nr;
	}
	return first;
}

/* Of one file, whose functions have become places unless `no_place`. */
static int check_ifuncs(const struct symbol_function *functions, size_t nr, bool no_place, struct attach_plan *attach)
{
	size_t nr_resolvers, nr_implementations;
	const struct symbol_function *resolver = first_of(functions, nr, FUNCTION_RESOLVER, &nr_resolvers);
	const struct symbol_function *implementation =
		first_of(functions, nr, FUNCTION_IMPLEMENTATION, &nr_implementations);

	if (resolver && no_place) {
		fail_host(
			-EOPNOTSUPP,
			"function '%s': it is an indirect function (IFUNC), whose symbol is only its resolver; its implementations could not be found",
			resolver->name);
		hint("name an implementation, such as __memcpy_avx_unaligned_erms (debug symbols needed)");
		return -EOPNOTSUPP;
	}
	if (resolver)
		attach_plan_note(
			attach,
			"%zu indirect function%s such as '%s' left out: their implementations could not be found",
			nr_resolvers, nr_resolvers == 1 ? "" : "s", resolver->name);
	else if (implementation && !attach->note.nr)
		attach_plan_note(
			attach,
			"'%s' is an indirect function: all its implementations in the file are probed, of which a program uses one; functions may share it (memcpy and memmove), and one from the vDSO is not seen",
			implementation->name);
	return 0;
}

/* Of its probes; stacks have names of their own. */
static bool shows_names(const struct plan *plan)
{
	return plan->mode == EVENTS_BY_PROBE || plan->look_only;
}

static int find_functions(struct file_search *search, const struct probed_file *file, void *context)
{
	_cleanup_(freep) struct symbol_function *functions = NULL;
	const char *pattern = context;
	size_t nr = 0, nr_before = search->attach->points.nr;
	int err = shows_names(search->plan)
			  ? symbolizer_find_readable(search->symbolizer, file->number, pattern, &functions, &nr)
			  : symbolizer_find(search->symbolizer, file->number, pattern, &functions, &nr);

	if (err == -ENOEXEC)
		return fail(-ENOEXEC, "'%s': not an ELF file that can be probed", file->path);
	if (err)
		return fail(err, "'%s': its functions cannot be read: %s", file->path,
			    err == -EMSGSIZE ? "they are too many, or their names too long" : strerror(-err));
	if (!nr)
		return no_function(search->plan, search->symbolizer, file);
	add_functions(search->attach, file, functions, nr);
	return check_ifuncs(functions, nr, search->attach->points.nr == nr_before, search->attach);
}

int resolve_user_functions(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach)
{
	_cleanup_(file_search_done) struct file_search search = { plan, symbolizer, attach };
	_cleanup_(freep) char *pattern = resolve_expression(plan->probe.pattern, plan->probe.regex);
	_cleanup_(match_freep) struct match *match = NULL;
	int err = resolve_compile(plan, pattern, &match);

	if (!err)
		err = resolve_open_targets(&search);
	if (!err)
		err = resolve_each_file(&search, find_functions, pattern);
	if (!err)
		err = resolve_check_limit(plan, attach->points.nr);
	if (!err)
		file_search_finish(&search);
	return err || plan->look_only ? err : resolve_choose_uprobe(plan, attach);
}
