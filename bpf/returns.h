/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each kind of program returns. The kernel decides by it, for some kinds, what others see of the event.
 *
 *   kind                   value  what the kernel does with it
 *   tracepoint (classic)   1      0 hides the event from every perf event on this tracepoint, of anybody: perf stat counts
 *                                 nothing, perf record gets nothing, and where several programs hang on the tracepoint, one 0
 *                                 is enough (perf_trace_run_bpf_submit(), trace_call_bpf()). Also system calls.
 *   perf kprobe, uprobe    0      0 hides the event from perf events on the same probe. perf_event_open() makes the probe for
 *                                 this one file descriptor, so nobody else has it; 1 makes the kernel build a sample that
 *                                 nobody reads. A probe made in tracefs is shared, and would take 1: there is none here.
 *   uprobe.multi           0      1 takes the breakpoint out of the process, if all who probe the place agree, with kernels from
 *                                 6.6 on that lack commit f505005bc742 ("bpf: Force uprobe bpf program to always return 0");
 *                                 ignored elsewhere.
 *   kprobe.multi           0      ignored. (A session program, of either kind, would skip the return with 1.)
 *   fentry                 0      the verifier takes nothing else.
 *   raw_tp, tp_btf         0      ignored.
 *   perf_event             0      1 writes a sample into the buffer of the event, which is ours and has none.
 *
 * tests/e2e/bystanders.sh asks others what they saw; in bystanders_harmed.sh a build returns the values that do harm.
 */
#pragma once

#ifndef ST_RETURNS_OTHERS
#define ST_RETURN_TRACEPOINT 1
#define ST_RETURN_UPROBE_MULTI 0
#else
#define ST_RETURN_TRACEPOINT 0
#define ST_RETURN_UPROBE_MULTI 1
#endif
#define ST_RETURN_UPROBE 0
#define ST_RETURN_KPROBE 0
#define ST_RETURN_KPROBE_MULTI 0
#define ST_RETURN_FENTRY 0
#define ST_RETURN_RAW_TRACEPOINT 0
#define ST_RETURN_TP_BTF 0
#define ST_RETURN_PERF_EVENT 0
