/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes as the user names them: whether they exist, when they began, when the last of them ended, and how our pids
 * relate to the kernel's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/buf.h"

/* 0, or a recorded failure: "process 4711: no such process", or that it is a thread of another one. */
int process_exists(uint32_t tgid);

/* The same for a thread of any process. */
int process_thread_exists(uint32_t tid);

/*
 * Whether at least one of each list exists; a list may be empty. Describes those of several that are missing: processes end while
 * somebody types their ids. 0, or the recorded failure of the first one when a whole list is missing.
 */
int process_require(const uint32_t *tgids, size_t nr_tgids, const uint32_t *tids, size_t nr_tids,
		    struct buf *ret_missing);

/* Whether nothing is left of the process, not even a zombie that waits for its parent. */
bool process_has_ended(uint32_t tgid);

/*
 * The task through which /proc shows the process: its leader, or, when that has ended (pthread_exit() in main leaves a
 * zombie without memory), one of its threads. Returns the leader where neither is left.
 */
uint32_t process_living_task(uint32_t tgid);

/* The process id that the process itself knows, and the user it acts as. 0, or -ESRCH. */
int process_identity(uint32_t tgid, uint32_t *ret_inner_tgid, uint32_t *ret_user);

/*
 * The supplementary groups of the nearest process above us that this user runs (its real user id). The list is malloc()ed, and NULL
 * when it is empty. False when there is no such process.
 */
bool process_groups_of_caller(uint32_t user, gid_t **ret_groups, size_t *ret_nr);

/*
 * When the process began, CLOCK_MONOTONIC, at the earliest: /proc counts the time that the host slept, in ticks of 10
 * ms, so the true time is up to that much later. 0 or a negative errno, no cause recorded.
 */
int process_start_time(uint32_t tgid, uint64_t *ret_start_ns);

/*
 * Device and inode of our pid namespace, as bpf_get_ns_current_pid_tgid() wants them. 1 in a child namespace; 0 in the initial one,
 * where pids need no translation (outputs untouched); or a negative errno with a recorded cause.
 */
int process_pidns(uint64_t *ret_device, uint64_t *ret_inode);

/* 0, or an ERR_HOST failure: /proc is not mounted, or shows the processes of another pid namespace than ours. */
int process_require_proc(void);

/* ---- the end of the targets ---- */

struct process_watch;

/*
 * Watches processes and threads (either list may be empty). Those that have ended already count as ended. 0 or a
 * negative errno with a recorded cause.
 */
int process_watch_new(const uint32_t *tgids, size_t nr_tgids, const uint32_t *tids, size_t nr_tids,
		      struct process_watch **ret_watch);
void process_watch_free(struct process_watch *watch);

/* Readable (epoll) when one of them has ended. */
int process_watch_fd(const struct process_watch *watch);

/*
 * How many are left. Call it when the descriptor is readable, and from time to time where threads are watched: kernels
 * before PIDFD_THREAD (v6.9) tell of no single thread's end, so those are looked up here.
 */
size_t process_watch_left(struct process_watch *watch);

/*
 * Whether a process or thread had ended by the last process_watch_left(), after it was alive when the watch began. `index`
 * counts the processes of process_watch_new(), then its threads.
 */
bool process_watch_has_ended(const struct process_watch *watch, size_t index);
