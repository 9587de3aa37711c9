/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The public header of symbolize/: code places in, names out. Unwind tables, whose format the kernel side shares, are in
 * symbolize/unwind.h.
 *
 * Target files belong to whoever made them, so nothing here opens a path, and all parsing of files happens in a symbol
 * worker: a forked child without capabilities, behind seccomp, Landlock where the kernel has it, and memory and CPU
 * limits. The caller opens files (core/files/opener.h) and hands descriptors over; when a file names a further file
 * (separate debug file by build id), the worker asks for it through the `open_debug` callback, which runs in the
 * caller. If the worker dies or stalls, the file to blame is given up with a reason and a new worker is started, from the
 * fourth on after a pause that grows. Each owner of files has a worker of its own, 8 run at most. Workers are forked by a supervisor, a child without privileges either, so that the caller need not keep
 * the right to change user or to signal another one's process.
 *
 * symbolizer_* is the caller's side. The parsers (elf_file.h, symtab.h, kallsyms.h, demangle.h) are usable and fuzzed
 * without a worker; they return -ENOMEM instead of ending the program.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbolizer;

/* Why a place has no name; a subset of enum frame_reason of core/profile/profile.h in words of this module. */
enum symbol_status {
	SYMBOL_OK,
	SYMBOL_NO_FILE,      /* unknown file id, or no file was handed over */
	SYMBOL_NOT_ELF,
	SYMBOL_MALFORMED,
	SYMBOL_NO_TABLE,     /* no symbols in the file at all */
	SYMBOL_NOT_FOUND,    /* nothing at this place */
	SYMBOL_HIDDEN,       /* kernel: kallsyms shows no addresses */
	SYMBOL_CUT, /* a perf map or jitdump of which not all is read (perf_map.h): what is may have been replaced */
	SYMBOL_TIMEOUT, /* the worker took too long and was killed */
	SYMBOL_WORKER_DIED,
	SYMBOL_NO_MEMORY,
	SYMBOL_NO_DESCRIPTORS, /* too many open files, here or in the worker. The largest status that a worker may send */
	SYMBOL_NOT_STARTED, /* there is no worker: symbolizer_await() has the errno */
	SYMBOL_LATE, /* all waiting has ended before the answer came (core/base/waiting.h) */
	SYMBOL_PAUSED, /* too many workers were lost with files of this owner: another one is started after a pause */
};

/* A place to name. */
struct symbol_query {
	uint64_t where; /* offset in the file, or a kernel address */
	bool exact; /* false: a return address; the symbol at where - 1 is meant */
	bool linked; /* `where` is an address as the linker gave it, not an offset in the file */
};

/* The answer; strings belong to the symbolizer and live as long as it does. */
struct symbol_answer {
	enum symbol_status status;
	const char *name; /* demangled unless asked otherwise, without version suffix; NULL unless SYMBOL_OK */
	const char *module; /* kernel: "kernel", the module's name, "bpf"; NULL for files */
	uint64_t offset; /* where - start of the symbol */
	bool nameless; /* no symbol, but the unwind table tells its start: the name is "fn_0x" and its address */
};

enum symbol_function_kind {
	FUNCTION_PLAIN,
	FUNCTION_RESOLVER, /* STT_GNU_IFUNC whose implementations are not known: this is the code that chooses one */
	FUNCTION_IMPLEMENTATION, /* one that the resolver of this name may choose */
};

/* A function found by pattern, for probes. */
struct symbol_function {
	const char *name; /* mangled, as in the symbol table */
	const char *readable; /* demangled, by symbolizer_find_readable(); NULL: not mangled, or not asked */
	uint64_t file_offset; /* of its first instruction; 0 of the kernel's */
	uint64_t address; /* the same as the linker gave it, or where the kernel has it */
	uint64_t size; /* 0 unknown */
	enum symbol_function_kind kind;
};

/* A USDT probe found by pattern: one of the places that have this name. */
struct symbol_usdt {
	const char *provider, *name;
	const char *arguments; /* as in the note: "-4@%edi 8@-8(%rbp)" */
	uint64_t file_offset; /* of the instruction to probe */
	uint64_t semaphore_offset; /* in the file, of the counter to raise while it is probed; 0 none */
};

