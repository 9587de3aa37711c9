/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where programs will be attached, and how: what resolution finds. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/buf.h"
#include "core/base/vec.h"
#include "core/host/host.h"
#include "core/resolve/first_instruction.h"
#include "core/resolve/sampling.h"

/*
 * The ways to attach: number, its row (core/session/attach_private.h), name, program in the BPF object.
 *
 *   perf_event       a perf event per CPU
 *   tracepoint       a classic tracepoint perf event each
 *   uprobe           a perf uprobe each
 *   uprobe_multi     uprobe.multi links of a file each
 *   kprobe_multi     one kprobe.multi link for all functions
 *   kprobe           a perf kprobe each
 *   fentry           a copy of the program for each function
 *   raw_tracepoint   a raw tracepoint each
 *   system_calls     the raw tracepoints sys_enter and sys_exit, filtered by system call; each place has its program
 *   tp_btf           a program of its own for each tracepoint, attached by BTF; likewise
 */
#define MECHANISMS(MECHANISM)                                                            \
	MECHANISM(PERF_EVENT, perf_event, "perf_event", "on_sample")                     \
	MECHANISM(TRACEPOINT, tracepoint, "tracepoint", "on_tracepoint")                 \
	MECHANISM(UPROBE, uprobe, "uprobe", "on_uprobe")                                 \
	MECHANISM(UPROBE_MULTI, uprobe_multi, "uprobe.multi", "on_uprobe_multi")         \
	MECHANISM(KPROBE_MULTI, kprobe_multi, "kprobe.multi", "on_kprobe_multi")         \
	MECHANISM(KPROBE, kprobe, "kprobe", "on_kprobe")                                 \
	MECHANISM(FENTRY, fentry, "fentry", "on_fentry")                                 \
	MECHANISM(RAW_TRACEPOINT, raw_tracepoint, "raw_tracepoint", "on_raw_tracepoint") \
	MECHANISM(SYSTEM_CALLS, system_calls, "raw_tracepoint", NULL)                    \
	MECHANISM(TP_BTF, tp_btf, "tp_btf", "on_switch")

#define MECHANISM_NUMBER(number, row, name, program) MECHANISM_##number,
enum mechanism {
	MECHANISMS(MECHANISM_NUMBER)
};
#undef MECHANISM_NUMBER

/*
 * One place. Tracepoints have category and event, user code path and offset, kernel functions an address, system
 * calls a number.
 */
struct probe_place {
	const char *program; /* MECHANISM_TP_BTF, MECHANISM_SYSTEM_CALLS: the program for this place; static */
	char *name;       /* "sched:sched_switch", "malloc" */
	char *shown;      /* what reports call it, where that is not `name`: demangled, or without provider; NULL */
	char *category;
	char *event;
	char *module;     /* of a kernel function; NULL: the kernel itself */
	char *path;       /* of the file to probe, for people */
	int fd;           /* the file itself, open; belongs to the attach plan */
	uint64_t offset;  /* in the file */
	enum first_instruction first; /* of user code: what the kernel makes of a breakpoint there */
	uint64_t semaphore; /* in the file: a counter to raise while the probe is there; 0 none */
	uint64_t address; /* in the kernel */
	uint64_t number;  /* of the system call; MECHANISM_FENTRY: of the function, in the kernel's types, 0 none */
	bool is_exit;     /* of a system call: its end */
};

/* Frees its strings. */
void probe_place_done(struct probe_place *place);

struct attach_plan {
	enum program_kind program;
	enum mechanism mechanism;
	struct sampling_choice sample; /* MECHANISM_PERF_EVENT */
	enum switch_order switch_order; /* MECHANISM_TP_BTF */
	uint32_t preempt_count;        /* MECHANISM_TP_BTF: BTF id of that per-CPU variable; 0 not wanted */
	char why[256];                 /* why this mechanism */
	pid_t only_process;            /* breakpoints in user code are put into this process; 0: into all */
	bool inside_functions;         /* not at their entry: the frame of the function is there already */
	struct buf note;               /* lines for the user: what was left out, what is otherwise than expected */
	struct buf missing; /* lines for the user: processes and files that should be probed, and are not */
	struct host_reads reads; /* what the program may */
	bool no_unwind; /* user stacks cannot be walked by unwind tables here */
	char unwind_note[256]; /* why, for the user; "" = it need not be said */
	VEC(struct probe_place) places;
	VEC(int) fds; /* of the files to probe */
};

void attach_plan_done(struct attach_plan *attach);

/* The program's name in the BPF object. */
const char *attach_plan_program(const struct attach_plan *attach);

/* Adds a line to the note, escaped, unless it is there already. */
__attribute__((format(printf, 2, 3))) void attach_plan_note(struct attach_plan *attach, const char *format, ...);

/* The attach plan in words: program, mechanism and why, then a line per place. */
void attach_plan_describe(const struct attach_plan *attach, struct buf *ret_text);
