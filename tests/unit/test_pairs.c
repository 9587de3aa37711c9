/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pairs of sleeper and waker in a profile: in any order of arrival, saved, malformed, and with wakers in interrupts. */

#include "core/base/err.h"
#include "core/formats/profile_file.h"
#include "core/profile/context.h"
#include "tests/unit/profile_text.h"
#include "tests/harness.h"

#define PROFILE_TEST(name) TEST_WITH(struct profile, profile, name, profile_init, profile_done)

#define ID(number) ((struct profile_id){ (number), 1 })

/* A record with these kernel frames, leaf first, and one user frame. */
static uint32_t add_record(struct profile *profile, uint64_t id, const char *comm, const char *const *names)
{
	struct profile_record record = {
		.id = ID(id),
		.tgid = 7,
		.tid = 8,
		.comm = profile_add_string(profile, comm),
		.program = PROGRAM_RAW_TRACEPOINT,
		.kernel_status = STACK_OK,
		.user_status = STACK_OK,
		.nr_user = 1,
	};
	uint32_t frames[16];
	uint64_t addresses[16] = {};

	for (; names[record.nr_kernel]; record.nr_kernel++) {
		struct profile_frame frame = {
			.kind = FRAME_KERNEL,
			.where = hash_bytes(names[record.nr_kernel], strlen(names[record.nr_kernel])),
			.name = profile_add_string(profile, names[record.nr_kernel]),
		};

		frames[record.nr_kernel] = profile_add_frame(profile, &frame);
	}
	frames[record.nr_kernel] =
		profile_add_frame(profile, &(struct profile_frame){ .kind = FRAME_USER_RAW, .where = 1 });
	return profile_add_record(profile, &record, frames, addresses);
}

static const char *const plain[] = { "try_to_wake_up", "futex_wake", "do_syscall_64", NULL };

PROFILE_TEST(a_pair_waits_for_its_records)
{
	struct profile_interval interval = {};
	uint32_t parts[2], row;

	profile_add_pair(profile, ID(3), ID(1), &ID(2), WAKER_SEEN);
	profile_count(profile, &interval, ID(3), 2, 500);
	profile_count_lost_stacks(profile, &interval);
	assert_int_equal(interval.rows.nr, 1);
	row = interval.rows.data[0].record;
	assert_int_equal(profile_parts(profile, row, parts), 2);
	assert_true(profile->records.data[parts[0]].stack_lost && profile->records.data[parts[1]].stack_lost);
	assert_false(profile->records.data[row].stack_lost);
	assert_int_equal(add_record(profile, 1, "sleeper", plain), parts[0]);
	assert_int_equal(add_record(profile, 2, "waker", plain), parts[1]);
	assert_false(profile->records.data[parts[0]].stack_lost || profile->records.data[parts[1]].stack_lost);
	profile_add_pair(profile, ID(3), ID(2), NULL, WAKER_PREEMPTED); /* sent once more: the first one holds */
	assert_int_equal(profile->pairs.nr, 1);
	assert_int_equal(profile->pairs.data[0].reason, WAKER_SEEN);
	profile_interval_done(&interval);
}

PROFILE_TEST(lost_parts_are_counted_once_per_event)
{
	struct profile_interval interval = {};
	uint64_t lost = 0;

	add_record(profile, 1, "sleeper", plain);
	profile_add_pair(profile, ID(3), ID(1), &ID(2), WAKER_SEEN);
	profile_add_pair(profile, ID(4), ID(1), NULL, WAKER_PREEMPTED);
	profile_count(profile, &interval, ID(3), 5, 0);
	profile_count(profile, &interval, ID(4), 6, 0);
	profile_count_lost_stacks(profile, &interval);
	for (size_t i = 0; i < ST_NR_LOSSES; i++)
		lost += interval.losses[i];
	assert_int_equal(lost, 5);
	profile_interval_done(&interval);
}

