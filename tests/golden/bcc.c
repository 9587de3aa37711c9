/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports of hand-made profiles against expected/NAME.txt, byte by byte: live, and again from the saved profile.
 *
 * The first cases are the map contents that bcc's unmodified scripts were fed with, and their expected files are bcc's
 * output with the exceptions of docs/reference/output.md; README.md here tells how they were
 * made. `--accept` writes the files.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/formats/profile_file.h"
#include "core/profile/wait_reasons.h"
#include "core/render/render.h"
#include "tests/golden/expected.h"
#include "tests/golden/hand_made.h"
#include "tests/golden/lengths.h"

#define EXPECTED ST_SOURCE_DIR "/tests/golden/expected/"

/* ---- places ---- */

#define AT(where, symbol, distance, file) .address = where, .name = symbol, .offset = distance, .module = file

static const struct place submit = { AT(0xffffffff81000010, "submit_bio", 0x1, "kernel"), .kernel = true };
static const struct place readpages = { AT(0xffffffff81000020, "ext4_readpages", 0x2f, "kernel"), .kernel = true };
static const struct place entry = { AT(0xffffffff81000030, "entry_SYSCALL_64_after_hwframe", 0x77, "kernel"),
				    .kernel = true };
static const struct place libc_read = { AT(0x7f0000001000, "read", 0x10, "libc.so.6") };
static const struct place app_main = { AT(0x555500001000, "main", 0x1f, "app") };
static const struct place app_other = { AT(0x555500001100, "main", 0x11f, "app") };
static const struct place app_unnamed = { AT(0x555500009000, NULL, 0, "app") };
static const struct place unmapped = { AT(0x9999, NULL, 0, NULL), .reason = REASON_UNMAPPED };
static const struct place program = { AT(0xffffffffc0001000, "bpf_prog_0123456789abcdef_on_switch", 0x10, "bpf"),
				      .kernel = true, .tracer = true };
static const struct place glue = { AT(0xffffffff81000050, "bpf_trace_run4", 0x60, "kernel"), .kernel = true,
				   .tracer = true };
static const struct place operator_new = { AT(0x7f0000002000, "operator new(unsigned long)", 0x1c, "libstdc++.so.6") };
static const struct place templ = { AT(0x555500002000, "std::pair<int, char>::swap(int, char)", 0, "app") };
static const struct place guessed_main = { AT(0x555500001000, "main", 0x1f, "app"), .guessed = true };
static const struct place guessed_unnamed = { AT(0x555500009000, NULL, 0, "app"), .guessed = true };
static const struct place python = { AT(0x10, "checkout", 0, "python"), .source = "/srv/shop/views.py", .line = 412 };
static const struct place python_no_line = { AT(0x11, "<lambda>", 0, "python"), .source = "a;b\n\x1b[31m.py" };
static const struct place forged_frame = { AT(0x555500003000, "a;b;[Missed User Stack]", 0x1, "evil") };
static const struct place forged_lines = { AT(0x555500003100, "x\n    --\n    99\n\n", 0x2, "evil] [libc.so.6") };
static const struct place forged_count = { AT(0x555500003200, "main 12", 0x3, "evil") };
static const struct place forged_label = { AT(0x555500003300, "[unknown]", 0x4, "evil") };
static const struct place forged_delimiter = { AT(0x555500003400, "--", 0x5, "evil") };
static const struct place forged_indent = { AT(0x555500003500, "    7", 0x6, "\x1b[2Jevil") };
static const struct place bidi = { AT(0x555500003600, "\u202e\u2066gnp.exe", 0x7, "evil") };

/* Threads as they are now: the first frame is the state. */
static const struct place asleep = { .address = WAIT_STATE_PLACE('S') | 1 << 8, .name = "[S futex]", .label = true };
static const struct place running = { .address = WAIT_STATE_PLACE('R') | 2 << 8, .name = "[R running]", .label = true };
static const struct place forged_state = { .address = WAIT_STATE_PLACE('D'),
					   .name = "[\x1b]0;x\n1 thread]",
					   .label = true };
static const struct place bare_state = { .address = WAIT_STATE_PLACE('T'), .name = "T stop", .label = true };
static const struct place moved = { .address = 15, .name = "[moved while being read]", .label = true };

#define PLACES(...) ((const struct place *const[]){ __VA_ARGS__, NULL })
#define KERNEL { STACK_OK, PLACES(&submit, &readpages, &entry) }
#define USER { STACK_OK, PLACES(&libc_read, &app_main, &app_unnamed, &unmapped) }
#define NONE { STACK_NONE, NULL }
#define MISSED { STACK_UNREADABLE, NULL }

/* ---- map contents: bcc's first, as the stub had them ---- */

static const struct event stackcount_events[] = {
	{ 1, "app", 1234, PROGRAM_KPROBE, KERNEL, USER, .count = 79 },
	{ 2, "app", 1234, PROGRAM_KPROBE, MISSED, USER, .count = 3 },
	{ 3, NULL, 0, PROGRAM_KPROBE, KERNEL, NONE, .count = 1 },
	{},
};

