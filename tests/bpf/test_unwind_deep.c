/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Deep stacks of this very process, as test_unwind.c has others: both ends are kept, and the number of frames between them. */
#pragma GCC optimize("omit-frame-pointer")

#include <time.h>

#include "tests/bpf/unwind_stage.h"

/* The record has both ends of the stack that backtrace() found. */
static void agrees_at_both_ends(void)
{
	const struct st_stack *record = last_record();
	int theirs = stage.nr_expected, ours = record->head.elided + ST_MAX_FRAMES, more = ours - theirs;

	assert_int_equal(record->head.user_end, ST_END_ROOT);
	assert_int_equal(record->head.user_status, STACK_OK);
	assert_int_equal(record->head.nr_user, ST_MAX_FRAMES);
	assert_true(record->head.flags & ST_STACK_ELIDED);
	assert_true(more > 0 && more < ST_INNER_FRAMES / 2);
	for (int i = more; i < ST_INNER_FRAMES; i++)
		assert_int_equal(record->frames[i], (uint64_t)stage.expected[i - more]);
	for (int i = 1; i <= ST_MAX_FRAMES - ST_INNER_FRAMES; i++)
		assert_int_equal(record->frames[ST_MAX_FRAMES - i], (uint64_t)stage.expected[theirs - i]);
}

/* The ring is not full at the first depths, and has gone round at the last. Their ids are the same, so each has an object of its own. */
TEST(a_deep_stack_has_both_ends)
{
	static const int depths[] = { 126, 150, 185, 300, 1900 };

	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		begin(ST_UNWIND_AUTO);
		tell_mappings(true);
		recurse(depths[i]);
		agrees_at_both_ends();
		assert_int_equal(count_of(ST_END_ROOT), 1);
		end();
	}
}

static struct st_depth depth_of_last(void)
{
	struct st_depth depth = {};

	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(stage.object.skeleton->maps.st_depths),
					     &last_record()->head.id, &depth),
			 0);
	return depth;
}

TEST(the_number_of_elided_frames_is_no_part_of_the_identity)
{
	size_t nr_ids;
	int first;

	begin(ST_UNWIND_AUTO);
	tell_mappings(true);
	for (volatile int i = 0; i < 6; i++)
		recurse(300 + 7 * i % 4 - i); /* 300, 302, 300, 298, 296, 298 */
	assert_int_equal(object_sum(&stage.object, LIVE, &nr_ids), 6);
	assert_int_equal(nr_ids, 1);
	first = last_record()->head.elided;
	assert_int_equal(depth_of_last().least, first - 4);
	assert_int_equal(depth_of_last().most, first + 2);
	end();
}

static void expect_the_innermost(uint8_t reason, uint64_t nr)
{
	assert_int_equal(last_record()->head.nr_user, ST_MAX_FRAMES);
	assert_int_equal(last_record()->head.user_status, STACK_TRUNCATED);
	assert_int_equal(last_record()->head.user_end, reason);
	assert_false(last_record()->head.flags & ST_STACK_ELIDED);
	assert_int_equal(last_record()->frames[ST_MAX_FRAMES - 1], last_record()->frames[ST_MAX_FRAMES - 2]);
	assert_int_equal(count_of(reason), nr);
}

TEST(a_stack_that_is_too_deep_is_cut)
{
	begin(ST_UNWIND_AUTO);
	tell_mappings(true);
	recurse(3000);
	expect_the_innermost(ST_END_TRUNCATED, 1);
	end();
}

/* As if each CPU had walked as many frames as it may, in this window of time. */
static void use_up_the_deep_frames(void)
{
	int map = bpf_map__fd(stage.object.skeleton->maps.st_deep), nr_cpus = libbpf_num_possible_cpus();
	_cleanup_(freep) struct st_deep *deep = calloc((size_t)nr_cpus, sizeof(*deep));
	struct timespec now;
	uint64_t window;
	uint32_t zero = 0;

	clock_gettime(CLOCK_MONOTONIC, &now);
	window = ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) >> ST_DEEP_SHIFT;
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		deep[cpu] = (struct st_deep){ window, ST_DEEP_FRAMES };
	assert_int_equal(bpf_map_update_elem(map, &zero, deep, BPF_ANY), 0);
}

/* A new window may begin before the walk does: then it is whole, and another one is tried. */
TEST(what_is_cut_for_its_cost_is_counted)
{
	begin(ST_UNWIND_AUTO);
	tell_mappings(true);
	for (volatile int i = 0; i < 20 && !count_of(ST_END_DEEP); i++) {
		use_up_the_deep_frames();
		recurse(300);
	}
	expect_the_innermost(ST_END_DEEP, 1);
	recurse(100); /* other stacks are not deep */
	assert_int_equal(last_record()->head.user_end, ST_END_ROOT);
	end();
}

int main(void)
{
#ifdef ST_WITHOUT_UNWINDER
	print_message("SKIP: built without the unwinder\n");
	return 77;
#endif
	return run_all_tests();
}
