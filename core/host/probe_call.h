/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls that attach or remove user probes, made by a child that need not be waited for.
 *
 * The kernel takes the mmap_lock of every process that maps the file (kernel/events/uprobes.c, register_for_each_vma()). A process can hold
 * it for any time, for example while it unmaps a file whose FUSE daemon does not answer, and no signal ends the wait.
 *
 * The child shares our memory but has only the descriptors that the call needs, so one that is left keeps no others open. Our memory stays
 * as long as the child does; if we are killed, so do the ring buffers and maps that are mapped there. A filter allows only the calls that
 * attach and remove. The child has all signals blocked (core/host/signals.h), and a SIGKILL of our process does not end it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct probe_call;

enum {
	PROBE_CALL_FDS = 2
};

/*
 * The work of the child, on the memory of probe_call_new(). It shares our errno and locks, so it may only make system calls. Returns a
 * negative errno, or the number of descriptors in `fds`, which probe_call_end() returns.
 */
typedef int probe_work(void *memory, int fds[PROBE_CALL_FDS]);

/* `nr` bytes of zeroed memory for the work, and room for `nr_fds` descriptors. NULL: no memory. */
struct probe_call *probe_call_new(size_t nr, size_t nr_fds);
void *probe_call_memory(struct probe_call *call);

/* Gives the child a copy of a descriptor. At most `nr_fds` times. */
void probe_call_give(struct probe_call *call, int fd);

/* Starts the work; with `waits` it begins at probe_calls_go(), or after a second. 0, or a negative errno: no child was started. */
int probe_call_start(struct probe_call *call, probe_work *work, bool waits);

/* Starts the work of children that wait, after each of them has closed all other descriptors. Entries may be NULL. */
void probe_calls_go(struct probe_call *const *calls, size_t nr);

/* Whether the child has ended within that time. */
bool probe_call_has_ended(struct probe_call *call, int timeout_ms);

pid_t probe_call_pid(const struct probe_call *call);

/* After probe_call_has_ended(): the result of the work, and its descriptors, owned by the caller (-1: none). -EINTR: child killed. */
int probe_call_end(struct probe_call *call, int ret_fds[PROBE_CALL_FDS]);

/* Leaves the child: what the work creates is closed when the child ends. False: it is about to end. */
bool probe_call_leave(struct probe_call *call);

/* Frees it; NULL is allowed. If the child still works, its memory stays. */
void probe_call_free(struct probe_call *call);
