/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls that wait for another process, with a deadline.
 *
 * Opening and reading /proc/PID/maps, map_files, root and mem takes locks that the process can hold as long as it likes: in execve(), while
 * it closes a file of a FUSE mount (exec_update_lock), or while it maps something over such a file (mmap_lock). A fatal signal ends these
 * waits (*_killable() in fs/proc/ and kernel/fork.c). So a helper that can be killed makes the calls: a child that shares our memory.
 *
 * A page of a file whose FUSE daemon does not answer is waited for even by a task that was killed (fs/fuse/dev.c,
 * request_wait_answer()). Such a helper is left with its memory until the daemon ends.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct helper;

/*
 * The work of a helper, on the memory of helper_new(). It shares our memory and our errno, so it only makes system calls, by syscall().
 * Its result is that of helper_end().
 */
typedef int helper_work(struct helper *helper, void *memory);

/* `nr` bytes of memory for the work, all 0; NULL: no memory. */
struct helper *helper_new(size_t nr);
void *helper_memory(struct helper *helper);

/*
 * Starts the work in a process of its own; when we are killed, so is the helper. The helper shares our descriptors, or has none with
 * `is_alone`: a helper that may be left must not keep files open. 0; a negative errno; -EBUSY: four helpers are left, no more are started.
 */
int helper_start(struct helper *helper, helper_work *work, bool is_alone);

/* The work says that it has made progress: its time begins again. */
void helper_progress(struct helper *helper);

/*
 * Waits until the work ends or `fd` (-1: none) is readable. 0; or -ETIMEDOUT: it has been waiting, and not for a CPU, for 100 ms, or for
 * 20 ms after the tenth that was late.
 */
int helper_await(struct helper *helper, int fd);

/* Ends the helper, kills it if it is still at work, and returns its result; -ETIMEDOUT if it has none. */
int helper_end(struct helper *helper);

/* Ends and frees it; NULL is allowed. The memory of a helper that is left stays. */
void helper_free(struct helper *helper);
void helper_freep(struct helper **helper);