static const struct event profile_events[] = {
	{ 1, "app", 1234, PROGRAM_SAMPLE, KERNEL, USER, .count = 10 },
	{ 2, "app", 1234, PROGRAM_SAMPLE, NONE, USER, .count = 4 },
	{ 3, "app", 1234, PROGRAM_SAMPLE, KERNEL, MISSED, .count = 2 },
	{ 4, "swapper/0", 0, PROGRAM_SAMPLE, MISSED, NONE, .count = 1 },
	{},
};

/* Times are in nanoseconds here, in microseconds with bcc. */
static const struct event offcputime_events[] = {
	{ 1, "app", 1234, PROGRAM_RAW_TRACEPOINT, KERNEL, USER, .tid = 1235, .count = 1, .sum = 1000999 },
	{ 2, "app", 1234, PROGRAM_RAW_TRACEPOINT, KERNEL, MISSED, .tid = 1235, .count = 1, .sum = 7000 },
	{ 3, "app", 1234, PROGRAM_RAW_TRACEPOINT, MISSED, MISSED, .tid = 1235, .count = 1, .sum = 6000 },
	{},
};

#define PART .count = 1, .part = true
#define TARGET "tgt", 10, PROGRAM_RAW_TRACEPOINT
#define WAKER "wk", 20, PROGRAM_RAW_TRACEPOINT

static const struct event offwaketime_events[] = {
	{ 1, TARGET, KERNEL, USER, .tid = 11, PART },
	{ 2, TARGET, KERNEL, MISSED, .tid = 11, PART },
	{ 3, TARGET, MISSED, NONE, .tid = 11, PART },
	{ 4, WAKER, KERNEL, USER, .tid = 21, PART },
	{ 5, WAKER, MISSED, MISSED, .tid = 21, PART },
	{ 6, .count = 1, .sleeper = 1, .waker = 4, .reason = WAKER_SEEN, .sum = 900000 },
	{ 7, .count = 1, .sleeper = 2, .reason = WAKER_NOT_ASKED, .sum = 5000 },
	{ 8, .count = 1, .sleeper = 3, .waker = 5, .reason = WAKER_SEEN, .sum = 4000 },
	{},
};

static const struct event wakeuptime_events[] = {
	{ 1, "tgt", 0, PROGRAM_RAW_TRACEPOINT, PART },
	{ 2, "wk", 0, PROGRAM_RAW_TRACEPOINT, KERNEL, PART },
	{ 3, "wk", 0, PROGRAM_RAW_TRACEPOINT, MISSED, PART },
	{ 4, .count = 1, .sleeper = 1, .waker = 2, .reason = WAKER_SEEN, .sum = 900000 },
	{ 5, .count = 2, .sleeper = 1, .waker = 3, .reason = WAKER_SEEN, .sum = 15000 },
	{},
};

#define SLEEPS { STACK_OK, PLACES(&asleep, &submit, &entry) }
#define MINUTES 60000000000ull

static const struct event dump_events[] = {
	{ 1, "app", 1234, PROGRAM_LOOK, SLEEPS, USER, .tid = 1234, .count = 1, .sum = 52000000 },
	{ 2,
	  "worker",
	  1234,
	  PROGRAM_LOOK,
	  SLEEPS,
	  { STACK_OK, PLACES(&libc_read, &app_other) },
	  .tid = 1236,
	  .count = 1,
	  .sum = 90 * MINUTES },
	{ 3,
	  "worker",
	  1234,
	  PROGRAM_LOOK,
	  SLEEPS,
	  { STACK_OK, PLACES(&libc_read, &app_other) },
	  .tid = 1237,
	  .count = 1,
	  .sum = 3 * MINUTES },
	{ 4,
	  "b\x1b[2J\nd",
	  1234,
	  PROGRAM_LOOK,
	  SLEEPS,
	  { STACK_OK, PLACES(&libc_read, &app_other) },
	  .tid = 1239,
	  .count = 1,
	  .sum = 4320 * MINUTES },
	{ 5, "app", 1234, PROGRAM_SAMPLE, { STACK_OK, PLACES(&running) }, USER, .tid = 1240, .count = 1 },
	{ 6, "kworker/0:1", 77, PROGRAM_LOOK, SLEEPS, NONE, .tid = 77, .count = 1, .sum = 2500000000 },
	{ 7, "other", 99, PROGRAM_LOOK, SLEEPS, { STACK_OK, PLACES(&moved) }, .tid = 99, .count = 1, .sum = 1000000 },
	{ 8, "other", 99, PROGRAM_LOOK, SLEEPS, { STACK_OK, PLACES(&moved) }, .tid = 98, .count = 1 }, /* time not known */
	{},
};

static const struct event dump_hostile_events[] = {
	{ 1, "a", 7, PROGRAM_LOOK, { STACK_OK, PLACES(&forged_state, &submit) }, USER, .count = 1, .sum = MINUTES },
	{ 2, "b", 8, PROGRAM_LOOK, { STACK_OK, PLACES(&bare_state, &submit) }, NONE, .count = 1 },
	{ 3, "c", 9, PROGRAM_LOOK, NONE, NONE, .count = 1 },
	{},
};

