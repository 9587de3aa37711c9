// SPDX-License-Identifier: GPL-2.0-or-later
/* Global functions, so that the verifier looks at them once and not at what comes between them for each of their ways. */
#include "bpf/cost.bpf.h"

__attribute__((noinline)) __u64 st_cost_start(__u64 turn)
{
	return st_cost_begin(turn, ST_COST_BITS);
}

__attribute__((noinline)) int st_cost_stop(__u64 turn, __u64 begun, __u32 probe)
{
	st_cost_end(turn, ST_COST_BITS, begun, probe);
	return 0;
}
