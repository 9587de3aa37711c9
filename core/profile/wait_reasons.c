/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of wait reasons. If several functions of a stack are in the table, the first entry of the table decides. A '*' at the end
 * matches any rest, because names have suffixes (".isra.0", ".constprop.0").
 *
 * The names are those of kernels from 5.10 to 7.2. tests/e2e/dump_waits.sh checks the common ones; the others are untested.
 */
#include "core/profile/wait_reasons.h"

#include <stdio.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"

#define IDLE "idle"
#define IDLE_WORKER "idle worker"

static const struct wait {
	const char *function, *reason;
} waits[] = {
	/* inside other waits */
	{ "do_signal_stop*", "signal" },
	{ "ptrace_stop*", "ptrace" },
	{ "__refrigerator*", "frozen" },
	{ "__kthread_parkme*", "parked" },
	{ "mutex_lock*", "kernel lock" },
	{ "__mutex_lock*", "kernel lock" },
	{ "rwsem_down_*", "kernel lock" },
	{ "rt_mutex_*", "kernel lock" },
	{ "down_read*", "kernel lock" },
	{ "down_write*", "kernel lock" },
	{ "percpu_rwsem_wait*", "kernel lock" },
	{ "synchronize_rcu*", "RCU" },
	{ "synchronize_srcu*", "RCU" },
	{ "handle_userfault*", "userfaultfd" },
	{ "request_wait_answer*", "FUSE" },
	{ "rpc_wait_bit_killable*", "NFS" },
	{ "jbd2_*", "journal" },
	{ "__wait_on_buffer*", "disk" },
	{ "blk_mq_get_tag*", "disk" },
	{ "rq_qos_wait*", "disk" },
	{ "submit_bio_wait*", "disk" },
	{ "folio_wait_*", "disk" },
	{ "wait_on_page_*", "disk" },
	{ "__blkdev_direct_IO*", "disk" },
	{ "blkdev_direct_IO*", "disk" },
	{ "iomap_dio_rw*", "disk" },
	{ "__iomap_dio_rw*", "disk" },
	{ "balance_dirty_pages*", "write-back" },
	{ "wb_wait_for_completion*", "write-back" },
	{ "swap_readpage*", "swap" },
	{ "try_to_free_pages*", "memory" },
	{ "mem_cgroup_*", "memory" },
	/* calls */
	{ "futex_wait*", "futex" },
	{ "futex_lock_pi*", "futex" },
	{ "do_futex*", "futex" },
	{ "__do_sys_futex*", "futex" },
	{ "ep_poll*", "epoll" },
	{ "do_epoll_wait*", "epoll" },
	{ "do_poll*", "poll" },
	{ "do_sys_poll*", "poll" },
	{ "do_select*", "select" },
	{ "core_sys_select*", "select" },
	{ "do_nanosleep*", "sleep" },
	{ "hrtimer_nanosleep*", "sleep" },
	{ "common_nsleep*", "sleep" },
	{ "pipe_read*", "pipe read" },
	{ "anon_pipe_read*", "pipe read" },
	{ "fifo_pipe_read*", "pipe read" },
	{ "pipe_write*", "pipe write" },
	{ "anon_pipe_write*", "pipe write" },
	{ "fifo_pipe_write*", "pipe write" },
	{ "wait_for_partner*", "FIFO open" },
	{ "inet_csk_accept*", "accept" },
	{ "unix_accept*", "accept" },
	{ "do_accept*", "accept" },
	{ "sk_stream_wait_memory*", "socket write" },
	{ "sock_alloc_send_pskb*", "socket write" },
	{ "unix_wait_for_peer*", "socket write" },
	{ "inet_stream_connect*", "connect" },
	{ "__inet_stream_connect*", "connect" },
	{ "unix_stream_connect*", "connect" },
	{ "sk_wait_data*", "socket read" },
	{ "__skb_wait_for_more_packets*", "socket read" },
	{ "unix_stream_read_generic*", "socket read" },
	{ "unix_stream_data_wait*", "socket read" },
	{ "tcp_recvmsg*", "socket read" },
	{ "sock_recvmsg*", "socket read" },
	{ "sock_sendmsg*", "socket write" },
	{ "do_wait", "child" }, /* not do_wait_intr(), which eventfd_read() uses */
	{ "do_wait.*", "child" },
	{ "__do_wait", "child" },
	{ "kernel_wait4*", "child" },
	{ "kernel_waitid*", "child" },
	{ "wait_for_vfork_done*", "vfork" },
	{ "kernel_clone*", "vfork" },
	{ "_do_fork*", "vfork" },
	{ "do_sigtimedwait*", "signal" },
	{ "sigsuspend*", "signal" },
	{ "__do_sys_pause*", "signal" },
	{ "__x64_sys_pause*", "signal" },
	{ "n_tty_read*", "terminal" },
	{ "n_tty_write*", "terminal" },
	{ "tty_*", "terminal" },
	{ "eventfd_read*", "eventfd" },
	{ "eventfd_write*", "eventfd" },
	{ "timerfd_read*", "timer" },
	{ "signalfd_*", "signal" },
	{ "inotify_read*", "inotify" },
	{ "fanotify_read*", "fanotify" },
	{ "io_cqring_wait*", "io_uring" },
	{ "read_events*", "aio" },
	{ "do_io_getevents*", "aio" },
	{ "locks_lock_inode_wait*", "file lock" },
	{ "flock_lock_inode_wait*", "file lock" },
	{ "posix_lock_inode_wait*", "file lock" },
	{ "fcntl_setlk*", "file lock" },
	{ "do_msgrcv*", "message queue" },
	{ "do_msgsnd*", "message queue" },
	{ "wq_sleep*", "message queue" },
	{ "do_semtimedop*", "semaphore" },
	{ "__do_semtimedop*", "semaphore" },
	{ "do_syslog*", "kernel log" },
	{ "devkmsg_read*", "kernel log" },
	{ "fuse_dev_do_read*", "FUSE request" },
	{ "vfs_fsync*", "fsync" },
	{ "do_fsync*", "fsync" },
	{ "ksys_sync*", "sync" },
	{ "exit_mm*", "exit" },
	{ "do_coredump*", "core dump" },
	{ "coredump_wait*", "core dump" },
	{ "do_exit*", "exit" },
	{ "wait_for_completion*", "completion" },
	{ "__wait_for_common*", "completion" },
	/* entries into the kernel, for waits inside them that are not in the table */
	{ "do_user_addr_fault*", "page fault" },
	{ "exc_page_fault*", "page fault" },
	{ "handle_mm_fault*", "page fault" },
	/* kernel threads at work, before the main function of each, which is at its root */
	{ "process_one_work*", "work" },
	{ "io_worker_handle_work*", "work" },
	{ "__io_sq_thread*", "work" },
	{ "irq_thread_fn*", "work" },
	{ "irq_forced_thread_fn*", "work" },
	{ "balance_pgdat*", "work" },
	{ "kcompactd_do_work*", "work" },
	{ "khugepaged_do_scan*", "work" },
	{ "ksm_do_scan*", "work" },
	{ "oom_reap_task*", "work" },
	/* kernel threads */
	{ "worker_thread*", IDLE_WORKER },
	{ "io_wq_worker*", IDLE_WORKER },
	{ "io_wqe_worker*", IDLE_WORKER },
	{ "io_sq_thread*", IDLE_WORKER },
	{ "rescuer_thread*", IDLE_WORKER },
	{ "smpboot_thread_fn*", IDLE },
	{ "kthread_worker_fn*", IDLE_WORKER },
	{ "kthreadd*", IDLE },
	{ "rcu_gp_kthread*", "RCU" },
	{ "rcu_gp_fqs_loop*", "RCU" },
	{ "rcu_nocb_*", "RCU" },
	{ "rcu_tasks_*", "RCU" },
	{ "kswapd*", IDLE },
	{ "kcompactd*", IDLE },
	{ "ksm_scan_thread*", IDLE },
	{ "khugepaged*", IDLE },
	{ "oom_reaper*", IDLE },
	{ "kauditd_thread*", IDLE },
	{ "irq_thread*", "interrupt" },
	{ "irq_wait_for_interrupt*", "interrupt" },
};