static const struct event dump_no_frames_events[] = {
	{ 1, "a", 7, PROGRAM_LOOK, NONE, NONE, .count = 1, .sum = MINUTES },
	{ 2, "b", 7, PROGRAM_LOOK, NONE, NONE, .tid = 8, .count = 1 },
	{},
};

/* Rows of one stack are intervals of one class of length each, as with --histogram. */
#define SPAN(number, intervals, ns) \
	{ 10 + (number), .count = (intervals), .sleeper = 1, .reason = WAKER_NOT_ASKED, .sum = (ns) }

static const struct event histogram_events[] = {
	{ 1, "app", 1234, PROGRAM_RAW_TRACEPOINT, KERNEL, USER, .tid = 1235, PART },
	{ 2, "app", 1234, PROGRAM_RAW_TRACEPOINT, KERNEL, MISSED, .tid = 1235, .count = 1, .sum = 1999 },
	SPAN(0, 40, 40 * 1060000ull),
	SPAN(1, 3, 3 * 1300500ull),
	SPAN(2, 1, 17000000),
	SPAN(3, 2, 2 * 20100000ull),
	{ 3, "app", 1234, PROGRAM_RAW_TRACEPOINT, MISSED, MISSED, .tid = 1236, .count = 3, .sum = 1500 },
	{ 4, .count = 1, .sleeper = 1, .reason = WAKER_UNFINISHED, .sum = 300000 },
	{ 5, .lost = true, .count = 2, .sum = 9000 },
	{},
};

/* An hour and more: bcc's wide columns */
static const struct event wide_events[] = {
	{ 1, "app", 1234, PROGRAM_RAW_TRACEPOINT, KERNEL, NONE, .tid = 1235, PART },
	SPAN(0, 1, 4294967296000ull),
	SPAN(1, 7, 7 * 2147483648000ull),
	{},
};

static const struct event wake_histogram_events[] = {
	{ 1, TARGET, KERNEL, USER, .tid = 11, PART },
	{ 2, WAKER, KERNEL, USER, .tid = 21, PART },
	{ 3, .count = 12, .sleeper = 1, .waker = 2, .reason = WAKER_SEEN, .sum = 12 * 900000ull },
	{ 4, .count = 4, .sleeper = 1, .waker = 2, .reason = WAKER_SEEN, .sum = 4 * 5000ull },
	{ 5, .count = 1, .sleeper = 1, .reason = WAKER_PREEMPTED, .sum = 1000 },
	{},
};

/* The stub's slots; one that is 0 has no row. */
static const struct place vfs_read = { AT(0, "vfs_read", 0, "kernel"), .kernel = true };
static const struct place vfs_write = { AT(1, "vfs_write", 0, "kernel"), .kernel = true };
static const struct place vfs_long = { AT(2, "a_really_long_function_name_exceeding_36_chars", 0, "kernel"),
				       .kernel = true };

static const struct event funccount_events[] = {
	{ 1, NULL, 0, PROGRAM_KPROBE, { STACK_OK, PLACES(&vfs_read) }, .count = 470 },
	{ 2, NULL, 0, PROGRAM_KPROBE, { STACK_OK, PLACES(&vfs_write) }, .count = 2 },
	{ 3, NULL, 0, PROGRAM_KPROBE, { STACK_OK, PLACES(&vfs_long) }, .count = 123456789 },
	{},
};

static const struct event stacksnoop_events[] = {
	{ 1, "app-with-a-long", 1234, PROGRAM_KPROBE, KERNEL, .time_ns = 47684, .count = 1, .probe = "submit_bio",
	  .cpu = 3 },
	{},
};

/* Events of user code, more than ten seconds later, some of them lost, names that want to be more than a name. */
static const struct event snoop_events[] = {
	{ 1, "app", 1234, PROGRAM_UPROBE, NONE, USER, .time_ns = 12000000001, .count = 1, .probe = "ns::f(int)" },
	{ 2, .count = 3, .lost = true },
	{ 3, "a\nb", 4194304, PROGRAM_KPROBE, KERNEL, USER, .time_ns = 100000000000, .count = 1, .probe = "x\n\t0.1 y",
	  .cpu = 1000 },
	{ 4, "app", 1, PROGRAM_KPROBE, MISSED, MISSED, .time_ns = 3600000000000, .count = 1, .probe = "z" },
	{},
};

/* A thread that is not the first of its process, and a single event that is missing */
static const struct event one_lost_events[] = {
	{ 1, "app", 1234, PROGRAM_KPROBE, KERNEL, .tid = 1235, .time_ns = 47684, .count = 1, .probe = "submit_bio",
	  .cpu = 3 },
	{ 2, .count = 1, .lost = true },
	{ 3, "app", 4194304, PROGRAM_KPROBE, KERNEL, .tid = 4194303, .time_ns = 50000, .count = 1,
	  .probe = "submit_bio" },
	{},
};

