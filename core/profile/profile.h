/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct profile: everything that a run found out, as plain data.
 *
 * Draining the kernel fills it, symbolization names its frames, rendering only reads it. It can be saved and loaded
 * (profile_file.h) on another machine and without root, and tests build it by hand. It knows nothing of BPF, of
 * descriptors or of processes that still run.
 *
 *   strings    every name, path and comm, interned (0 = none)
 *   files      mapped files that user frames point into
 *   frames     distinct code places; symbolization writes their names, once per place
 *   records    distinct (who, kernel stack, user stack); frames by index, with the raw addresses beside them
 *   lives      the processes that have mappings with frames
 *   mappings   mappings of these processes that frames were found in
 *   intervals  one per report: rows (record, count, sum), losses and accounting of that interval
 *
 * Tables refer to each other by index, never by pointer, so that they can be saved as they are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/kinds.h"
#include "bpf/losses.h"
#include "core/base/buf.h"
#include "core/base/hashidx.h"
#include "core/base/strtab.h"
#include "core/base/vec.h"

#define PROFILE_NONE UINT32_MAX /* no such index */

/* ---- frames ---- */

enum frame_kind {
	FRAME_KERNEL,    /* where = address in the kernel */
	FRAME_USER_FILE, /* where = offset in the file `file`, the same for every process and ASLR layout */
	FRAME_USER_RAW,  /* where = address in process `tgid`; 0 and 0 when no code was mapped there */
	FRAME_TEXT, /* only a name: folded text, a probe or a label; `where` keeps such frames apart */
	FRAME_INTERPRETER, /* a function that an interpreter runs, with its source and line; `where` and `line` keep such frames apart */
};

/* Why a frame has no name. frame_reason_text() has the sentences. */
enum frame_reason {
	REASON_NAMED = 0, /* it has one */
	REASON_NOT_TRIED, /* not symbolized (yet) */
	REASON_UNMAPPED, /* no mapping of the process covers the address */
	REASON_EXITED, /* the process was gone before its mappings could be read */
	REASON_ANONYMOUS, /* code in anonymous memory: made by a JIT or unpacked */
	REASON_NO_FILE, /* the mapped file could not be opened */
	REASON_NOT_ELF,
	REASON_MALFORMED, /* an ELF file that contradicts itself */
	REASON_NO_SYMBOLS, /* the file has no symbol table */
	REASON_NO_SYMBOL, /* the symbol table has nothing at this address */
	REASON_KERNEL_HIDDEN, /* /proc/kallsyms shows no addresses (kptr_restrict, CAP_SYSLOG) */
	REASON_KERNEL_UNKNOWN, /* no kernel symbol covers the address */
	REASON_TIMEOUT, /* the symbol worker took too long on this file */
	REASON_WORKER_DIED, /* the symbol worker died while it read this file */
	REASON_FOREIGN, /* the process is outside of our pid namespace: /proc does not show it */
	REASON_NO_MEMORY, /* too little memory for the symbols, in the symbol worker or here */
	REASON_NO_DESCRIPTORS, /* too many open files, in the symbol worker or here */
	REASON_NO_WORKER, /* the symbol worker could not be started */
	REASON_KERNEL_UNREADABLE, /* /proc/kallsyms could not be opened or read */
	REASON_UNREAD, /* the mappings of the process could not be read, although the process existed */
	REASON_TOO_MANY_FILES, /* more mapped files than images.h keeps */
	REASON_TOO_MANY_MAPPINGS, /* the process has more mappings than mappings.h keeps; no kept one covers the address */
	REASON_MAP_REFUSED, /* the perf map or jitdump is not trusted (jit_maps.h) */
	REASON_MAP_CUT, /* the perf map is larger than what is read, so its names may be outdated */
	REASON_TOO_MANY_MAPS, /* no room was left for the perf map, or for its process */
	REASON_LATE, /* the run was stopped before the name was found */
	REASON_PAUSED, /* files of this owner broke too many symbol workers; the next one starts after a pause */
	REASON_NR
};

