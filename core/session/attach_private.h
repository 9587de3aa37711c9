/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that attach share. */
#pragma once

#include <errno.h>

#include "core/session/session_private.h"

/* The link belongs to the session from now on; it stands for `nr` places from `first` on. */
void attach_keep(struct session *session, struct bpf_link *link, size_t first, size_t nr);
/* The same for the descriptor of a link that is no object of libbpf's, of one place. */
void attach_keep_fd(struct session *session, int fd, size_t place);

/* Ends a link: nothing is attached by it any more. */
void attached_link_end(struct attached_link *attached);

/* By which st_syscalls knows a beginning or end of a system call. */
static inline __u64 attach_call_key(const struct attach_point *point)
{
	return point->number | (point->is_exit ? ST_SYSCALL_EXIT : 0);
}

/* One place of many was refused: counted, and told at the end of attaching. */
void attach_refused(struct session *session, const struct attach_point *point, int err);

/*
 * To be called before each of the places that are attached one by one, or few by few, which may take a tenth of a second. True when a signal
 * that ends the run has come: who has had enough need not wait for the last place. But one is attached: what follows is the same
 * as ever. The places from this one on are counted as left.
 */
bool attach_ends_before(struct session *session, const struct attach_plan *attach, size_t place);

/* What refusals of ours are told as, among those of the kernel. */
enum {
	REFUSED_MISREAD = EILSEQ,
	REFUSED_SAME_NAME = ENOTUNIQ,
	REFUSED_NO_TYPE = ENODATA,
	REFUSED_NOP5 = EFAULT,
	REFUSED_UNTRIED = EDEADLK,
};

/* Records why nothing could be attached and returns the code. */
int attach_failed(const struct attach_point *point, int err);

/*
 * The program for a place: the session's own, or one that was loaded for this place. NULL and errno when the kernel refuses
 * that.
 */
struct bpf_program *attach_program(struct session *session, const struct attach_plan *attach, size_t index);

/*
 * Kernel functions by fentry, one copy of the program each. attach_fentry_listen() is called before the object is opened and
 * attach_fentry_done() when it is gone.
 */
void attach_fentry_listen(struct session *session);
void attach_fentry(struct session *session, const struct attach_plan *attach);
void attach_fentry_done(struct session *session);

/* The number of a place as the program will be told, or 0; of `nr` places from `first` on, malloc()ed, or NULL for none. */
__u64 attach_cookie(const struct session *session, size_t index);
__u64 *attach_cookies(const struct session *session, size_t first, size_t nr);

/* Makes one link for `nr` places from `first` on, or returns NULL with errno set. */
typedef struct bpf_link *attach_link(struct session *session, const struct attach_plan *attach, size_t first,
				     size_t nr);

/*
 * For links that take all places or none: when one is refused, the halves are tried, down to the places that are to blame. A
 * missing privilege is no matter of places.
 */
void attach_halves(struct session *session, const struct attach_plan *attach, size_t first, size_t nr,
		   attach_link *link_places);

/* From here on what the command starts is followed, when the plan asks for it. 0 or a recorded failure. */
int attach_children(struct session *session);

int attach_kernel_functions(struct session *session, const struct attach_plan *attach);

/* `nr` places from `first` on with one link, or more where the kernel refuses one of them. */
void attach_kprobe_multi(struct session *session, const struct attach_plan *attach, size_t first, size_t nr);

/* The same with links of at most 50 places each. */
void attach_uprobe_multi(struct session *session, const struct attach_plan *attach, size_t first, size_t nr);

/* All places of the plan by such links. 0 or a recorded failure. */
int attach_files(struct session *session, const struct attach_plan *attach);

/* One user function or USDT probe, by a perf event. 0 or a negative errno. */
int attach_uprobe(struct session *session, const struct attach_plan *attach, size_t index);
