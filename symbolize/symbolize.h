/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The public header of symbolize/: names for places in code. Unwind tables, whose format is shared with BPF programs, are in
 * symbolize/unwind.h.
 *
 * Target files are not trusted. Nothing here opens a path, and only symbol workers parse files. A worker is a forked child without
 * capabilities, with a system call filter, Landlock where the kernel has it, and limits of memory and CPU time. The caller opens files
 * (core/files/opener.h) and passes descriptors. If a file refers to another one (a separate debug file by build id), the worker requests it
 * through the `open_debug` callback, which runs in the caller. If a worker dies or hangs, its current file is given up with a reason, and a
 * new worker is started; from the fourth on, after a growing pause. Each owner of files has its own worker; at most 8 run. The supervisor,
 * also an unprivileged child, forks the workers. So the caller need not keep the privilege to change user or to signal processes of another
 * user.
 *
 * symbolizer_* runs in the caller. The parsers (elf_file.h, symtab.h, kallsyms.h, demangle.h) can be used and fuzzed without a worker. They
 * return -ENOMEM instead of ending the program.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbolizer;

/* Why a place has no name. core/spaces/frame_reasons.h translates it into enum frame_reason. */
enum symbol_status {
	SYMBOL_OK,
	SYMBOL_NO_FILE,      /* unknown file number */
	SYMBOL_NOT_ELF,
	SYMBOL_MALFORMED,
	SYMBOL_NO_TABLE,     /* the file has no symbols at all */
	SYMBOL_NOT_FOUND,    /* no symbol covers the place */
	SYMBOL_OUTSIDE, /* with `data`: the place is in no segment of the file */
	SYMBOL_HIDDEN,       /* the kernel hides the addresses in /proc/kallsyms */
	SYMBOL_CUT, /* a perf map or jitdump that was not read completely (perf_map.h): its names may be outdated */
	SYMBOL_TIMEOUT, /* the worker took too long and was killed */
	SYMBOL_WORKER_DIED,
	SYMBOL_NO_MEMORY,
	SYMBOL_NO_DESCRIPTORS, /* too many open files, in the caller or the worker; the last status that a worker may send */
	SYMBOL_NOT_STARTED, /* no worker runs: symbolizer_await() returns the errno */
	SYMBOL_LATE, /* the deadline of all waiting (core/base/waiting.h) passed before the answer */
	SYMBOL_PAUSED, /* files of this owner killed too many workers: the next worker starts after a pause */
};

struct symbol_query {
	uint64_t where; /* offset in the file, or a kernel address */
	/* false: `where` is a return address. The symbol at where - 1 is used; if there is none, the one that begins at where */
	bool exact;
	bool linked; /* `where` is a link-time address, not an offset in the file */
};

/* The strings belong to the symbolizer until symbolizer_forget_names(). */
struct symbol_answer {
	enum symbol_status status;
	const char *name; /* demangled unless no_demangle, without version suffix; NULL unless SYMBOL_OK */
	const char *module; /* kernel: "kernel", the module's name or "bpf"; NULL for files */
	uint64_t offset; /* where - start of the symbol, in bytes */
	bool nameless; /* only an unwind entry covers the place: the name is "fn_0x" and its address */
	bool listed_again; /* a perf map or jitdump has several entries for the place: the name is from the last one */
};

enum symbol_function_kind {
	FUNCTION_PLAIN,
	FUNCTION_RESOLVER, /* STT_GNU_IFUNC with unknown implementations: the code that chooses one */
	FUNCTION_IMPLEMENTATION, /* an implementation that the resolver of this name may choose */
};

/* A function that matches a pattern, for probes. */
struct symbol_function {
	const char *name; /* mangled, as in the symbol table */
	const char *readable; /* demangled, by symbolizer_find_readable(); NULL: not mangled, or not requested */
	uint64_t file_offset; /* of its first instruction; 0 for kernel functions */
	uint64_t address; /* link-time address; for kernel functions, the address in memory */
	uint64_t size; /* in bytes; 0: unknown */
	enum symbol_function_kind kind;
};

/* A USDT probe that matches a pattern. A probe at several places has several entries. */
struct symbol_usdt {
	const char *provider, *name;
	const char *arguments; /* as in the note: "-4@%edi 8@-8(%rbp)" */
	uint64_t file_offset; /* of the instruction to probe */
	uint64_t semaphore_offset; /* offset in the file of the counter to increment while the place is probed; 0: none */
};

