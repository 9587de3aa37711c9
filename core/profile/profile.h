/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct profile: everything a run found out, as plain data. The seam of the program.
 *
 * Draining the kernel fills it, symbolization names its frames, rendering only reads it. It can be saved and loaded
 * (profile_file.h) on another machine and without root, and tests build it by hand. It knows nothing of BPF, of
 * descriptors or of processes that still run.
 *
 *   strings    every name, path and comm, interned (0 = none)
 *   files      mapped files that user frames point into
 *   frames     distinct code places; symbolization writes their names, once per place
 *   records    distinct (who, kernel stack, user stack); frames by index, with the raw addresses beside them
 *   lives      the processes that frames were found in, each with the mappings in question
 *   intervals  one per report: rows (record, count, sum), losses and accounting of that interval
 *
 * Indexes, never pointers, connect the tables, so that the value can be written to a file as it is.
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
	FRAME_TEXT, /* only its name is known, as another report printed it (folded text); where = number of its own */
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
	REASON_WORKER_DIED, /* while it read this file */
	REASON_FOREIGN, /* of a process outside of our pid namespace, which /proc does not show */
	REASON_NO_MEMORY, /* for its symbols, in the symbol worker or here */
	REASON_NO_DESCRIPTORS, /* too many open files, in the symbol worker or here */
	REASON_NO_WORKER, /* the symbol worker could not be started */
	REASON_KERNEL_UNREADABLE, /* /proc/kallsyms could not be opened or read */
	REASON_UNREAD, /* the mappings of the process could not be read, though it was there */
	REASON_TOO_MANY_FILES, /* images.h keeps no more of them */
	REASON_TOO_MANY_MAPPINGS, /* of the process: mappings.h keeps no more of them, and those that it keeps do not cover it */
	REASON_MAP_REFUSED, /* the perf map or jitdump is not believed (jit_maps.h) */
	REASON_MAP_CUT, /* it is larger than what is read, so that any name of it may be an old one */
	REASON_TOO_MANY_MAPS, /* of it, or of its process, nothing could be kept */
	REASON_LATE, /* the run was stopped before its name was there */
	REASON_PAUSED, /* files of its owner have broken too many symbol workers: the next is started after a pause */
	REASON_NR
};

/* Why a frame has no source line, or no inlined calls, where these were asked for. line_reason_text() has the sentences. */
enum line_reason {
	LINES_NOT_TRIED = 0, /* not asked for, or not yet */
	LINES_FOUND,
	LINES_NO_FILE, /* the mapped file could not be opened, or is no ELF file */
	LINES_NO_DEBUG, /* neither the file nor its debug file has debug information */
	LINES_NO_LINE, /* it says nothing about the place */
	LINES_LATE, /* it took too long to read */
	LINES_WORKER_DIED,
	LINES_NO_CODE, /* code in anonymous memory */
	LINES_KERNEL, /* code of the kernel, whose debug information is not here */
	LINES_NO_MEMORY, /* the symbol worker had too little, or too many files open */
	LINES_MODULE, /* code of a kernel module, whose debug information is not here, or that the kernel made */
	LINES_NO_WORKER, /* the symbol worker could not be started */
	LINES_PAUSED, /* as REASON_PAUSED */
	LINES_NR
};

