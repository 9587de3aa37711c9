/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/plan/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/escape.h"
#include "core/base/suggest.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

void plan_init(struct plan *plan)
{
	*plan = (struct plan){ PLAN_DEFAULTS };
}

void plan_done(struct plan *plan)
{
	probe_spec_done(&plan->probe);
	for (size_t i = 0; i < plan->probes.nr; i++)
		probe_spec_done(&plan->probes.data[i]);
	vec_done(&plan->probes);
	vec_done(&plan->tgids);
	vec_done(&plan->tids);
	vec_done(&plan->cpus);
	plan_init(plan);
}

void probe_spec_done(struct probe_spec *spec)
{
	free(spec->typed);
	free(spec->target);
	free(spec->pattern);
	free(spec->provider);
	*spec = (struct probe_spec){};
}

/* ---- names ---- */

static const char *const event_names[] = {
	[SAMPLE_CPU_CYCLES] = "cpu-cycles",     [SAMPLE_CPU_CLOCK] = "cpu-clock",
	[SAMPLE_TASK_CLOCK] = "task-clock",     [SAMPLE_INSTRUCTIONS] = "instructions",
	[SAMPLE_CACHE_MISSES] = "cache-misses", [SAMPLE_BRANCH_MISSES] = "branch-misses",
	[SAMPLE_PAGE_FAULTS] = "page-faults",   [SAMPLE_CONTEXT_SWITCHES] = "context-switches",
};

const char *sample_event_name(enum sample_event event)
{
	return (size_t)event < ARRAY_SIZE(event_names) ? event_names[event] : NULL;
}

/* The index of a name; 0: not found. names[0] is unused. */
static size_t find_name(const char *name, const char *const *names, size_t nr)
{
	while (--nr && strcmp(name, names[nr]))
		;
	return nr;
}

/* perf's short names. */
static const struct {
	const char *name;
	enum sample_event event;
} short_events[] = { { "cycles", SAMPLE_CPU_CYCLES },
		     { "faults", SAMPLE_PAGE_FAULTS },
		     { "cs", SAMPLE_CONTEXT_SWITCHES } };

static enum sample_event short_event(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(short_events); i++)
		if (!strcmp(short_events[i].name, name))
			return short_events[i].event;
	return SAMPLE_DEFAULT;
}

static int fail_event(const char *name)
{
	const char *names[ARRAY_SIZE(event_names) - 1 + ARRAY_SIZE(short_events)], *nearest;
	_cleanup_(buf_done) struct buf all = {};
	size_t nr = 0;
	int err = fail_usage("event '%s': no such event", name);

	for (size_t i = 1; i < ARRAY_SIZE(event_names); i++)
		names[nr++] = event_names[i];
	for (size_t i = 0; i < ARRAY_SIZE(short_events); i++)
		names[nr++] = short_events[i].name;
	for (size_t i = 0; i < nr; i++)
		buf_addf(&all, "%s%s", i ? ", " : "", names[i]);
	nearest = str_nearest(name, names, nr);
	if (strchr(name, ':') && !nearest)
		hint("'stacktool count t:CATEGORY:EVENT' counts tracepoints by stack; here there are %s",
		     buf_text(&all));
	else if (nearest)
		hint("did you mean '%s'? there are %s", nearest, buf_text(&all));
	else
		hint("there are %s", buf_text(&all));
	return err;
}

int sample_event_parse(const char *name, void *ret_event)
{
	enum sample_event event = (enum sample_event)find_name(name, event_names, ARRAY_SIZE(event_names));

	event = event ? event : short_event(name);
	if (!event)
		return fail_event(name);
	*(enum sample_event *)ret_event = event;
	return 0;
}

int attach_mode_parse(const char *name, void *ret_mode)
{
	static const char *const names[] = {
		[ATTACH_MULTI] = "multi", [ATTACH_KPROBE] = "kprobe", [ATTACH_FENTRY] = "fentry"
	};
	enum attach_mode mode = (enum attach_mode)find_name(name, names, ARRAY_SIZE(names));

	if (!mode)
		return fail_usage("argument --attach: '%s': unknown method: give multi, kprobe or fentry", name);
	*(enum attach_mode *)ret_mode = mode;
	return 0;
}

static const char *const unwind_names[] = {
	[UNWIND_AUTO] = "auto", [UNWIND_FP] = "fp", [UNWIND_DWARF] = "dwarf", [UNWIND_NONE] = "off"
};

