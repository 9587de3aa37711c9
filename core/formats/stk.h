/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the writer and the reader of .stk files: the container, and the columns of each table (stk.proto). */
#pragma once

#include "core/formats/profile_file.h"
#include "stk.pb-c.h"

#define STK_MAGIC "\x89STK\r\n\x1a\n" /* like PNG's: shows damage by text conversions, and is not text */

enum {
	STK_VERSION = 2,
	STK_MAGIC_BYTES = 8,
	/*
	 * Magic, version (4 bytes), CRC-32 of the frame (4), length of the frame (8). Then follows one Zstandard frame with a stk.Profile.
	 */
	STK_HEADER_BYTES = 24,
};

/* Columns, named like the members. The first of each message is always written (stk.proto). */
#define FILE_COLUMNS(X) X(path) X(build_id) X(device) X(inode) X(deleted)
#define FRAME_COLUMNS(X) \
	X(where)         \
	X(kind)          \
	X(reason)        \
	X(exact)         \
	X(guessed)       \
	X(tracer)        \
	X(file)          \
	X(space)         \
	X(name)          \
	X(module)        \
	X(offset)        \
	X(level)         \
	X(has_inlined)   \
	X(line_reason)   \
	X(source)        \
	X(line)
#define RECORD_COLUMNS(X) \
	X(start_time_ns)  \
	X(exec_id)        \
	X(cgroup_id)      \
	X(probe)          \
	X(time_ns)        \
	X(tgid)           \
	X(tid)            \
	X(comm)           \
	X(cpu)            \
	X(program)        \
	X(kernel_status)  \
	X(user_status)    \
	X(foreign)        \
	X(stack_lost)     \
	X(expanded)       \
	X(context)        \
	X(nr_kernel)      \
	X(nr_user)        \
	X(elided_least)   \
	X(elided_most)    \
	X(lock)           \
	X(owner)
#define ROW_COLUMNS(X) X(record) X(count) X(sum)
#define PAIR_COLUMNS(X) X(record) X(sleeper) X(waker) X(reason)
#define CGROUP_COLUMNS(X) X(id) X(path)
#define MODULE_COLUMNS(X) X(name) X(build_id)
#define LIFE_COLUMNS(X) X(tgid) X(parent) X(begin_ns) X(end_ns)
#define MAPPING_COLUMNS(X) X(life) X(file) X(start) X(end) X(file_offset) X(since_ns)

/* Single values, named alike on both sides; COPY() copies one from `from` to `to`. */
#define COPY(value) to->value = from->value;
#define HOST_VALUES(X) X(machine) X(kernel_version) X(kernel_build_id) X(nr_cpus)
#define CLOCK_VALUES(X) X(monotonic_ns) X(boot_ns) X(real_ns) X(period) X(period_is_time)
#define ACCOUNT_VALUES(X) \
	X(seen) X(filtered) X(recorded) X(spilled) X(counted) X(expected) X(taken) X(missed) X(nr_cpus)

/* The bits of view_flags, in this order. Add new ones at the end: readers refuse unknown bits. */
#define VIEW_FLAGS(X)      \
	X(folded)          \
	X(delimited)       \
	X(annotate)        \
	X(offsets)         \
	X(modules)         \
	X(addresses)       \
	X(per_process)     \
	X(by_name)         \
	X(timestamps)      \
	X(want_kernel)     \
	X(want_user)       \
	X(no_header)       \
	X(no_process_line) \
	X(verbose)         \
	X(times)           \
	X(histogram)       \
	X(by_thread)       \
	X(lines)           \
	X(inlines)         \
	X(idle_stacks)     \
	X(microseconds)    \
	X(milliseconds)    \
	X(by_function)     \
	X(percentiles)     \
	X(latency)         \
	X(slow)            \
	X(fast)

enum view_flag {
#define X(name) VIEW_FLAG_##name,
	VIEW_FLAGS(X)
#undef X
	NR_VIEW_FLAGS
};
