/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that are timed (bpf/on_call.bpf.c), and what happens inside them (bpf/on_slow.bpf.c). */
#pragma once

#include "bpf/abi.h"

#define ST_CALLS_MAX 64 /* nested calls of one thread; a power of two */
#define ST_NO_FUNCTION 0xffffffff
#define ST_NESTED_MAX 1024 /* calls that begin inside another one, if they are in order: then its end was missed */

struct st_call_place {
	__u32 function;
	__u32 part;
};

struct st_call {
	__u64 sp; /* stack address of its return address; 0: unknown */
	__u64 begun_ns;
	__u64 left_ns; /* when the thread last reached a place of CALL_MAY_END with the frame removed; 0: never */
	__u32 function; /* ST_NO_FUNCTION: the call has ended, but later ones in the list have not */
	__u32 returns_to; /* the lower half of the return address of a user function; 0: unknown */
};

/* The calls of a thread, innermost last, by the address of its task_struct. The entry lives from the thread's first call to its end. */
struct st_calls {
	__u32 depth;
	__u32 nr_left_out; /* running calls for which the list had no room */
	__u32 tgid; /* as the report shows it; 0: the report has no processes */
	__u32 nr_nested; /* calls in order with `levels`: those that have begun inside the outermost one */
	struct st_call calls[ST_CALLS_MAX];
};

/*
 * `slow`: what a thread does inside a call, by stack and state. When the call ends, its parts are counted if it was long enough, and
 * forgotten if not.
 */
struct st_part {
	struct st_id id; /* of the record */
	__u64 stamp; /* begun_ns + left of struct st_inside; of another call: this entry is free */
	__u64 ns; /* of waits */
	__u32 nr;
	__u32 state; /* enum thread_state; samples have THREAD_ON_CPU */
};

#define ST_PARTS_MAX 128 /* of a call, a power of two; further ones are counted without stack */
#define ST_PARTS_TRIED 8 /* entries that may have a part */

/* Parts without an entry. */
struct st_unfit {
	__u64 nr;
	__u64 ns[THREAD_NR_STATES];
};

/* By the address of the task_struct, as struct st_calls. Zeros: not in a call. */
struct st_inside {
	__u64 task; /* its key */
	__u64 begun_ns; /* of the call, an even number; 0: the thread is in none */
	__u64 sp; /* as in struct st_call */
	__u64 out_ns; /* when it left the CPU in the call; 0: it runs */
	__u64 woken_ns; /* when it was last woken */
	__u64 waited_ns; /* in this call, with what follows */
	__u32 left; /* 1: it has come to a place of CALL_MAY_END */
	__u32 nr_left; /* parts since then */
	__u64 left_waited_ns; /* waited_ns of them */
	struct st_id sleeper; /* its record at out_ns; 0: none could be made */
	__u32 state; /* enum thread_state at out_ns */
	__u32 pad;
	struct st_unfit unfit; /* in this call, with what follows */
	struct st_unfit left_unfit; /* since it has come to a place of CALL_MAY_END */
	struct st_part parts[ST_PARTS_MAX];
};

/* The id of a count of calls: function, process and class of the length, not hashed. */
#define ST_LENGTH_SLOW (1ULL << 63) /* added to the class of calls of at least st_calls_config.limit_ns */
#define ST_LENGTH_ID(function, tgid, class_) \
	((struct st_id){ .lo = (class_), .hi = 1ULL << 63 | (__u64)(function) << 32 | (tgid) })
#define ST_LENGTH_FUNCTION(id) ((__u32)((id).hi >> 32) & 0x7fffffff)
#define ST_LENGTH_TGID(id) ((__u32)(id).hi)

ST_ASSERT_SIZE(struct st_calls, 16 + 32 * ST_CALLS_MAX);
ST_ASSERT_SIZE(struct st_part, 40);
ST_ASSERT_SIZE(struct st_inside, 88 + 2 * sizeof(struct st_unfit) + 40 * ST_PARTS_MAX);
_Static_assert(THREAD_NR_STATES == 8, "states are masked");