/* Why a frame has no source line, or no inlined calls, although the user requested them. line_reason_text() has the sentences. */
enum line_reason {
	LINES_NOT_TRIED = 0, /* not requested, or not looked up yet */
	LINES_FOUND,
	LINES_NO_FILE, /* the mapped file could not be opened, or is no ELF file */
	LINES_NO_DEBUG, /* neither the file nor its debug file has debug information */
	LINES_NO_LINE, /* the debug information does not cover the address */
	LINES_LATE, /* reading the debug information took too long */
	LINES_WORKER_DIED,
	LINES_NO_CODE, /* code in anonymous memory */
	LINES_KERNEL, /* the debug information of the kernel was not found */
	LINES_NO_MEMORY, /* the symbol worker had too little memory, or too many open files */
	LINES_MODULE, /* generated kernel code, or the debug information of the module was not found */
	LINES_NO_WORKER, /* the symbol worker could not be started */
	LINES_PAUSED, /* as REASON_PAUSED */
	LINES_NR
};

struct profile_frame {
	uint8_t kind; /* enum frame_kind */
	uint8_t reason; /* enum frame_reason */
	bool exact; /* an exact code address; otherwise a return address, looked up at where - 1 */
	bool tracer; /* a BPF program or the kernel's code that calls it: hidden at the top of a stack */
	union {
		uint32_t file; /* FRAME_USER_FILE: index into files */
		uint32_t process; /* FRAME_USER_RAW: keeps processes of one tgid apart (lives.h); otherwise 0 */
	};
	/* What keeps equal `where` of one kind apart: the member of the frame's kind, 0 for FRAME_USER_FILE. */
	union {
		uint32_t tgid; /* FRAME_USER_RAW: the process whose address it is */
		uint32_t generated; /* FRAME_KERNEL: 1 + the number of the generated code (ksymbols.h); 0 = none */
		uint32_t is_kernel; /* FRAME_TEXT: 1 for a kernel function */
		uint32_t space; /* any of the above: to compare and to save frames */
	};
	string_id name; /* demangled; 0 = none */
	string_id module; /* "kernel", a kernel module, or the base name of a file; 0 = none */
	/*
	 * 0: the function that contains the code. n: the n-th inlined call there, counted from the innermost. The frame of an
	 * inlined call has no offset. In stacks it comes before the frame of the function.
	 */
	uint16_t level;
	uint8_t line_reason; /* enum line_reason; only for level 0 */
	bool has_inlined; /* frames of inlined calls exist for the same place */
	bool guessed; /* the walk found it by guess: docs/internals/unwinding.md */
	uint64_t where;
	uint64_t offset; /* of `where` in the symbol; 0 without a name */
	string_id source; /* path of the source file; 0: unknown, or not looked up */
	uint32_t line; /* in `source`; 0 = the code belongs to no line */
};

struct profile_file {
	string_id path; /* as the kernel shows it in maps, without " (deleted)" */
	string_id build_id; /* lower-case hex; 0 unknown */
	uint64_t device; /* as in maps: major << 32 | minor */
	uint64_t inode;
	bool deleted;
	/* Files of split debug information that inlined calls need and that were not found. Not saved. */
	string_id missing_split; /* path of the first one; 0: none */
	uint32_t nr_missing_splits;
	bool is_unused; /* profile_keep_only() found no frame and no mapping of it */
};

/* The name of the frame, of kind FRAME_TEXT, in place of frames in the middle of a deep user stack: `where` is 0. */
#define FRAME_ELIDED "[... frames ...]"

/* ---- records ---- */

struct profile_id {
	uint64_t lo, hi;
};

/* What was running. Outside CONTEXT_TASK the task that was interrupted is not named. */
enum event_context {
	CONTEXT_TASK = 0,
	CONTEXT_SOFTIRQ,
	CONTEXT_IRQ,
	CONTEXT_NMI,
};

struct profile_record {
	struct profile_id id;
	uint32_t tgid, tid; /* in the pid namespace of the tool */
	uint64_t start_time_ns; /* of the process, CLOCK_MONOTONIC; 0 unknown */
	uint64_t exec_id;
	uint64_t cgroup_id;
	uint64_t time_ns; /* of the first event, CLOCK_MONOTONIC */
	string_id comm;
	string_id probe; /* name of the probe that fired; 0 if the run does not distinguish probes; a number until wall_settle() */
	uint32_t cpu; /* of the first event */
	uint8_t program; /* enum program_kind */
	uint8_t kernel_status; /* enum stack_status */
	uint8_t user_status;
	bool foreign; /* outside the tool's pid namespace */
	bool stack_lost; /* counted, but its record never arrived */
	bool expanded; /* its stacks contain their inlined calls: profile_expand() */
	uint8_t context; /* enum event_context */
	uint8_t user_loss; /* 1 + the enum st_loss for the end of the user stack; 0: none. Not saved */
	uint32_t pair; /* 1 + index into pairs if this record stands for a sleeper and its waker; else 0 */
	uint16_t nr_kernel, nr_user;
	/* User frames that the frame FRAME_ELIDED stands for, in the event with the fewest and in that with the most; 0: none. */
	uint16_t elided_least, elided_most;
	uint32_t first; /* in stack_frames and stack_addresses: kernel frames leaf first, then user frames */
};