/* Why there is no waker, wakers that are no threads, what was lost, and what had not ended. */
static const struct event reasons_events[] = {
	{ 1,
	  TARGET,
	  { STACK_OK, PLACES(&program, &glue, &submit, &entry) },
	  { STACK_OK, PLACES(&libc_read, &app_main) },
	  .tid = 11,
	  PART },
	{ 2,
	  NULL,
	  0,
	  PROGRAM_RAW_TRACEPOINT,
	  { STACK_OK, PLACES(&program, &glue, &readpages, &entry) },
	  .context = CONTEXT_IRQ,
	  PART },
	{ 3,
	  NULL,
	  0,
	  PROGRAM_RAW_TRACEPOINT,
	  { STACK_OK, PLACES(&readpages, &entry) },
	  .context = CONTEXT_SOFTIRQ,
	  PART },
	{ 4, NULL, 0, PROGRAM_RAW_TRACEPOINT, { STACK_OK, PLACES(&readpages, &entry) }, .context = CONTEXT_NMI, PART },
	{ 5, "[irq]", 5, PROGRAM_RAW_TRACEPOINT, { STACK_OK, PLACES(&readpages, &entry) }, PART },
	{ 10, .count = 1, .sleeper = 1, .reason = WAKER_PREEMPTED, .sum = 1000 },
	{ 11, .count = 1, .sleeper = 1, .reason = WAKER_BEFORE_SLEEP, .sum = 2000 },
	{ 12, .count = 1, .sleeper = 1, .reason = WAKER_NOT_SEEN, .sum = 3000 },
	{ 13, .count = 1, .sleeper = 1, .reason = WAKER_UNFINISHED, .sum = 4000 },
	{ 14, .count = 1, .sleeper = 1, .waker = 2, .reason = WAKER_SEEN, .sum = 5000 },
	{ 15, .count = 1, .sleeper = 1, .waker = 3, .reason = WAKER_SEEN, .sum = 6000 },
	{ 16, .count = 1, .sleeper = 1, .waker = 4, .reason = WAKER_SEEN, .sum = 7000 },
	{ 17, .count = 1, .sleeper = 1, .waker = 5, .reason = WAKER_SEEN, .sum = 8000 },
	{ 18, .count = 1, .sleeper = 1, .waker = 99, .reason = WAKER_SEEN, .sum = 9000 },
	{ 19, .count = 1, .sleeper = 98, .waker = 2, .reason = WAKER_SEEN, .sum = 10000 },
	{},
};

static const struct event unfinished_events[] = {
	{ 1, "app", 1234, PROGRAM_RAW_TRACEPOINT, KERNEL, USER, .tid = 1235, .count = 3, .sum = 1500000 },
	{ 2, .count = 1, .sleeper = 1, .reason = WAKER_UNFINISHED, .sum = 60000000000 },
	{ 3, .count = 7, .lost = true, .sum = 2000 },
	{},
};

/* One path in several processes, a kernel thread, a record that never came. */
static const struct event merge_events[] = {
	{ 1,
	  "one",
	  10,
	  PROGRAM_RAW_TRACEPOINT,
	  { STACK_OK, PLACES(&program, &glue, &submit, &entry) },
	  { STACK_OK, PLACES(&libc_read, &app_main) },
	  .time_ns = 5,
	  .count = 2 },
	{ 2,
	  "two",
	  20,
	  PROGRAM_RAW_TRACEPOINT,
	  { STACK_OK, PLACES(&program, &program, &glue, &submit, &entry) },
	  { STACK_OK, PLACES(&libc_read, &app_main) },
	  .time_ns = 6,
	  .count = 3 },
	{ 3,
	  "two",
	  20,
	  PROGRAM_TRACEPOINT,
	  { STACK_OK, PLACES(&submit, &submit, &entry) },
	  { STACK_OK, PLACES(&libc_read, &app_main) },
	  .time_ns = 7,
	  .count = 4 },
	{ 4,
	  "two",
	  20,
	  PROGRAM_TRACEPOINT,
	  { STACK_OK, PLACES(&submit, &submit, &entry) },
	  { STACK_OK, PLACES(&libc_read, &app_other) },
	  .time_ns = 8,
	  .count = 5 },
	{ 5, "one", 10, PROGRAM_UPROBE, NONE, { STACK_OK, PLACES(&unmapped) }, .time_ns = 9, .count = 6 },
	{ 6, "two", 20, PROGRAM_UPROBE, NONE, { STACK_OK, PLACES(&unmapped) }, .time_ns = 10, .count = 6 },
	{ 7,
	  "kthreadd",
	  2,
	  PROGRAM_RAW_TRACEPOINT,
	  { STACK_OK, PLACES(&program, &glue) },
	  NONE,
	  .time_ns = 3,
	  .count = 6 },
	{ 8, .count = 7, .lost = true },
	{ 9, .count = 1, .lost = true },
	{},
};

static const struct event cut_events[] = {
	{ 1,
	  "deep",
	  10,
	  PROGRAM_SAMPLE,
	  { STACK_TRUNCATED, PLACES(&submit, &readpages) },
	  { STACK_TRUNCATED, PLACES(&libc_read, &app_main) },
	  .count = 2 },
	{ 2, "deep", 10, PROGRAM_SAMPLE, MISSED, MISSED, .count = 1 },
	{ 3, .count = 3, .lost = true },
	{},
};

