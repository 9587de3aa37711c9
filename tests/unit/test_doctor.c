/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/run/doctor_checks.c on whatever host this is, and both forms of a report made by hand. */

#include <jansson.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/run/doctor.h"
#include "tests/harness.h"

TEST(every_gap_has_a_remedy_and_nothing_else_has_one)
{
	_cleanup_(ability_list_done) ability_list abilities = {};

	doctor_examine(NULL, &abilities);
	assert_true(abilities.nr > 20);
	for (size_t i = 0; i < abilities.nr; i++) {
		const struct ability *ability = &abilities.data[i];

		if (!ability->finding || !ability->finding[0] || !ability->concerns || !ability->concerns[0])
			fail_msg("%s: says nothing", ability->id);
		if (ability->state == ABILITY_YES ? ability->remedy != NULL : !ability->remedy || !ability->remedy[0])
			fail_msg("%s: %s, but the remedy is '%s'", ability->id, ability_state_name(ability->state),
				 ability->remedy ? ability->remedy : "");
		for (size_t other = 0; other < i; other++)
			assert_string_not_equal(ability->id, abilities.data[other].id);
	}
	assert_string_equal(err_cause(), "");
}

TEST(nothing_is_known_or_changed_by_asking_twice)
{
	_cleanup_(ability_list_done) ability_list first = {}, second = {};

	doctor_examine(NULL, &first);
	doctor_examine(NULL, &second);
	assert_int_equal(first.nr, second.nr);
	for (size_t i = 0; i < first.nr; i++) {
		assert_int_equal(first.data[i].state, second.data[i].state);
		assert_string_equal(first.data[i].finding, second.data[i].finding);
	}
}

static void make_report(ability_list *abilities)
{
	vec_push(abilities, (struct ability){ .id = "bpf",
					      .name = "BPF programs",
					      .concerns = "everything",
					      .essential = true,
					      .state = ABILITY_YES,
					      .finding = xstrdup("can be loaded") });
	vec_push(abilities, (struct ability){ .id = "kprobe.multi",
					      .name = "kprobe.multi links",
					      .concerns = "count FUNCTION",
					      .state = ABILITY_NO,
					      .finding = xstrdup("not in this kernel"),
					      .remedy = xstrdup("CONFIG_FPROBE") });
}

TEST(text_has_aligned_lines_and_remedies_below)
{
	_cleanup_(ability_list_done) ability_list abilities = {};
	_cleanup_(buf_done) struct buf text = {};

	make_report(&abilities);
	doctor_text(&abilities, &text);
	assert_string_equal(buf_text(&text), "bpf           yes      can be loaded\n"
					     "kprobe.multi  no       not in this kernel\n"
					     "    remedy: CONFIG_FPROBE\n"
					     "    affects: count FUNCTION\n");
}

static void set(ability_list *abilities, const char *id, enum ability_state state)
{
	for (size_t i = 0; i < abilities->nr; i++)
		if (!strcmp(abilities->data[i].id, id)) {
			abilities->data[i].state = state;
			return;
		}
	vec_push(abilities, (struct ability){ .id = id, .state = state, .finding = xstrdup("found") });
}

static void expect_verdict(const ability_list *abilities, const char *line)
{
	_cleanup_(buf_done) struct buf text = {};

	doctor_verdict(abilities, &text);
	assert_string_equal(buf_text(&text), line);
}

TEST(the_verdict_is_one_line_about_uses)
{
	static const char *const ids[] = { "bpf",        "perf-events", "tracefs", "raw-tracepoint",   "kprobe.multi",
					   "kprobe",     "fentry",      "uprobe",  "scheduler-events", "kallsyms",
					   "user-stacks" };
	_cleanup_(ability_list_done) ability_list abilities = {};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		set(&abilities, ids[i], ABILITY_YES);
	expect_verdict(&abilities,
		       "\nverdict: works: profile, tracepoints, kernel functions, user functions, off-CPU time, "
		       "names of kernel functions, stacks of programs without frame pointers\n");
	set(&abilities, "tracefs", ABILITY_NO);
	set(&abilities, "kprobe.multi", ABILITY_NO);
	set(&abilities, "kprobe", ABILITY_NO);
	set(&abilities, "fentry", ABILITY_UNKNOWN);
	set(&abilities, "user-stacks", ABILITY_PARTLY);
	expect_verdict(
		&abilities,
		"\nverdict: works: profile, tracepoints, user functions, off-CPU time, names of kernel functions; "
		"does not work: stacks of programs without frame pointers; unknown: kernel functions\n");
	set(&abilities, "fentry", ABILITY_NO);
	expect_verdict(
		&abilities,
		"\nverdict: works: profile, tracepoints, user functions, off-CPU time, names of kernel functions; "
		"does not work: kernel functions, stacks of programs without frame pointers\n");
	abilities.data[0].essential = true;
	set(&abilities, "bpf", ABILITY_NO);
	expect_verdict(&abilities, "\nverdict: nothing works: bpf: found\n");
}

/* The verdict knows abilities by their ids: a new name for one would make a use "unknown" everywhere. */
TEST(the_verdict_knows_its_abilities)
{
	_cleanup_(ability_list_done) ability_list abilities = {};
	_cleanup_(buf_done) struct buf text = {};

	doctor_examine(NULL, &abilities);
	for (size_t i = 0; i < abilities.nr; i++)
		abilities.data[i].state = ABILITY_YES;
	doctor_verdict(&abilities, &text);
	assert_null(strstr(buf_text(&text), "unknown"));
}

TEST(json_has_the_documented_members)
{
	static const char *const members[] = { "id", "name", "state", "essential", "finding", "remedy", "concerns" };
	_cleanup_(ability_list_done) ability_list abilities = {};
	_cleanup_(buf_done) struct buf text = {};
	json_t *document, *array;

	make_report(&abilities);
	doctor_json(&abilities, "Linux 6.18 x86_64", "0.1.0", &text);
	document = json_loads(buf_text(&text), 0, NULL);
	assert_non_null(document);
	assert_int_equal(json_integer_value(json_object_get(document, "schema")), 1);
	assert_true(json_is_true(json_object_get(document, "usable")));
	assert_string_equal(json_string_value(json_object_get(document, "kernel")), "Linux 6.18 x86_64");
	assert_string_equal(json_string_value(json_object_get(document, "stacktool")), "0.1.0");
	array = json_object_get(document, "abilities");
	assert_int_equal(json_array_size(array), 2);
	for (size_t i = 0; i < 2; i++)
		for (size_t m = 0; m < sizeof(members) / sizeof(members[0]); m++)
			assert_non_null(json_object_get(json_array_get(array, i), members[m]));
	assert_true(json_is_null(json_object_get(json_array_get(array, 0), "remedy")));
	assert_string_equal(json_string_value(json_object_get(json_array_get(array, 1), "remedy")), "CONFIG_FPROBE");
	json_decref(document);
}

TEST(only_a_missing_essential_ability_is_an_obstacle)
{
	_cleanup_(ability_list_done) ability_list abilities = {};

	make_report(&abilities);
	assert_null(doctor_obstacle(&abilities));
	abilities.data[0].state = ABILITY_UNKNOWN;
	assert_null(doctor_obstacle(&abilities));
	abilities.data[0].state = ABILITY_NO;
	assert_ptr_equal(doctor_obstacle(&abilities), &abilities.data[0]);
}
