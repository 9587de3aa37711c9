/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/doctor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/suggest.h"
#include "core/cli/version.h"
#include "core/host/host.h"
#include "core/run/breakpoints.h"
#include "core/run/run.h"

#define DOCTOR_SCHEMA 1

#define WAYS_MAX 3

/* What users want to do. One of the abilities is enough. */
static const struct {
	const char *what;
	const char *abilities[WAYS_MAX + 1];
} uses[] = {
	{ "profile", { "perf-events" } },
	{ "tracepoints", { "tracefs", "raw-tracepoint" } },
	{ "kernel functions", { "kprobe.multi", "kprobe", "fentry" } },
	{ "user functions", { "uprobe" } },
	{ "off-CPU time", { "scheduler-events" } },
	{ "names of kernel functions", { "kallsyms" } },
	{ "stacks of programs without frame pointers", { "user-stacks" } },
};

static struct ability *ability_by_id(const ability_list *abilities, const char *id)
{
	for (size_t i = 0; i < abilities->nr; i++)
		if (!strcmp(abilities->data[i].id, id))
			return &abilities->data[i];
	return NULL;
}

/* ABILITY_YES if one of them is, else ABILITY_UNKNOWN if one is. A limited one does not count. */
static enum ability_state state_of_use(const ability_list *abilities, const char *const *ids)
{
	enum ability_state state = ABILITY_NO;

	for (; *ids; ids++) {
		const struct ability *ability = ability_by_id(abilities, *ids);

		if (ability && ability->state == ABILITY_YES)
			return ABILITY_YES;
		if (!ability || ability->state == ABILITY_UNKNOWN)
			state = ABILITY_UNKNOWN;
	}
	return state;
}

static void add_uses(struct buf *text, const ability_list *abilities, enum ability_state state, const char *what)
{
	const size_t before = text->nr;

	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++) {
		if (state_of_use(abilities, uses[i].abilities) != state)
			continue;
		if (text->nr > before)
			buf_adds(text, ", ");
		else
			buf_addf(text, "%s%s: ", before ? "; " : "", what);
		buf_adds(text, uses[i].what);
	}
}

void doctor_verdict(const ability_list *abilities, struct buf *ret_text)
{
	const struct ability *obstacle = doctor_obstacle(abilities);
	_cleanup_(buf_done) struct buf line = {};

	if (obstacle) {
		buf_addf(ret_text, "\nverdict: nothing works: %s: %s\n", obstacle->id, obstacle->finding);
		return;
	}
	add_uses(&line, abilities, ABILITY_YES, "works");
	add_uses(&line, abilities, ABILITY_NO, "does not work");
	add_uses(&line, abilities, ABILITY_UNKNOWN, "unknown");
	buf_addf(ret_text, "\nverdict: %s\n", buf_text(&line));
}

void doctor_text(const ability_list *abilities, struct buf *ret_text)
{
	int width = 0;

	for (size_t i = 0; i < abilities->nr; i++)
		if ((int)strlen(abilities->data[i].id) > width)
			width = (int)strlen(abilities->data[i].id);
	for (size_t i = 0; i < abilities->nr; i++) {
		const struct ability *ability = &abilities->data[i];

		buf_addf(ret_text, "%-*s  %-7s  %s\n", width, ability->id, ability_state_name(ability->state),
			 ability->finding);
		if (ability->remedy)
			buf_addf(ret_text, "    remedy: %s\n    affects: %s\n", ability->remedy, ability->concerns);
	}
}

void doctor_json(const ability_list *abilities, const char *kernel, const char *version, struct buf *ret_text)
{
	struct json json = { .text = ret_text };

	json_begin(&json, NULL, '{');
	json_number(&json, "schema", DOCTOR_SCHEMA);
	json_text(&json, "stacktool", version);
	json_text(&json, "kernel", kernel);
	json_bool(&json, "usable", !doctor_obstacle(abilities));
	json_begin(&json, "abilities", '[');
	for (size_t i = 0; i < abilities->nr; i++) {
		const struct ability *ability = &abilities->data[i];

		json_begin(&json, NULL, '{');
		json_text(&json, "id", ability->id);
		json_text(&json, "name", ability->name);
		json_text(&json, "state", ability_state_name(ability->state));
		json_bool(&json, "essential", ability->essential);
		json_text(&json, "finding", ability->finding);
		json_text(&json, "remedy", ability->remedy);
		json_text(&json, "concerns", ability->concerns);
		json_end(&json, '}');
	}
	json_end(&json, ']');
	json_end(&json, '}');
	buf_addc(ret_text, '\n');
}