/* The position after the last frame of the record. */
static inline size_t record_end(const struct profile_record *record)
{
	return (size_t)record->first + record->nr_kernel + record->nr_user;
}

/* A sleeper and its waker, or a sleeper alone. */
struct profile_pair {
	uint32_t record; /* the record that rows refer to; it has no stacks of its own */
	uint32_t sleeper; /* index into records */
	uint32_t waker; /* index into records, or PROFILE_NONE */
	uint8_t reason; /* enum waker_reason */
};

/* A cgroup that records name by its number. */
struct profile_cgroup {
	uint64_t id;
	string_id path; /* below the mount point; 0 = removed before it was looked up */
};

/* ---- the host and its processes ---- */

/* The host of the run; its name and kernel release are in struct profile. A member is 0 if it is unknown. */
struct profile_host {
	string_id machine; /* "x86_64", as uname -m */
	string_id kernel_version; /* as uname -v, which differs between builds of one release */
	string_id kernel_build_id; /* lower-case hex */
	uint32_t nr_cpus; /* online when the run began */
};

/* A kernel module that frames are in. */
struct profile_module {
	string_id name; /* as frames have it */
	string_id build_id; /* lower-case hex; 0 unknown */
};

/* The clocks at the moment when the run began. They relate its times to other logs of the host. */
struct profile_clocks {
	uint64_t monotonic_ns, boot_ns, real_ns; /* CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME; 0 unknown */
	uint64_t period; /* between two timed samples of a CPU; 0 = unknown, or not constant */
	bool period_is_time; /* `period` is in nanoseconds; otherwise it is a number of events */
};

/* A process from fork or exec until exec or exit, as the side-band reported it. Only processes with mappings are kept. */
struct profile_life {
	uint32_t tgid;
	uint32_t parent; /* the process that forked it; 0 = it is older than the run, or began with exec */
	uint64_t begin_ns; /* CLOCK_MONOTONIC; 0 = it is older than the run */
	uint64_t end_ns; /* UINT64_MAX = it had not ended when its last frame was looked up */
};

/* A mapping that frames of the profile were found in. */
struct profile_mapping {
	uint32_t life; /* index into lives */
	uint32_t file; /* index into files, or PROFILE_NONE for memory without one */
	uint64_t start, end;
	uint64_t file_offset; /* of start */
	uint64_t since_ns; /* CLOCK_MONOTONIC; 0 = it is older than the run */
};

/* ---- intervals ---- */

enum loss_class {
	LOSS_EVENT, /* the event itself is in no count */
	LOSS_STACK, /* the count is right, but the stack is wrong or incomplete */
	LOSS_SAMPLE, /* a timed sample that was never delivered */
	LOSS_NOTE, /* nothing is missing */
};

/* By enum st_loss. */
extern const struct profile_loss {
	const char *name; /* "RING_FULL" */
	const char *sentence; /* what follows the number, for buf_add_counted() */
	enum loss_class class;
} profile_losses[ST_NR_LOSSES];

struct profile_row {
	uint32_t record;
	uint64_t count;
	uint64_t sum;
};

/*
 * What happened to the events of an interval; account.c checks the sums. UINT64_MAX: this kernel does not report the number.
 */
struct profile_account {
	/* In the BPF programs: */
	uint64_t seen; /* events that reached a program */
	uint64_t filtered; /* of these: rejected by a filter */
	uint64_t recorded; /* of these: kept in the count map, in the counter of a probe, or sent one by one */
	uint64_t spilled; /* of these: counted through the ring, because the count map was full or busy */
	/* In user space: */
	uint64_t counted; /* sum of the counts that were drained */
	uint64_t expected; /* timed samples: counter / period; 0 for other events */
	uint64_t taken; /* timed samples that ran our program */
	uint64_t missed; /* events that reached no program, as the kernel counts them */
	uint32_t nr_cpus; /* timed samples: CPUs that were sampled; each may be off by one for rounding */
};

