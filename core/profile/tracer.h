/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which kernel functions are tracing machinery rather than the traced path, told by name.
 *
 * A stack taken in a tracepoint or fentry program starts with the program itself and the glue that called it. How many
 * frames that is differs by program type and kernel (research: zero to four), so a skip count is always wrong
 * somewhere; names are not.
 */
#pragma once

#include <stdbool.h>

/*
 * True for BPF programs, trampolines and the tracepoint, perf, kprobe, fprobe and ftrace glue around them. `module` as
 * symbolization names it ("kernel", "bpf", "__builtin__ftrace", a module), or NULL. Callers set profile_frame.tracer
 * by it; merge.h hides such frames only as long as they lead the stack.
 */
bool frame_is_tracer(const char *name, const char *module);