/* An exit of a function: a return, or a jump to another function. */
struct symbol_end {
	uint64_t file_offset;
	bool may_go_on; /* a jump whose target may be in the function */
};

enum symbol_file_kind {
	SYMBOL_FILE_PROGRAM, /* a program, a library, or a debug file of one */
	SYMBOL_FILE_MAP, /* a perf map or jitdump */
	SYMBOL_FILE_MODULE, /* a kernel module */
};

/* A request for a separate debug file. */
#define SYMBOL_PACKAGE ".dwp"
struct symbol_debug_request {
	const char *build_id; /* lower-case hex; "": none */
	/*
	 * .gnu_debuglink: a plain file name. For an alternate file also ".dwz/NAME", a path below a directory of debug files. For split
	 * debug information "/…/NAME.dwo" or SYMBOL_PACKAGE. "": none.
	 */
	const char *link;
	unsigned int candidate; /* where to continue the search: 0 at first, then the value that the callback stored */
};

/* Letters for the kinds of needed files. The list has NUL-terminated strings, each after its letter (symbolize/unwind.h). */
#define NEEDS_LOADER 'l' /* a path: PT_INTERP */
#define NEEDS_RUNPATH 'f' /* DT_RUNPATH: "$ORIGIN/../lib:/opt/lib"; comes before the libraries */
#define NEEDS_RPATH 'o' /* DT_RPATH of a file without DT_RUNPATH; comes before the libraries */
#define NEEDS_LIBRARY 'n' /* DT_NEEDED: a name or a path */

/* File number of the kernel, to find, suggest or explain functions. */
#define SYMBOL_KERNEL UINT32_MAX

/* Missing parts of the confinement of workers on this host. Workers never have capabilities or privileges. */
enum symbol_confinement {
	CONFINED_WITHOUT_FILTER = 1 << 0, /* sandbox_has_filter() is false: no system call is refused */
	/* root's worker keeps the user or the group: 65534 does not exist in the user namespace */
	CONFINED_AS_CALLER = 1 << 1,
	CONFINED_WITHOUT_LANDLOCK = 1 << 2, /* only the filter prevents a worker from opening files */
};

/* Tests the confinement in a child process. Returns bits of enum symbol_confinement; 0 also if no child can be started. */
unsigned int symbolizer_confinement(void);

/* Returns whether the kernel supports the system call filter. */
bool symbolizer_has_filter(void);

struct symbolizer_options {
	bool no_demangle;
	bool lines; /* symbolizer_lines() will be called: files with debug information stay open */
	bool identify_only; /* read only build ids: the caller looks up names elsewhere */
	bool data; /* name variables too: the offset of a place in data is that of code at the same distance in memory */
	unsigned int timeout_ms; /* per request; 0: 10,000 */
	unsigned int cpu_seconds; /* CPU time that a worker may use between two answers; 0: 60 */
	/*
	 * Opens the next candidate for the separate debug file of `file`, and sets request->candidate to the one after it. Returns a
	 * descriptor, or a negative errno if there are no more. Runs in the caller during a symbolizer_* call. The worker compares the
	 * build id, or the checksum if there is none, and requests the next candidate if they differ. NULL: no debug files.
	 */
	int (*open_debug)(void *context, uint32_t file, struct symbol_debug_request *request);
	/*
	 * Opens a file again after the worker that had read it was lost. Returns a descriptor or a negative errno. Runs in the caller, like
	 * open_debug. NULL: such files have no names.
	 */
	int (*open_again)(void *context, uint32_t file);
	void *context;
};

/*
 * Forks the supervisor, which forks the worker. Call it before threads, BPF objects or large memory exist, so that they inherit none. The
 * supervisor is the only child process that this module starts in the caller. symbolizer_free() ends it and waits for it. Returns 0 or a
 * negative errno with a recorded cause (fail()).
 */
int symbolizer_new(const struct symbolizer_options *options, struct symbolizer **ret_symbolizer);
void symbolizer_free(struct symbolizer *symbolizer);

/*
 * Waits until the worker for the host's files has started. Returns 0; -EAGAIN if no process can be started; -EIO if too many workers have
 * died.
 */
int symbolizer_await(struct symbolizer *symbolizer);

/*
 * Returns how the last dead worker ended: "signal 24 (CPU time limit exceeded)", "exit status 1"; NULL: none has died, or it is unknown.
 * Waits up to a second for outstanding answers of the supervisor. The text is valid until the next call.
 */