/* What is handed over. */
enum symbol_file_kind {
	SYMBOL_FILE_PROGRAM, /* or a library, or debug information of one */
	SYMBOL_FILE_MAP, /* a perf map or jitdump */
	SYMBOL_FILE_MODULE, /* a kernel module */
};

/* What is known about the separate debug file that a file wants. */
#define SYMBOL_PACKAGE ".dwp"
struct symbol_debug_request {
	const char *build_id; /* lower-case hex; "" none */
	/*
	 * .gnu_debuglink: a plain file name; of an alternate file also ".dwz/NAME" below a directory of debug files, which
	 * it does not lead out of; of split debug information "/…/NAME.dwo", or SYMBOL_PACKAGE; "" none.
	 */
	const char *link;
	unsigned int candidate; /* the first place to look at: 0, then whatever the callback left here */
};

/* What a file wants loaded with it: NUL-terminated strings, each after a letter for its kind (symbolize/unwind.h). */
#define NEEDS_LOADER 'l' /* a path: PT_INTERP */
#define NEEDS_RUNPATH 'f' /* DT_RUNPATH: "$ORIGIN/../lib:/opt/lib"; before the libraries */
#define NEEDS_RPATH 'o' /* DT_RPATH, of a file without DT_RUNPATH; likewise */
#define NEEDS_LIBRARY 'n' /* DT_NEEDED: a name, or a path */

/* The kernel in place of a file, where functions are found, suggested or explained. */
#define SYMBOL_KERNEL UINT32_MAX

/* What the confinement of workers lacks on this host; each still has no capabilities and no privileges. */
enum symbol_confinement {
	CONFINED_WITHOUT_FILTER = 1 << 0, /* sandbox_has_filter() is false: no system call is denied */
	CONFINED_AS_CALLER =
		1 << 1, /* root's worker keeps the user or the group: 65534 is not mapped in the user namespace */
	CONFINED_WITHOUT_LANDLOCK = 1 << 2, /* the filter alone keeps it from opening files */
};

/* Bits of enum symbol_confinement, tried out in a child; 0 also where no child can be started. */
unsigned int symbolizer_confinement(void);

/* The first of them alone, asked of the kernel. */
bool symbolizer_has_filter(void);

struct symbolizer_options {
	bool no_demangle;
	bool lines; /* symbolizer_lines() will be asked: files with debug information are kept open */
	bool identify_only; /* files have nothing but a build id: for names that are looked up elsewhere */
	unsigned int timeout_ms; /* per request; 0 = 10,000 */
	unsigned int cpu_seconds; /* CPU time that the worker may use without sending anything; 0 = 60 */
	/*
	 * Opens the next separate debug file that may be that of `file`, and counts request->candidate up past it, or
	 * returns a negative errno when there is none left. Runs in the caller while a symbolizer_* call is in progress.
	 * The worker checks the build id, or without one the checksum, and asks again if the file is another's. NULL = no
	 * debug files.
	 */
	int (*open_debug)(void *context, uint32_t file, struct symbol_debug_request *request);
	/*
	 * Opens a file once more after the worker that had read it was lost, or returns a negative errno; it runs like
	 * open_debug. NULL = such files stay without names.
	 */
	int (*open_again)(void *context, uint32_t file);
	void *context;
};

/*
 * Forks the supervisor, and through it the worker: call it before threads, BPF objects or large memory exist, so that they
 * inherit none. The supervisor is the caller's only child process by this module and lives until symbolizer_free(), which
 * waits for it. 0 or a negative errno with a recorded cause (fail()).
 */
int symbolizer_new(const struct symbolizer_options *options, struct symbolizer **ret_symbolizer);
void symbolizer_free(struct symbolizer *symbolizer);

/*
 * Waits until the worker for the host's files has started. 0, or why there is none: -EAGAIN where no process may be
 * started, -EIO where workers have died too often.
 */
int symbolizer_await(struct symbolizer *symbolizer);