static int fail_unknown(const ability_list *abilities, const char *id)
{
	_cleanup_(freep) const char **ids = xcalloc(abilities->nr, sizeof(*ids));
	const char *near;

	for (size_t i = 0; i < abilities->nr; i++)
		ids[i] = abilities->data[i].id;
	near = str_nearest(id, ids, abilities->nr);
	fail_usage("ability '%s': unknown", id);
	if (near)
		hint("did you mean '%s'?", near);
	else
		hint("'stacktool doctor' lists them");
	return -EINVAL;
}

/* `verdict`: the list is complete. */
static int print(const ability_list *abilities, bool json, bool verdict)
{
	_cleanup_(buf_done) struct buf text = {};
	char kernel[256];

	host_describe(kernel, sizeof(kernel));
	if (json)
		doctor_json(abilities, kernel, version_number(), &text);
	else
		doctor_text(abilities, &text);
	if (!json && verdict)
		doctor_verdict(abilities, &text);
	fputs(buf_text(&text), stdout);
	return fflush(stdout) ? -errno : 0;
}

static int missing(const struct ability *ability, const char *what)
{
	fail_host(-EOPNOTSUPP, "%s: %s: %s", what, ability->id, ability->finding);
	hint("%s", ability->remedy);
	return -EOPNOTSUPP;
}

static int print_one(const ability_list *abilities, const char *id, bool json)
{
	struct ability *ability = ability_by_id(abilities, id);
	const ability_list one = { .data = ability, .nr = 1 };
	int err;

	if (!ability)
		return fail_unknown(abilities, id);
	err = print(&one, json, false);
	if (err || ability->state == ABILITY_YES || ability->state == ABILITY_PARTLY)
		return err;
	return missing(ability, "not here");
}

static int print_all(const ability_list *abilities, bool json)
{
	const struct ability *obstacle = doctor_obstacle(abilities);
	int err = print(abilities, json, true);

	return err || !obstacle ? err : missing(obstacle, "this user cannot collect anything on this host");
}

int run_doctor(const char *id, bool json)
{
	_cleanup_(ability_list_done) ability_list abilities = {};

	doctor_examine(id, &abilities);
	return id ? print_one(&abilities, id, json) : print_all(&abilities, json);
}

static int print_healed(const struct breakpoints *before, const struct breakpoints *after)
{
	_cleanup_(buf_done) struct buf text = {};
	size_t nr_places;
	uint64_t nr = breakpoints_nr_stale(before, &nr_places), nr_left = breakpoints_nr_stale(after, &nr_places);

	if (!nr)
		buf_adds(&text, "no breakpoints left by killed tools\n");
	else
		buf_addf(&text, "%llu breakpoint%s removed\n", (unsigned long long)(nr > nr_left ? nr - nr_left : 0),
			 nr - nr_left == 1 ? "" : "s");
	if (nr_left) {
		breakpoints_describe(after, &text);
		buf_adds(&text, "\n    not removed: another tool uses them, or the kernel did not set them\n");
	}
	if (after->nr_denied)
		buf_addf(&text, "processes that this user may not inspect: %u\n", after->nr_denied);
	if (after->nr_left)
		buf_addf(&text,
			 "processes not inspected completely, because there are too many or they are too large: %u\n",
			 after->nr_left);
	fputs(buf_text(&text), stdout);
	return fflush(stdout) ? -errno : 0;
}

int run_doctor_heal(void)
{
	_cleanup_(breakpoints_done) struct breakpoints before = {}, after = {};
	struct breakpoints_healed healed;
	int refusal, err = breakpoints_find(&before);
	size_t nr_refused;

	if (err)
		return err;
	breakpoints_heal(&before, &healed);
	if (*healed.why)
		return fail(-EBUSY, "breakpoints: not removed yet: %s", healed.why);
	refusal = healed.err;
	nr_refused = healed.nr_refused;
	if (nr_refused && (refusal == -EPERM || refusal == -EACCES)) {
		fail_host(refusal, "breakpoints: cannot be removed: %s", strerror(-refusal));
		hint("run it as root");
		return refusal;
	}
	err = breakpoints_find(&after);
	err = err ?: print_healed(&before, &after);
	if (!err && nr_refused)
		err = fail(refusal, "breakpoints: %zu places cannot be probed again: %s", nr_refused,
			   strerror(-refusal));
	if (refusal == -EINVAL)
		hint("to remove those of USDT probes with a semaphore, count the same probes again");
	return err;
}
