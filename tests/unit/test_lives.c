/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/spaces/lives.c: which program an address belongs to while execve() is under way, and when maps are read again. */
#include "core/spaces/lives.h"

#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/profile/profile.h"
#include "tests/harness.h"

#define TGID 7u
#define EXEC_NS (10 * NSEC_PER_SEC)
#define MANY 4000

static struct life *begin(struct lives *lives, uint32_t tgid, uint64_t start_ns, uint64_t mapped_at, bool by_exec)
{
	struct life *life = lives_begin(lives, tgid, start_ns);
	const struct mapping mapping = { mapped_at, mapped_at + 0x1000, 0, start_ns, 1 };

	life->by_exec = by_exec;
	assert_int_equal(mappings_add(&life->mappings, &mapping), 0);
	return life;
}

TEST(the_caller_of_execve_is_the_program_before)
{
	struct lives *lives = lives_new();
	struct life *caller = begin(lives, TGID, 10, 0x1000, false), *life;
	const struct mapping *mapping;

	begin(lives, TGID + 4096, 15, 0x1000, false); /* in the same bucket */
	life = begin(lives, TGID, 20, 0x8000, true);
	mapping = lives_mapping_before_exec(&life, 0x1800, 40);
	assert_non_null(mapping);
	assert_int_equal(mapping->start, 0x1000);
	assert_ptr_equal(life, caller);
	lives_free(lives);
}

TEST(a_process_is_in_execve_until_its_registers_are_those_of_the_new_program)
{
	struct lives *lives = lives_new();

	begin(lives, TGID, NSEC_PER_SEC, 0x1000, false);
	begin(lives, TGID, EXEC_NS, 0x8000, true);
	/* the new program is mapped already */
	assert_true(lives_in_exec(lives, TGID, 0x1800, EXEC_NS + NSEC_PER_MSEC, false));
	assert_false(lives_in_exec(lives, TGID, 0x8800, EXEC_NS + NSEC_PER_MSEC, false));
	assert_false(lives_in_exec(lives, TGID, 0x5000, EXEC_NS + NSEC_PER_MSEC, false)); /* of neither */
	assert_false(lives_in_exec(lives, TGID, 0x1800, EXEC_NS + 2 * NSEC_PER_SEC, false));
	/* the old memory is gone, and nothing is mapped yet */
	assert_true(lives_in_exec(lives, TGID, 0x1800, EXEC_NS - NSEC_PER_MSEC, true));
	assert_false(lives_in_exec(lives, TGID, 0x1800, EXEC_NS - NSEC_PER_MSEC, false));
	assert_false(lives_in_exec(lives, TGID, 0x1800, EXEC_NS - NSEC_PER_SEC, true)); /* swapped out, perhaps */
	assert_false(lives_in_exec(lives, TGID + 1, 0x1800, EXEC_NS, true));
	lives_free(lives);
}

TEST(what_neither_has_mapped_stays_unknown)
{
	struct lives *lives = lives_new();
	struct life *life, *now;

	begin(lives, TGID, 10, 0x1000, false);
	now = life = begin(lives, TGID, 20, 0x8000, true);
	assert_null(lives_mapping_before_exec(&life, 0x5000, 40));
	assert_ptr_equal(life, now);
	lives_free(lives);
}

TEST(another_process_of_that_pid_is_not_the_caller)
{
	struct lives *lives = lives_new();
	struct life *life;

	begin(lives, TGID, 10, 0x1000, false);
	life = begin(lives, TGID, 20, 0x8000, false);
	assert_null(lives_mapping_before_exec(&life, 0x1800, 40));
	lives_free(lives);
}

TEST(only_the_program_that_called_counts)
{
	struct lives *lives = lives_new();
	struct life *life;

	begin(lives, TGID, 10, 0x1000, false);
	begin(lives, TGID, 20, 0x8000, true);
	life = begin(lives, TGID, 30, 0x9000, true);
	assert_null(lives_mapping_before_exec(&life, 0x1800, 40));
	lives_free(lives);
}

/* A mapping that was moved, or of which nobody told, is not taken for one of long ago. */
TEST(execve_does_not_take_seconds)
{
	struct lives *lives = lives_new();
	struct life *life;

	begin(lives, TGID, 10, 0x1000, false);
	life = begin(lives, TGID, 20, 0x8000, true);
	assert_null(lives_mapping_before_exec(&life, 0x1800, 2000000000));
	assert_null(lives_mapping_before_exec(&life, 0x1800, UINT64_MAX));
	lives_free(lives);
}

/* Of a process that runs for days, or that was read while records were lost: never again, or at any time, are both wrong. */
TEST(the_pause_between_two_looks_at_maps_ends_at_a_minute)
{
	struct life life = { .reread_pause_ns = 100000000 };
	uint64_t now_ns = 1, minute_ns = 60000000000;

	for (int i = 0; i < 100; i++) {
		assert_true(life_may_reread(&life, now_ns, i % 2));
		assert_false(life_may_reread(&life, now_ns + 99999999, false));
		now_ns += minute_ns;
	}
	assert_int_equal(life.reread_pause_ns, minute_ns);
}

static struct mapping numbered(uint64_t number)
{
	return (struct mapping){ 0x10000 + number * 0x2000, 0x11000 + number * 0x2000, 0, 0, (uint32_t)number };
}