static const struct event hostile_events[] = {
	{ 1,
	  "a;b 3\n\x1b[31m",
	  10,
	  PROGRAM_SAMPLE,
	  { STACK_OK, PLACES(&submit) },
	  { STACK_OK, PLACES(&forged_frame, &forged_lines, &forged_count) },
	  .count = 1 },
	{ 2,
	  "- x (1)",
	  11,
	  PROGRAM_SAMPLE,
	  NONE,
	  { STACK_OK, PLACES(&forged_label, &forged_delimiter, &forged_indent) },
	  .count = 2 },
	{ 3, "Web Content 3", 12, PROGRAM_SAMPLE, NONE, { STACK_OK, PLACES(&bidi, &operator_new, &templ) }, .count = 3 },
	{ 4, "Web Content 3", 12, PROGRAM_SAMPLE, NONE, NONE, .count = 4 },
	{ 5, "leaf", 13, PROGRAM_SAMPLE, NONE, { STACK_OK, PLACES(&forged_count, &forged_lines) }, .count = 5 },
	{},
};

/* The same stacks found and guessed, with frames of an interpreter. */
static const struct event guessed_events[] = {
	{ 1, "app", 10, PROGRAM_SAMPLE, NONE, { STACK_OK, PLACES(&libc_read, &app_main) }, .count = 4 },
	{ 2, "app", 10, PROGRAM_SAMPLE, NONE, { STACK_OK, PLACES(&libc_read, &guessed_main) }, .count = 3 },
	{ 3, "app", 10, PROGRAM_SAMPLE, NONE, { STACK_OK, PLACES(&libc_read, &guessed_unnamed) }, .count = 2 },
	{ 4,
	  "app",
	  10,
	  PROGRAM_SAMPLE,
	  NONE,
	  { STACK_OK, PLACES(&libc_read, &python, &python_no_line, &app_main) },
	  .count = 1 },
	{},
};

/* ---- cases ---- */

#define SAMPLING(what) "Sampling at " what " for 1 secs."
#define DEFAULT_HEADER SAMPLING("49 Hertz of all threads by user + kernel stack")
#define TRACING(pattern) "Tracing 1 functions for \"" pattern "\"... Hit Ctrl-C to end."
#define BOTH .want_kernel = true, .want_user = true
#define PROFILE_VIEW .style = VIEW_PROFILE
#define NAMED PROFILE_VIEW, .offsets = true, .modules = true
#define COUNT_VIEW .style = VIEW_STACKCOUNT
#define COUNT_P COUNT_VIEW, .per_process = true

