/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct plan: what a run is asked to do, as plain data. Made by an applet from its options without looking at the
 * host, printable, and enough to describe the run before anything is loaded.
 *
 * Strings are borrowed, mostly from argv; only those of `probe` belong to the plan.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bpf/kinds.h"
#include "core/base/buf.h"
#include "core/base/vec.h"
#include "core/plan/output_options.h"
#include "core/plan/probe_kind.h"
#include "core/profile/profile.h"

struct off_cpu_plan {
	enum measure measure;
	enum off_cpu_part part;
	enum thread_filter threads;
	enum state_filter state_filter;
	uint32_t states;         /* a mask of the kernel's states, 0 = preempted; or of letters */
	uint64_t min_ns, max_ns; /* both inclusive */
	bool unfinished;         /* threads that are still off the CPU at the end too */
	bool by_duration;        /* counted by the class of their length, for histograms: base/durations.h */
	bool by_time;            /* each interval by itself, with the time at which it ended */
};

/* One probe as the user wrote it, taken apart. Patterns keep their wildcards; `regex` says how to read them. */
struct probe_spec {
	const struct probe_kind *kind;
	char *typed;   /* the pattern as typed, for headers and messages */
	char *target;  /* library or path, tracepoint category pattern; NULL for kernel functions and samples */
	char *pattern; /* function, event or probe pattern */
	char *provider; /* USDT provider pattern, or NULL */
	bool regex;
};

/* What -e of profile chose. */
enum sample_event {
	SAMPLE_DEFAULT,    /* cpu-cycles where there is a PMU, else cpu-clock */
	SAMPLE_CPU_CYCLES,
	SAMPLE_CPU_CLOCK,
	SAMPLE_TASK_CLOCK,
	SAMPLE_INSTRUCTIONS,
	SAMPLE_CACHE_MISSES,
	SAMPLE_BRANCH_MISSES,
	SAMPLE_PAGE_FAULTS,
	SAMPLE_CONTEXT_SWITCHES,
};

/* --attach of count: how kernel functions are probed. */
enum attach_mode {
	ATTACH_AUTO,
	ATTACH_MULTI,  /* kprobe.multi */
	ATTACH_KPROBE, /* a perf kprobe each */
	ATTACH_FENTRY,
};

/* --unwind: how user stacks are walked. */
enum unwind_mode {
	UNWIND_DEFAULT, /* AUTO where tables are there before the first event, or what counts is time; else FP */
	UNWIND_AUTO,  /* by unwind tables, by frame pointers where there are none */
	UNWIND_FP,    /* by frame pointers, by the kernel */
	UNWIND_DWARF, /* by unwind tables alone */
	UNWIND_NONE,  /* no user stacks */
};

/* Which rows of a profile are shown. Regular expressions; NULL = all. */
struct filter {
	const char *include; /* only stacks with a function that matches */
	const char *exclude; /* no stacks with a function that matches */
	const char *comm;    /* only commands that match */
	struct u32_list tgids; /* only these processes; empty = all */
	uint64_t since_ns;   /* only from so long after the start on; 0 = all */
	uint32_t max_depth;  /* for the presentation; 0 leaves it as it is */
};

#define OVERHEAD_DEFAULT 5000 /* where nobody gave a limit */
#define OVERHEAD_OFF UINT32_MAX

struct plan {
	const char *applet; /* canonical name, static: "profile", "count" */
	struct probe_spec probe;

	/* how functions are probed */
	enum attach_mode attach_mode;
	uint32_t max_probes; /* more matches than this are refused unless `force`; 0 = default */
	bool force;          /* also what is known to hang hosts */
	bool forever;        /* also many probes without end */
	/* Thousandths of a percent of all CPU time; 0 = not given, OVERHEAD_OFF = whatever it costs. */
	uint32_t max_overhead;
	bool look_only; /* find the places; whether and how this host can attach there is not asked */

	/* timed samples */
	enum sample_event event;
	uint64_t frequency_hz; /* or */
	uint64_t period; /* events per sample; 0: use frequency_hz */

	struct off_cpu_plan off_cpu; /* probe_scheduler */

