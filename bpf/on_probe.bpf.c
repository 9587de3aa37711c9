// SPDX-License-Identifier: GPL-2.0-or-later
/* Entry points of probes. Each says which kind of program took the stack: that decides whether frame 0 is exact. */
#include "bpf/record.bpf.h"

SEC("?tp")
int on_tracepoint(void *ctx)
{
	return st_probe_event(ctx, ST_PROGRAM_TRACEPOINT, 0);
}

SEC("?uprobe")
int on_uprobe(void *ctx)
{
	return st_probe_event(ctx, ST_PROGRAM_UPROBE, 0);
}

SEC("?uprobe.multi")
int on_uprobe_multi(void *ctx)
{
	return st_probe_event(ctx, ST_PROGRAM_UPROBE, 0);
}

/* For bpf_prog_test_run: the same path without a probe. */
SEC("?raw_tp")
int on_test(void *ctx)
{
	return st_probe_event(ctx, ST_PROGRAM_TEST, 0);
}