/*
 * How the last worker that died ended: "signal 24 (CPU time limit exceeded)", "exit status 1". NULL: none died, or nobody
 * knows. Waits a moment for a supervisor that has not said so yet. The symbolizer's own, until the next call.
 */
const char *symbolizer_last_end(struct symbolizer *symbolizer);

/* Process id of the worker for the host's files, for tests and messages; waits until it has started. -1 when there is none any more. */
int symbolizer_worker_pid(struct symbolizer *symbolizer);

/* Milliseconds of CPU time of all workers until now; what one used between its death and our knowing of it is left out. */
int64_t symbolizer_cpu_ms(const struct symbolizer *symbolizer);

/*
 * Hands a file over; `file` is the caller's number for it, any value but SYMBOL_KERNEL that was not used before. The
 * worker indexes it soon, and closes it then unless its names are too many to keep in memory. Takes ownership of `fd`,
 * in any case. Never waits: what is wrong with the file shows in later answers. 0, -EEXIST for a number that is in use,
 * -ENOMEM.
 *
 * `root`: the caller's number for the root directory that the file lies in, 0 for our own. With options.open_again, files
 * of each root and user have a worker of their own.
 */
int symbolizer_add_file(struct symbolizer *symbolizer, uint32_t file, int fd, uint32_t root);

/* Whether a file that was handed over is the host's own: nobody else can make questions about it take long. */
bool symbolizer_is_of_host(const struct symbolizer *symbolizer, uint32_t file);

/* Whether a worker has a file that it has not answered for yet: symbolizer_drop() would wait for the answer. */
bool symbolizer_is_reading(const struct symbolizer *symbolizer, uint32_t file);

/*
 * Another number for a file that was handed over as `known`: questions about either have the same answers, and the callbacks are
 * asked about `known`.
 */
int symbolizer_add_same(struct symbolizer *symbolizer, uint32_t file, uint32_t known);

/*
 * The same for a perf map or jitdump, where a JIT compiler names its code (perf_map.h): places in it are addresses. The
 * worker keeps it open and reads what was added before each request.
 */
int symbolizer_add_map(struct symbolizer *symbolizer, uint32_t file, int fd, uint32_t root);

/*
 * The same for a kernel module, or its debug file: an object file, which no process runs. Places in it are addresses of
 * our own (symbol_function.address), so ask with `linked`.
 */
int symbolizer_add_module(struct symbolizer *symbolizer, uint32_t file, int fd);

/*
 * Takes a map or a file back, with all that the worker keeps of it: the number may be used for another one. Of a number of
 * symbolizer_add_same() only the number goes.
 */
void symbolizer_drop(struct symbolizer *symbolizer, uint32_t file);

/*
 * Hands the kernel's symbol list over: a descriptor of /proc/kallsyms opened while the caller was privileged. It is
 * read at the first kernel query. Takes ownership of `fd`.
 */
int symbolizer_add_kernel(struct symbolizer *symbolizer, int fd);

/*
 * Names `nr` places of one file, or of the kernel. Every answer is filled; the return value is 0, or the errno of a
 * worker that broke (-ETIMEDOUT, -EIO, -EBUSY in a pause), which the answers tell as well.
 */
int symbolizer_name_file(struct symbolizer *symbolizer, uint32_t file, const struct symbol_query *queries, size_t nr,
			 struct symbol_answer *ret_answers);
int symbolizer_name_kernel(struct symbolizer *symbolizer, const struct symbol_query *queries, size_t nr,
			   struct symbol_answer *ret_answers);

/* Where in the source a place is; strings belong to the symbolizer. */
struct symbol_line {
	const char *name; /* of the inlined function, demangled unless asked otherwise; NULL: not known, or not inlined */
	const char *file; /* NULL: not known */
	uint32_t line; /* 0: of no line, or not known */
	bool inlined; /* a call that the compiler put into the next one */
	bool by_libdw; /* read by libdw, not by our own readers */
	uint32_t omitted; /* calls between this one and the next line that are not told: they are too many */
};

