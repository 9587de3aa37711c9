/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of an event through the BPF side, one step at a time: bpf_prog_test_run() runs the record path in this very
 * process, so its stacks and ids are known.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "core/host/process.h"
#include "tests/bpf/object.h"
#include "tests/harness.h"

#define BOTH .want_kernel = 1, .want_user = 1, .task_access = TASK_ACCESS_PROBE_READ
#define LIVE 0

__attribute__((noinline, noclone)) static void run_here(struct object *object, int times)
{
	for (int i = 0; i < times; i++)
		object_run(object);
	__asm__ volatile("");
}

__attribute__((noinline, noclone)) static void run_elsewhere(struct object *object)
{
	object_run(object);
	__asm__ volatile("");
}

/* The same stack as often as asked, another one for each value of `path`: the two calls return to different places. */
__attribute__((noinline, noclone)) static void run_on_path(struct object *object, unsigned int path, int depth)
{
	if (!depth) {
		run_elsewhere(object);
	} else if (path & 1) {
		run_on_path(object, path >> 1, depth - 1);
		__asm__ volatile("# right");
	} else {
		run_on_path(object, path >> 1, depth - 1);
		__asm__ volatile("# left");
	}
	__asm__ volatile("");
}

/* One event on each of 128 paths. */
__attribute__((noinline, noclone)) static void run_all_paths(struct object *object, bool reading)
{
	for (unsigned int path = 0; path < 128; path++) {
		run_on_path(object, path, 7);
		if (reading)
			object_read_ring(object);
	}
}

TEST(an_event_is_counted_once_and_its_record_sent)
{
	_cleanup_(object_done) struct object object;
	struct st_stats stats;
	size_t entries;

	object_load(&object, &(struct object_options){ .program = "on_test", .config = { BOTH } });
	run_here(&object, 1);
	object_read_ring(&object);
	stats = object_stats(&object, LIVE);
	assert_int_equal(stats.seen, 1);
	assert_int_equal(stats.recorded, 1);
	assert_int_equal(stats.sent, 1);
	assert_int_equal(object_sum(&object, LIVE, &entries), 1);
	assert_int_equal(entries, 1);
	assert_int_equal(object.records.nr, 1);
	object_check_identity(&object, LIVE);
}

TEST(equal_events_are_one_row_and_one_record)
{
	_cleanup_(object_done) struct object object;
	size_t entries;

	object_load(&object, &(struct object_options){ .program = "on_test", .config = { BOTH } });
	run_here(&object, 1000);
	object_read_ring(&object);
	assert_int_equal(object_sum(&object, LIVE, &entries), 1000);
	assert_int_equal(entries, 1);
	assert_int_equal(object.records.nr, 1);
	object_check_identity(&object, LIVE);
}

TEST(another_stack_is_another_row)
{
	_cleanup_(object_done) struct object object;
	size_t entries;

	object_load(&object, &(struct object_options){ .program = "on_test", .config = { BOTH } });
	run_here(&object, 10);
	run_elsewhere(&object);
	object_read_ring(&object);
	assert_int_equal(object_sum(&object, LIVE, &entries), 11);
	assert_int_equal(entries, 2);
	assert_int_equal(object.records.nr, 2);
	assert_memory_not_equal(&object.records.data[0].head.id, &object.records.data[1].head.id, sizeof(struct st_id));
}

/* The same addresses are other code when something else has been mapped there. */
TEST(the_same_stack_after_a_change_of_mappings_is_another_row)
{
	_cleanup_(object_done) struct object object;
	size_t entries;

	object_load(&object, &(struct object_options){ .program = "on_test", .config = { BOTH } });
	for (int i = 0; i < 3; i++) {
		run_here(&object, 10);
		object.control
			->remaps[((uint32_t)getpid() + (i == 0)) & (ST_REMAPS - 1)]++; /* first of another process */
	}
	object_read_ring(&object);
	assert_int_equal(object_sum(&object, LIVE, &entries), 30);
	assert_int_equal(entries, 2);
	assert_int_equal(object.records.nr, 2);
}

