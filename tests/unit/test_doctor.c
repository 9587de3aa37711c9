/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/run/doctor_checks.c on whatever host this is, and both forms of a report made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/run/doctor.h"

#include <cmocka.h> /* last: its macro fail() would break err.h */

static void every_gap_has_a_remedy_and_nothing_else_has_one(void **state)
{
	_cleanup_(ability_list_done) ability_list abilities = {};

	(void)state;
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

static void nothing_is_known_or_changed_by_asking_twice(void **state)
{
	_cleanup_(ability_list_done) ability_list first = {}, second = {};

	(void)state;
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

static void text_has_aligned_lines_and_remedies_below(void **state)
{
	_cleanup_(ability_list_done) ability_list abilities = {};
	_cleanup_(buf_done) struct buf text = {};

	(void)state;
	make_report(&abilities);
	doctor_text(&abilities, &text);
	assert_string_equal(buf_text(&text), "bpf           yes      can be loaded\n"
					     "kprobe.multi  no       not in this kernel\n"
					     "    remedy: CONFIG_FPROBE\n"
					     "    affects: count FUNCTION\n");
}

static void json_has_the_documented_members(void **state)
{
	static const char *const members[] = { "id", "name", "state", "essential", "finding", "remedy", "concerns" };
	_cleanup_(ability_list_done) ability_list abilities = {};
	_cleanup_(buf_done) struct buf text = {};
	json_t *document, *array;

	(void)state;
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

static void only_a_missing_essential_ability_is_an_obstacle(void **state)
{
	_cleanup_(ability_list_done) ability_list abilities = {};

	(void)state;
	make_report(&abilities);
	assert_null(doctor_obstacle(&abilities));
	abilities.data[0].state = ABILITY_UNKNOWN;
	assert_null(doctor_obstacle(&abilities));
	abilities.data[0].state = ABILITY_NO;
	assert_ptr_equal(doctor_obstacle(&abilities), &abilities.data[0]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_gap_has_a_remedy_and_nothing_else_has_one),
		cmocka_unit_test(nothing_is_known_or_changed_by_asking_twice),
		cmocka_unit_test(text_has_aligned_lines_and_remedies_below),
		cmocka_unit_test(json_has_the_documented_members),
		cmocka_unit_test(only_a_missing_essential_ability_is_an_obstacle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
