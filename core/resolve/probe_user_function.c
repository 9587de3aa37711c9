/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User functions: a file, by library name or path, and functions that the symbol worker finds in it. */
#include <errno.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/resolve/file_search.h"
#include "core/resolve/patterns.h"
#include "core/resolve/probe_kinds.h"
#include "core/resolve/spelling.h"
#include "core/resolve/user_code.h"

/* FUNCTION, LIB:FUNCTION, /path:FUNCTION. A path ends at the last separator, another target at the first. */
static int split_target(struct spelling *spelling)
{
	const char *rest = spelling->rest, *separator = spelling_separator(spelling, rest);

	if (!separator) {
		spelling->pattern = piece_of(rest);
		return 0;
	}
	if (piece_is_path(piece_cut(rest, separator)))
		separator = spelling_last_separator(spelling, rest);
	else if (!spelling->regex && spelling_next_separator(spelling, separator))
		return spelling_fail_too_many(spelling);
	spelling->target = piece_cut(rest, separator);
	spelling->pattern = piece_of(separator + 1);
	return 0;
}

/* Without a target it is a kernel function. */
static int split(struct spelling *spelling)
{
	int err = spelling_skips_target(spelling) ? 0 : split_target(spelling);

	if (!err && spelling->has_letter && !spelling->target.at && spelling->pattern.at == spelling->rest)
		return spelling_fail_form(spelling, "the library is missing",
					  "p:LIBRARY:FUNCTION, or p::FUNCTION in the kernel");
	if (!spelling->target.at)
		spelling->kind = &probe_kernel_function;
	return err;
}

/*
 * Moves the places of a file, from `first` on, that the kernel may refuse (the lock prefix, most of VEX) to the end. They get separate
 * links: the kernel refuses a whole link for one place, and finding that place by halving takes a second.
 */
static void put_doubtful_last(struct attach_plan *attach, size_t first)
{
	VEC(struct probe_place) doubtful = {};
	size_t nr = first;

	for (size_t i = first; i < attach->places.nr; i++) {
		if (attach->places.data[i].first != FIRST_TAKEN)
			vec_push(&doubtful, attach->places.data[i]);
		else
			attach->places.data[nr++] = attach->places.data[i];
	}
	for (size_t i = 0; i < doubtful.nr; i++)
		attach->places.data[nr++] = doubtful.data[i];
	vec_done(&doubtful);
}

/* Aliases are adjacent; the last one has the best name. */
static void add_function(struct attach_plan *attach, const struct probed_file *file,
			 const struct symbol_function *function)
{
	bool is_new = user_code_add(attach, file, function->file_offset);
	struct probe_place *place = &vec_last(&attach->places);

	if (is_new) /* a function jumps to its .cold part, which is no entry */
		place->first = user_code_first(file->fd, function->file_offset, !strstr(function->name, ".cold"));
	place->file = file->number;
	place->size = function->size > place->size ? function->size : place->size; /* some aliases have no size */
	freep(&place->name);
	freep(&place->shown);
	place->name = xstrdup(function->name);
	place->shown = function->readable ? xstrdup(function->readable) : NULL;
}

static int no_function(const struct plan *plan, struct symbolizer *symbolizer, const struct probed_file *file)
{
	const char *near = NULL;

	fail_no_match("function '%s': nothing matches in %s", plan->probe.pattern, file->path);
	if (symbolizer_suggest(symbolizer, file->number, plan->probe.pattern, &near, 1) == 1)
		hint("did you mean '%s'?", near);
	return -ENOENT;
}

/* Reports indirect functions of a file: a failure if the file has no place, else a note. */
static int check_ifuncs(const struct symbol_function *functions, size_t nr, bool no_place, struct attach_plan *attach)
{
	const struct symbol_function *resolver = NULL, *implementation = NULL; /* the first of each */
	size_t nr_resolvers = 0;

	for (size_t i = nr; i-- > 0;) {
		if (functions[i].kind == FUNCTION_RESOLVER) {
			resolver = &functions[i];
			nr_resolvers++;
		} else if (functions[i].kind == FUNCTION_IMPLEMENTATION) {
			implementation = &functions[i];
		}
	}
	if (resolver && no_place) {
		fail_host(-EOPNOTSUPP,
			  "function '%s': an indirect function (IFUNC), whose implementations could not be found",
			  resolver->name);
		hint("give the name of an implementation, such as __memcpy_avx_unaligned_erms (needs debug symbols)");
		return -EOPNOTSUPP;
	}
	if (resolver)
		attach_plan_note(
			attach,
			"%zu indirect function%s such as '%s' skipped: their implementations could not be found",
			nr_resolvers, nr_resolvers == 1 ? "" : "s", resolver->name);
	else if (implementation && !attach->note.nr)
		attach_plan_note(
			attach,
			"'%s' is an indirect function (IFUNC): all its implementations in the file are probed; "
			"functions may share one (memcpy and memmove), and one in the vDSO is not counted",
			implementation->name);
	return 0;
}

static int find_functions(struct file_search *search, const struct probed_file *file, void *context)
{
	_cleanup_(freep) struct symbol_function *functions = NULL;
	const char *pattern = context;
	size_t nr = 0, nr_before = search->attach->places.nr;
	/* reports by probe and lists show readable names; stacks get names later */
	int err = plan_counts_functions(search->plan) || search->plan->look_only
			  ? symbolizer_find_readable(search->symbolizer, file->number, pattern, &functions, &nr)
			  : symbolizer_find(search->symbolizer, file->number, pattern, &functions, &nr);

	if (err == -ENOEXEC)
		return fail(-ENOEXEC, "'%s': not an ELF file that can be probed", file->path);
	if (err)
		return fail(err, "'%s': cannot read its functions: %s", file->path,
			    err == -EMSGSIZE ? "too many functions, or their names are too long" : strerror(-err));
	if (!nr)
		return no_function(search->plan, search->symbolizer, file);
	/* A resolver runs once, when the program is linked: a probe on it would not count calls of the function. */
	for (size_t i = 0; i < nr; i++)
		if (functions[i].kind != FUNCTION_RESOLVER)
			add_function(search->attach, file, &functions[i]);
	put_doubtful_last(search->attach, nr_before);
	return check_ifuncs(functions, nr, search->attach->places.nr == nr_before, search->attach);
}

/* Patterns of tracepoints can look like LIBRARY:FUNCTION: "sched:*" in perf. */
static void suggest_tracepoint(const char *category)
{
	if (!probe_is_category(category))
		return;
	fail(-ENOENT, "'%s': no such library or program", category);
	hint("'%s' is a category of tracepoints: those are written 't:%s:EVENT'", category, category);
}

static int resolve(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach)
{
	_cleanup_(file_search_done) struct file_search search = { plan, symbolizer, attach };
	_cleanup_(freep) char *pattern = pattern_expression(plan->probe.pattern, plan->probe.regex);
	_cleanup_(match_freep) struct match *match = NULL;
	int err = pattern_compile(plan, pattern, &match);

	err = err ?: file_search_targets(&search, find_functions, pattern);
	if (err == -ENOENT)
		suggest_tracepoint(plan->probe.target);
	return err ? err : user_code_finish(&search);
}

/* The readable name is also accepted as a probe. */
static const char *list_name(const struct probe_place *place)
{
	return place->shown ? place->shown : place->name;
}

const struct probe_kind probe_user_function = {
	.name = "user function",
	.letter = 'p',
	.split = split,
	.in_user_code = true,
	.resolve = resolve,
	.list_name = list_name,
};
