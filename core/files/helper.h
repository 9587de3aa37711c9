/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls that may wait for another process, with a deadline.
 *
 * Opening and reading /proc/PID/maps, map_files, root and mem takes locks that the process can hold for any time: in execve() while it
 * closes a file of a FUSE mount (exec_update_lock), or while it maps something over such a file (mmap_lock). A fatal signal ends these
 * waits (*_killable() in fs/proc/ and kernel/fork.c). So the calls are made by a helper that can be killed: a child that shares our memory.
 *
 * If a page belongs to a file whose FUSE daemon does not answer, even a killed task waits for it (fs/fuse/dev.c, request_wait_answer()).
 * Such a helper stays, with its memory, until the daemon ends: this is a helper that is left.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct helper;

/* The work of a helper. It shares our memory and errno, so it may only make system calls, by syscall(). helper_end() returns its result. */
typedef int helper_work(struct helper *helper, void *memory);

/* Returns a helper with `nr` bytes of zeroed memory for the work; NULL: no memory. */
struct helper *helper_new(size_t nr);
void *helper_memory(struct helper *helper);

/*
 * Starts the work in a process of its own, which is killed when we end. It shares our descriptors. With `is_alone` it has none, because a
 * helper that is left must not keep files open. 0; -EBUSY: four helpers are left, and no more are started; or another negative errno.
 */
int helper_start(struct helper *helper, helper_work *work, bool is_alone);

/* Called by the work when it has made progress: its timeout starts again. */
void helper_progress(struct helper *helper);

/* Waits for the work or for `fd` (-1: none). 0; -ETIMEDOUT: no progress in 100 ms without waiting for a CPU, 20 ms after 10 timeouts. */
int helper_await(struct helper *helper, int fd);

/* Ends the helper, which is killed if it still works, and returns its result; -ETIMEDOUT: it has none. */
int helper_end(struct helper *helper);

/* Ends and frees the helper, which may be NULL. The memory of a helper that is left stays. */
void helper_free(struct helper *helper);
void helper_freep(struct helper **helper);