const char *symbolizer_last_end(struct symbolizer *symbolizer);

/* Process id of the worker for the host's files, for tests and messages. Waits until it has started; -1: it does not run. */
int symbolizer_worker_pid(struct symbolizer *symbolizer);

/* CPU time of all workers so far in milliseconds. The time that a worker used after its last answer before it died is missing. */
int64_t symbolizer_cpu_ms(const struct symbolizer *symbolizer);

/*
 * Adds a file. `file` is the caller's number for it, which must be unused and not SYMBOL_KERNEL. The worker indexes the file soon and
 * closes it, unless its names are too large for memory. Takes ownership of `fd`, also on failure. Never waits: later answers have the
 * file's status. Returns 0, -EEXIST for a number in use, or -ENOMEM.
 *
 * `root`: the caller's number for the root directory that contains the file; 0: the caller's own. With options.open_again, the files of
 * each root and user have their own worker.
 */
int symbolizer_add_file(struct symbolizer *symbolizer, uint32_t file, int fd, uint32_t root);

/* Returns whether the file belongs to the host, so that no user can slow down requests about it. */
bool symbolizer_is_of_host(const struct symbolizer *symbolizer, uint32_t file);

/* Returns whether a worker is still reading the file: symbolizer_drop() would wait for that. */
bool symbolizer_is_reading(const struct symbolizer *symbolizer, uint32_t file);

/* Adds a second number for the file `known`. Requests with either number have the same answers. Callbacks get `known`. */
int symbolizer_add_same(struct symbolizer *symbolizer, uint32_t file, uint32_t known);

/*
 * Adds a perf map or jitdump, in which a JIT compiler names its code (perf_map.h). Places in it are addresses. The worker keeps the map
 * open, and reads what was appended before it answers.
 */
int symbolizer_add_map(struct symbolizer *symbolizer, uint32_t file, int fd, uint32_t root);

/*
 * Adds a kernel module, or its debug file: a relocatable object file. Places in it are addresses that this module assigns
 * (symbol_function.address), so queries need `linked`.
 */
int symbolizer_add_module(struct symbolizer *symbolizer, uint32_t file, int fd);

/*
 * Removes a file or map and the worker's data about it: the number may be reused. A number of symbolizer_add_same() is removed without its
 * file.
 */
void symbolizer_drop(struct symbolizer *symbolizer, uint32_t file);

/*
 * Adds the kernel's symbol list: a descriptor of /proc/kallsyms, opened while the caller was privileged. The worker reads it at the first
 * request about the kernel. Takes ownership of `fd`.
 */
int symbolizer_add_kernel(struct symbolizer *symbolizer, int fd);

/*
 * Names `nr` places of one file, or of the kernel. Fills in every answer. Returns 0, or a negative errno if the worker failed (-ETIMEDOUT,
 * -EIO, -EBUSY in a pause); the answers then have the status too.
 */
int symbolizer_name_file(struct symbolizer *symbolizer, uint32_t file, const struct symbol_query *queries, size_t nr,
			 struct symbol_answer *ret_answers);
int symbolizer_name_kernel(struct symbolizer *symbolizer, const struct symbol_query *queries, size_t nr,
			   struct symbol_answer *ret_answers);

/*
 * Frees the strings of all earlier answers about names and lines, and resets the limits on names. `nr_kept`: bytes of names that the caller
 * has copied. They count against the limit of the run.
 */
void symbolizer_forget_names(struct symbolizer *symbolizer, size_t nr_kept);

/* The source line of a place. The strings belong to the symbolizer until symbolizer_forget_names(). */
struct symbol_line {
	const char *name; /* of the inlined function, demangled unless no_demangle; NULL: unknown, or not inlined */
	const char *file; /* NULL: unknown */
	uint32_t line; /* 0: none, or unknown */
	bool inlined; /* a call that was inlined into the next line's function */
	bool by_libdw; /* read by libdw, not by symbolize/dwarf */
	uint32_t omitted; /* number of calls omitted between this line and the next one, because the chain is too long */
};

/* The lines of one place: from the innermost inlined call to the function itself, which is always present. */
struct symbol_line_range {
	size_t first, nr; /* in `lines`; nr 0: unknown */
};

