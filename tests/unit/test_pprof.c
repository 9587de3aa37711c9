/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pprof document: what its values are of, and whose stacks it has. */
#include "core/profile/wall.h"
#include "tests/golden/hand_made.h"
#include "tests/unit/profile_text.h"
#include "tests/harness.h"

static void expect_types(const Pprof__Profile *message, const char *first, const char *second, const char *unit)
{
	char *const *strings = message->string_table;

	assert_int_equal(message->n_sample_type, 2);
	assert_string_equal(strings[message->sample_type[0]->type], first);
	assert_string_equal(strings[message->sample_type[0]->unit], "count");
	assert_string_equal(strings[message->sample_type[1]->type], second);
	assert_string_equal(strings[message->sample_type[1]->unit], unit);
	assert_int_equal(message->default_sample_type, message->sample_type[1]->type);
}

TEST(timed_samples_are_time_too)
{
	_cleanup_(profile_done) struct profile profile;
	Pprof__Profile *message;

	profile_of_text("a;b 3\n", &profile);
	message = pprof_of(&profile);
	assert_int_equal(message->n_sample_type, 1);
	assert_null(message->period_type);
	pprof__profile__free_unpacked(message, NULL);
	profile.clocks = (struct profile_clocks){ .period = 10000000, .period_is_time = true };
	profile.host.kernel_build_id = profile_add_string(&profile, "00ff");
	message = pprof_of(&profile);
	expect_types(message, "samples", "cpu", "nanoseconds");
	assert_int_equal(message->period, 10000000);
	assert_int_equal(message->sample[0]->value[0], 3);
	assert_int_equal(message->sample[0]->value[1], 30000000);
	pprof__profile__free_unpacked(message, NULL);
}

static const char *function_name(const Pprof__Profile *message, uint64_t location)
{
	const Pprof__Function *function = message->function[message->location[location - 1]->line[0]->function_id - 1];

	return message->string_table[function->name];
}

