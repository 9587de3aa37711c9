/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The public header of symbolize/: names for places in code. Unwind tables, whose format BPF programs share, are in
 * symbolize/unwind.h.
 *
 * Target files are not trusted. So nothing here opens a path, and files are parsed only in a symbol worker: a forked
 * child without capabilities, with a system call filter, Landlock where the kernel has it, and limits of memory and CPU
 * time. The caller opens files (core/files/opener.h) and passes descriptors. If a file refers to another one (a
 * separate debug file by build id), the worker requests it through the `open_debug` callback, which runs in the caller.
 * If the worker dies or hangs, the file that caused it is given up with a reason and a new worker is started; from the
 * fourth on, after a growing pause. Each owner of files has a worker of its own; at most 8 run. A supervisor, an
 * unprivileged child too, forks the workers. So the caller need not keep the privilege to change user or to signal
 * another user's process.
 *
 * symbolizer_* is the caller's side. The parsers (elf_file.h, symtab.h, kallsyms.h, demangle.h) can be used and fuzzed
 * without a worker. They return -ENOMEM instead of ending the program.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbolizer;

/* Why a place has no name. core/spaces/frame_reasons.h translates it into enum frame_reason. */
enum symbol_status {
	SYMBOL_OK,
	SYMBOL_NO_FILE,      /* unknown file id, or no file was added */
	SYMBOL_NOT_ELF,
	SYMBOL_MALFORMED,
	SYMBOL_NO_TABLE,     /* no symbols in the file at all */
	SYMBOL_NOT_FOUND,    /* nothing at this place */
	SYMBOL_HIDDEN,       /* kernel: kallsyms does not show addresses */
	SYMBOL_CUT, /* a perf map or jitdump that was not read completely (perf_map.h): its names may be outdated */
	SYMBOL_TIMEOUT, /* the worker took too long and was killed */
	SYMBOL_WORKER_DIED,
	SYMBOL_NO_MEMORY,
	SYMBOL_NO_DESCRIPTORS, /* too many open files, here or in the worker. The last status that a worker may send */
	SYMBOL_NOT_STARTED, /* there is no worker: symbolizer_await() returns the errno */
	SYMBOL_LATE, /* the end of all waiting (core/base/waiting.h) came before the answer */
	SYMBOL_PAUSED, /* files of this owner have killed too many workers: the next one starts after a pause */
};

/* A place to name. */
struct symbol_query {
	uint64_t where; /* offset in the file, or a kernel address */
	bool exact; /* false: a return address; the symbol at where - 1 is used, or, without one, the one that begins at where */
	bool linked; /* `where` is a link-time address, not an offset in the file */
};

/* The answer; strings belong to the symbolizer until symbolizer_forget_names(). */
struct symbol_answer {
	enum symbol_status status;
	const char *name; /* demangled unless no_demangle, without version suffix; NULL unless SYMBOL_OK */
	const char *module; /* kernel: "kernel", the module's name, "bpf"; NULL for files */
	uint64_t offset; /* where - start of the symbol */
	bool nameless; /* no symbol, but an unwind entry starts there: the name is "fn_0x" and the address */
	bool listed_again; /* a perf map or jitdump lists the place more than once: the name is that of the last entry */
};

enum symbol_function_kind {
	FUNCTION_PLAIN,
	FUNCTION_RESOLVER, /* STT_GNU_IFUNC with unknown implementations: the code that chooses one */
	FUNCTION_IMPLEMENTATION, /* an implementation that the resolver of this name may choose */
};

/* A function found by pattern, for probes. */
struct symbol_function {
	const char *name; /* mangled, as in the symbol table */
	const char *readable; /* demangled, by symbolizer_find_readable(); NULL: not mangled, or not requested */
	uint64_t file_offset; /* of its first instruction; 0 for the kernel's */
	uint64_t address; /* link-time address; for the kernel's, the address in memory */
	uint64_t size; /* 0: unknown */
	enum symbol_function_kind kind;
};

/* A USDT probe found by pattern: one of the places with this name. */
struct symbol_usdt {
	const char *provider, *name;
	const char *arguments; /* as in the note: "-4@%edi 8@-8(%rbp)" */
	uint64_t file_offset; /* of the instruction to probe */
	uint64_t semaphore_offset; /* in the file, of the counter to raise while the place is probed; 0: none */
};