	/* who */
	struct u32_list tgids; /* only these processes, as seen from here; empty = all */
	struct u32_list tids;
	int cpu; /* only this CPU; -1 = all */
	bool include_idle;
	char *const *command; /* argv of a command to start and follow; NULL = none */
	bool follow_children; /* of the command, and theirs */
	const char *cgroup; /* only in this cgroup and below: a path or an id; NULL = all */
	const char *container; /* the same by the beginning of a container's id */
	const char *cgroup_map; /* pinned BPF map of cgroup ids, or NULL */
	const char *mntns_map;
	const char *pidns; /* only in this pid namespace and below: what pidns_find() reads; NULL = all */

	/* what of an event is kept */
	enum event_mode mode;
	uint32_t key_parts;
	bool want_kernel, want_user;
	enum unwind_mode unwind;
	uint64_t unwind_bytes; /* for unwind tables in the kernel, at most */

	/* when */
	uint64_t duration_ns; /* 0 = until interrupted */
	uint64_t interval_ns; /* 0 = one report at the end */
	uint64_t max_events; /* EVENTS_EACH: stop after so many; 0 = no limit */

	/* how much */
	uint32_t count_entries; /* rows of one generation of the count map; 0 = default */
	uint32_t record_entries; /* entries of the cache of sent records; 0 = default */
	uint32_t ring_bytes; /* 0 = default */

	struct filter filter;

	/* output */
	struct profile_view view;
	struct presentation presentation;
	const char *save_path; /* --save, or NULL */
	struct output_options output;
	bool strict; /* any loss: status 4 */
	bool explain; /* print what would be attached, and stop */
	bool debug; /* print plan and configuration before starting */
	bool ebpf; /* --ebpf: say how to see the BPF instructions, and stop */
	bool no_demangle;
	bool no_symbolize; /* names of user frames are looked up elsewhere, from build ids */
	const char *debug_directories; /* --debug-dir; NULL = none */
	const char *vmlinux; /* --vmlinux; likewise */
	const char *host_root; /* --host-root; NULL = none */
};

/* What is not zero in an empty plan. */
#define PLAN_DEFAULTS .cpu = -1, .unwind_bytes = 128ULL << 20

void plan_init(struct plan *plan);
void plan_done(struct plan *plan);

/* Whether all events come from one process that is there already. */
bool plan_is_one_process(const struct plan *plan);

/* The plan in words, one "key: value" per line: what --debug and --explain print first. */
void plan_describe(const struct plan *plan, struct buf *ret_text);

/* Adds seconds as headers show them: "5", "0.5". */
void seconds_describe(uint64_t ns, struct buf *text);

/*
 * The functions ..._parse() read the value of one option for a table (.parse in core/cli/option_spec.h). Each stores what it
 * names, here a struct off_cpu_plan.
 *
 * --state: a number, which is a mask of the kernel's states, or letters as ps shows them ("SD"). 0 or a usage error.
 */
int off_cpu_state_parse(const char *text, void *ret_plan);

/* An enum attach_mode: "multi", "kprobe" or "fentry", or a usage error. */
int attach_mode_parse(const char *name, void *ret_mode);

/*
 * How the user stacks of this plan are walked, never UNWIND_DEFAULT. Without targets the first events of a process come
 * before its tables, and the rows of a count would be split between two ways to walk. Samples and times of threads are
 * split as well, but what took long is whole.
 */
enum unwind_mode plan_unwind(const struct plan *plan);

/* An enum unwind_mode: "auto", "fp", "dwarf" or "off", or a usage error with a did-you-mean. */
int unwind_mode_parse(const char *name, void *ret_mode);

/* A uint32_t as in struct plan: "5", "0.5%", or "off" (as is 0), or a usage error. */
int overhead_parse(const char *text, void *ret_overhead);

/* "cpu-clock", …; NULL for SAMPLE_DEFAULT. */
const char *sample_event_name(enum sample_event event);
/* The enum sample_event with this name, or a usage error with a did-you-mean. */
int sample_event_parse(const char *name, void *ret_event);

void probe_spec_done(struct probe_spec *spec);
