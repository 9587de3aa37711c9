/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel functions: finds those that match a pattern in one pass over /proc/kallsyms, and chooses how to probe them.
 *
 * Left out are: the functions that bcc leaves out (init text, interrupt entry, perf's own, static call trampolines, the kprobe blacklist);
 * functions that ftrace cannot reach, if available_filter_functions of tracefs can be read (it lists one name per address, other names of
 * the address are the same function); and functions that are known to hang hosts, unless --force is given.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/names.h"
#include "core/base/strtab.h"
#include "core/base/suggest.h"
#include "core/host/host.h"
#include "core/host/kernel_types.h"
#include "core/resolve/attach_plan.h"
#include "core/resolve/patterns.h"
#include "core/resolve/probe_kinds.h"

#define KALLSYMS "/proc/kallsyms"

/* ---- mechanism ---- */

struct kernel_mechanism {
	enum attach_mode mode;
	enum mechanism mechanism;
	enum program_kind program;
	bool (*works)(void);
	const char *name, *needs;
	bool closed_by_lockdown;
};

/* By preference. */
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

/* Whether lockdown forbids it. */
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

/* A line of kallsyms. The strings point into the text. */
struct kernel_line {
	uint64_t address;
	char type;
	const char *name;
	const char *module; /* NULL: the kernel itself */
};

/* Code that cannot be probed. Its bounds are symbols that are found in the same pass, so functions are compared with it afterwards. */
struct forbidden_range {
	const char *first, *last;
	uint64_t start, end;
};

/* The functions at one address. Those of the kernel itself are adjacent. ftrace lists one name of each, the pattern may match another. */
struct aliases {
	uint64_t address;
	struct buf names; /* each ends with NUL */
	VEC(struct probe_place) unlisted; /* matching names that ftrace does not list */
};

/* Matching functions that are left out. */
struct left_out {
	size_t nr;
	char *first;
};

struct finder {
	const struct match *match;
	bool force;
	struct attach_plan *attach;
	struct aliases aliases;
	struct forbidden_range init, irq_entry;
	struct strtab reachable; /* names in available_filter_functions; empty: unknown */
	struct strtab blacklist;
	size_t nr_candidates; /* functions compared with the pattern */
	struct left_out unreachable; /* ftrace or kprobes cannot reach them */
	struct left_out dangerous; /* known to hang hosts */
	bool hidden; /* kallsyms shows no addresses */
};

static void finder_done(struct finder *finder)
{
	strtab_done(&finder->reachable);
	strtab_done(&finder->blacklist);
	buf_done(&finder->aliases.names);
	vec_done(&finder->aliases.unlisted);
	free(finder->unreachable.first);
	free(finder->dangerous.first);
}

/* ---- lines ---- */

/* A line of s_show() (kernel/kallsyms.c): "ffffffff81000010 t name\t[module]". */
static bool parse_line(char *text, struct kernel_line *ret_line)
{
	char *end, *name, *module;

	text[strcspn(text, "\n")] = '\0';
	ret_line->address = strtoull(text, &end, 16);
	if (end == text || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	ret_line->type = end[1];
	name = end + 3;
	module = strchr(name, '\t');
	if (module) {
		*module++ = '\0';
		module[strcspn(module, "]")] = '\0';
	}
	ret_line->name = name;
	ret_line->module = module && module[0] == '[' ? module + 1 : NULL;
	return name[0] != '\0';
}

/* ---- exclusion ---- */

static bool is_function(const struct kernel_line *line)
{
	return strchr("tTwW", line->type) && strncmp(line->name, "__pfx_", 6) &&
	       !(line->module && (!strcmp(line->module, "bpf") || !strncmp(line->module, "__builtin__", 11)));
}

/* The list of bcc (BPF.get_kprobe_functions). */
static bool is_excluded(const char *name)
{
	static const char *const prefixes[] = { "_kbl_addr_", "__perf", "perf_", "__SCT__",
						"__ftrace_invalid_address__" };
	const char *cold = strstr(name, ".cold");

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return cold && (!cold[5] || cold[5] == '.');
}

/*
 * Lock, idle and RCU internals. The kernel's selftest of kprobe.multi skips them (prog_tests/kprobe_multi_test.c); bpftrace forbids them
 * because of soft lockups (its issues 534, 3144 and 3204).
 */
static bool is_dangerous(const char *name)
{
	static const char *const patterns[] = {
		"arch_cpu_idle",           "default_idle",    "rcu_*",
		"bpf_dispatcher_xdp_func", "_raw_spin_lock*", "_raw_spin_unlock*",
		"_raw_spin_trylock*",      "_raw_read_lock*", "_raw_write_lock*",
		"*_spin_lock_slowpath",    "preempt_count_*", "migrate_disable",
		"migrate_enable",          "__rcu_*",         "ftrace_*",
		"native_sched_clock",      "sched_clock*",
	};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return false;
}

/* ---- lists of names ---- */

/* A line of available_filter_functions is "name [module]", one of the blacklist "0xstart-0xend\tname". */
static void read_names(const char *path, bool name_is_last, struct strtab *ret_names)
{
	_cleanup_(fclosep) FILE *file = fopen(path, "re");
	_cleanup_(freep) char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		char *name = name_is_last && strchr(line, '\t') ? strchr(line, '\t') + 1 : line;

		name[strcspn(name, " \t\n")] = '\0';
		strtab_add(ret_names, name);
	}
}

static void read_lists(struct finder *finder)
{
	_cleanup_(freep) char *path = NULL;

	read_names("/sys/kernel/debug/kprobes/blacklist", true, &finder->blacklist);
	if (!host_tracefs())
		return;
	path = xasprintf("%s/available_filter_functions", host_tracefs());
	read_names(path, false, &finder->reachable);
}

/* ---- the pass ---- */

static void note_bound(struct forbidden_range *range, const struct kernel_line *line)
{
	if (!strcmp(line->name, range->first))
		range->start = line->address;
	else if (!strcmp(line->name, range->last))
		range->end = line->address;
}

static void leave_out(struct left_out *left_out, const char *name)
{
	left_out->nr++;
	if (!left_out->first)
		left_out->first = xstrdup(name);
}

static void take(struct finder *finder, struct probe_place *place, bool dangerous)
{
	if (!dangerous || finder->force) {
		vec_push(&finder->attach->places, *place);
		return;
	}
	leave_out(&finder->dangerous, place->name);
	probe_place_done(place);
}

/* The alias that ftrace lists; NULL: none, or an alias is on the blacklist. */
static const char *listed_alias(const struct finder *finder)
{
	const char *listed = NULL;

	for (size_t i = 0; i < finder->aliases.names.nr; i += strlen(&finder->aliases.names.data[i]) + 1) {
		const char *name = &finder->aliases.names.data[i];

		if (strtab_find(&finder->blacklist, name))
			return NULL;
		if (strtab_find(&finder->reachable, name))
			listed = name;
	}
	return listed;
}

/* Call when all names of an address are known. An unlisted function is probed if ftrace lists an alias outside the pattern. */
static void end_aliases(struct finder *finder)
{
	struct aliases *aliases = &finder->aliases;
	const char *listed = aliases->unlisted.nr ? listed_alias(finder) : NULL;

	for (size_t i = 0; i < aliases->unlisted.nr; i++) {
		struct probe_place *place = &aliases->unlisted.data[i];

		if (!listed)
			leave_out(&finder->unreachable, place->name);
		if (listed && !match_test(finder->match, listed, strlen(listed)))
			take(finder, place, is_dangerous(listed) || is_dangerous(place->name));
		else
			probe_place_done(place);
	}
	aliases->unlisted.nr = 0;
	buf_clear(&aliases->names);
}

static void take_match(struct finder *finder, const struct kernel_line *line)
{
	bool is_unlisted = finder->reachable.offsets.nr && !strtab_find(&finder->reachable, line->name);
	struct probe_place place;

	if (!is_unlisted && strtab_find(&finder->blacklist, line->name)) {
		leave_out(&finder->unreachable, line->name);
		return;
	}
	place = (struct probe_place){
		.name = xstrdup(line->name),
		.module = line->module ? xstrdup(line->module) : NULL,
		.address = line->address,
	};
	if (is_unlisted)
		vec_push(&finder->aliases.unlisted, place);
	else
		take(finder, &place, is_dangerous(line->name));
}

static void take_line(struct finder *finder, const struct kernel_line *line)
{
	note_bound(&finder->init, line);
	note_bound(&finder->irq_entry, line);
	if (!is_function(line) || is_excluded(line->name))
		return;
	if (line->address != finder->aliases.address)
		end_aliases(finder);
	finder->aliases.address = line->address;
	finder->nr_candidates++;
	if (line->address) {
		buf_adds(&finder->aliases.names, line->name);
		buf_addc(&finder->aliases.names, '\0');
	}
	if (!match_test(finder->match, line->name, strlen(line->name)))
		return;
	if (line->address)
		take_match(finder, line);
	else
		finder->hidden = true;
}

/* ---- after the pass ---- */

static int compare_addresses(const void *left, const void *right)
{
	const struct probe_place *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return strcmp(a->name, b->name);
}

static bool is_inside(const struct forbidden_range *range, uint64_t address)
{
	return range->start && address >= range->start && address < range->end;
}

/* Sorts by address, removes functions in forbidden ranges, and keeps one name per address, because aliases would count each call twice. */
static void tidy(struct finder *finder)
{
	struct probe_place *places = finder->attach->places.data;
	size_t nr = finder->attach->places.nr, kept = 0;

	if (nr)
		qsort(places, nr, sizeof(*places), compare_addresses);
	for (size_t i = 0; i < nr; i++) {
		bool is_alias = kept && places[kept - 1].address == places[i].address;
		bool is_forbidden = is_inside(&finder->init, places[i].address) ||
				    is_inside(&finder->irq_entry, places[i].address);

		if (is_forbidden)
			leave_out(&finder->unreachable, places[i].name);
		if (is_alias || is_forbidden)
			probe_place_done(&places[i]);
		else
			places[kept++] = places[i];
	}
	finder->attach->places.nr = kept;
}

static int find_functions(struct finder *finder)
{
	_cleanup_(fclosep) FILE *file = fopen(KALLSYMS, "re");
	_cleanup_(freep) char *text = NULL;
	struct kernel_line line;
	size_t room = 0;

	if (!file)
		return fail_host(-errno, KALLSYMS ": cannot be read: %s", strerror(errno));
	read_lists(finder);
	while (getline(&text, &room, file) > 0)
		if (parse_line(text, &line))
			take_line(finder, &line);
	end_aliases(finder);
	tidy(finder);
	return 0;
}

/* A similar function name, malloc()ed, or NULL. */
static char *suggest(const char *name)
{
	_cleanup_(fclosep) FILE *file = fopen(KALLSYMS, "re");
	_cleanup_(name_list_done) name_list names = {};
	_cleanup_(freep) char *text = NULL;
	struct kernel_line line;
	const char *near;
	size_t room = 0;

	while (file && getline(&text, &room, file) > 0)
		if (parse_line(text, &line) && is_function(&line) && line.name[0] == name[0])
			vec_push(&names, xstrdup(line.name));
	near = str_nearest(name, (const char *const *)names.data, names.nr)
		       ?: str_with_words(name, (const char *const *)names.data, names.nr);
	return near ? xstrdup(near) : NULL;
}

/* ---- messages ---- */

static int nothing_matched(const struct plan *plan, const struct finder *finder)
{
	_cleanup_(freep) char *near = NULL;

	if (finder->hidden) {
		fail_host(-EPERM, "function '%s': /proc/kallsyms shows no addresses", plan->probe.pattern);
		hint("this needs CAP_SYSLOG (or root) and kernel.kptr_restrict below 2");
		return -EPERM;
	}
	if (finder->dangerous.nr) {
		fail_usage("function '%s': probing it is known to hang hosts", finder->dangerous.first);
		hint("--force probes it anyway");
		return -EINVAL;
	}
	if (finder->unreachable.nr)
		return fail_no_match("function '%s': the kernel does not allow a probe on it",
				     finder->unreachable.first);
	fail_no_match("function '%s': nothing matches among %zu kernel functions", plan->probe.pattern,
		      finder->nr_candidates);
	near = suggest(plan->probe.pattern);
	if (strchr(plan->probe.pattern, '/'))
		hint("functions of a file are written '%s:FUNCTION'", plan->probe.pattern);
	else if (near)
		hint("did you mean '%s'? user functions are written LIBRARY:FUNCTION, like c:malloc", near);
	else
		hint("user functions are written LIBRARY:FUNCTION, like c:malloc");
	return -ENOENT;
}

/*
 * Finds the BTF ids of functions, which fentry needs. The object is loaded for the first place, so a function with an id is moved there. A
 * function without an id is refused when it is attached. libbpf finds the ids of functions of modules.
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

/* Adds "3 functions such as 'do_nmi' skipped: REASON". */
static void add_left_out(struct buf *text, const struct left_out *left_out, const char *reason)
{
	const char *between = text->nr ? "; " : "";

	if (left_out->nr == 1)
		buf_addf(text, "%sfunction '%s' skipped: %s", between, left_out->first, reason);
	else if (left_out->nr)
		buf_addf(text, "%s%zu functions such as '%s' skipped: %s", between, left_out->nr, left_out->first,
			 reason);
}

static int resolve(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach)
{
	_cleanup_(finder_done) struct finder finder = {
		.force = plan->force,
		.attach = attach,
		.init = { .first = "__init_begin", .last = "__init_end" },
		.irq_entry = { .first = "__irqentry_text_start", .last = "__irqentry_text_end" },
	};
	_cleanup_(freep) char *expression = pattern_expression(plan->probe.pattern, plan->probe.regex);
	/* for kernel functions bcc anchors a regular expression at both ends (re.fullmatch) */
	_cleanup_(freep) char *whole = xasprintf("%s%s", expression, plan->probe.regex ? "$" : "");
	_cleanup_(match_freep) struct match *match = NULL;
	_cleanup_(buf_done) struct buf text = {};
	int err = pattern_compile(plan, whole, &match);

	finder.match = match;
	if (!err && !plan->look_only)
		err = choose_mechanism(plan, attach);
	err = err ?: find_functions(&finder);
	if (!err && !attach->places.nr)
		err = nothing_matched(plan, &finder);
	err = err ?: pattern_check_limit(plan, attach->places.nr);
	if (err)
		return err;
	add_left_out(&text, &finder.dangerous, "probing it is known to hang hosts (--force)");
	add_left_out(&text, &finder.unreachable, "the kernel does not allow a probe on it");
	if (text.nr)
		attach_plan_note(attach, "%s", buf_text(&text));
	if (attach->mechanism == MECHANISM_FENTRY)
		err = find_types(attach);
	if (plan->mode == EVENTS_BY_LENGTH && attach->mechanism == MECHANISM_FENTRY)
		attach_plan_add_returns(attach, "on_call_fentry", "on_call_fexit");
	else if (plan->mode == EVENTS_BY_LENGTH)
		attach_plan_add_returns(attach, NULL, NULL);
	return err;
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
