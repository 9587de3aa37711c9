/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reason of a wait, by the names of kernel functions. */

#include "core/profile/wait_reasons.h"

#include "bpf/losses.h"
#include "tests/golden/hand_made.h"
#include "tests/harness.h"

static uint32_t state_frame(struct profile *profile, char letter)
{
	struct profile_frame frame = { .kind = FRAME_TEXT, .is_kernel = 1, .where = WAIT_STATE_PLACE(letter) };

	frame.name = profile_add_string(profile, "[?]");
	return profile_add_frame(profile, &frame);
}

/* A record in this state with these kernel functions, leaf first; NULL: a frame without a name. Returns its number. */
static uint32_t add_with_loss(struct profile *profile, char letter, enum program_kind program, uint8_t user_loss,
			      const char *const *functions, size_t nr)
{
	uint32_t frames[16] = { state_frame(profile, letter) };
	uint64_t addresses[16] = {};
	struct profile_record record = { .id = { profile->records.nr + 1, 1 },
					 .program = program,
					 .user_loss = user_loss,
					 .kernel_status = STACK_OK,
					 .nr_kernel = (uint16_t)(1 + nr) };

	for (size_t i = 0; i < nr; i++) {
		struct place place = { .address = 0x1000 + 0x100 * profile->frames.nr,
				       .name = functions[i],
				       .kernel = true };

		frames[1 + i] = hand_frame(profile, &place, 1);
	}
	return profile_add_record(profile, &record, frames, addresses);
}

static uint32_t add(struct profile *profile, char letter, enum program_kind program, const char *const *functions,
		    size_t nr)
{
	return add_with_loss(profile, letter, program, 0, functions, nr);
}

static const char *state_of(const struct profile *profile, uint32_t record)
{
	return profile_string(
		profile, profile->frames.data[profile->stack_frames.data[profile->records.data[record].first]].name);
}

/* The state of a sleeping thread with these functions, leaf first. */
#define EXPECT_REASON(state, ...)                                                        \
	do {                                                                             \
		const char *functions_[] = { __VA_ARGS__ };                              \
		struct profile profile_;                                                 \
		uint32_t record_;                                                        \
                                                                                         \
		profile_init(&profile_);                                                 \
		record_ = add(&profile_, (state)[1], PROGRAM_LOOK, functions_,           \
			      sizeof(functions_) / sizeof(*functions_));                 \
		assert_true(wait_has_state(&profile_, &profile_.records.data[record_])); \
		wait_reasons_settle(&profile_);                                          \
		assert_string_equal(state_of(&profile_, record_), state);                \
		assert_true(wait_has_state(&profile_, &profile_.records.data[record_])); \
		profile_done(&profile_);                                                 \
	} while (0)

TEST(a_function_of_the_stack_gives_the_reason)
{
	EXPECT_REASON("[S futex]", "futex_wait_queue", "futex_wait", "do_futex", "do_syscall_64");
	EXPECT_REASON("[S epoll]", "schedule_hrtimeout_range", "ep_poll.isra.0", "do_epoll_wait");
	EXPECT_REASON("[D disk]", "io_schedule", "folio_wait_bit_common", "filemap_read", "vfs_read");
	EXPECT_REASON("[T signal]", "do_signal_stop", "get_signal", "do_poll.constprop.0", "do_sys_poll");
}

/* Whatever is innermost: what a call waits for is more than how it does so. */
TEST(the_first_in_the_table_decides)
{
	EXPECT_REASON("[S accept]", "__skb_wait_for_more_packets", "unix_accept", "do_accept");
	EXPECT_REASON("[D kernel lock]", "rwsem_down_read_slowpath", "down_read", "do_user_addr_fault");
	EXPECT_REASON("[D FUSE]", "request_wait_answer", "fuse_file_read_iter", "pipe_read");
	EXPECT_REASON("[D page fault]", "schedule", "handle_mm_fault", "do_user_addr_fault");
}

/* Every kernel thread has its main function at the root, at work as well. */
TEST(a_kernel_thread_at_work_is_not_idle)
{
	EXPECT_REASON("[D work]", "io_schedule", "some_driver", "process_one_work", "worker_thread", "kthread");
	EXPECT_REASON("[S work]", "schedule", "process_one_work", "process_scheduled_works", "rescuer_thread");
	EXPECT_REASON("[D work]", "schedule", "io_worker_handle_work", "io_wq_worker");
	EXPECT_REASON("[D work]", "schedule", "io_worker_handle_work", "io_wqe_worker");
	EXPECT_REASON("[D work]", "schedule", "__io_sq_thread", "io_sq_thread");
	EXPECT_REASON("[D work]", "schedule", "some_handler", "irq_thread_fn", "irq_thread");
	EXPECT_REASON("[D work]", "schedule", "irq_forced_thread_fn", "irq_thread");
	EXPECT_REASON("[D work]", "schedule_timeout", "shrink_node", "balance_pgdat", "kswapd");
	EXPECT_REASON("[D work]", "schedule", "compact_zone", "kcompactd_do_work", "kcompactd");
	EXPECT_REASON("[D work]", "schedule", "khugepaged_do_scan.constprop.0", "khugepaged");
	EXPECT_REASON("[D work]", "schedule", "ksm_do_scan", "ksm_scan_thread");
	EXPECT_REASON("[D work]", "schedule", "oom_reap_task", "oom_reaper");
	EXPECT_REASON("[D kernel lock]", "__mutex_lock.constprop.0", "process_one_work", "worker_thread");
}