int unwind_mode_parse(const char *name, void *ret_mode)
{
	enum unwind_mode mode = (enum unwind_mode)find_name(name, unwind_names, ARRAY_SIZE(unwind_names));
	const char *near;

	if (mode) {
		*(enum unwind_mode *)ret_mode = mode;
		return 0;
	}
	near = str_nearest(name, unwind_names + UNWIND_AUTO, ARRAY_SIZE(unwind_names) - UNWIND_AUTO);
	return fail_usage("argument --unwind: '%s': unknown method: %s%s%s", name,
			  near ? "did you mean '" : "give auto, fp, dwarf or off", near ? near : "", near ? "'?" : "");
}

int frames_parse(const char *name, void *ret_kind)
{
	*(enum frames_kind *)ret_kind = strcmp(name, "native") ? FRAMES_MIXED : FRAMES_NATIVE;
	if (!strcmp(name, "native") || !strcmp(name, "mixed"))
		return 0;
	return fail_usage("argument --frames: '%s': unknown kind of frames: give mixed or native", name);
}

int overhead_parse(const char *text, void *ret_overhead)
{
	uint32_t thousandths = 0;

	if (strcmp(text, "off") && graph_percent_parse(text, &thousandths)) {
		err_clear();
		return fail_usage("argument --max-overhead: '%s': invalid percentage: give 0.001 to 100, or off", text);
	}
	*(uint32_t *)ret_overhead = thousandths ? thousandths : OVERHEAD_OFF;
	return 0;
}

enum unwind_mode plan_unwind(const struct plan *plan)
{
	if (plan->unwind != UNWIND_DEFAULT)
		return plan->unwind;
	return plan->tgids.nr || plan->probe.kind->counts_time ? UNWIND_AUTO : UNWIND_FP;
}

bool plan_is_one_process(const struct plan *plan)
{
	return plan->tgids.nr == 1 && !plan->follow_children;
}

/* ---- states of threads ---- */

#define STATE_LETTERS "DIPRST" /* and t: the letters of ps, except those of dead threads */

static int parse_letters(const char *text, struct off_cpu_plan *ret_plan)
{
	uint32_t states = 0;

	for (const char *at = text; *at; at++) {
		if (*at != 't' && !strchr(STATE_LETTERS, *at)) {
			int err = fail_usage("state '%s': neither a number nor state letters", text);

			hint("R preempted, S sleeping, D uninterruptible, I idle, T stopped, t traced, P parked; or a mask "
			     "as in include/linux/sched.h");
			return err;
		}
		states |= *at == 't' ? 1U << 31 : 1U << (*at - 'A');
	}
	ret_plan->state_filter = STATES_LETTERS;
	ret_plan->states = states;
	return 0;
}

int off_cpu_state_parse(const char *text, void *ret_plan)
{
	struct off_cpu_plan *plan = ret_plan;
	unsigned long long mask;
	char *end;

	if (*text < '0' || *text > '9')
		return *text ? parse_letters(text, plan) : fail_usage("state '': empty");
	errno = 0;
	mask = strtoull(text, &end, 0);
	if (errno || *end || mask > UINT32_MAX)
		return fail_usage("state '%s': not a 32-bit mask", text);
	plan->state_filter = STATES_MASK;
	plan->states = (uint32_t)mask;
	return 0;
}

/* ---- description ---- */

void seconds_describe(uint64_t ns, struct buf *text)
{
	uint64_t fraction = ns % NSEC_PER_SEC;
	int digits = 9;

	buf_addf(text, "%" PRIu64, ns / NSEC_PER_SEC);
	while (fraction && fraction % 10 == 0) {
		fraction /= 10;
		digits--;
	}
	if (fraction)
		buf_addf(text, ".%0*" PRIu64, digits, fraction);
}

void cpus_describe(const struct u32_list *cpus, struct buf *text)
{
	for (size_t i = 0, next; i < cpus->nr; i = next) {
		for (next = i + 1; next < cpus->nr && cpus->data[next] == cpus->data[next - 1] + 1; next++)
			;
		buf_addf(text, "%s%" PRIu32, i ? "," : "", cpus->data[i]);
		if (next > i + 1)
			buf_addf(text, "-%" PRIu32, cpus->data[next - 1]);
	}
}

/* Adds "key: value", with the value escaped, because it is from the command line. NULL: adds nothing. */
static void describe_text(const char *key, const char *value, struct buf *text)
{
	if (!value)
		return;
	buf_addf(text, "%s: ", key);
	escape_add(text, value, ESCAPE_LINE);
	buf_addc(text, '\n');
}

