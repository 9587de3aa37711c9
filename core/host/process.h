/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes and threads: existence, start, end, identity and pid namespaces. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/buf.h"

/* 0, or a recorded failure: "process 4711: no such process", that it is a thread of another process, or that it is a zombie. */
int process_exists(uint32_t tgid);

/* 0, or a recorded failure: no such thread, or it is a zombie. Takes the threads of all processes. */
int process_thread_exists(uint32_t tid);

/*
 * 0 if each list is empty or has at least one that exists, else the recorded failure for the first id of a list. Adds a description of
 * those that do not exist: processes may end while a user types their ids.
 */
int process_require(const uint32_t *tgids, size_t nr_tgids, const uint32_t *tids, size_t nr_tids,
		    struct buf *ret_missing);

/* Whether a process or thread does not exist, not even as a zombie. */
bool process_has_ended(uint32_t tgid);

/* A thread whose /proc shows the process's memory: not the leader if that is a zombie after pthread_exit(). The leader if none does. */
uint32_t process_living_task(uint32_t tgid);

/* The state letter of a process or thread (proc(5)); 0: unknown. Takes no lock of the process. */
char process_state(uint32_t pid);

/* Continues a process of ours if it is stopped: Ctrl-Z stops all of them, and a user may continue only one. */
void process_continue(pid_t pid);

/* The process id in the pid namespace of the process, and its effective user id. 0 or -ESRCH. */
int process_identity(uint32_t tgid, uint32_t *ret_inner_tgid, uint32_t *ret_user);

/* The id of a thread in its own pid namespace; `tid` if unknown. */
uint32_t process_inner_tid(uint32_t tid);

/* The groups of the nearest ancestor with this real user id, malloc()ed; NULL if it has none. False: no such ancestor. */
bool process_groups_of_caller(uint32_t user, gid_t **ret_groups, size_t *ret_nr);

/*
 * The earliest possible start of the process, CLOCK_MONOTONIC in ns. It can be too early: /proc has ticks of 10 ms and includes the time
 * for which the host was suspended. 0 or a negative errno without a recorded cause.
 */
int process_start_time(uint32_t tgid, uint64_t *ret_start_ns);

/*
 * The start of a process or thread: the kernel's start_boottime in ns (CLOCK_BOOTTIME), rounded down to a tick of USER_HZ (10 ms). It is 0,
 * unknown, if our time namespace has a clock of its own. Returns 0 or a negative errno without a recorded cause.
 */
int process_start_boot(uint32_t pid, uint64_t *ret_start_ns);

/*
 * Device and inode of our pid namespace for bpf_get_ns_current_pid_tgid(). Returns 1 in a child namespace; 0 in the initial one, which
 * needs no translation, without setting the arguments; or a negative errno with a recorded cause.
 */
int process_pidns(uint64_t *ret_device, uint64_t *ret_inode);

/* 0, or an ERR_HOST failure: /proc is not mounted, or shows the processes of another pid namespace than ours. */
int process_require_proc(void);

/* ---- watching for the end ---- */

struct process_watch;

/* Starts to watch processes and threads. Either list may be empty; missing ones count as ended. 0 or a recorded failure. */
int process_watch_new(const uint32_t *tgids, size_t nr_tgids, const uint32_t *tids, size_t nr_tids,
		      struct process_watch **ret_watch);
void process_watch_free(struct process_watch *watch);

/* A borrowed descriptor that is readable when one of them has ended. */
int process_watch_fd(const struct process_watch *watch);

/*
 * Returns the number of those that have not ended. Call it when the descriptor is readable, and also regularly if threads are watched:
 * without PIDFD_THREAD (v6.9) no descriptor reports the end of a thread, so this function checks for it.
 */
size_t process_watch_left(struct process_watch *watch);

/* Whether a process or thread was alive at first and had ended at the last process_watch_left(). `index`: processes come first. */
bool process_watch_has_ended(const struct process_watch *watch, size_t index);