static const struct golden {
	const char *name; /* of the expected file */
	const char *header;
	const struct event *events;
	unsigned int nr_intervals;
	struct profile_view view;
} cases[] = {
	{ "profile-default", DEFAULT_HEADER, profile_events, 1, { NAMED, BOTH } },
	{ "profile-d", DEFAULT_HEADER, profile_events, 1, { NAMED, BOTH, .delimited = true } },
	{ "profile-f", DEFAULT_HEADER, profile_events, 1, { NAMED, BOTH, .folded = true } },
	{ "profile-f-hash", DEFAULT_HEADER, profile_events, 1, { NAMED, BOTH, .folded = true } },
	{ "profile-fd", DEFAULT_HEADER, profile_events, 1, { NAMED, BOTH, .folded = true, .delimited = true } },
	{ "profile-afd",
	  DEFAULT_HEADER,
	  profile_events,
	  1,
	  { NAMED, BOTH, .annotate = true, .folded = true, .delimited = true } },
	{ "profile-A", DEFAULT_HEADER, profile_events, 1, { NAMED, BOTH, .addresses = true } },
	{ "profile-K",
	  SAMPLING("49 Hertz of all threads by kernel stack"),
	  profile_events,
	  1,
	  { NAMED, .want_kernel = true } },
	{ "profile-U",
	  SAMPLING("49 Hertz of all threads by user stack"),
	  profile_events,
	  1,
	  { NAMED, .want_user = true } },
	{ "profile-UFp",
	  SAMPLING("99 Hertz of PID [1, 2] by user stack"),
	  profile_events,
	  1,
	  { NAMED, .want_user = true } },
	{ "profile-cLC",
	  SAMPLING("every 1000 events of TID [7] by user + kernel stack on CPU#2"),
	  profile_events,
	  1,
	  { NAMED, BOTH } },
	{ "stackcount-default", TRACING("submit_bio"), stackcount_events, 1, { COUNT_P, BOTH } },
	{ "stackcount-dP", TRACING("submit_bio"), stackcount_events, 1, { COUNT_P, BOTH, .delimited = true } },
	{ "stackcount-K", TRACING("x"), stackcount_events, 1, { COUNT_P, .want_kernel = true } },
	{ "stackcount-fd", TRACING("x"), stackcount_events, 1, { COUNT_P, BOTH, .folded = true, .delimited = true } },
	{ "stackcount-sv", TRACING("x"), stackcount_events, 1, { COUNT_P, BOTH, .offsets = true, .addresses = true } },
	{ "stackcount-Ti", TRACING("x"), stackcount_events, 2, { COUNT_P, BOTH, .timestamps = true } },
#define OFFCPU(who, stacks) "Tracing off-CPU time (us) of " who " by " stacks " stack for 1 secs."
#define OFFWAKE(stacks) "Tracing blocked time (us) by " stacks " off-CPU and waker stack for 1 secs."
#define WAKEUP "Tracing blocked time (us) by kernel stack for 1 secs."
#define OFFCPU_VIEW .style = VIEW_OFFCPU
#define OFFWAKE_VIEW .style = VIEW_OFFWAKE
#define WAKE_VIEW .style = VIEW_WAKE, .want_kernel = true, .addresses = true, .offsets = true
	{ "offcputime", OFFCPU("all threads", "user + kernel"), offcputime_events, 1, { OFFCPU_VIEW, BOTH } },
	{ "offcputime-d",
	  OFFCPU("all threads", "user + kernel"),
	  offcputime_events,
	  1,
	  { OFFCPU_VIEW, BOTH, .delimited = true } },
	{ "offcputime-df", "", offcputime_events, 1, { OFFCPU_VIEW, BOTH, .delimited = true, .folded = true } },
	{ "offcputime-s",
	  OFFCPU("all threads", "user + kernel"),
	  offcputime_events,
	  1,
	  { OFFCPU_VIEW, BOTH, .offsets = true } },
	{ "offcputime-K", OFFCPU("all threads", "kernel"), offcputime_events, 1, { OFFCPU_VIEW, .want_kernel = true } },
	{ "offcputime-Up", OFFCPU("PIDs 1,2", "user"), offcputime_events, 1, { OFFCPU_VIEW, .want_user = true } },
	{ "offcputime-t", OFFCPU("TIDs 3", "user + kernel"), offcputime_events, 1, { OFFCPU_VIEW, BOTH } },
	{ "offcputime-u", OFFCPU("user threads", "user + kernel"), offcputime_events, 1, { OFFCPU_VIEW, BOTH } },
	{ "offcputime-k", OFFCPU("kernel threads", "user + kernel"), offcputime_events, 1, { OFFCPU_VIEW, BOTH } },
	{ "offcputime-state", OFFCPU("all threads", "user + kernel"), offcputime_events, 1, { OFFCPU_VIEW, BOTH } },
	{ "offwaketime", OFFWAKE("user + kernel"), offwaketime_events, 1, { OFFWAKE_VIEW, BOTH } },
	{ "offwaketime-d", OFFWAKE("user + kernel"), offwaketime_events, 1, { OFFWAKE_VIEW, BOTH, .delimited = true } },
	{ "offwaketime-df", "", offwaketime_events, 1, { OFFWAKE_VIEW, BOTH, .delimited = true, .folded = true } },
	{ "offwaketime-f", "", offwaketime_events, 1, { OFFWAKE_VIEW, BOTH, .folded = true } },
	{ "offwaketime-Kf", "", offwaketime_events, 1, { OFFWAKE_VIEW, .want_kernel = true, .folded = true } },
	{ "offwaketime-U", OFFWAKE("user"), offwaketime_events, 1, { OFFWAKE_VIEW, .want_user = true } },
	{ "wakeuptime", WAKEUP, wakeuptime_events, 1, { WAKE_VIEW } },
	{ "wakeuptime-f", "", wakeuptime_events, 1, { WAKE_VIEW, .folded = true } },
	{ "wakeuptime-v", WAKEUP, wakeuptime_events, 1, { WAKE_VIEW } },
#define FUNCCOUNT "Tracing 4 functions for \"vfs_*\"... Hit Ctrl-C to end."
#define FUNCCOUNT_VIEW .style = VIEW_FUNCCOUNT, .want_kernel = true
	{ "funccount", FUNCCOUNT, funccount_events, 1, { FUNCCOUNT_VIEW } },
	{ "funccount-Ti", FUNCCOUNT, funccount_events, 2, { FUNCCOUNT_VIEW, .timestamps = true } },
#define FUNCLATENCY_VIEW .style = VIEW_FUNCLATENCY, .want_kernel = true, .microseconds = true
#define FUNCLATENCY "Tracing 5 functions for \"vfs_r*\"... Hit Ctrl-C to end."
	{ "funclatency-uF", FUNCLATENCY, funclatency_events, 1, { FUNCLATENCY_VIEW, .by_function = true } },
	{ "funclatency-uTi",
	  FUNCLATENCY,
	  funclatency_events,
	  2,
	  { FUNCLATENCY_VIEW, .timestamps = true, .percentiles = true } },
#define DUMP_VIEW .style = VIEW_DUMP, .per_process = true
#define SNOOP_VIEW .style = VIEW_SNOOP, .per_process = true
#define SNOOP "TIME(s)            FUNCTION"
	{ "stacksnoop", SNOOP, stacksnoop_events, 1, { SNOOP_VIEW, .want_kernel = true, .no_process_line = true } },
	{ "stacksnoop-v",
	  "TIME(s)            COMM         PID    CPU FUNCTION",
	  stacksnoop_events,
	  1,
	  { SNOOP_VIEW, .want_kernel = true } },
	{ "stacksnoop-sv",
	  "TIME(s)            COMM         PID    CPU FUNCTION",
	  stacksnoop_events,
	  1,
	  { SNOOP_VIEW, .want_kernel = true, .offsets = true } },
	/* beyond bcc's golden runs */
	{ "stacksnoop-lost",
	  "TIME(s)            COMM         PID    CPU FUNCTION",
	  snoop_events,
	  1,
	  { SNOOP_VIEW, BOTH, .delimited = true } },
	{ "stacksnoop-f", "", snoop_events, 1, { SNOOP_VIEW, BOTH, .folded = true } },
	{ "funccount-f", "", funccount_events, 1, { FUNCCOUNT_VIEW, .folded = true } },
	{ "offcputime-unfinished", OFFCPU("all threads", "user + kernel"), unfinished_events, 1, { OFFCPU_VIEW, BOTH } },
	{ "offcputime-unfinished-f", "", unfinished_events, 1, { OFFCPU_VIEW, BOTH, .folded = true } },
	{ "offwaketime-reasons",
	  OFFWAKE("user + kernel"),
	  reasons_events,
	  1,
	  { OFFWAKE_VIEW, BOTH, .delimited = true } },
	{ "offwaketime-reasons-f", "", reasons_events, 1, { OFFWAKE_VIEW, BOTH, .folded = true } },
	{ "offwaketime-A", OFFWAKE("user + kernel"), offwaketime_events, 1, { OFFWAKE_VIEW, BOTH, .addresses = true } },
#define HISTOGRAM .histogram = true
	{ "offcputime-histogram",
	  OFFCPU("all threads", "user + kernel"),
	  histogram_events,
	  2,
	  { OFFCPU_VIEW, BOTH, HISTOGRAM } },
	{ "offcputime-histogram-f", "", histogram_events, 1, { OFFCPU_VIEW, BOTH, HISTOGRAM, .folded = true } },
	{ "offcputime-histogram-wide",
	  OFFCPU("all threads", "kernel"),
	  wide_events,
	  1,
	  { OFFCPU_VIEW, BOTH, HISTOGRAM } },
	{ "offwaketime-histogram",
	  OFFWAKE("user + kernel"),
	  wake_histogram_events,
	  1,
	  { OFFWAKE_VIEW, BOTH, HISTOGRAM } },
	{ "wakeuptime-histogram", WAKEUP, wake_histogram_events, 1, { WAKE_VIEW, HISTOGRAM } },
	{ "wakeuptime-both",
	  "Tracing blocked time (us) by user + kernel stack for 1 secs.",
	  offwaketime_events,
	  1,
	  { WAKE_VIEW, .want_user = true, .delimited = true } },
	{ "wakeuptime-both-f",
	  "",
	  offwaketime_events,
	  1,
	  { WAKE_VIEW, .want_user = true, .delimited = true, .folded = true } },
	{ "offcputime-per-thread",
	  OFFCPU("all threads", "user + kernel"),
	  offcputime_events,
	  1,
	  { OFFCPU_VIEW, BOTH, .by_thread = true } },
	{ "offwaketime-per-thread",
	  OFFWAKE("user + kernel"),
	  reasons_events,
	  1,
	  { OFFWAKE_VIEW, BOTH, .by_thread = true } },
	{ "offwaketime-per-thread-f", "", reasons_events, 1, { OFFWAKE_VIEW, BOTH, .by_thread = true, .folded = true } },
	{ "wakeuptime-per-thread", WAKEUP, offwaketime_events, 1, { WAKE_VIEW, .by_thread = true } },
	{ "stacksnoop-per-thread",
	  "TIME(s)            COMM         PID/TID         CPU FUNCTION",
	  one_lost_events,
	  1,
	  { SNOOP_VIEW, .want_kernel = true, .by_thread = true } },
	{ "wakeuptime-reasons", WAKEUP, reasons_events, 1, { WAKE_VIEW } },
	{ "wakeuptime-reasons-f", "", reasons_events, 1, { WAKE_VIEW, .folded = true } },
	{ "profile-plain", DEFAULT_HEADER, profile_events, 1, { PROFILE_VIEW, BOTH } },
	{ "profile-Kd", DEFAULT_HEADER, profile_events, 1, { NAMED, .want_kernel = true, .delimited = true } },
	{ "profile-cut", DEFAULT_HEADER, cut_events, 1, { NAMED, BOTH, .delimited = true } },
	{ "profile-cut-afd",
	  DEFAULT_HEADER,
	  cut_events,
	  1,
	  { NAMED, BOTH, .folded = true, .delimited = true, .annotate = true } },
	{ "profile-hostile", "Sampling \x1b[31m'^a\\d'", hostile_events, 1, { NAMED, BOTH } },
	{ "profile-hostile-plain", DEFAULT_HEADER, hostile_events, 1, { PROFILE_VIEW, BOTH } },
	{ "profile-hostile-f", DEFAULT_HEADER, hostile_events, 1, { NAMED, BOTH, .folded = true } },
	{ "stackcount-U", TRACING("x"), stackcount_events, 1, { COUNT_P, .want_user = true, .delimited = true } },
	{ "stackcount-fT", TRACING("x"), stackcount_events, 1, { COUNT_P, BOTH, .folded = true, .timestamps = true } },
	{ "stackcount-no-P", TRACING("x"), stackcount_events, 1, { COUNT_VIEW, BOTH } },
	{ "stackcount-p", TRACING("x"), stackcount_events, 1, { COUNT_P, BOTH, .no_process_line = true } },
	{ "stackcount-cut", TRACING("x"), cut_events, 1, { COUNT_P, BOTH, .delimited = true } },
	{ "stackcount-hostile", TRACING("x"), hostile_events, 1, { COUNT_P, BOTH } },
	{ "merge", TRACING("x"), merge_events, 1, { COUNT_VIEW, BOTH } },
	{ "merge-P", TRACING("x"), merge_events, 1, { COUNT_P, BOTH } },
	{ "merge-f", TRACING("x"), merge_events, 1, { COUNT_VIEW, BOTH, .folded = true } },
	{ "guessed", DEFAULT_HEADER, guessed_events, 1, { NAMED, BOTH } },
	{ "guessed-f", DEFAULT_HEADER, guessed_events, 1, { NAMED, BOTH, .folded = true } },
	{ "dump", "", dump_events, 1, { DUMP_VIEW, BOTH, .modules = true } },
	{ "dump-f", "", dump_events, 1, { DUMP_VIEW, BOTH, .folded = true } },
	{ "dump-hostile", "", dump_hostile_events, 1, { DUMP_VIEW, BOTH } },
	{ "dump-no-frames", "", dump_no_frames_events, 1, { DUMP_VIEW, BOTH } },
	{ "merge-by-name", TRACING("x"), merge_events, 1, { COUNT_VIEW, BOTH, .by_name = true } },
	{ "merge-by-name-s", TRACING("x"), merge_events, 1, { COUNT_VIEW, BOTH, .by_name = true, .offsets = true } },
	{ "merge-by-name-Pf", TRACING("x"), merge_events, 1, { COUNT_P, BOTH, .by_name = true, .folded = true } },
};