TEST(a_record_says_who_when_and_where)
{
	const uint32_t parts = KEY_TGID | KEY_TID | KEY_COMM;
	struct timespec before, after;
	const struct st_stack *record;
	_cleanup_(object_done) struct object object;

	object_load(&object, &(struct object_options){ .program = "on_test", .config = { BOTH, .key_parts = parts } });
	prctl(PR_SET_NAME, "st-record-test");
	clock_gettime(CLOCK_MONOTONIC, &before);
	run_here(&object, 1);
	clock_gettime(CLOCK_MONOTONIC, &after);
	object_read_ring(&object);
	assert_int_equal(object.records.nr, 1);
	record = &object.records.data[0];
	assert_int_equal(record->head.program, PROGRAM_TEST);
	assert_int_equal(record->head.tgid, getpid());
	assert_int_equal(record->head.tid, syscall(SYS_gettid));
	assert_string_equal(record->head.comm, "st-record-test");
	assert_true(record->head.start_time_ns > 0);
	assert_in_range(record->head.time_ns, before.tv_sec * 1000000000ULL + before.tv_nsec,
			after.tv_sec * 1000000000ULL + after.tv_nsec);
	assert_int_equal(record->head.user_status, STACK_OK);
	assert_true(record->head.nr_user > 0);
	assert_true(record->head.nr_kernel > 0);
}

/* run_here is on the user stack: its return address lies in the text of this file. */
TEST(the_user_stack_is_ours)
{
	const uint64_t here = (uint64_t)(uintptr_t)run_here;
	const struct st_stack *record;
	_cleanup_(object_done) struct object object;
	bool found = false;

	object_load(&object, &(struct object_options){ .program = "on_test", .config = { BOTH } });
	run_here(&object, 1);
	object_read_ring(&object);
	record = &object.records.data[0];
	for (int i = 0; i < record->head.nr_user; i++) {
		uint64_t frame = record->frames[record->head.nr_kernel + i];

		found |= frame > here && frame < here + 256;
	}
	assert_true(found);
	for (int i = 0; i < record->head.nr_kernel; i++)
		assert_true(record->frames[i] >> 63);
}

TEST(parts_that_are_not_asked_for_are_zero)
{
	const char nothing[ST_COMM_BYTES] = "";
	const struct st_stack *record;
	_cleanup_(object_done) struct object object;

	object_load(&object, &(struct object_options){ .program = "on_test", .config = { .want_kernel = 1 } });
	run_here(&object, 1);
	object_read_ring(&object);
	record = &object.records.data[0];
	assert_int_equal(record->head.nr_user, 0);
	assert_int_equal(record->head.user_status, STACK_NOT_ASKED);
	assert_int_equal(record->head.tgid, 0);
	assert_int_equal(record->head.tid, 0);
	assert_int_equal(record->head.cgroup_id, 0);
	assert_memory_equal(record->head.comm, nothing, sizeof(nothing));
}

TEST(a_full_map_spills_and_loses_nothing)
{
	_cleanup_(object_done) struct object object;
	struct st_stats stats;
	uint64_t spilled = 0;
	size_t entries;

	object_load(&object, &(struct object_options){ .program = "on_test", .config = { BOTH }, .count_entries = 4 });
	for (unsigned int path = 0; path < 64; path++)
		for (int i = 0; i < 3; i++)
			run_on_path(&object, path, 6);
	object_read_ring(&object);
	stats = object_stats(&object, LIVE);
	for (size_t i = 0; i < object.deltas.nr; i++) {
		assert_int_equal(object.deltas.data[i].generation, LIVE);
		spilled += object.deltas.data[i].count.events;
	}
	assert_int_equal(stats.seen, 192);
	assert_int_equal(object_sum(&object, LIVE, &entries) + spilled, 192);
	assert_int_equal(spilled, stats.losses[ST_LOSS_SPILLED]);
	assert_true(entries <= 4);
	assert_true(spilled >= 180);
	object_check_identity(&object, LIVE);
}