/* The kernel side has counted the stacks that it took: 100 of each kind here, for two rows of 5 and 6 waits. */
PROFILE_TEST(only_stacks_of_rows_are_counted)
{
	static const char *const interrupted[] = { "try_to_wake_up", "asm_common_interrupt", "do_syscall_64", NULL };
	struct profile_interval interval = {};
	uint32_t sleeper, waker, hit, unseen;

	profile->view.want_kernel = true;
	profile->view.style = VIEW_OFFWAKE;
	sleeper = add_record(profile, 1, "sleeper", plain);
	waker = add_record(profile, 2, "waker", plain);
	hit = add_record(profile, 5, "hit", interrupted);
	unseen = add_record(profile, 6, "unseen", plain);
	profile->records.data[sleeper].user_loss = (uint8_t)(1 + loss_number("USER_ROOT"));
	profile->records.data[waker].user_loss = (uint8_t)(1 + loss_number("USER_NO_ROW"));
	profile->records.data[waker].kernel_status = STACK_TRUNCATED;
	profile->records.data[hit].user_loss = (uint8_t)(1 + loss_number("USER_BAD_CFA"));
	profile->records.data[unseen].user_status = STACK_UNREADABLE;
	for (size_t i = 0; i < ST_NR_LOSSES; i++)
		if (!strncmp(profile_losses[i].name, "USER_", 5) || !strncmp(profile_losses[i].name, "KERNEL_", 7))
			interval.losses[i] = 100;
	profile_add_pair(profile, ID(3), ID(1), &ID(2), WAKER_SEEN);
	profile_add_pair(profile, ID(4), ID(1), &ID(5), WAKER_SEEN);
	profile_count(profile, &interval, ID(3), 5, 0);
	profile_count(profile, &interval, ID(4), 6, 0);
	settle_contexts(profile);
	profile_count_shown_stacks(profile, &interval);
	assert_int_equal(interval.losses[loss_number("USER_ROOT")], 11);
	assert_int_equal(interval.losses[loss_number("USER_NO_ROW")], 5);
	assert_int_equal(interval.losses[loss_number("KERNEL_TRUNCATED")], 5);
	assert_int_equal(profile_lost(&interval), 10);
	profile->view.want_kernel = false; /* taken for the names of interrupts, and not shown */
	profile_count_shown_stacks(profile, &interval);
	assert_int_equal(profile_lost(&interval), 5);
	profile_interval_done(&interval);
}

/* One byte of the last section changed: every change must be noticed. */
TEST(damaged_pairs_are_refused)
{
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(buf_done) struct buf bytes = {};

	profile_init(&profile);
	add_record(&profile, 1, "sleeper", plain);
	profile_add_pair(&profile, ID(3), ID(1), NULL, WAKER_UNFINISHED);
	profile_encode(&profile, &bytes);
	for (size_t i = 1; i <= 16; i++) {
		struct profile loaded;

		bytes.data[bytes.nr - i] ^= 1;
		profile_init(&loaded);
		assert_int_equal(profile_decode(bytes.data, bytes.nr, "x", &loaded), -EBADMSG);
		bytes.data[bytes.nr - i] ^= 1;
		profile_done(&loaded);
	}
}

/* Of two pairs one is a part of the other, which the profile has before it or after it. */
static void expect_refused(uint64_t first, uint64_t part_of_first, uint64_t second, uint64_t part_of_second,
			   const char *cause)
{
	_cleanup_(profile_done) struct profile profile, loaded;
	_cleanup_(buf_done) struct buf bytes = {};

	err_clear();
	profile_init(&profile);
	profile_init(&loaded);
	add_record(&profile, 1, "sleeper", plain);
	profile_add_pair(&profile, ID(first), ID(part_of_first), NULL, WAKER_UNFINISHED);
	profile_add_pair(&profile, ID(second), ID(part_of_second), NULL, WAKER_UNFINISHED);
	profile_encode(&profile, &bytes);
	assert_int_equal(profile_decode(bytes.data, bytes.nr, "x", &loaded), -EBADMSG);
	assert_string_equal(err_cause(), cause);
}

