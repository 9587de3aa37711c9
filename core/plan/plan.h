/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct plan: what the user wants, made from options without the host. Owns the strings of `probe` and `probes`; borrows others. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bpf/kinds.h"
#include "core/base/buf.h"
#include "core/base/vec.h"
#include "core/plan/output_options.h"
#include "core/plan/probe_kind.h"
#include "core/profile/profile.h"
#include "core/profile/wall_idle.h"

struct off_cpu_plan {
	enum measure measure;
	enum off_cpu_part part;
	enum thread_filter threads;
	enum state_filter state_filter;
	uint32_t states; /* a mask in the form of `state_filter` */
	uint64_t min_ns, max_ns; /* both inclusive */
	bool unfinished; /* at the end, also reports threads that are still off the CPU */
	bool by_duration; /* intervals are counted by classes of their length, for histograms: core/base/durations.h */
	bool by_time; /* each interval is counted separately, with the time at which it ended */
	bool locks; /* only waits for user locks */
};

/* A probe pattern and its parts. */
struct probe_spec {
	const struct probe_kind *kind;
	char *typed; /* the whole pattern, for headers and messages */
	char *target; /* library or path, or pattern of a tracepoint category; NULL: none */
	char *pattern; /* of functions, events or probes */
	char *provider; /* pattern of USDT provider names; NULL: none */
	bool regex; /* patterns are regular expressions, not wildcards */
};

/* -e of profile. */
enum sample_event {
	SAMPLE_DEFAULT, /* cpu-cycles if there is a PMU, else cpu-clock */
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
	ATTACH_MULTI, /* kprobe.multi */
	ATTACH_KPROBE, /* perf kprobes */
	ATTACH_FENTRY,
};

/* --unwind: how user stacks are walked. */
enum unwind_mode {
	UNWIND_DEFAULT, /* AUTO or FP: plan_unwind() */
	UNWIND_AUTO, /* by unwind tables, or by frame pointers without tables */
	UNWIND_FP, /* by frame pointers */
	UNWIND_DWARF, /* only by unwind tables */
	UNWIND_NONE, /* no user stacks */
};

/* --frames: the user frames of interpreted programs. */
enum frames_kind {
	FRAMES_MIXED, /* frames of the interpreted functions, between native ones */
	FRAMES_NATIVE,
};

/* Which rows of a profile are shown. Strings are regular expressions; NULL: all rows. */
struct filter {
	const char *include; /* only stacks with a function that matches */
	const char *exclude; /* no stacks with a function that matches */
	const char *comm; /* only commands that match */
	struct u32_list tgids; /* only these processes; empty: all */
	uint64_t since_ns; /* only records from this time after the start; 0: all */
	uint32_t max_depth; /* of printed stacks; 0: unchanged */
};

#define OVERHEAD_DEFAULT 5000 /* if the user gave no limit */
#define OVERHEAD_OFF UINT32_MAX

/* --waits of wall: which waits are recorded with their own stack. */
enum wait_stacks {
	WAITS_AUTO, /* all, but sampled if threads switch too often */
	WAITS_ALL,
	WAITS_SAMPLED, /* sampled by their duration */
};

struct plan {
	const char *applet; /* canonical name, static: "profile", "count" */
	struct probe_spec probe; /* the first of several patterns; its `typed` has all of them */
	VEC(struct probe_spec) probes; /* several patterns, all of one kind; empty: there is only `probe` */

	/* how functions are probed */
	enum attach_mode attach_mode;
	bool is_pair; /* EVENTS_BY_LENGTH: a call begins at the first of two patterns and ends at the second, in the same thread */
	uint32_t max_probes; /* more matches than this are refused unless `force`; 0 = default */
	bool force; /* also probes functions that are known to hang hosts */
	bool forever; /* do not limit the duration of a run with many probes */
	uint32_t max_overhead; /* thousandths of a percent of all CPU time; 0: not given, OVERHEAD_OFF: no limit */
	bool look_only; /* only find the places, for `list`; do not choose a mechanism */

	/* sampling */
	enum sample_event event;
	uint64_t frequency_hz; /* if `period` is 0 */
	uint64_t period; /* events per sample */

	struct off_cpu_plan off_cpu; /* probe_scheduler; with `looks`, only its two members about states */

