/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds by name the kernel functions that belong to tracing and not to the traced code.
 *
 * A stack taken in a tracepoint or fentry program starts with the program itself and the functions that called it. Their
 * number depends on the kind of program and on the kernel, so no fixed number of frames could be skipped.
 */
#pragma once

#include <stdbool.h>

/*
 * True for BPF programs and trampolines, and for the functions of tracepoints, perf, kprobes, fprobe and ftrace that call
 * them. `module` is the name that symbolization found ("kernel", "bpf", "__builtin__ftrace", a module), or NULL. The caller
 * stores the result in profile_frame.tracer. merge.c hides such frames at the top of a stack.
 */
bool frame_is_tracer(const char *name, const char *module);
