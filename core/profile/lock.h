/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits for locks (VIEW_LOCK). A row stands for a pair: the record of a thread that waits, and that of the thread that held the lock. The
 * innermost user frame of the first is the lock, its address that of the lock. The second is where the holder released the lock.
 *
 * What kind of lock it is follows from the names of the waiter's functions. A mutex keeps its owner; for other locks the thread that ended
 * the wait stands in for a holder.
 */
#pragma once

#include "core/profile/profile.h"

/* Whether the record is of a thread that waits for a lock, and not of one that releases it. */
bool lock_is_waiter(const struct profile *profile, const struct profile_record *record);

/*
 * "mutex", "semaphore", … by the functions of the waiter, or of the thread that ended the wait, which may be NULL; NULL: none of them is
 * known. A waker that is in no call of a lock has ended the wait by its own end, if its stack shows that it exits.
 */
const char *lock_kind(const struct profile *profile, const struct profile_record *waiter,
		      const struct profile_record *waker);

/* Whether nobody holds such a lock: threads wait at a condition variable or semaphore until another thread has done something. */
bool lock_is_signal(const char *kind);

/* The address that all waits for the lock have in common: those at a condition variable or rwlock of glibc are at two words. */
uint64_t lock_address(const struct profile *profile, const struct profile_record *waiter);

/*
 * The thread that held the lock when the wait began; 0: it is no mutex, or its owner is unknown. If no name tells what it is, as in a
 * program without symbols, the BPF programs decide, which have found the memory of a mutex there.
 */
uint32_t lock_owner(const struct profile *profile, const struct profile_record *waiter);

/* The position in stack_frames of the innermost user frame outside of the code of locks; record_end(): there is none. */
size_t lock_user(const struct profile *profile, const struct profile_record *record);

/*
 * Puts the owners of mutexes into pairs, each with a record in which that thread released the lock, if there is one. Call it after
 * symbolization. A second call changes only what was not known before.
 */
void lock_settle(struct profile *profile);
