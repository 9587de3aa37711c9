/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the kernel functions that belong to tracing, by name. A stack from a tracepoint or fentry program starts with that program and its
 * callers, whose number depends on the program and the kernel.
 */
#pragma once

#include <stdbool.h>

/*
 * True for BPF programs and trampolines, and for the functions of tracepoints, perf, kprobes, fprobe and ftrace that call them. `module`:
 * "kernel", "bpf", "__builtin__ftrace", a module, or NULL. The result belongs in profile_frame.tracer: core/render/merge.c hides such
 * frames at the top of a stack.
 */
bool frame_is_tracer(const char *name, const char *module);