/* An end of a function: a return, or a jump to another function. */
struct symbol_end {
	uint64_t file_offset;
	bool may_go_on; /* a jump that may stay in the function */
};

/* The kind of an added file. */
enum symbol_file_kind {
	SYMBOL_FILE_PROGRAM, /* or a library, or debug information of one */
	SYMBOL_FILE_MAP, /* a perf map or jitdump */
	SYMBOL_FILE_MODULE, /* a kernel module */
};

/* The request for a separate debug file. */
#define SYMBOL_PACKAGE ".dwp"
struct symbol_debug_request {
	const char *build_id; /* lower-case hex; "": none */
	/*
	 * .gnu_debuglink: a plain file name. For an alternate file also ".dwz/NAME", a path below a directory of debug
	 * files. For split debug information "/…/NAME.dwo", or SYMBOL_PACKAGE. "": none.
	 */
	const char *link;
	unsigned int candidate; /* the first place to search: 0, then the value that the callback left here */
};

/* The files that a file needs: NUL-terminated strings, each after a letter for its kind (symbolize/unwind.h). */
#define NEEDS_LOADER 'l' /* a path: PT_INTERP */
#define NEEDS_RUNPATH 'f' /* DT_RUNPATH: "$ORIGIN/../lib:/opt/lib"; comes before the libraries */
#define NEEDS_RPATH 'o' /* DT_RPATH, of a file without DT_RUNPATH; comes before the libraries */
#define NEEDS_LIBRARY 'n' /* DT_NEEDED: a name, or a path */

/* Stands for the kernel instead of a file, where functions are found, suggested or explained. */
#define SYMBOL_KERNEL UINT32_MAX

/* What the confinement of workers lacks on this host. They have no capabilities and no privileges in any case. */
enum symbol_confinement {
	CONFINED_WITHOUT_FILTER = 1 << 0, /* sandbox_has_filter() is false: no system call is refused */
	CONFINED_AS_CALLER = 1 << 1, /* root's worker keeps the user or the group: the user namespace has no 65534 */
	CONFINED_WITHOUT_LANDLOCK = 1 << 2, /* only the filter prevents it from opening files */
};

/* Finds bits of enum symbol_confinement with a child process; 0 also if no child can be started. */
unsigned int symbolizer_confinement(void);

/* Whether the kernel supports the system call filter. */
bool symbolizer_has_filter(void);

struct symbolizer_options {
	bool no_demangle;
	bool lines; /* symbolizer_lines() will be called: files with debug information are kept open */
	bool identify_only; /* read only the build ids of files: names are looked up elsewhere */
	unsigned int timeout_ms; /* per request; 0: 10,000 */
	unsigned int cpu_seconds; /* CPU time that a worker may use between answers; 0: 60 */
	/*
	 * Opens the next candidate for the separate debug file of `file`, and increments request->candidate past it; a
	 * negative errno if there are no more. It runs in the caller during a symbolizer_* call. The worker checks the
	 * build id, or the checksum if there is none, and asks again if it is the wrong file. NULL: no debug files.
	 */
	int (*open_debug)(void *context, uint32_t file, struct symbol_debug_request *request);
	/*
	 * Opens a file again after the loss of the worker that had read it, or returns a negative errno. It runs like
	 * open_debug. NULL: such files have no names.
	 */
	int (*open_again)(void *context, uint32_t file);
	void *context;
};

/*
 * Forks the supervisor, which forks the worker. Call it before threads, BPF objects or large memory exist, so that they
 * inherit none. The supervisor is the caller's only child process from this module. It lives until symbolizer_free(),
 * which waits for it. 0 or a negative errno with a recorded cause (fail()).
 */
int symbolizer_new(const struct symbolizer_options *options, struct symbolizer **ret_symbolizer);
void symbolizer_free(struct symbolizer *symbolizer);

/*
 * Waits until the worker for the host's files has started. 0, or why there is none: -EAGAIN if no process can be
 * started, -EIO if workers have died too often.
 */
int symbolizer_await(struct symbolizer *symbolizer);

/*
 * How the last worker that died has ended: "signal 24 (CPU time limit exceeded)", "exit status 1". NULL: none has died,
 * or that is unknown. Waits a moment for outstanding answers of the supervisor. The text is valid until the next call.
 */
