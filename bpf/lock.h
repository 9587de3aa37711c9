/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What records of on_lock.bpf.c have, in members of their head that they do not use otherwise: the user address of the lock
 * that the thread waits for, or releases (0: none); whether it waits; and the thread that held the lock, as its memory showed (0: unknown).
 */
#pragma once

#include "bpf/abi.h"

#define ST_LOCK(head) ((head)->probe)
#define ST_LOCK_WAITS(head) ((head)->lost)
#define ST_LOCK_OWNER(head) ((head)->generation)

/* The key of a thread in st_threads: its process in the initial pid namespace, which is known to its end, and its id in its own. */
#define ST_THREAD_KEY(tgid, tid) ((__u64)(tgid) << 32 | (tid))
