/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls that attach or remove user probes, made by a child that can be left behind.
 *
 * The kernel takes the mmap_lock of every process that maps the file (kernel/events/uprobes.c, register_for_each_vma()). A process can
 * hold it as long as it likes, for example while it unmaps a file whose FUSE daemon does not answer, and no signal ends the wait.
 *
 * The child shares our memory, but has only the descriptors that the call needs: one that is left keeps no other open. Our memory stays as
 * long as it does; if we are killed, so do the rings and maps that are mapped there. A filter allows only the calls that attach and remove.
 * All signals are blocked in it (core/host/signals.h), and a SIGKILL for us does not stop it.
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
 * The work of the child, on the memory of probe_call_new(). It shares our errno and our locks, so it only makes system calls. Returns
 * a negative errno, or the number of descriptors in `fds` that probe_call_end() hands over.
 */
typedef int probe_work(void *memory, int fds[PROBE_CALL_FDS]);

/* `nr` bytes of memory for the work, all 0, and room for the descriptors that it needs. NULL: no memory. */
struct probe_call *probe_call_new(size_t nr, size_t nr_fds);
void *probe_call_memory(struct probe_call *call);

/* Gives it a descriptor, at most as many as there is room for. We keep ours. */
void probe_call_give(struct probe_call *call, int fd);

/* Starts the work; with `waits` it begins at probe_calls_go(), or after a second. 0, or a negative errno: there is no child. */
int probe_call_start(struct probe_call *call, probe_work *work, bool waits);

/* Lets children begin that wait, once each of them has no other descriptors than its own. Some may be NULL. */
void probe_calls_go(struct probe_call *const *calls, size_t nr);

/* Whether it has ended within that time. */
bool probe_call_has_ended(struct probe_call *call, int timeout_ms);

pid_t probe_call_pid(const struct probe_call *call);

/*
 * After probe_call_has_ended(): the result of the work, and its descriptors, which are the caller's now; the others are -1. -EINTR: the
 * child was killed.
 */
int probe_call_end(struct probe_call *call, int ret_fds[PROBE_CALL_FDS]);

/* Leaves it behind: what the work has made is closed when it ends. False: it is about to end by itself. */
bool probe_call_leave(struct probe_call *call);

/* Frees it, unless the child is still at work: then its memory stays. NULL is allowed. */
void probe_call_free(struct probe_call *call);