const char *symbolizer_last_end(struct symbolizer *symbolizer);

/* Process id of the worker for the host's files, for tests and messages. Waits until it has started; -1: there is none any more. */
int symbolizer_worker_pid(struct symbolizer *symbolizer);

/* CPU time of all workers so far, in milliseconds, except for what a worker used just before it died. */
int64_t symbolizer_cpu_ms(const struct symbolizer *symbolizer);

/*
 * Adds a file; `file` is the caller's number for it, which must be unused and not SYMBOL_KERNEL. The worker soon
 * indexes the file and closes it, unless its names are too large to be kept in memory. Takes ownership of `fd` in any
 * case. Never waits: later answers show what is wrong with the file. 0, -EEXIST for a number in use, -ENOMEM.
 *
 * `root`: the caller's number for the root directory in which the file is; 0: our own. With options.open_again, the
 * files of each root and user have their own worker.
 */
int symbolizer_add_file(struct symbolizer *symbolizer, uint32_t file, int fd, uint32_t root);

/* Whether an added file belongs to the host, so that no user can make questions about it slow. */
bool symbolizer_is_of_host(const struct symbolizer *symbolizer, uint32_t file);

/* Whether a worker is still reading the file: symbolizer_drop() would wait for it. */
bool symbolizer_is_reading(const struct symbolizer *symbolizer, uint32_t file);

/*
 * Adds another number for the file `known`. Questions about either number have the same answers; callbacks get `known`.
 */
int symbolizer_add_same(struct symbolizer *symbolizer, uint32_t file, uint32_t known);

/*
 * Adds a perf map or jitdump, in which a JIT compiler names its code (perf_map.h). Places in it are addresses. The
 * worker keeps it open, and before each request reads what was added.
 */
int symbolizer_add_map(struct symbolizer *symbolizer, uint32_t file, int fd, uint32_t root);

/*
 * Adds a kernel module, or its debug file: an object file, which no process runs. Places in it are addresses assigned
 * by us (symbol_function.address), so ask with `linked`.
 */
int symbolizer_add_module(struct symbolizer *symbolizer, uint32_t file, int fd);

/*
 * Removes a map or a file, with all data about it in the worker: the number may be reused. A number of
 * symbolizer_add_same() is removed alone.
 */
void symbolizer_drop(struct symbolizer *symbolizer, uint32_t file);

/*
 * Adds the kernel's symbol list: a descriptor of /proc/kallsyms that was opened while the caller was privileged. It is
 * read at the first question about the kernel. Takes ownership of `fd`.
 */
int symbolizer_add_kernel(struct symbolizer *symbolizer, int fd);

/*
 * Names `nr` places of one file, or of the kernel. Fills every answer. Returns 0, or an errno if the worker failed
 * (-ETIMEDOUT, -EIO, -EBUSY in a pause), which is in the answers too.
 */
int symbolizer_name_file(struct symbolizer *symbolizer, uint32_t file, const struct symbol_query *queries, size_t nr,
			 struct symbol_answer *ret_answers);
int symbolizer_name_kernel(struct symbolizer *symbolizer, const struct symbol_query *queries, size_t nr,
			   struct symbol_answer *ret_answers);

/*
 * Frees the strings of all earlier answers about names and lines. The limits on names start again. `nr_kept`: bytes of names that
 * the caller still has. They count against the limit of a run.
 */
void symbolizer_forget_names(struct symbolizer *symbolizer, size_t nr_kept);

/* The source line of a place; strings belong to the symbolizer until symbolizer_forget_names(). */
struct symbol_line {
	const char *name; /* of the inlined function, demangled unless no_demangle; NULL: unknown, or not inlined */
	const char *file; /* NULL: unknown */
	uint32_t line; /* 0: none, or unknown */
	bool inlined; /* a call that was inlined into the next one */
	bool by_libdw; /* read by libdw, not by our own readers */
	uint32_t omitted; /* omitted calls between this one and the next line, because there are too many */
};

/* The lines of one place: from the innermost inlined call to the function itself, which is always there. */
struct symbol_line_range {
	size_t first, nr; /* in `lines`; nr 0: nothing is known */
};

struct symbol_lines {
	struct symbol_line *lines;
	size_t nr_lines;
	struct symbol_line_range *ranges; /* one per place */
	/* Missing split debug information: so many units have no inlined calls; the first one needs this file. */
	const char *missing_split; /* NULL: none */
	uint32_t nr_missing_splits;
};