TEST(a_full_ring_is_counted_by_cause)
{
	_cleanup_(object_done) struct object object;
	struct st_stats stats;

	object_load(&object,
		    &(struct object_options){
			    .program = "on_test", .config = { BOTH }, .count_entries = 1, .ring_bytes = 4096 });
	for (unsigned int path = 0; path < 256; path++)
		run_on_path(&object, path, 8);
	stats = object_stats(&object, LIVE);
	assert_int_equal(stats.seen, 256);
	assert_true(stats.losses[ST_LOSS_COUNT_REFUSED] > 0);
	assert_true(stats.losses[ST_LOSS_RING_FULL] > 0);
	object_check_identity(&object, LIVE);
}

TEST(a_record_that_found_no_room_is_sent_by_the_next_generation)
{
	_cleanup_(object_done) struct object object;

	object_load(&object, &(struct object_options){ .program = "on_test", .config = { BOTH }, .ring_bytes = 4096 });
	/* One call site, which an unrolled loop would not have: the stacks are the same in both generations. */
	for (uint64_t generation = 0; generation < 2; generation++) {
		__asm__ volatile("" : "+r"(generation));
		object.control->generation = generation;
		run_all_paths(&object, generation == 1);
		object_read_ring(&object);
		assert_true(generation == 1 || object.records.nr < 128);
	}
	assert_true(object_stats(&object, 0).losses[ST_LOSS_RING_FULL] > 0);
	assert_int_equal(object.records.nr, 128);
}

TEST(a_record_that_found_no_room_asks_for_a_swap)
{
	_cleanup_(object_done) struct object object;

	object_load(&object, &(struct object_options){ .program = "on_test", .config = { BOTH }, .ring_bytes = 4096 });
	run_here(&object, 1);
	assert_true(object.control->wake_at == UINT64_MAX);
	run_all_paths(&object, false);
	assert_int_equal(object.control->wake_at, 0);
}

TEST(the_generation_word_moves_counts_and_statistics_together)
{
	_cleanup_(object_done) struct object object;

	object_load(&object, &(struct object_options){ .program = "on_test", .config = { BOTH } });
	run_here(&object, 7);
	object.control->generation = 1;
	run_here(&object, 5);
	object.control->generation = 2;
	run_here(&object, 2);
	assert_int_equal(object_sum(&object, 0, NULL), 9);
	assert_int_equal(object_sum(&object, 1, NULL), 5);
	assert_int_equal(object_stats(&object, 0).seen, 9);
	assert_int_equal(object_stats(&object, 1).seen, 5);
	object_check_identity(&object, 0);
	object_check_identity(&object, 1);
}

TEST(a_record_is_not_sent_again_after_a_swap)
{
	_cleanup_(object_done) struct object object;

	object_load(&object, &(struct object_options){ .program = "on_test", .config = { BOTH } });
	for (int i = 0; i < 4; i++) {
		object.control->generation = (uint64_t)i;
		run_here(&object, 1);
	}
	object_read_ring(&object);
	assert_int_equal(object_stats(&object, 0).sent + object_stats(&object, 1).sent, object.records.nr);
	assert_in_range(object.records.nr, 1, 1);
}

TEST(half_full_wakes_the_reader_once)
{
	_cleanup_(object_done) struct object object;

	object_load(&object, &(struct object_options){ .program = "on_test", .config = { BOTH } });
	object.control->wake_at = 32;
	run_all_paths(&object, false);
	object_read_ring(&object);
	assert_int_equal(object.nr_pokes, 1);
	assert_int_equal(object.control->inserted, 128);
}

TEST(filters_count_what_they_leave_out)
{
	_cleanup_(object_done) struct object object;
	struct st_stats stats;

	object_load(&object,
		    &(struct object_options){ .program = "on_test",
					      .config = { BOTH, .task_filter = ST_FILTER_TGID, .filter_single = 1 } });
	run_here(&object, 10);
	stats = object_stats(&object, LIVE);
	assert_int_equal(stats.seen, 10);
	assert_int_equal(stats.filtered, 10);
	assert_int_equal(object_sum(&object, LIVE, NULL), 0);
	object_check_identity(&object, LIVE);
}