struct profile_interval {
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t wall_end_ns; /* CLOCK_REALTIME at the end */
	VEC(struct profile_row) rows; /* at most one per record, in the order of their first events */
	struct hashidx row_index; /* of rows by record; not saved */
	uint64_t losses[ST_NR_LOSSES];
	struct profile_account account;
};

/* ---- what was asked, and how it is to be shown ---- */

enum view_style {
	VIEW_STACKCOUNT, /* bcc stackcount's text */
	VIEW_PROFILE, /* bcc profile's text */
	VIEW_OFFCPU, /* bcc offcputime's */
	VIEW_OFFWAKE, /* bcc offwaketime's */
	VIEW_WAKE, /* bcc wakeuptime's */
	VIEW_FUNCCOUNT, /* bcc funccount's: a table of names and counts */
	VIEW_SNOOP, /* bcc stacksnoop's: single events; rows are in the order of time */
	VIEW_DUMP, /* threads as they are now, by process; a row has a count of 1, and its sum is the time since the thread last ran */
	VIEW_WALL, /* all time of threads, by state (wall.h) */
	VIEW_FUNCLATENCY, /* bcc's funclatency: histograms of calls; a row is calls of one class of lengths */
	VIEW_NR_STYLES,
};

/* What the user asked to see. It is saved, so that `report` prints the bytes of the live run. */
struct profile_view {
	uint8_t style; /* enum view_style */
	bool folded; /* -f */
	bool delimited; /* -d */
	bool annotate; /* profile -a: _[k] after kernel frames, _[i] after inlined calls (folded only) */
	bool offsets; /* name+0xoff */
	bool modules; /* [module] after the name */
	bool addresses; /* raw address before the name */
	bool per_process; /* stackcount -P: rows and a line "comm [pid]" per process */
	bool by_name; /* merge rows that print the same */
	bool timestamps; /* stackcount -T */
	bool want_kernel, want_user;
	bool no_header;
	bool no_process_line; /* stackcount -p: rows per process, but no line "comm [pid]" */
	bool verbose; /* -v: print notes even if nothing is missing */
	bool times; /* every record is one event, with its time */
	bool by_thread; /* --per-thread: a row per thread, named PID/TID */
	bool histogram; /* --histogram: a stack has a row for each class of durations (base/durations.h) */
	bool lines; /* --lines: source lines after the names */
	bool inlines; /* --inlines: inlined calls are frames of their own */
	bool idle_stacks; /* --idle show: call trees have the stacks of idle time, not only its sum */
	bool latency; /* time on the CPU was divided by the number of threads of the process that ran */
	/* VIEW_FUNCLATENCY: */
	bool microseconds, milliseconds; /* -u, -m: the unit of lengths; neither: nanoseconds */
	bool by_function; /* -F: a histogram for each function, or for each function and process if rows have a process */
	bool percentiles; /* not under bcc's name */
};

/* How much of the profile this process shows. Not saved. */
struct presentation {
	bool quiet; /* no headers, no footers, and notes only about missing data */
	uint32_t top; /* only so many rows, the largest; 0 = all */
	uint32_t max_depth; /* only so many frames of a stack, from the leaf; 0 = all */
	uint64_t least; /* only rows of at least this number */
	bool shows_files; /* folded lines have the file of a place without a name; not under bcc's names */
};

/* The unit in which lengths of calls are classed. */
static inline uint64_t view_unit_ns(const struct profile_view *view)
{
	return view->milliseconds ? 1000000 : view->microseconds ? 1000 : 1;
}

/* Whether the value of a row is a time. */
static inline bool view_shows_time(const struct profile_view *view)
{
	return view->style == VIEW_OFFCPU || view->style == VIEW_OFFWAKE || view->style == VIEW_WAKE ||
	       view->style == VIEW_WALL;
}

/* Whether each thread has rows of its own. */
static inline bool view_separates_threads(const struct profile_view *view)
{
	return view->by_thread || (view_shows_time(view) && view->style != VIEW_WALL);
}

/* The strings of struct profile itself. */
#define PROFILE_STRINGS(X) X(applet) X(header) X(footer) X(event) X(unit) X(hostname) X(kernel_release) X(tool_version)