/*
 * Finds source lines of `nr` places of one file, and with `inlines` the calls inlined there. Needs options.lines. Pass
 * all places at once: each call reads the file's debug information again. The worker stops reading after `timeout_ms`;
 * 0: only when the request has taken too long, which ends the worker too. 0, and symbol_lines_done() frees the lines;
 * -ENOENT for an unknown file, -ENOEXEC for an unusable one, -ENODATA if it has no debug information, -E2BIG for more
 * than 1,048,576 places, -EMSGSIZE if the answer has more than 2^24 lines or 256 MB of text, -ENOMEM, -EMFILE if too
 * many files were kept open, -ETIME after timeout_ms, -EIO or -ETIMEDOUT if the worker failed.
 */
int symbolizer_lines(struct symbolizer *symbolizer, uint32_t file, const struct symbol_query *queries, size_t nr,
		     bool inlines, unsigned int timeout_ms, struct symbol_lines *ret_lines);
void symbol_lines_done(struct symbol_lines *lines);

/* A number for the owner of a file, and so for its worker: 0 is the host, also for an unknown file. */
size_t symbolizer_owner(struct symbolizer *symbolizer, uint32_t file);

/*
 * Finds functions of a file or of SYMBOL_KERNEL whose mangled or demangled name matches. The array is malloc()ed, its
 * strings belong to the symbolizer. `pattern` is a PCRE2 expression, already anchored by the caller. Sorted by file
 * offset (the kernel's: by address), one entry for each distinct (offset, name). An indirect function is replaced by
 * its implementations, if they are known. -EMSGSIZE for more than 1,048,576 functions or 256 MB of names, -ENOEXEC if
 * the file is not a usable ELF file, -EPERM if the kernel shows no addresses, -EINVAL for a bad pattern, -EIO or
 * -ETIMEDOUT if the worker failed.
 */
int symbolizer_find(struct symbolizer *symbolizer, uint32_t file, const char *pattern,
		    struct symbol_function **ret_functions, size_t *ret_nr);

/* The same, with readable names unless options.no_demangle. Each of the two names, as a pattern, finds the function. */
int symbolizer_find_readable(struct symbolizer *symbolizer, uint32_t file, const char *pattern,
			     struct symbol_function **ret_functions, size_t *ret_nr);

/*
 * Finds USDT probes of a file whose provider and name match, both PCRE2 expressions anchored by the caller; otherwise
 * like symbolizer_find(). Sorted by file offset. -EBADMSG if the file's notes are malformed.
 */
int symbolizer_find_usdt(struct symbolizer *symbolizer, uint32_t file, const char *provider, const char *name,
			 struct symbol_usdt **ret_probes, size_t *ret_nr);

/*
 * Finds the ends of a function of `size` bytes (0: not known) at this offset of the file, which `fd` is too; it is borrowed. The array
 * is malloc()ed, by address. -ENOEXEC if not all of it can be decoded as x86_64 code, -ENODATA for a function of Go; else like
 * symbolizer_find().
 */
int symbolizer_find_ends(struct symbolizer *symbolizer, uint32_t file, int fd, uint64_t offset, uint64_t size,
			 struct symbol_end **ret_ends, size_t *ret_nr);

/*
 * Finds up to `room` function names of the file, or of SYMBOL_KERNEL, that are similar to `name` (did-you-mean), best
 * first. Returns their number.
 */
size_t symbolizer_suggest(struct symbolizer *symbolizer, uint32_t file, const char *name, const char **ret_names,
			  size_t room);

/*
 * Explains why a place of a file, or of SYMBOL_KERNEL, has its name, or none: the tables of the file, the symbol, the
 * aliases that were not used and the rules. Up to `room` sentences, in order, unescaped. Returns their number; 0: the
 * file cannot be read.
 */
size_t symbolizer_explain(struct symbolizer *symbolizer, uint32_t file, const struct symbol_query *query,
			  const char **ret_sentences, size_t room);

/*
 * Build id of a file as lower-case hex; "" if it has none or cannot be read. Waits until the file has been indexed. The
 * string belongs to the symbolizer until the file is dropped.
 */
const char *symbolizer_build_id(struct symbolizer *symbolizer, uint32_t file);
