/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The return values of the programs. For some kinds, they decide what other tracers see of the event.
 *
 *   kind                   value  meaning
 *   tracepoint (classic)   1      0 hides the event from all perf events on this tracepoint: perf stat counts nothing, and perf
 *                                 record gets nothing. One 0 of several programs is enough (perf_trace_run_bpf_submit(),
 *                                 trace_call_bpf()). The same for system calls.
 *   perf kprobe, uprobe    0      0 hides the event from perf events on the same probe. perf_event_open() makes the probe for
 *                                 this file descriptor only, so there are no others. With 1 the kernel builds a sample that
 *                                 nobody reads.
 *   uprobe.multi           0      From 6.6 on, without commit f505005bc742 ("bpf: Force uprobe bpf program to always return 0"),
 *                                 1 removes the breakpoint from the process if all its tracers agree. Ignored on other kernels.
 *   kprobe.multi           0      Ignored.
 *   fentry                 0      The verifier accepts only 0.
 *   raw_tp, tp_btf         0      Ignored.
 *   perf_event             0      1 writes a sample into the buffer of the event; ours has none.
 *
 * tests/e2e/bystanders.sh checks what other tracers see; bystanders_harmed.sh uses a build with harmful values.
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