static void build(const struct golden *golden, struct profile *ret_profile)
{
	uint64_t noon_ns = 1767225600000000000 + 10 * 3600 * 1000000000ull; /* 12:00:00 where the offset is 2 hours */

	profile_init(ret_profile);
	ret_profile->utc_offset_s = 7200;
	ret_profile->view = golden->view;
	ret_profile->header = profile_add_string(ret_profile, golden->header);
	if (golden->view.style == VIEW_STACKCOUNT || golden->view.style == VIEW_WAKE ||
	    golden->view.style == VIEW_FUNCCOUNT || golden->view.style == VIEW_FUNCLATENCY)
		ret_profile->footer = profile_add_string(ret_profile, "Detaching...");
	for (unsigned int i = 0; i < golden->nr_intervals; i++)
		hand_interval(ret_profile, golden->events, noon_ns + i * 1000000000ull);
}

/* The whole stdout of a run. */
static int print(const struct profile *profile, char **ret_text)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int err = render_header(profile, &profile->view, out);

	for (size_t i = 0; !err && i < profile->intervals.nr; i++)
		err = render_report(profile, &profile->intervals.data[i], &profile->view, out);
	if (!err)
		err = render_footer(profile, &profile->view, out);
	fclose(out);
	*ret_text = text;
	return err;
}