/* The lines of one place: from the innermost inlined call to the function itself, at least that. */
struct symbol_line_range {
	size_t first, nr; /* in the lines; nr 0: nothing is known */
};

struct symbol_lines {
	struct symbol_line *lines;
	size_t nr_lines;
	struct symbol_line_range *ranges; /* one per place */
	/* Split debug information that was not found: of so many units, the first of which wants this file, no inlined calls are known. */
	const char *missing_split; /* NULL: none */
	uint32_t nr_missing_splits;
};

/*
 * Source lines of `nr` places of one file, and with `inlines` the calls that were inlined there. Needs options.lines.
 * All places at once: each call reads the file's debug information anew. The worker stops reading after `timeout_ms`, 0
 * = when the request has lasted too long, and the worker with it. 0, and symbol_lines_done() frees; -ENOENT for an
 * unknown file, -ENOEXEC for an unusable one, -ENODATA when it has no debug information, -E2BIG for more than 1,048,576
 * places, -EMSGSIZE when the answer has more than 2^24 lines or 256 MB of text, -ENOMEM, -EMFILE when too many files
 * were kept open, -ETIME after timeout_ms, -EIO or -ETIMEDOUT for a broken worker.
 */
int symbolizer_lines(struct symbolizer *symbolizer, uint32_t file, const struct symbol_query *queries, size_t nr,
		     bool inlines, unsigned int timeout_ms, struct symbol_lines *ret_lines);
void symbol_lines_done(struct symbol_lines *lines);

/* A number for the owner of a file, whose worker is asked about it: 0 the host, also for an unknown file. */
size_t symbolizer_owner(struct symbolizer *symbolizer, uint32_t file);

/*
 * Functions of a file or of SYMBOL_KERNEL whose mangled or demangled name matches; the array is malloc()ed, its strings
 * belong to the symbolizer. `pattern` is a PCRE2 expression, already anchored by the caller. Sorted by file offset (the
 * kernel's: by address), one entry per distinct (offset, name); in place of an indirect function come its
 * implementations, where these are known. -EMSGSIZE for more than 1,048,576 functions or 256 MB of names, -ENOEXEC when
 * the file is not a usable ELF file, -EPERM when the kernel shows no addresses, -EINVAL for a bad pattern, -EIO or
 * -ETIMEDOUT for a broken worker.
 */
int symbolizer_find(struct symbolizer *symbolizer, uint32_t file, const char *pattern,
		    struct symbol_function **ret_functions, size_t *ret_nr);

/* The same with readable names, unless options.no_demangle; either name is a pattern that finds the function. */
int symbolizer_find_readable(struct symbolizer *symbolizer, uint32_t file, const char *pattern,
			     struct symbol_function **ret_functions, size_t *ret_nr);

/*
 * USDT probes of a file whose provider and name match, both PCRE2 expressions anchored by the caller; as
 * symbolizer_find() otherwise. Sorted by file offset. -EBADMSG when the file's notes make no sense.
 */
int symbolizer_find_usdt(struct symbolizer *symbolizer, uint32_t file, const char *provider, const char *name,
			 struct symbol_usdt **ret_probes, size_t *ret_nr);

/*
 * Up to `room` function names of the file, or of SYMBOL_KERNEL, that are near `name` (did-you-mean), best first.
 * Returns how many.
 */
size_t symbolizer_suggest(struct symbolizer *symbolizer, uint32_t file, const char *name, const char **ret_names,
			  size_t room);

/*
 * Why a place of a file, or of SYMBOL_KERNEL, has the name that it has, or none: the tables of the file, the symbol,
 * the aliases that were passed over and by which rule. Up to `room` sentences, in order, unescaped. Returns how many; 0
 * when the file cannot be read.
 */
size_t symbolizer_explain(struct symbolizer *symbolizer, uint32_t file, const struct symbol_query *query,
			  const char **ret_sentences, size_t room);

/*
 * Build id of a file as lower-case hex, "" when it has none or cannot be read; waits until the file has been indexed.
 * The string belongs to the symbolizer.
 */
const char *symbolizer_build_id(struct symbolizer *symbolizer, uint32_t file);