struct symbol_lines {
	struct symbol_line *lines;
	size_t nr_lines;
	struct symbol_line_range *ranges; /* one per place */
	/* Missing split debug information: `nr_missing_splits` units have no inlined calls. The first one needs this file. */
	const char *missing_split; /* NULL: none */
	uint32_t nr_missing_splits;
};

/*
 * Finds source lines of `nr` places of one file and, with `inlines`, the calls inlined there. Needs options.lines. Pass all places in one
 * call: each call reads the file's debug information again. The worker stops reading after `timeout_ms`; 0: only the timeout of the request
 * applies, which also ends the worker. Free the result with symbol_lines_done(). Returns 0, -ENOENT for an unknown file, -ENOEXEC for an
 * unusable one, -ENODATA without debug information, -E2BIG for more than 1,048,576 places, -EMSGSIZE if the answer has more than 2^24 lines
 * or 256 MB of text, -ENOMEM, -EMFILE if the file could not be kept open, -ETIME after timeout_ms, -EIO or -ETIMEDOUT if the worker failed.
 */
int symbolizer_lines(struct symbolizer *symbolizer, uint32_t file, const struct symbol_query *queries, size_t nr,
		     bool inlines, unsigned int timeout_ms, struct symbol_lines *ret_lines);
void symbol_lines_done(struct symbol_lines *lines);

/* The number of the file's owner, which selects the worker; 0: the host, also for an unknown file. */
size_t symbolizer_owner(struct symbolizer *symbolizer, uint32_t file);

/*
 * Finds functions of a file or of SYMBOL_KERNEL whose mangled or demangled name matches `pattern`, a PCRE2 expression that the caller has
 * anchored. The array is malloc()ed, its strings belong to the symbolizer. It is sorted by file offset (the kernel's: by address) and has
 * one entry per distinct (offset, name). An indirect function is replaced by its implementations, if they are known. Returns 0, -EMSGSIZE
 * for more than 1,048,576 functions or 256 MB of names, -ENOEXEC for an unusable file, -EPERM if the kernel hides addresses, -EINVAL for a
 * bad pattern, -EIO or -ETIMEDOUT if the worker failed.
 */
int symbolizer_find(struct symbolizer *symbolizer, uint32_t file, const char *pattern,
		    struct symbol_function **ret_functions, size_t *ret_nr);

/* Like symbolizer_find(), and fills in `readable` unless options.no_demangle. Either name, as a pattern, finds the function. */
int symbolizer_find_readable(struct symbolizer *symbolizer, uint32_t file, const char *pattern,
			     struct symbol_function **ret_functions, size_t *ret_nr);

/*
 * Finds USDT probes of a file whose provider and name match two PCRE2 expressions that the caller has anchored. Sorted by file offset.
 * Returns -EBADMSG if the file's notes are malformed; otherwise like symbolizer_find().
 */
int symbolizer_find_usdt(struct symbolizer *symbolizer, uint32_t file, const char *provider, const char *name,
			 struct symbol_usdt **ret_probes, size_t *ret_nr);

/*
 * Finds the exits of the function at `offset`, `size` bytes long (0: unknown). `fd` is the same file, borrowed. The array is malloc()ed and
 * sorted by address. Returns -ENOEXEC if not all of the function can be decoded as x86_64 code, -ENODATA for a Go function; otherwise like
 * symbolizer_find().
 */
int symbolizer_find_ends(struct symbolizer *symbolizer, uint32_t file, int fd, uint64_t offset, uint64_t size,
			 struct symbol_end **ret_ends, size_t *ret_nr);

/* Finds up to `room` function names of the file, or of SYMBOL_KERNEL, that are similar to `name`, best first. Returns their number. */
size_t symbolizer_suggest(struct symbolizer *symbolizer, uint32_t file, const char *name, const char **ret_names,
			  size_t room);

/*
 * Explains why a place of a file, or of SYMBOL_KERNEL, has its name or none: the file's tables, the symbol, unused aliases and the rules.
 * Writes up to `room` sentences, in order, unescaped. Returns their number; 0: the file cannot be read.
 */
size_t symbolizer_explain(struct symbolizer *symbolizer, uint32_t file, const struct symbol_query *query,
			  const char **ret_sentences, size_t room);

/*
 * Build id of a file as lower-case hex; "": none, or unreadable. Waits until the file is indexed. The string belongs to the symbolizer
 * until the file is dropped.
 */
const char *symbolizer_build_id(struct symbolizer *symbolizer, uint32_t file);