#define NR_WAITS (sizeof(waits) / sizeof(*waits))

_Static_assert(NR_WAITS < UINT8_MAX - 1, "places");

static bool matches(const char *pattern, const char *name)
{
	size_t length = strlen(pattern);

	if (pattern[length - 1] == '*')
		return !strncmp(pattern, name, length - 1);
	return !strcmp(pattern, name);
}

static const struct profile_frame *state_of(const struct profile *profile, const struct profile_record *record)
{
	const struct profile_frame *frame =
		record->nr_kernel ? &profile->frames.data[profile->stack_frames.data[record->first]] : NULL;

	return frame && frame->kind == FRAME_TEXT && frame->where >> 32 == 1 ? frame : NULL;
}

bool wait_has_state(const struct profile *profile, const struct profile_record *record)
{
	return state_of(profile, record) != NULL;
}

/* Returns 1 + the place in the table; NR_WAITS + 1: not there. */
static uint8_t place_of(const char *name)
{
	uint8_t wait = 0;

	while (wait < NR_WAITS && !matches(waits[wait].function, name))
		wait++;
	return (uint8_t)(wait + 1);
}

/* The same for a stack. `places`: results for frames; 0: not looked up yet. */
static uint8_t place_of_stack(const struct profile *profile, const struct profile_record *record, uint8_t *places)
{
	uint8_t first = NR_WAITS + 1;

	for (uint16_t i = 1; i < record->nr_kernel; i++) {
		uint32_t number = profile->stack_frames.data[record->first + i];
		const struct profile_frame *frame = &profile->frames.data[number];

		if (!places[number])
			places[number] = frame->name ? place_of(profile_string(profile, frame->name)) : NR_WAITS + 1;
		if (places[number] < first)
			first = places[number];
	}
	return first;
}