/* wakeuptime has no other stacks than those of wakers: without them every sample was "[no stack]". */
TEST(wakers_are_in_pprof)
{
	static const struct place wakes = { 0xffffffff81000000, "try_to_wake_up", 1, "kernel", .kernel = true };
	static const struct place caller = { 0xffffffff82000000, "futex_wake", 1, "kernel", .kernel = true };
	static const struct place root = { 0xffffffff83000000, "entry", 1, "kernel", .kernel = true };
	const struct event events[] = {
		{ .id = 1, .comm = "sleeper", .tgid = 7, .count = 1, .part = true },
		{ .id = 2,
		  .comm = "waker",
		  .tgid = 8,
		  .kernel = { STACK_OK, (const struct place *const[]){ &wakes, &caller, &root, NULL } },
		  .count = 1,
		  .part = true },
		{ .id = 3, .count = 2, .sum = 5000, .sleeper = 1, .waker = 2, .reason = WAKER_SEEN },
		{},
	};
	static const char *const names[] = { "waker", "entry", "futex_wake", "--" };
	_cleanup_(profile_done) struct profile profile;
	Pprof__Profile *message;

	profile_init(&profile);
	profile.view = (struct profile_view){ .style = VIEW_WAKE, .want_kernel = true };
	hand_interval(&profile, events, 1);
	message = pprof_of(&profile);
	expect_types(message, "off_cpu_events", "off_cpu", "nanoseconds");
	assert_null(message->period_type);
	assert_int_equal(message->sample[0]->value[0], 2);
	assert_int_equal(message->sample[0]->value[1], 5000);
	assert_int_equal(message->sample[0]->n_location_id, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(function_name(message, message->sample[0]->location_id[i]), names[i]);
	assert_string_equal(message->string_table[message->sample[0]->label[2]->key], "waker");
	assert_string_equal(message->string_table[message->sample[0]->label[2]->str], "waker");
	pprof__profile__free_unpacked(message, NULL);
}

TEST(each_state_of_wall_has_a_type)
{
	static const struct place blocked = { .name = "[blocked S]",
					      .address = WALL_ROOT_PLACE(THREAD_SLEEPS),
					      .label = true };
	static const struct place idle = { .name = "[idle]", .address = WALL_ROOT_PLACE(WALL_IDLE), .label = true };
	static const struct place *const of_blocked[] = { &blocked, NULL }, *const of_idle[] = { &idle, NULL };
	static const struct event events[] = {
		{ .id = 1, .comm = "app", .tgid = 7, .user = { STACK_OK, of_blocked }, .count = 2, .sum = 50 },
		{ .id = 2, .comm = "app", .tgid = 7, .user = { STACK_OK, of_idle }, .count = 1, .sum = 90 },
		{},
	};
	_cleanup_(profile_done) struct profile profile;
	Pprof__Profile *message;

	profile_init(&profile);
	profile.view.style = VIEW_WALL;
	profile.view.want_user = profile.view.per_process = true;
	hand_interval(&profile, events, 1);
	message = pprof_of(&profile);
	assert_int_equal(message->n_sample_type, 2 + WALL_NO_STATE);
	assert_string_equal(message->string_table[message->sample_type[2 + THREAD_SLEEPS]->type], "blocked_S");
	assert_string_equal(message->string_table[message->sample_type[2 + WALL_IDLE]->type], "idle");
	assert_string_equal(message->string_table[message->default_sample_type], "wall");
	for (size_t i = 0; i < 2; i++) {
		const int64_t *values = message->sample[i]->value;
		bool is_idle = values[1] == 90;

		assert_int_equal(values[1], is_idle ? 90 : 50);
		for (size_t at = 0; at < WALL_NO_STATE; at++)
			assert_int_equal(values[2 + at], at == (is_idle ? WALL_IDLE : THREAD_SLEEPS) ? values[1] : 0);
	}
	pprof__profile__free_unpacked(message, NULL);
}

/* pprof shows the first mapping as the file of the profile: libc and a library met first were that. */
TEST(the_first_mapping_is_the_program)
{
	static const struct place library = { 0x1000, "memcpy", 1, "libc.so.6" };
	static const struct place thread = { 0x2000, "clone3", 1, "libc.so.6" };
	static const struct place helper = { 0x1000, "main", 1, "/usr/bin/helper.sort" };
	static const struct place program = { 0x3000, "main", 1, "/usr/bin/app" };
	const struct event events[] = {
		{ .id = 1,
		  .comm = "lib",
		  .tgid = 7,
		  .count = 9,
		  .user = { STACK_OK, (const struct place *const[]){ &library, &thread, NULL } } },
		{ .id = 2,
		  .comm = "help",
		  .tgid = 8,
		  .count = 1,
		  .user = { STACK_OK, (const struct place *const[]){ &helper, NULL } } },
		{ .id = 3,
		  .comm = "app",
		  .tgid = 9,
		  .count = 2,
		  .user = { STACK_OK, (const struct place *const[]){ &library, &program, &thread, NULL } } },
		{},
	};
	_cleanup_(profile_done) struct profile profile;
	Pprof__Profile *message;

	profile_init(&profile);
	profile.view = (struct profile_view){ .style = VIEW_PROFILE, .want_user = true };
	hand_interval(&profile, events, 1);
	message = pprof_of(&profile);
	assert_int_equal(message->n_mapping, 3);
	assert_string_equal(message->string_table[message->mapping[0]->filename], "/usr/bin/app");
	assert_string_equal(message->string_table[message->mapping[1]->filename], "/usr/bin/helper.sort");
	assert_string_equal(message->string_table[message->mapping[2]->filename], "libc.so.6");
	for (size_t i = 0; i < message->n_location; i++) {
		const Pprof__Location *location = message->location[i];
		const char *name = function_name(message, location->id);
		const char *file = message->string_table[message->mapping[location->mapping_id - 1]->filename];

		assert_int_equal(message->mapping[location->mapping_id - 1]->id, location->mapping_id);
		assert_int_equal(location->address >> 40, location->mapping_id);
		assert_int_equal(!strcmp(file, "libc.so.6"), strcmp(name, "main") != 0);
	}
	pprof__profile__free_unpacked(message, NULL);
}