struct profile_frame {
	uint8_t kind; /* enum frame_kind */
	uint8_t reason; /* enum frame_reason */
	bool exact; /* an exact code address; otherwise a return address, looked up at where - 1 */
	bool tracer; /* the tracer's own or the kernel's tracing glue: hidden at the top of a stack */
	uint32_t file; /* FRAME_USER_FILE: index into files */
	/* What keeps equal `where` of one kind apart: the member of the frame's kind, 0 for FRAME_USER_FILE. */
	union {
		uint32_t tgid; /* FRAME_USER_RAW: the process whose address it is */
		uint32_t generated; /* FRAME_KERNEL: 1 + the number of code that the kernel made (ksymbols.h); 0 = none */
		uint32_t is_kernel; /* FRAME_TEXT: the name of a function of the kernel */
		uint32_t space; /* any of them: for comparing frames, and for files */
	};
	string_id name; /* demangled; 0 = none */
	string_id module; /* "kernel", a kernel module, or the base name of a file; 0 = none */
	/*
	 * 0: the function that the code belongs to. Otherwise a call that was inlined there, from the innermost, 1, outwards;
	 * such a frame has no offset, and stands in stacks in front of that of the function.
	 */
	uint16_t level;
	uint8_t line_reason; /* enum line_reason; of a frame of level 0 */
	bool has_inlined; /* there are frames of the same place with a level */
	uint64_t where;
	uint64_t offset; /* of `where` in the symbol; 0 without a name */
	string_id source; /* path of the source file; 0: unknown, or not looked up */
	uint32_t line; /* in it; 0 = of no line */
};

struct profile_file {
	string_id path; /* as the kernel shows it in maps, without " (deleted)" */
	string_id build_id; /* lower-case hex; 0 unknown */
	uint64_t device; /* as in maps: major << 32 | minor */
	uint64_t inode;
	bool deleted;
	/* Of inlined calls that were looked up: split debug information that was not found; these are not saved. */
	string_id missing_split; /* the path of the first such file; 0: none */
	uint32_t nr_missing_splits;
	bool is_unused; /* profile_keep_only() found no frame in it */
};

/* ---- records ---- */

struct profile_id {
	uint64_t lo, hi;
};

/* What runs, if it is not the task: the task that was interrupted is not named then. */
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
	string_id probe; /* the name of the probe that fired; 0 where that is not told apart */
	uint32_t cpu; /* of the first event */
	uint8_t program; /* enum program_kind */
	uint8_t kernel_status; /* enum stack_status */
	uint8_t user_status;
	bool foreign; /* outside the tool's pid namespace */
	bool stack_lost; /* counted, but its record never arrived */
	bool expanded; /* its inlined calls are in its stacks: profile_expand() */
	uint8_t context; /* enum event_context */
	uint8_t user_loss; /* 1 + the loss that the end of the user stack counts as; 0: none. Of a run; files do not have it */
	uint32_t pair; /* 1 + index into pairs: this id stands for two records; 0 = for itself */
	uint16_t nr_kernel, nr_user;
	uint32_t first; /* in stack_frames and stack_addresses: kernel frames leaf first, then user frames */
};

/* Where its frames end. */
static inline size_t record_end(const struct profile_record *record)
{
	return (size_t)record->first + record->nr_kernel + record->nr_user;
}

/* A sleeper and its waker, or a sleeper alone. The record that rows name has no stacks of its own. */
struct profile_pair {
	uint32_t record; /* whose id is the pair's */
	uint32_t sleeper; /* index into records */
	uint32_t waker; /* index into records, or PROFILE_NONE */
	uint8_t reason; /* enum waker_reason */
};

/* A cgroup that records name by its number. */
struct profile_cgroup {
	uint64_t id;
	string_id path; /* below the mount point; 0 = it was gone before it could be looked up */
};

/* ---- the host and its processes ---- */

/* What the run knew of the host, beside the strings of struct profile. All zero: unknown. */
struct profile_host {
	string_id machine; /* "x86_64", as uname -m */
	string_id kernel_version; /* as uname -v, which tells builds of one release apart */
	string_id kernel_build_id; /* lower-case hex */
	uint32_t nr_cpus; /* online when the run began */
};

/* A kernel module that frames are in. */
struct profile_module {
	string_id name; /* as frames have it */
	string_id build_id; /* lower-case hex; 0 unknown */
};