TEST(pairs_of_pairs_are_refused)
{
	expect_refused(3, 1, 4, 3, "'x': malformed profile: pair 1 refers to a missing record");
	expect_refused(4, 3, 3, 1, "'x': malformed profile: pair 0 refers to a missing record");
}

TEST(pairs_survive_saving)
{
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(profile_done) struct profile loaded;
	_cleanup_(buf_done) struct buf bytes = {};

	profile_init(&profile);
	profile_init(&loaded);
	add_record(&profile, 1, "sleeper", plain);
	add_record(&profile, 2, "waker", plain);
	profile.records.data[1].context = CONTEXT_NMI;
	profile_add_pair(&profile, ID(3), ID(1), &ID(2), WAKER_SEEN);
	profile_add_pair(&profile, ID(4), ID(1), NULL, WAKER_BEFORE_SLEEP);
	profile_encode(&profile, &bytes);
	assert_int_equal(profile_decode(bytes.data, bytes.nr, "x", &loaded), 0);
	assert_int_equal(loaded.pairs.nr, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(loaded.pairs.data[i].record, profile.pairs.data[i].record);
		assert_int_equal(loaded.pairs.data[i].sleeper, profile.pairs.data[i].sleeper);
		assert_int_equal(loaded.pairs.data[i].waker, profile.pairs.data[i].waker);
		assert_int_equal(loaded.pairs.data[i].reason, profile.pairs.data[i].reason);
	}
	assert_int_equal(loaded.records.data[1].context, CONTEXT_NMI);
	assert_int_equal(loaded.records.data[loaded.pairs.data[1].record].pair, 2);
}

/* What becomes of a waker with these frames that the kernel saw in `seen`. */
static struct profile_record settled(const char *const *names, enum event_context seen)
{
	_cleanup_(profile_done) struct profile profile;

	profile_init(&profile);
	add_record(&profile, 1, "sleeper", plain);
	add_record(&profile, 2, "waker", names);
	profile.records.data[1].context = (uint8_t)seen;
	profile_add_pair(&profile, ID(3), ID(1), &ID(2), WAKER_SEEN);
	settle_contexts(&profile);
	settle_contexts(&profile);
	return profile.records.data[1];
}

TEST(interrupts_are_told_by_names)
{
	static const char *const timer[] = { "hrtimer_wakeup", "asm_sysvec_apic_timer_interrupt", "vfs_read", NULL };
	static const char *const softirq[] = { "net_rx_action", "handle_softirqs", "__irq_exit_rcu",
					       "asm_sysvec_call_function", NULL };
	static const char *const on_the_way_out[] = { "task_work_run", "exit_to_user_mode_loop", "irqentry_exit",
						      "asm_sysvec_reschedule_ipi", NULL };
	struct profile_record record = settled(timer, CONTEXT_TASK);

	assert_int_equal(record.context, CONTEXT_IRQ);
	assert_int_equal(record.nr_kernel, 2);
	assert_true(!record.nr_user && !record.comm && !record.tid && !record.tgid);
	record = settled(softirq, CONTEXT_TASK);
	assert_int_equal(record.context, CONTEXT_SOFTIRQ);
	assert_int_equal(record.nr_kernel, 2);
	record = settled(on_the_way_out, CONTEXT_TASK);
	assert_int_equal(record.context, CONTEXT_TASK);
	assert_int_equal(record.nr_kernel, 4);
	assert_int_equal(record.tid, 8);
	record = settled(plain, CONTEXT_TASK);
	assert_int_equal(record.context, CONTEXT_TASK);
	assert_int_equal(record.nr_user, 1);
	record = settled(timer, CONTEXT_NMI); /* the kernel knows better */
	assert_int_equal(record.context, CONTEXT_NMI);
}
