/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that the user named: whether they exist, when they began and ended, and pid namespaces.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/buf.h"

/* 0, or a recorded failure: "process 4711: no such process", that it is a thread of another process, or a zombie. */
int process_exists(uint32_t tgid);

/* The same for a thread. */
int process_thread_exists(uint32_t tid);

/*
 * 0 if at least one of each list exists, or the list is empty, else the recorded failure of the first one of a list. Describes
 * those that do not exist, because processes end while somebody types their ids.
 */
int process_require(const uint32_t *tgids, size_t nr_tgids, const uint32_t *tids, size_t nr_tids,
		    struct buf *ret_missing);

/* Whether the process does not exist, not even as a zombie. Also for threads. */
bool process_has_ended(uint32_t tgid);

/*
 * The thread whose /proc directory shows the memory of the process: the leader, or if that has ended (pthread_exit() in main() leaves
 * a zombie) another thread. Returns the leader if there is none.
 */
uint32_t process_living_task(uint32_t tgid);

/* The letter of the state of a process or thread (proc(5)); 0 if it cannot be read. Waits for no lock of the process. */
char process_state(uint32_t pid);

/*
 * Continues a process of ours if it is stopped. Ctrl-Z stops all of us, and somebody may continue only the one that waits.
 */
void process_continue(pid_t pid);

/* The process id in the pid namespace of the process, and its effective user id. 0, or -ESRCH. */
int process_identity(uint32_t tgid, uint32_t *ret_inner_tgid, uint32_t *ret_user);

/* The id of a thread in its own pid namespace; `tid` if that cannot be read. */
uint32_t process_inner_tid(uint32_t tid);

/*
 * The supplementary groups of the nearest ancestor of this process with this real user id. The list is malloc()ed; NULL if it is
 * empty. False if there is no such ancestor.
 */
bool process_groups_of_caller(uint32_t user, gid_t **ret_groups, size_t *ret_nr);

/*
 * The earliest time, CLOCK_MONOTONIC in ns, at which the process can have begun. /proc has ticks of 10 ms and includes the time that
 * the host was suspended, so the true time can be later. 0 or a negative errno without a recorded cause.
 */
int process_start_time(uint32_t tgid, uint64_t *ret_start_ns);

/*
 * Sets when a process or thread began: the kernel's start_boottime in ns (CLOCK_BOOTTIME), rounded down to a tick of USER_HZ (10 ms).
 * Sets 0 in a time namespace with a clock of its own: the time is unknown there. Returns 0 or a negative errno without a recorded cause.
 */
int process_start_boot(uint32_t pid, uint64_t *ret_start_ns);

/*
 * Device and inode of our pid namespace for bpf_get_ns_current_pid_tgid(). 1 in a child namespace; 0 in the initial one, which needs
 * no translation and changes no argument; or a negative errno with a recorded cause.
 */
int process_pidns(uint64_t *ret_device, uint64_t *ret_inode);

/* 0, or an ERR_HOST failure: /proc is not mounted, or shows the processes of another pid namespace than ours. */
int process_require_proc(void);

/* ---- the end of the targets ---- */

struct process_watch;

/*
 * Begins to watch processes and threads; either list may be empty. Those that do not exist count as ended. 0 or a negative errno with
 * a recorded cause.
 */
int process_watch_new(const uint32_t *tgids, size_t nr_tgids, const uint32_t *tids, size_t nr_tids,
		      struct process_watch **ret_watch);
void process_watch_free(struct process_watch *watch);

/* A borrowed descriptor that is readable when one of them has ended. */
int process_watch_fd(const struct process_watch *watch);

/*
 * Returns how many have not ended. To be called when the descriptor is readable, and regularly if threads are watched: before
 * PIDFD_THREAD (v6.9) no descriptor reports the end of a thread, so this function looks for it.
 */
size_t process_watch_left(struct process_watch *watch);

/*
 * Whether a process or thread was alive when the watch began and had ended at the last process_watch_left(). `index` counts the
 * processes of process_watch_new(), then its threads.
 */
bool process_watch_has_ended(const struct process_watch *watch, size_t index);
