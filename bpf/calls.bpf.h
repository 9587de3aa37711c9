/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs of calls share: on_call.bpf.c, and on_slow.bpf.c for what happens inside them. */
#pragma once

#include "bpf/record.bpf.h"

/*
 * Ends the calls of a thread that are nested in more than `keep` others and have their stack below `until`; 0: in any case. How they have
 * ended is not known. Always 0.
 */
int st_calls_close(__u64 task, __u64 until, __u32 keep);

/* `slow`: a call of the current thread begins, outside of all others. `sp`: as in struct st_call. Always 0. */
int st_slow_begin(__u64 begun_ns, __u64 sp);

/* It has come to a place of CALL_MAY_END. Always 0. */
int st_slow_may_end(void);

#define ST_LENGTH_UNKNOWN (~0ULL)

/*
 * It ends, or has ended at the last place of CALL_MAY_END. If it was long enough, what happened inside it is counted; of a call of
 * ST_LENGTH_UNKNOWN nothing is. Always 0.
 */
int st_slow_end(__u64 task, __u64 length_ns, __u32 has_left);