struct profile {
	string_id applet; /* "profile", "count" */
	string_id header; /* the line before the first report, without newline; 0 none */
	string_id footer; /* the line after the last report ("Detaching..."); 0 none */
	string_id event; /* what was counted, e.g. "cpu-clock", "t:sched:sched_switch" */
	string_id unit; /* of the value, e.g. "samples", "events" */
	string_id hostname, kernel_release, tool_version;
	uint32_t utc_offset_s; /* seconds from UTC to the host's local time, as int32_t; for -T in report */
	struct profile_view view;
	struct presentation presentation;
	struct profile_host host;
	struct profile_clocks clocks;

	struct strtab strings;
	VEC(struct profile_file) files;
	VEC(struct profile_frame) frames;
	VEC(struct profile_record) records;
	VEC(struct profile_pair) pairs;
	VEC(struct profile_cgroup) cgroups;
	VEC(struct profile_module) modules; /* dozens at most */
	VEC(struct profile_life) lives;
	VEC(struct profile_mapping) mappings;
	VEC(uint32_t) stack_frames; /* frame indexes of all records, back to back */
	VEC(uint64_t) stack_addresses; /* the raw address of each, same positions */
	VEC(struct profile_interval) intervals;
	bool is_redacted; /* profile_redact(). Not saved */
	const char *reason; /* why the run has `own_status`, static; NULL: it is not at its end. Not saved */
	uint32_t own_status;
	bool rows_are_gone; /* profile_forget_records() was called: notes count all frames */
	bool has_unused_files; /* images.h may use the numbers of some files again */
	uint32_t nr_new_files; /* since profile_keep_only() */
	size_t nr_kept_bytes; /* of strings, by profile_keep_only() */

	/* indexes into the tables above; rebuilt by load */
	struct hashidx frame_index, record_index, cgroup_index, life_index, mapping_index;
};

void profile_init(struct profile *profile);
void profile_done(struct profile *profile);

/* Forgets the rows and accounts of all intervals; records, frames and names stay. */
void profile_clear_intervals(struct profile *profile);

/* Forgets all rows and records; accounts, losses, frames and names stay. For events that have been shown. */
void profile_forget_records(struct profile *profile);

/* Whether the profile is so large (some 50 MB) that profile_keep_only() should be called before it grows further. */
bool profile_is_large(const struct profile *profile);

/*
 * Forgets all records but those with these ids, and the frames, control groups, kernel modules, mappings and strings that no record needs
 * any more. Files keep their numbers; those without frames and mappings are marked as unused. Intervals stay, and must have no rows,
 * because records get new numbers.
 */
void profile_keep_only(struct profile *profile, const struct profile_id *ids, size_t nr);

/* Frees one interval that is not (or no longer) in profile.intervals. */
void profile_interval_done(struct profile_interval *interval);

/*
 * The index of the frame that equals `frame` in kind, exact, guessed, file, space, where and level. If no frame does, adds `frame`.
 */
uint32_t profile_add_frame(struct profile *profile, const struct profile_frame *frame);

/*
 * Adds a record. `frames` and `addresses` have nr_kernel + nr_user elements. Does nothing if a record with this id exists,
 * unless its stack was lost: then `record` replaces it. Returns the index.
 */
uint32_t profile_add_record(struct profile *profile, const struct profile_record *record, const uint32_t *frames,
			    const uint64_t *addresses);

/* Adds a record whose frames are in stack_frames already, from record.first on. False if there is one with its id. */
bool profile_append_record(struct profile *profile, const struct profile_record *record);

/*
 * Adds a pair by the id that rows refer to, and by the ids of its records. `waker` is NULL if there is none. Records that
 * have not arrived are marked as stack_lost until they do. Does nothing if the pair exists. Returns the index of the record
 * with the pair's own id. With view.times the caller sets the time and the CPU of that record.
 */
uint32_t profile_add_pair(struct profile *profile, struct profile_id id, struct profile_id sleeper,
			  const struct profile_id *waker, enum waker_reason reason);

/* Makes record `pair->record` stand for a pair, unless it does already. For profile_add_pair() and for loading. */
void profile_set_pair(struct profile *profile, const struct profile_pair *pair);

/* The records whose stacks a row of `record` shows: itself, or the one or two of its pair. Returns how many. */
size_t profile_parts(const struct profile *profile, uint32_t record, uint32_t ret_parts[2]);