TEST(a_list_of_processes_lets_its_members_through)
{
	uint32_t self = (uint32_t)getpid();
	uint64_t unknown = 0;
	_cleanup_(object_done) struct object object;

	object_load(&object, &(struct object_options){ .program = "on_test",
						       .config = { BOTH, .task_filter = ST_FILTER_TGID } });
	run_here(&object, 3);
	assert_int_equal(bpf_map__update_elem(object.skeleton->maps.st_pids, &self, sizeof(self), &unknown,
					      sizeof(unknown), 0),
			 0);
	run_here(&object, 5);
	assert_int_equal(object_stats(&object, LIVE).filtered, 3);
	assert_int_equal(object_sum(&object, LIVE, NULL), 5);
}

/* A new process with the id of one that has ended. */
TEST(the_id_of_a_process_that_began_at_another_time_is_left_out)
{
	struct st_config config = { BOTH, .task_filter = ST_FILTER_TGID, .filter_single = (uint32_t)getpid() };
	uint64_t start_ns;

	config.task_access = TASK_ACCESS_PROBE_READ;
	assert_int_equal(process_start_boot(config.filter_single, &start_ns), 0);
	for (int i = -1; i <= 1; i++) {
		struct object_options options = { .program = "on_test", .config = config };
		_cleanup_(object_done) struct object object;

		options.config.filter_start_ns = start_ns + (uint64_t)(i * ST_START_NS);
		object_load(&object, &options);
		run_here(&object, 5);
		assert_int_equal(object_stats(&object, LIVE).filtered, i ? 5 : 0);
	}
}

TEST(a_seed_changes_every_id)
{
	struct object_options options = { .program = "on_test", .config = { BOTH, .seed = { 1, 2 } } };
	struct st_id first, second;
	struct object object;

	object_load(&object, &options);
	run_here(&object, 1);
	object_read_ring(&object);
	first = object.records.data[0].head.id;
	object_done(&object);
	options.config.seed[0] = 3;
	object_load(&object, &options);
	run_here(&object, 1);
	object_read_ring(&object);
	second = object.records.data[0].head.id;
	object_done(&object);
	assert_int_not_equal(first.lo, second.lo);
}

TEST(every_slot_is_free_after_the_run)
{
	int nr_cpus = libbpf_num_possible_cpus();
	_cleanup_(freep) struct st_slot *slots = calloc((size_t)nr_cpus, sizeof(*slots));
	_cleanup_(object_done) struct object object;

	object_load(&object, &(struct object_options){ .program = "on_test", .config = { BOTH } });
	run_here(&object, 100);
	for (uint32_t slot = 0; slot < ST_MAX_SLOTS; slot++) {
		assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(object.skeleton->maps.st_scratch), &slot, slots), 0);
		for (int cpu = 0; cpu < nr_cpus; cpu++)
			assert_int_equal(slots[cpu].claims, 0);
	}
}

/* Slots that look taken: the event is lost, and counted as that. */
TEST(no_free_slot_is_a_counted_loss)
{
	int nr_cpus = libbpf_num_possible_cpus();
	_cleanup_(freep) struct st_slot *slots = calloc((size_t)nr_cpus, sizeof(*slots));
	_cleanup_(object_done) struct object object;

	object_load(&object, &(struct object_options){ .program = "on_test", .config = { BOTH } });
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		slots[cpu].claims = 1;
	for (uint32_t slot = 0; slot < ST_MAX_SLOTS; slot++)
		assert_int_equal(bpf_map_update_elem(bpf_map__fd(object.skeleton->maps.st_scratch), &slot, slots, 0),
				 0);
	run_here(&object, 10);
	assert_int_equal(object_stats(&object, LIVE).losses[ST_LOSS_NO_SLOT], 10);
	object_check_identity(&object, LIVE);
}
