/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of resolution: where programs will be attached, and how. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/kinds.h"
#include "core/base/buf.h"
#include "core/base/vec.h"
#include "core/host/host.h"
#include "core/resolve/first_instruction.h"
#include "core/resolve/sampling.h"

/*
 * The ways to attach: number, constant way_NAME (core/session/attach_private.h), name for users, program in the BPF object; NULL: it is
 * probe_place.program.
 *
 *   perf_event      a perf event for each CPU
 *   tracepoint      a perf event for each classic tracepoint
 *   uprobe          a perf uprobe for each place
 *   uprobe_multi    uprobe.multi links, each for places of one file
 *   kprobe_multi    one kprobe.multi link for all functions
 *   kprobe          a perf kprobe for each function
 *   fentry          a copy of the program for each function
 *   raw_tracepoint  a link for each raw tracepoint
 *   system_calls    links of the raw tracepoints sys_enter and sys_exit; the programs filter by number
 *   tp_btf          a different program for each tracepoint, attached by BTF
 *   wall            tp_btf, and timed samples
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
	MECHANISM(TP_BTF, tp_btf, "tp_btf", NULL)                                        \
	MECHANISM(WALL, wall, "tp_btf, perf_event", "on_wall_switch")

#define MECHANISM_NUMBER(number, row, name, program) MECHANISM_##number,
enum mechanism {
	MECHANISMS(MECHANISM_NUMBER)
};
#undef MECHANISM_NUMBER

struct probe_place {
	const char *program; /* static; NULL: that of the mechanism */
	char *name; /* "sched:sched_switch", "malloc" */
	char *shown; /* name in reports if it differs: demangled, or without provider; else NULL */
	char *category; /* of a tracepoint */
	char *event; /* of a tracepoint */
	char *module; /* of a kernel function; NULL: the kernel itself */
	char *path; /* user code: the file, for messages */
	int fd; /* user code: owned by the attach plan */
	uint64_t offset; /* user code: in the file */
	enum first_instruction first; /* user code: what the kernel does with a breakpoint there */
	uint64_t semaphore; /* USDT probe: file offset of a counter that the kernel increments while the probe is attached; 0: none */
	uint64_t address; /* of a kernel function */
	uint64_t number; /* system call; MECHANISM_FENTRY: BTF id of the function, 0: none */
	bool is_exit; /* the end of a system call */

	/* EVENTS_BY_LENGTH */
	enum call_part part;
	uint32_t function; /* index of the place where the function begins */
	uint32_t file; /* user code: number for the symbol worker */
	uint64_t size; /* user code: of the function; 0: unknown */
};

void probe_place_done(struct probe_place *place);

struct attach_plan {
	enum program_kind program;
	enum mechanism mechanism;
	struct sampling_choice sample; /* MECHANISM_PERF_EVENT, MECHANISM_WALL */
	enum switch_order switch_order; /* MECHANISM_TP_BTF, MECHANISM_WALL */
	bool samples_waits; /* MECHANISM_WALL */
	uint32_t preempt_count; /* MECHANISM_TP_BTF: BTF id of the per-CPU variable; 0: not needed */
	char why[256]; /* why this mechanism */
	pid_t only_process; /* user code: only this process gets breakpoints; 0: all do */
	bool inside_functions; /* places are not function entries: the function already has its frame */
	struct buf note; /* lines for the user: what was left out or is unexpected */
	struct buf missing; /* lines for the user: processes and files that are not probed but should be */
	struct host_reads reads; /* what programs can read */
	bool no_unwind; /* user stacks cannot be walked by tables */
	char unwind_note[256]; /* why, for the user; "": no message */
	VEC(struct probe_place) places;
	VEC(int) fds; /* of the files to probe */
	uint32_t nr_files; /* numbers used in the symbol worker for files to probe */
	size_t nr_functions; /* EVENTS_BY_LENGTH: functions that are timed; the places where they begin come first. Else 0 */
};

void attach_plan_done(struct attach_plan *attach);

/* The program's name in the BPF object, and that of a place, which differs if each place has its own. */
const char *attach_plan_program(const struct attach_plan *attach);
const char *attach_place_program(const struct attach_plan *attach, size_t place);

/* Adds a place where the calls of place `function` end, as a copy of it, and returns it: valid until the next place is added. */
struct probe_place *attach_plan_add_end(struct attach_plan *attach, size_t function, enum call_part part);

/*
 * EVENTS_BY_LENGTH: adds an end for each place where a kernel function or system call begins, in the same order. The programs are set in
 * the places; NULL: that of the mechanism.
 */
void attach_plan_add_returns(struct attach_plan *attach, const char *begin_program, const char *end_program);

/* Adds an escaped line to the note, unless it is there already. */
__attribute__((format(printf, 2, 3))) void attach_plan_note(struct attach_plan *attach, const char *format, ...);

/* Describes the attach plan in lines "key: value": program, mechanism, why, and each place. */
void attach_plan_describe(const struct attach_plan *attach, struct buf *ret_text);