/* "" if the path is not known. */
const char *profile_cgroup_path(const struct profile *profile, uint64_t id);
/* Whether the cgroup was added, with or without a path. */
bool profile_has_cgroup(const struct profile *profile, uint64_t id);
/* Does nothing and returns false if the cgroup was added before. */
bool profile_add_cgroup(struct profile *profile, uint64_t id, string_id path);

/* A kernel module by its name, or NULL. */
const struct profile_module *profile_find_module(const struct profile *profile, string_id name);
/* Does nothing and returns false if the module was added before. */
bool profile_add_module(struct profile *profile, const struct profile_module *module);

/* The index of the life with the same tgid and begin_ns, or of the mapping that equals this one. Adds it if it is new. */
uint32_t profile_add_life(struct profile *profile, const struct profile_life *life);
uint32_t profile_add_mapping(struct profile *profile, const struct profile_mapping *mapping);

/* Sets end_ns of a life, if the profile has it. */
void profile_end_life(struct profile *profile, uint32_t tgid, uint64_t begin_ns, uint64_t end_ns);

/* The index of the record with this id, or PROFILE_NONE. */
uint32_t profile_find_record(const struct profile *profile, struct profile_id id);

/* Prefetches the place of this id in the index. Call it some time before a record is added. */
void profile_expect_record(const struct profile *profile, struct profile_id id);

/* Adds to the row of an id in the interval. An id without a record gets one that is marked as stack_lost. */
void profile_count(struct profile *profile, struct profile_interval *interval, struct profile_id id, uint64_t count,
		   uint64_t sum);

/* A string of the profile; "" for 0. */
const char *profile_string(const struct profile *profile, string_id id);

/* Interns a string for one of the profile's fields. */
string_id profile_add_string(struct profile *profile, const char *text);

/* ---- inlined calls ---- */

/* The index of the frame of an inlined call at the place of `frame`, by its level; PROFILE_NONE: none. */
uint32_t profile_find_inlined(const struct profile *profile, uint32_t frame, uint16_t level);

/* Adds the inlined calls that frame_lines.h found to the stacks of all records that do not have them yet. */
void profile_expand(struct profile *profile);

const char *line_reason_text(enum line_reason reason); /* "the symbol worker died" */
/* Adds "'PATH': the inlined calls of 2 source files are not known: they are in 'SPLIT' and others, which were not found; …" */
void profile_add_missing_split(struct buf *text, const char *path, const char *split, uint32_t nr);
const char *frame_reason_text(enum frame_reason reason); /* "the process had exited" */

/* The sum of all losses except those of class LOSS_NOTE. */
uint64_t profile_lost(const struct profile_interval *interval);

/* ---- accounting (account.c) ---- */

/*
 * Counts the events of the interval whose record has not arrived as loss STACK_LOST. Call it once per interval, after
 * draining and before the report.
 */
void profile_count_lost_stacks(const struct profile *profile, struct profile_interval *interval);

/*
 * For views of time, and for dump: counts the losses of stacks again, from the rows of the interval. The programs also walk stacks
 * that no row shows, such as those of waits that -m and -M leave out. Call it once per interval, after settle_contexts().
 */
void profile_count_shown_stacks(const struct profile *profile, struct profile_interval *interval);

/*
 * Appends a line "ERROR: accounting does not add up: …" for each identity of the interval that does not hold. An identity
 * with an unknown number is not checked. Returns how many failed.
 */
unsigned int profile_check(const struct profile_interval *interval, struct buf *ret_lines);

/* Whether nothing was lost and the numbers add up. If not, --strict ends with status 4. */
bool profile_is_exact(const struct profile_interval *interval);

/*
 * Timed samples compared with the counter: expected = taken + lost + unexplained. `lost` is the sum of the losses that
 * profile_sample_loss() names. `unexplained` is 0 if the rest is at most one sample per CPU, or 1 percent: the counter and
 * the samples are not read at the same instant.
 */
struct sample_account {
	uint64_t expected, taken, lost;
	int64_t unexplained;
};

/* The word for a loss of timed samples: "skipped" for ST_LOSS_SAMPLE_SKIPPED; NULL for other losses. */
const char *profile_sample_loss(size_t loss);

/* False if the interval has no timed samples, or if the expected number is unknown. */
bool profile_sample_account(const struct profile_interval *interval, struct sample_account *ret_account);