	/* who */
	struct u32_list tgids; /* only these processes, ids in our pid namespace; empty: all */
	bool has_process_names; /* some were given by name */
	struct u32_list tids; /* only these threads; empty: all */
	struct u32_list cpus; /* only these CPUs; empty: all */
	bool include_idle;
	bool looks; /* counts threads by their state now: a row for each thread; those that run are sampled */
	bool wall; /* all time of threads, by their states */
	struct idle_plan idle; /* of `wall` */
	enum wait_stacks waits; /* of `wall` */
	char *const *command; /* argv of a command to start and follow; NULL: none */
	bool follow_children; /* also counts descendants of the command */
	const char *cgroup; /* only in this cgroup and below: a path or an id; NULL: all */
	const char *container; /* the same by the first digits of a container id */
	const char *cgroup_map; /* path of a pinned BPF map with cgroup ids; NULL: none */
	const char *mntns_map; /* the same with inodes of mount namespaces */
	const char *pidns; /* only in this pid namespace and below, as pidns_find() reads it; NULL: all */

	/* what a record has */
	enum event_mode mode;
	uint32_t key_parts; /* enum key_part */
	bool want_kernel, want_user; /* whether to record stacks */
	enum unwind_mode unwind;
	enum frames_kind frames;
	uint64_t unwind_bytes; /* limit on kernel memory for unwind tables */

	/* when */
	uint64_t duration_ns; /* 0: until interrupted */
	uint64_t interval_ns; /* 0: one report at the end */
	uint32_t levels; /* EVENTS_BY_LENGTH: calls nested deeper are not timed; 0: the programs' maximum */
	uint64_t max_events; /* EVENTS_EACH: stops after so many; 0: no limit */

	/* sizes of maps; 0: default */
	uint32_t count_entries; /* of one count map */
	uint32_t record_entries; /* of the cache of sent records */
	uint32_t ring_bytes;

	struct filter filter;

	/* output */
	struct profile_view view;
	struct presentation presentation;
	const char *save_path; /* --save, or NULL */
	struct output_options output;
	bool redact; /* replaces what may be secret in all output */
	bool strict; /* any loss gives exit status 4 */
	bool explain; /* prints what would be attached, and ends */
	bool debug; /* prints plan and configuration before the start */
	bool ebpf; /* --ebpf: prints how to see the BPF instructions, and ends */
	bool no_demangle;
	bool no_symbolize; /* user frames get no names now; a later program names them by build ids */
	const char *debug_directories; /* --debug-dir; NULL: none */
	const char *vmlinux; /* --vmlinux; NULL: none */
	const char *host_root; /* --host-root; NULL: none */
};

/* Members of an initial plan that are not zero. */
#define PLAN_DEFAULTS .unwind_bytes = 128ULL << 20

void plan_init(struct plan *plan);
void plan_done(struct plan *plan);

/* Whether events are counted by function, without stacks. */
static inline bool plan_counts_functions(const struct plan *plan)
{
	return plan->mode == EVENTS_BY_PROBE || (plan->mode == EVENTS_BY_LENGTH && !plan->view.slow);
}

/* Whether time is counted by the states of threads: all of it, or that inside slow calls. */
static inline bool plan_has_states(const struct plan *plan)
{
	return plan->wall || plan->view.slow;
}

/* Whether all events come from one process, without its children. */
bool plan_is_one_process(const struct plan *plan);

/* Adds the plan as lines "key: value", for --debug and --explain. */
void plan_describe(const struct plan *plan, struct buf *ret_text);

/* Adds seconds as headers show them: "5", "0.5". */
void seconds_describe(uint64_t ns, struct buf *text);

/* Adds CPU numbers: "0-3,5". */
void cpus_describe(const struct u32_list *cpus, struct buf *text);

/*
 * How the user stacks of this plan are walked; never UNWIND_DEFAULT. Without -p, the first events of a process come before its unwind
 * tables are ready. Rows of a count would be split between the two ways to walk, so a count uses frame pointers. Samples and times use
 * tables: what takes long soon has them.
 */
enum unwind_mode plan_unwind(const struct plan *plan);

/* ---- values of options, for .parse in core/cli/option_spec.h: 0 or a usage error ---- */

/* Sets the states of a struct off_cpu_plan: a number, which is a mask of the kernel's states, or letters as in ps ("SD"). */
int off_cpu_state_parse(const char *text, void *ret_plan);

/* An enum attach_mode: "multi", "kprobe" or "fentry". */
int attach_mode_parse(const char *name, void *ret_mode);

/* An enum unwind_mode: "auto", "fp", "dwarf" or "off". */
int unwind_mode_parse(const char *name, void *ret_mode);

/* An enum frames_kind: "mixed" or "native". */
int frames_parse(const char *name, void *ret_kind);

/* A uint32_t for plan.max_overhead: "5", "0.5%" or "off"; 0 is off. */
int overhead_parse(const char *text, void *ret_overhead);

/* An enum sample_event: "cpu-clock", … */
int sample_event_parse(const char *name, void *ret_event);
/* NULL for SAMPLE_DEFAULT. */
const char *sample_event_name(enum sample_event event);

void probe_spec_done(struct probe_spec *spec);