/* The same bytes must come out of the saved profile. */
static int compare_saved(const struct golden *golden, const struct profile *profile, const char *text)
{
	_cleanup_(profile_done) struct profile loaded;
	_cleanup_(buf_done) struct buf bytes = {};
	_cleanup_(freep) char *again = NULL;

	profile_init(&loaded);
	profile_encode(profile, &bytes);
	if (profile_decode(bytes.data, bytes.nr, golden->name, &loaded)) {
		printf("FAIL %s (saved): %s\n", golden->name, err_cause());
		return 1;
	}
	return print(&loaded, &again) || compare(golden->name, "saved", text, again);
}

static int run(const struct golden *golden, bool accept)
{
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(freep) char *text = NULL;
	char path[512];

	snprintf(path, sizeof(path), EXPECTED "%s.txt", golden->name);
	build(golden, &profile);
	if (print(&profile, &text))
		return 1;
	if (accept)
		return accept_text(path, text);
	return compare(golden->name, "live", read_expected(path), text) | compare_saved(golden, &profile, text);
}

/* The file of one case, for tests that begin with a saved profile. */
static int save(const char *name)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_cleanup_(profile_done) struct profile profile;
		_cleanup_(buf_done) struct buf bytes = {};

		if (strcmp(cases[i].name, name))
			continue;
		build(&cases[i], &profile);
		profile_encode(&profile, &bytes);
		return fwrite(bytes.data, 1, bytes.nr, stdout) == bytes.nr ? 0 : 1;
	}
	return 1;
}

int main(int argc, char **argv)
{
	bool accept = argc > 1 && !strcmp(argv[1], "--accept");
	size_t nr = sizeof(cases) / sizeof(cases[0]);
	int failures = 0;

	if (argc == 3 && !strcmp(argv[1], "--save"))
		return save(argv[2]);
	for (size_t i = 0; i < nr; i++)
		failures += run(&cases[i], accept);
	printf("%zu cases, %d failures\n", nr, failures);
	return failures ? 1 : 0;
}