/* What does not fit is known to be missing; it is not forgotten and read again for ever. */
TEST(a_life_with_more_mappings_than_are_kept_is_cut)
{
	struct lives *lives = lives_new();
	struct life *life = lives_begin(lives, TGID, 10);
	uint64_t nr = MAPPINGS_MAX + 10;

	for (uint64_t i = 0; i < nr; i++) {
		struct mapping mapping = numbered(i);

		assert_int_equal(life->is_cut, i > MAPPINGS_MAX - 1);
		life_add_mapping(life, &mapping, true);
	}
	assert_non_null(mappings_find(life->mappings, numbered(0).start, 40));
	assert_non_null(mappings_find(life->mappings, numbered(MAPPINGS_MAX - 2).start, 40));
	assert_null(mappings_find(life->mappings, numbered(nr - 1).start, 40));
	life->state = LIFE_COMPLETE;
	life_add_mapping(life, &(struct mapping){ .start = 0x1000, .end = 0x2000 }, false);
	assert_int_equal(life->state, LIFE_COMPLETE);
	assert_non_null(mappings_find(life->mappings, numbered(0).start, 40));
	lives_free(lives);
}

/* The kernel does not tell what was unmapped: a table that the side-band has filled may be of what has gone. */
TEST(a_table_that_fills_as_the_process_runs_is_read_again)
{
	struct lives *lives = lives_new();
	struct life *life = lives_begin(lives, TGID, 10);

	life->state = LIFE_COMPLETE;
	for (uint64_t i = 0; i < MAPPINGS_MAX; i++) {
		struct mapping mapping = numbered(i);

		life_add_mapping(life, &mapping, false);
	}
	assert_int_equal(life->state, LIFE_UNREAD);
	assert_false(life->is_cut);
	lives_free(lives);
}

/* That a process may not be read, or could not be just now, is not that nothing is mapped, nor that it has ended. */
TEST(what_could_not_be_read_has_not_ended)
{
	const struct {
		int err, reason;
	} cases[] = {
		{ 0, REASON_UNMAPPED },     { -ESRCH, REASON_EXITED },  { -ENOENT, REASON_EXITED },
		{ -EACCES, REASON_UNREAD }, { -EMFILE, REASON_UNREAD }, { -ENOMEM, REASON_UNREAD },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct life life = { .state = life_state_after(cases[i].err) };

		assert_int_equal(life_reason_unmapped(&life), cases[i].reason);
	}
	assert_int_equal(life_reason_unmapped(&(struct life){ .state = LIFE_COMPLETE, .is_cut = true }),
			 REASON_TOO_MANY_MAPPINGS);
}

/* ---- a run of weeks ---- */

static void count(void *context, struct life *life)
{
	(void)life;
	++*(size_t *)context;
}

static uint32_t ended_process(void)
{
	int pid = fork();

	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return (uint32_t)pid;
}

/* Their exit was never reported: the record was lost, or there is no side-band. */
TEST(processes_that_ended_without_a_record_are_found)
{
	struct lives *lives = lives_new();
	uint32_t ended = ended_process();
	uint64_t now_ns = 10;
	size_t nr_changed = 0;

	begin(lives, (uint32_t)getpid(), 1, 0x1000, false);
	for (uint32_t tgid = 0x7fff0000; tgid < 0x7fff0000 + 5000; tgid++) /* beyond any pid_max */
		begin(lives, tgid, 1, 0x1000, false);
	begin(lives, ended, 1, 0x1000, false);
	for (int i = 0; i < 16; i++)
		lives_sweep(lives, 0, ++now_ns, count, &nr_changed);
	assert_int_equal(nr_changed, 5001);
	assert_int_not_equal(lives_find(lives, ended, now_ns)->end_ns, LIFE_RUNS);
	lives_sweep(lives, now_ns + 1, now_ns + 1, count, &nr_changed);
	assert_null(lives_find(lives, ended, now_ns));
	assert_null(lives_find(lives, 0x7fff0000, now_ns));
	assert_int_equal(lives_find(lives, (uint32_t)getpid(), now_ns)->end_ns, LIFE_RUNS);
	lives_free(lives);
}

/* Many processes with as many mappings as one may have without being conspicuous. */
TEST(all_mappings_together_have_a_maximum)
{
	struct lives *lives = lives_new();
	struct life *small = begin(lives, (uint32_t)getpid(), 1, 0x1000, false);
	size_t nr_changed = 0;

	for (uint32_t tgid = 1000; tgid < 1000 + 400; tgid++) {
		struct life *life = lives_begin(lives, tgid, 1);

		life->state = LIFE_COMPLETE;
		for (uint64_t i = 0; i < MANY; i++) {
			struct mapping mapping = numbered(i);

			life_add_mapping(life, &mapping, true);
		}
		assert_true(mappings_count_all() <= MAPPINGS_MAX_IN_ALL);
	}
	assert_int_equal(life_reason_unmapped(lives_find(lives, 1399, 2)), REASON_TOO_MANY_MAPPINGS);
	for (uint32_t tgid = 1000; tgid < 1000 + 400; tgid++) /* as if they ran */
		lives_find(lives, tgid, 2)->end_ns = UINT64_MAX - 1;
	lives_sweep(lives, 0, 2, count, &nr_changed);
	assert_true(mappings_count_all() <= MAPPINGS_MAX_IN_ALL / 4 * 3);
	assert_true(nr_changed >= 250);
	assert_non_null(mappings_find(small->mappings, 0x1000, 2));
	lives_free(lives);
	assert_int_equal(mappings_count_all(), 0);
}

/* Anyone can make the side-band lose records all the time; a stack has 127 addresses. */
TEST(lost_records_are_no_reason_to_read_maps_without_end)
{
	struct life life = { .reread_pause_ns = 1000000000 };
	size_t nr = 0;

	for (uint64_t now_ns = 1; now_ns < 1000000000; now_ns += 1000000)
		nr += life_may_reread(&life, now_ns, true);
	assert_in_range(nr, 5, 10);
}