/* A kernel thread without work sleeps in state S or I. */
static bool is_idle(char letter)
{
	return letter == 'S' || letter == 'I';
}

/* A sample is of a running thread, and so is a row for which no sample came. */
static bool is_running(const struct profile_record *record)
{
	return record->program != PROGRAM_LOOK || record->user_loss == 1 + ST_LOSS_NOT_SAMPLED;
}

static const char *reason_of(const struct profile_record *record, char letter, uint8_t place)
{
	const char *reason = place <= NR_WAITS ? waits[place - 1].reason : "other";

	if (letter == 'R')
		return is_running(record) ? "running" : "waits for a CPU";
	if (letter == 'Z' || letter == 'X')
		return "ended";
	if (!is_idle(letter) && (!strcmp(reason, IDLE) || !strcmp(reason, IDLE_WORKER)))
		return "other";
	return reason;
}

void wait_reasons_settle(struct profile *profile)
{
	size_t nr_frames = profile->frames.nr; /* more are added below */
	_cleanup_(freep) uint8_t *places = xcalloc(nr_frames + 1, 1);

	for (size_t i = 0; i < profile->records.nr; i++) {
		const struct profile_record *record = &profile->records.data[i];
		const struct profile_frame *state = state_of(profile, record);
		struct profile_frame frame;
		uint8_t place;
		char text[64];
		const char *reason;

		if (!state || state->where >> 8 != WAIT_STATE_PLACE(0) >> 8)
			continue;
		frame = *state;
		place = place_of_stack(profile, record, places);
		reason = reason_of(record, (char)(uint8_t)state->where, place);
		if (profile->view.style == VIEW_WALL)
			snprintf(text, sizeof(text), "[%s]", reason);
		else
			snprintf(text, sizeof(text), "[%c %s]", (char)(uint8_t)state->where, reason);
		frame.where |= (uint64_t)place << 8 | (uint64_t)is_running(record) << 16;
		frame.name = profile_add_string(profile, text);
		profile->stack_frames.data[record->first] = profile_add_frame(profile, &frame);
	}
}