static void describe_spec(const struct probe_spec *probe, struct buf *text)
{
	describe_text("typed", probe->typed, text);
	describe_text("target", probe->target, text);
	describe_text("provider", probe->provider, text);
	describe_text(probe->regex ? "expression" : "pattern", probe->pattern, text);
}

static void describe_probe(const struct plan *plan, struct buf *text)
{
	buf_addf(text, "probe: %s\n", plan->probe.kind->name);
	if (plan->probe.kind->describe)
		plan->probe.kind->describe(plan, text);
	else if (!plan->probes.nr)
		describe_spec(&plan->probe, text);
	for (size_t i = 0; i < plan->probes.nr; i++)
		describe_spec(&plan->probes.data[i], text);
}

static void describe_ids(const char *key, const uint32_t *ids, size_t nr, struct buf *text)
{
	if (!nr)
		return;
	buf_addf(text, "%s:", key);
	for (size_t i = 0; i < nr; i++)
		buf_addf(text, " %" PRIu32, ids[i]);
	buf_addc(text, '\n');
}

static void describe_who(const struct plan *plan, struct buf *text)
{
	describe_ids("processes", plan->tgids.data, plan->tgids.nr, text);
	describe_ids("threads", plan->tids.data, plan->tids.nr, text);
	if (!plan->tgids.nr && !plan->tids.nr)
		buf_adds(text, "processes: all\n");
	if (plan->command)
		buf_addf(text, "children: %s\n", plan->follow_children ? "followed" : "not followed");
	buf_adds(text, "cpu: ");
	cpus_describe(&plan->cpus, text);
	buf_adds(text, plan->cpus.nr ? "\n" : "all\n");
	if (plan->probe.kind->is_timer)
		buf_addf(text, "idle: %s\n", plan->include_idle ? "included" : "excluded");
	describe_text("cgroup", plan->cgroup, text);
	describe_text("container", plan->container, text);
	describe_text("cgroup map", plan->cgroup_map, text);
	describe_text("mount namespace map", plan->mntns_map, text);
	describe_text("pid namespace", plan->pidns, text);
}

static void describe_key(const struct plan *plan, struct buf *text)
{
	static const struct {
		enum key_part part;
		const char *name;
	} parts[] = {
		{ KEY_TGID, "process" },  { KEY_TID, "thread" },  { KEY_COMM, "command" },
		{ KEY_CGROUP, "cgroup" }, { KEY_PROBE, "probe" },
	};

	buf_adds(text, "key:");
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (plan->key_parts & parts[i].part)
			buf_addf(text, " %s,", parts[i].name);
	if (plan->want_kernel)
		buf_adds(text, " kernel stack,");
	if (plan->want_user)
		buf_adds(text, " user stack,");
	if (text->data[text->nr - 1] == ',')
		text->nr--;
	buf_addc(text, '\n');
}

static void describe_when(const struct plan *plan, struct buf *text)
{
	buf_adds(text, "duration: ");
	if (plan->duration_ns)
		seconds_describe(plan->duration_ns, text);
	buf_adds(text, plan->duration_ns ? " s\n" : "until interrupted\n");
	if (plan->interval_ns) {
		buf_adds(text, "interval: ");
		seconds_describe(plan->interval_ns, text);
		buf_adds(text, " s\n");
	}
	if (plan->max_events)
		buf_addf(text, "events: %" PRIu64 "\n", plan->max_events);
}

static void describe_size(const char *key, uint32_t size, struct buf *text)
{
	if (size)
		buf_addf(text, "%s: %" PRIu32 "\n", key, size);
}

void plan_describe(const struct plan *plan, struct buf *ret_text)
{
	buf_addf(ret_text, "applet: %s\n", plan->applet);
	describe_probe(plan, ret_text);
	if (plan->looks)
		buf_adds(ret_text,
			 "threads: by an iterator of tasks, program on_task; samples only of those that run\n");
	describe_who(plan, ret_text);
	describe_key(plan, ret_text);
	describe_when(plan, ret_text);
	describe_size("count entries", plan->count_entries, ret_text);
	describe_size("record entries", plan->record_entries, ret_text);
	describe_size("ring bytes", plan->ring_bytes, ret_text);
	describe_text("include", plan->filter.include, ret_text);
	describe_text("exclude", plan->filter.exclude, ret_text);
	describe_text("command", plan->filter.comm, ret_text);
	describe_text("save", plan->save_path, ret_text);
	if (plan->strict)
		buf_adds(ret_text, "strict: yes\n");
}