TEST(an_idle_kernel_thread_is_in_state_s_or_i)
{
	EXPECT_REASON("[I idle worker]", "schedule", "worker_thread", "kthread");
	EXPECT_REASON("[S idle worker]", "schedule", "kthread_worker_fn", "kthread");
	EXPECT_REASON("[S idle worker]", "schedule_timeout", "io_wq_worker");
	EXPECT_REASON("[S idle]", "schedule", "smpboot_thread_fn", "kthread");
	EXPECT_REASON("[S idle]", "kswapd_try_to_sleep", "kswapd");
	EXPECT_REASON("[S interrupt]", "schedule", "irq_thread");
	EXPECT_REASON("[P parked]", "schedule", "__kthread_parkme", "kthread_parkme", "smpboot_thread_fn");
	EXPECT_REASON("[D other]", "schedule", "worker_thread");
	EXPECT_REASON("[D other]", "schedule", "rescuer_thread");
	EXPECT_REASON("[D other]", "some_work", "kthread_worker_fn", "kthread");
	EXPECT_REASON("[D other]", "some_function", "smpboot_thread_fn");
	EXPECT_REASON("[D other]", "some_function", "kswapd");
	EXPECT_REASON("[D other]", "some_function", "kcompactd");
	EXPECT_REASON("[D other]", "some_function", "io_wq_worker");
}

TEST(a_completion_is_less_than_what_it_is_of)
{
	EXPECT_REASON("[D completion]", "schedule_timeout", "__wait_for_common", "wait_for_completion", "some_driver");
	EXPECT_REASON("[D completion]", "__wait_for_common", "process_one_work", "worker_thread");
	EXPECT_REASON("[D completion]", "wait_for_completion", "kthread_worker_fn");
	EXPECT_REASON("[D vfork]", "wait_for_completion_state", "kernel_clone");
	EXPECT_REASON("[D RCU]", "wait_for_completion", "__wait_rcu_gp", "synchronize_rcu");
	EXPECT_REASON("[D disk]", "wait_for_completion_io_timeout", "submit_bio_wait", "process_one_work");
}

/* eventfd_read() and timerfd_read() wait by do_wait_intr_irq(), a pipe by do_wait_intr(). */
TEST(only_the_wait_for_a_child_is_one)
{
	EXPECT_REASON("[S child]", "schedule", "do_wait", "kernel_wait4");
	EXPECT_REASON("[S child]", "schedule", "do_wait.part.0");
	EXPECT_REASON("[S child]", "schedule", "__do_wait");
	EXPECT_REASON("[S eventfd]", "schedule", "do_wait_intr_irq", "eventfd_read", "vfs_read");
	EXPECT_REASON("[S timer]", "schedule", "do_wait_intr_irq", "timerfd_read_iter", "vfs_read");
	EXPECT_REASON("[S other]", "schedule", "do_wait_intr", "some_driver_read");
}

TEST(what_is_unknown_is_other)
{
	EXPECT_REASON("[S other]", "schedule", "some_driver_wait", NULL, "ksys_ioctl");
	EXPECT_REASON("[S other]", NULL);
	EXPECT_REASON("[Z ended]", "do_exit");
}

TEST(a_runnable_thread_has_no_reason_but_its_turn)
{
	struct profile profile;
	const char *const functions[] = { "futex_wait" };
	uint32_t runnable, running, not_sampled;

	profile_init(&profile);
	runnable = add(&profile, 'R', PROGRAM_LOOK, functions, 1);
	running = add(&profile, 'R', PROGRAM_SAMPLE, functions, 1);
	not_sampled = add_with_loss(&profile, 'R', PROGRAM_LOOK, 1 + ST_LOSS_NOT_SAMPLED, NULL, 0);
	wait_reasons_settle(&profile);
	assert_string_equal(state_of(&profile, runnable), "[R waits for a CPU]");
	assert_string_equal(state_of(&profile, running), "[R running]");
	assert_string_equal(state_of(&profile, not_sampled), "[R running]");
	profile_done(&profile);
}

/* What has a reason keeps it. */
TEST(settling_again_changes_nothing)
{
	struct profile profile;
	const char *const functions[] = { "pipe_read" };
	uint32_t record, frame;

	profile_init(&profile);
	record = add(&profile, 'S', PROGRAM_LOOK, functions, 1);
	wait_reasons_settle(&profile);
	frame = profile.stack_frames.data[profile.records.data[record].first];
	wait_reasons_settle(&profile);
	assert_int_equal(profile.stack_frames.data[profile.records.data[record].first], frame);
	assert_string_equal(state_of(&profile, record), "[S pipe read]");
	profile_done(&profile);
}

TEST(a_record_of_an_event_has_no_state)
{
	struct profile profile;
	struct profile_record record = { .id = { 1, 1 }, .nr_kernel = 1 };
	const struct place place = { .address = 1, .name = "futex_wait", .kernel = true };
	uint64_t address = 1;
	uint32_t frame, number;

	profile_init(&profile);
	frame = hand_frame(&profile, &place, 1);
	number = profile_add_record(&profile, &record, &frame, &address);
	assert_false(wait_has_state(&profile, &profile.records.data[number]));
	wait_reasons_settle(&profile);
	assert_int_equal(profile.stack_frames.data[0], frame);
	profile_done(&profile);
}