/* The clocks at one moment, when the run began; they connect its times with those of other records of the host. */
struct profile_clocks {
	uint64_t monotonic_ns, boot_ns, real_ns; /* CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME; 0 unknown */
	uint64_t period; /* between two timed samples of a CPU; 0 = unknown, or not the same always */
	bool period_is_time; /* it is in nanoseconds; otherwise it is a number of events */
};

/* A process between fork or exec and exec or exit, as the side-band told. Only those that mappings are of. */
struct profile_life {
	uint32_t tgid;
	uint32_t parent; /* who forked it; 0 = it was there before the run looked, or began with exec */
	uint64_t begin_ns; /* CLOCK_MONOTONIC; 0 = before the run looked */
	uint64_t end_ns; /* UINT64_MAX = not before the last frame of it was looked up */
};

/* A mapping that frames of the profile were found in. */
struct profile_mapping {
	uint32_t life; /* index into lives */
	uint32_t file; /* index into files, or PROFILE_NONE for memory without one */
	uint64_t start, end;
	uint64_t file_offset; /* of start */
	uint64_t since_ns; /* CLOCK_MONOTONIC; 0 = before the run looked */
};

/* ---- intervals ---- */

enum loss_class {
	LOSS_EVENT, /* the event itself is in no count */
	LOSS_STACK, /* the count is right, the stack is not, or not whole */
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
 * Where the events of an interval went; account.c checks the sums. UINT64_MAX means that this kernel cannot tell. What the
 * programs did with an event:
 */
struct profile_account {
	uint64_t seen; /* all that reached a program */
	uint64_t filtered; /* of these, those that a filter rejected */
	uint64_t recorded; /* those kept as their mode says: in the count map, in the counter of their probe, or sent by themselves */
	uint64_t spilled; /* those counted through the ring, because the count map was full or busy */
	/* and what came of it in user space: */
	uint64_t counted; /* sum of the counts that were drained */
	uint64_t expected; /* timed samples: counter / period; 0 for other events, UINT64_MAX where it cannot be told */
	uint64_t taken; /* timed samples that ran our program */
	uint64_t missed; /* events that reached no program, as the kernel counts them; UINT64_MAX where it does not */
	uint32_t nr_cpus; /* timed samples: CPUs that were sampled; each may be off by one for rounding */
};

struct profile_interval {
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t wall_end_ns; /* CLOCK_REALTIME at the end */
	VEC(struct profile_row) rows; /* one per record; in the order in which they were first counted */
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
	VIEW_SNOOP, /* bcc stacksnoop's: one event after the other; rows are in the order of time */
	VIEW_NR_STYLES,
};

/* What the user asked to see. It is saved, so that `report` prints the bytes of the live run. */
struct profile_view {
	uint8_t style; /* enum view_style */
	bool folded; /* -f */
	bool delimited; /* -d */
	bool annotate; /* profile -a: _[k] behind kernel frames (folded only) */
	bool offsets; /* name+0xoff */
	bool modules; /* [module] behind the name */
	bool addresses; /* raw address before the name */
	bool per_process; /* stackcount -P: rows and a line "comm [pid]" per process */
	bool by_name; /* merge rows that print the same */
	bool timestamps; /* stackcount -T */
	bool want_kernel, want_user;
	bool no_header;
	bool no_process_line; /* stackcount -p: rows per process, but no line "comm [pid]" */
	bool verbose; /* the account of timed samples even when nothing is off */
	bool times; /* every record is one event, with its time */
	bool by_thread; /* --per-thread: rows of each, named PID/TID */
	bool histogram; /* the rows of one stack are counts of intervals of one class each: base/durations.h */
	bool lines; /* --lines: source lines behind the names */
	bool inlines; /* --inlines: inlined calls are frames of their own */
};

/* How much of it this run of the program shows. It is not saved. */
struct presentation {
	bool quiet; /* no headers, no footers, no notes where nothing is missing */
	uint32_t top; /* only so many rows, the largest; 0 = all */
	uint32_t max_depth; /* only so many frames of a stack, from the leaf; 0 = all */
	uint64_t least; /* only rows of at least this number */
};

/* Whether rows are about threads off the CPU: their number is a time. */
static inline bool view_shows_time(const struct profile_view *view)
{
	return view->style == VIEW_OFFCPU || view->style == VIEW_OFFWAKE || view->style == VIEW_WAKE;
}

/* The strings of struct profile itself. */
#define PROFILE_STRINGS(X) X(applet) X(header) X(footer) X(event) X(unit) X(hostname) X(kernel_release) X(tool_version)

struct profile {
	string_id applet; /* "profile", "stackcount" */
	string_id header; /* the line before the first report, without newline; 0 none */
	string_id footer; /* the line after the last report ("Detaching..."); 0 none */
	string_id event; /* what was counted, e.g. "cpu-clock", "t:sched:sched_switch" */
	string_id unit; /* of the value, e.g. "samples", "events" */
	string_id hostname, kernel_release, tool_version;
	uint32_t utc_offset_s; /* two's complement: local time of the host, for -T in report */
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
	bool rows_are_gone; /* profile_forget_records(): notes are of all frames */
	bool has_unused_files; /* whose numbers may be used again: images.h */
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

/* Whether a profile that goes on should be made smaller: it has some 50 MB. */
bool profile_is_large(const struct profile *profile);

/*
 * Forgets all records but those with these ids, and the frames, control groups and strings that only they used. Files keep
 * their numbers; those without frames are marked as unused. Intervals stay, but only when they have no rows.
 */
void profile_keep_only(struct profile *profile, const struct profile_id *ids, size_t nr);

/* Frees one interval that is not (or no longer) in profile.intervals. */
void profile_interval_done(struct profile_interval *interval);

/*
 * The index of the frame that equals `frame` in kind, exact, file, space, where and level; added when new, with the reason it
 * carries.
 */
uint32_t profile_add_frame(struct profile *profile, const struct profile_frame *frame);

/*
 * Adds a record. `frames` and `addresses` have nr_kernel + nr_user elements. A record whose id is there already is
 * ignored unless the earlier one had lost its stack, which it then replaces. Returns its index.
 */
uint32_t profile_add_record(struct profile *profile, const struct profile_record *record, const uint32_t *frames,
			    const uint64_t *addresses);

/* Adds a record whose frames are in stack_frames already, from record.first on. False if there is one with its id. */
bool profile_append_record(struct profile *profile, const struct profile_record *record);

/*
 * Adds a pair: the id that is counted, and the records it stands for by their ids; `waker` is NULL without one. Records
 * that have not arrived say "stack lost" until they do. Ignored when the pair is there already. Returns the index of the
 * record of the pair itself, which has a time and a CPU where each interval is one (view.times).
 */
uint32_t profile_add_pair(struct profile *profile, struct profile_id id, struct profile_id sleeper,
			  const struct profile_id *waker, enum waker_reason reason);

/* Makes record `record` stand for a pair; for profile_add_pair() and for loading. */
void profile_set_pair(struct profile *profile, const struct profile_pair *pair);

/* The records whose stacks a row of `record` shows: itself, or the one or two of its pair. Returns how many. */
size_t profile_parts(const struct profile *profile, uint32_t record, uint32_t ret_parts[2]);

/* The path of a cgroup, "" unknown; whether it was looked for; and an entry, false when there is one already. */
const char *profile_cgroup_path(const struct profile *profile, uint64_t id);
bool profile_has_cgroup(const struct profile *profile, uint64_t id);
bool profile_add_cgroup(struct profile *profile, uint64_t id, string_id path);

/* A kernel module by its name; NULL. Adding one that is there already does nothing, and returns false. */
const struct profile_module *profile_find_module(const struct profile *profile, string_id name);
bool profile_add_module(struct profile *profile, const struct profile_module *module);

/*
 * The index of the life of this process that began then, added when new; and of the mapping that equals this one in all
 * members.
 */
uint32_t profile_add_life(struct profile *profile, const struct profile_life *life);
uint32_t profile_add_mapping(struct profile *profile, const struct profile_mapping *mapping);

/* Notes when a life ended, if the profile has it. */
void profile_end_life(struct profile *profile, uint32_t tgid, uint64_t begin_ns, uint64_t end_ns);

/* The index of the record with this id, or PROFILE_NONE. */
uint32_t profile_find_record(const struct profile *profile, struct profile_id id);

/* For whoever is going to add a record with this id soon: its place in the index is fetched meanwhile. */
void profile_expect_record(const struct profile *profile, struct profile_id id);

/* Adds a count for an id to the interval. An id without a record gets one that says "stack lost" until it comes. */
void profile_count(struct profile *profile, struct profile_interval *interval, struct profile_id id, uint64_t count,
		   uint64_t sum);

/* A string of the profile; "" for 0. */
const char *profile_string(const struct profile *profile, string_id id);

/* Interns a string for one of the profile's fields. */
string_id profile_add_string(struct profile *profile, const char *text);

/* ---- inlined calls ---- */

/* The frame of the inlined call number `level` (from 1, inside) at the place of another frame; PROFILE_NONE: none. */
uint32_t profile_find_inlined(const struct profile *profile, uint32_t frame, uint16_t level);

/*
 * Puts the inlined calls of their frames into the stacks of all records that have not got them. Frames come to have calls
 * by frame_lines.h.
 */
void profile_expand(struct profile *profile);

const char *line_reason_text(enum line_reason reason); /* "the file has no debug information" */
/* "no inlined calls of 2 source files: they are in …", of the file at this path. */
void profile_add_missing_split(struct buf *text, const char *path, const char *split, uint32_t nr);
const char *frame_reason_text(enum frame_reason reason); /* "the process had exited" */

/* Events that are in no count, stacks that are not whole, samples that were never delivered. */
uint64_t profile_lost(const struct profile_interval *interval);

/* ---- accounting (account.c) ---- */

/*
 * Counts the events of the interval whose record has not arrived as loss STACK_LOST. Once per interval, when all of it
 * is drained and before it is reported.
 */
void profile_count_lost_stacks(const struct profile *profile, struct profile_interval *interval);

/*
 * For times off the CPU: counts anew what the user and kernel stacks of the interval lack, by its rows. Of sleepers and wakers
 * many stacks are taken that no row shows, such as those of waits that --min leaves out or of a thread that an interrupt hit.
 * Once per interval, when contexts are settled.
 */
void profile_count_shown_stacks(const struct profile *profile, struct profile_interval *interval);

/*
 * Appends one line "ERROR: accounting does not add up: …" for every identity of the interval that does not hold; a
 * number that this kernel cannot tell leaves its identity out. Returns how many failed.
 */
unsigned int profile_check(const struct profile_interval *interval, struct buf *ret_lines);

/* Nothing is lost and the numbers add up: without that, --strict ends with status 4. */
bool profile_is_exact(const struct profile_interval *interval);

/*
 * How timed samples compare with the counter: expected = taken + lost + unexplained, where `lost` is the sum of the
 * losses that have a word. `unexplained` is zero when the rest is within rounding: one sample per CPU, or
 * 1 percent, for the counter and the samples are not read in the same instant.
 */
struct sample_account {
	uint64_t expected, taken, lost;
	int64_t unexplained;
};

/* The word for a loss of timed samples: "skipped" for ST_LOSS_SAMPLE_SKIPPED; NULL for other losses. */
const char *profile_sample_loss(size_t loss);

/* False when the interval is not one of timed samples, or this kernel cannot tell what was expected. */
bool profile_sample_account(const struct profile_interval *interval, struct sample_account *ret_account);
