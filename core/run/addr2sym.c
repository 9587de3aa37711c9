/* SPDX-License-Identifier: GPL-2.0-or-later */
/* addr2sym: names addresses with the code that names frames, without BPF. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/escape.h"
#include "core/base/match.h"
#include "core/base/why.h"
#include "core/files/opener.h"
#include "core/host/host.h"
#include "core/host/process.h"
#include "core/naming/naming.h"
#include "core/naming/frame_lines.h"
#include "core/run/run.h"
#include "core/spaces/frame_reasons.h"

enum {
	THE_FILE = 0, /* its number in the symbolizer */
	BATCH = 4096, /* addresses from standard input that are named together */
};

struct addr2sym {
	const struct addr2sym_request *request;
	struct naming naming;
	struct debuginfod debuginfod;
	char *path; /* absolute path of the file: debug files are searched beside it */
	struct symbolizer *symbolizer;
	struct profile profile;
	struct spaces *spaces; /* only for a process */
	struct frame_lines lines; /* of frames */
	uint32_t lines_said; /* bits of the enum line_reason for which a message was printed */
	VEC(uint64_t) addresses;
	bool lines_missed; /* a message was printed that lines of the file cannot be read */
	const char *missing_split; /* as in symbol_lines; of the request with the largest number */
	uint32_t nr_missing_splits;
	struct buf text;
	struct buf why; /* explanations since the last answer, one per line */
};

static bool wants_lines(const struct addr2sym_request *request)
{
	return request->lines || request->inlines;
}

/* ---- output ---- */

static void add_name(struct buf *text, const char *name, uint64_t offset, const char *module)
{
	escape_add(text, name, ESCAPE_NAME);
	buf_addf(text, "+0x%" PRIx64, offset);
	if (module) {
		buf_adds(text, " [");
		escape_add(text, module, ESCAPE_MODULE);
		buf_addc(text, ']');
	}
}

/* Adds " FILE:LINE", with '?' for an unknown line, as in addr2line. */
static void add_line(struct addr2sym *run, const struct symbol_line *line)
{
	struct buf *text = &run->text;

	if (!run->request->lines || !line->file)
		return;
	buf_addc(text, ' ');
	escape_add(text, line->file, ESCAPE_NAME);
	if (line->line)
		buf_addf(text, ":%" PRIu32, line->line);
	else
		buf_adds(text, ":?");
}

static void add_inlined(struct addr2sym *run, const struct symbol_line *line)
{
	escape_add(&run->text, line->name ? line->name : "??", ESCAPE_NAME);
	buf_adds(&run->text, " (inlined)");
	add_line(run, line);
	buf_addc(&run->text, '\n');
}

/* The text for a file of the command line, which no process maps. */
static const char *reason_text(const struct addr2sym *run, enum frame_reason reason)
{
	if (!run->spaces && reason == REASON_NOT_ELF)
		return "the file is not an ELF file";
	return frame_reason_text(reason);
}

static int write_text(struct addr2sym *run)
{
	fputs(buf_text(&run->text), stdout);
	buf_clear(&run->text);
	return fflush(stdout) ? -errno : 0;
}

/* ---- why ---- */

enum {
	SENTENCES_MAX = 64
};

/* Whether an earlier line of the text is the same; `length` includes the newline. */
static bool is_repeated(const char *text, const char *line, size_t length)
{
	const char *end;

	for (; text < line; text = end + 1) {
		end = strchr(text, '\n');
		if ((size_t)(end + 1 - text) == length && !memcmp(text, line, length))
			return true;
	}
	return false;
}

/* Adds the explanations after the answer, each once, and clears them. */
static void add_why(struct addr2sym *run)
{
	const char *text = buf_text(&run->why), *line = text, *end;

	for (; (end = strchr(line, '\n')); line = end + 1)
		if (!is_repeated(text, line, (size_t)(end + 1 - line)))
			buf_addf(&run->text, "    %.*s\n", (int)(end - line), line);
	buf_clear(&run->why);
}

/* If the file cannot be read, the only explanation is why there is no name. */
static void explain(struct addr2sym *run, uint32_t file, const struct symbol_query *query, enum frame_reason reason)
{
	const char *sentences[SENTENCES_MAX];
	size_t nr = symbolizer_explain(run->symbolizer, file, query, sentences, SENTENCES_MAX);

	for (size_t i = 0; i < nr; i++)
		why_add(&run->why, "%s", sentences[i]);
	if (!nr && reason != REASON_NAMED)
		why_add(&run->why, "no name: %s", reason_text(run, reason));
}

/* Explains that split debug information with inlined calls is missing. */
static void explain_missing_split(struct addr2sym *run, const char *path, const char *split, uint32_t nr)
{
	_cleanup_(buf_done) struct buf text = {};

	if (!split || !run->request->why)
		return;
	profile_add_missing_split(&text, path, split, nr);
	why_add(&run->why, "%s", buf_text(&text));
}

static void explain_frame(struct addr2sym *run, const struct profile_frame *frame)
{
	const struct symbol_query query = { .where = frame->where, .exact = frame->exact };

	if (wants_lines(run->request) && frame->line_reason != LINES_FOUND)
		why_add(&run->why, "no source line: %s", line_reason_text((enum line_reason)frame->line_reason));
	if (frame->kind == FRAME_KERNEL) {
		explain(run, SYMBOL_KERNEL, &query, (enum frame_reason)frame->reason);
	} else if (frame->kind == FRAME_USER_FILE) {
		const struct profile_file *file = &run->profile.files.data[frame->file];

		why_add(&run->why, "mapped there: %s", profile_string(&run->profile, file->path));
		explain(run, frame->file, &query, (enum frame_reason)frame->reason);
		explain_missing_split(run, profile_string(&run->profile, file->path),
				      file->missing_split ? profile_string(&run->profile, file->missing_split) : NULL,
				      file->nr_missing_splits);
	} else {
		why_add(&run->why, "mapped there: %s",
			!frame->where ? "no code"
			: frame->name ? "not a regular file: the name comes from a jitdump or perf map"
				      : "not a regular file: a jitdump or perf map could name it");
	}
}

/* ---- addresses in a process, and lines of the kernel: frames of a profile ---- */

static uint32_t frame_of(struct addr2sym *run, uint64_t address)
{
	const struct profile_record record = { .tgid = run->request->tgid };
	const struct profile_frame kernel = {
		.kind = FRAME_KERNEL,
		.reason = REASON_NOT_TRIED,
		.where = address,
		.exact = !run->request->is_return,
	};
	uint32_t frame;

	if (run->request->kernel)
		return profile_add_frame(&run->profile, &kernel);
	/* one call each, because only the first frame of a stack can be exact */
	spaces_add_frames(run->spaces, &record, &address, 1, !run->request->is_return, &frame);
	return frame;
}

static struct symbol_line line_of(const struct addr2sym *run, const struct profile_frame *frame)
{
	return (struct symbol_line){
		.name = frame->name ? profile_string(&run->profile, frame->name) : NULL,
		.file = frame->source ? profile_string(&run->profile, frame->source) : NULL,
		.line = frame->line,
	};
}

static void add_calls(struct addr2sym *run, uint32_t frame)
{
	uint32_t call;

	if (!run->profile.frames.data[frame].has_inlined)
		return;
	for (uint16_t level = 1; (call = profile_find_inlined(&run->profile, frame, level)) != PROFILE_NONE; level++) {
		struct symbol_line line = line_of(run, &run->profile.frames.data[call]);

		add_inlined(run, &line);
	}
}

static void add_frame(struct addr2sym *run, const struct profile_frame *frame)
{
	const char *module = frame->module ? profile_string(&run->profile, frame->module) : NULL;
	struct symbol_line line = line_of(run, frame);

	if (frame->name)
		add_name(&run->text, profile_string(&run->profile, frame->name), frame->offset, module);
	else if (module && frame->kind != FRAME_KERNEL)
		add_name(&run->text, "??", frame->where, module);
	else
		buf_addf(&run->text, "?? (%s)", frame_reason_text((enum frame_reason)frame->reason));
	add_line(run, &line);
	buf_addc(&run->text, '\n');
}

/* Prints why a frame has no line; each reason once. */
static void say_no_line(struct addr2sym *run, uint64_t address, const struct profile_frame *frame)
{
	uint32_t bit = 1u << frame->line_reason;

	if (!wants_lines(run->request) || frame->line_reason == LINES_FOUND || run->lines_said & bit)
		return;
	fprintf(stderr, "stacktool addr2sym: 0x%" PRIx64 ": no source line: %s\n", address,
		line_reason_text((enum line_reason)frame->line_reason));
	run->lines_said |= bit;
}

static void name_as_frames(struct addr2sym *run)
{
	size_t nr = run->addresses.nr;
	_cleanup_(freep) uint32_t *frames = xcalloc(nr, sizeof(*frames));

	for (size_t i = 0; i < nr; i++)
		frames[i] = frame_of(run, run->addresses.data[i]);
	name_frames(&run->profile, run->symbolizer, run->spaces);
	run->lines.left_ns = FRAME_LINES_NS; /* each batch has the whole time limit */
	frame_lines_find(&run->lines, &run->profile, run->symbolizer, NULL, UINT64_MAX);
	for (size_t i = 0; i < nr; i++) {
		const struct profile_frame *frame = &run->profile.frames.data[frames[i]];

		add_calls(run, frames[i]);
		add_frame(run, frame);
		say_no_line(run, run->addresses.data[i], frame);
		if (run->request->why) {
			explain_frame(run, frame);
			add_why(run);
		}
	}
}

/* ---- addresses in a file or the kernel ---- */

static void add_answer(struct addr2sym *run, const struct symbol_answer *answer)
{
	enum frame_reason reason = frame_reason_of(answer->status, run->request->kernel);

	if (answer->name)
		add_name(&run->text, answer->name, answer->offset, answer->module);
	else
		buf_addf(&run->text, "?? (%s)", reason_text(run, reason));
}

/* Adds the inlined calls, then the function itself, whose name is known. */
static void add_lines(struct addr2sym *run, const struct symbol_answer *answer, const struct symbol_line *lines,
		      size_t nr)
{
	for (size_t i = 0; i < nr && lines[i].inlined; i++) {
		add_inlined(run, &lines[i]);
		if (lines[i].omitted)
			buf_addf(&run->text, "... (inlined): %" PRIu32 " more call%s, too many to show\n",
				 lines[i].omitted, lines[i].omitted == 1 ? "" : "s");
	}
	add_answer(run, answer);
	if (nr)
		add_line(run, &lines[nr - 1]);
	buf_addc(&run->text, '\n');
}

static const char *lines_trouble(int err)
{
	return err == -ENODATA    ? "neither the file nor its debug file has debug information"
	       : err == -ENOEXEC  ? "not a usable ELF file"
	       : err == -EBADMSG  ? "its debug information is malformed"
	       : err == -EMSGSIZE ? "too many names"
				  : strerror(-err);
}

static void find_lines(struct addr2sym *run, const struct symbol_query *queries, struct symbol_lines *ret_lines)
{
	int err;

	*ret_lines = (struct symbol_lines){};
	if (!wants_lines(run->request))
		return;
	err = symbolizer_lines(run->symbolizer, THE_FILE, queries, run->addresses.nr, run->request->inlines, 0,
			       ret_lines);
	if (err && run->request->why)
		why_add(&run->why, "no source lines: %s", lines_trouble(err));
	if (err && !run->lines_missed)
		fprintf(stderr, "stacktool addr2sym: '%s': no source lines: %s\n", run->request->file,
			lines_trouble(err));
	run->lines_missed = run->lines_missed || err;
	explain_missing_split(run, run->request->file, ret_lines->missing_split, ret_lines->nr_missing_splits);
	if (ret_lines->nr_missing_splits <= run->nr_missing_splits)
		return;
	run->missing_split = ret_lines->missing_split;
	run->nr_missing_splits = ret_lines->nr_missing_splits;
}

static void name_in_file(struct addr2sym *run)
{
	struct symbol_lines lines;
	size_t nr = run->addresses.nr;
	_cleanup_(freep) struct symbol_query *queries = xcalloc(nr, sizeof(*queries));
	_cleanup_(freep) struct symbol_answer *answers = xcalloc(nr, sizeof(*answers));

	for (size_t i = 0; i < nr; i++)
		queries[i] = (struct symbol_query){
			.where = run->addresses.data[i],
			.exact = !run->request->is_return,
			.linked = !run->request->kernel,
		};
	if (run->request->kernel)
		symbolizer_name_kernel(run->symbolizer, queries, nr, answers);
	else
		symbolizer_name_file(run->symbolizer, THE_FILE, queries, nr, answers);
	find_lines(run, queries, &lines);
	for (size_t i = 0; i < nr; i++) {
		const struct symbol_line_range *range = lines.ranges ? &lines.ranges[i] : NULL;

		add_lines(run, &answers[i], range ? lines.lines + range->first : NULL, range ? range->nr : 0);
		if (run->request->why)
			explain(run, run->request->kernel ? SYMBOL_KERNEL : THE_FILE, &queries[i],
				frame_reason_of(answers[i].status, run->request->kernel));
		add_why(run);
	}
	symbol_lines_done(&lines);
}

/* ---- addresses ---- */

static int name_batch(struct addr2sym *run)
{
	if (!run->addresses.nr)
		return 0;
	if (run->spaces || (run->request->kernel && wants_lines(run->request)))
		name_as_frames(run);
	else
		name_in_file(run);
	run->addresses.nr = 0;
	return write_text(run);
}

#define NOT_AN_ADDRESS "not an address: give hexadecimal digits, with 0x or without"

/* A hexadecimal number, with or without 0x, as in addr2line. */
static bool is_address(const char *text)
{
	const char *digits = text + (text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 2 : 0);
	size_t length = strspn(digits, "0123456789abcdefABCDEF");

	return length && !digits[length] && length <= 16;
}

/* Adds an address, and names the batch if it is full. With --why each batch is one address, because explanations are per address. */
static int add_address(struct addr2sym *run, const char *text, size_t batch)
{
	vec_push(&run->addresses, strtoull(text, NULL, 16));
	return run->addresses.nr == (run->request->why ? 1 : batch) ? name_batch(run) : 0;
}

static int name_words(struct addr2sym *run)
{
	int err = 0;

	for (size_t i = 0; !err && i < run->request->addresses.nr; i++) {
		const char *word = run->request->addresses.data[i];

		err = is_address(word) ? add_address(run, word, SIZE_MAX) : fail_usage("'%s': " NOT_AN_ADDRESS, word);
	}
	return err ? err : name_batch(run);
}

/* Takes one line of input. If it is bad, names the addresses before it first. */
static int take_line(struct addr2sym *run, struct buf *line, unsigned long number)
{
	const char *text = buf_text(line);
	_cleanup_(freep) char *word = NULL;

	if (memchr(text, '\0', line->nr))
		return name_batch(run) ?: fail_usage("line %lu: it has a zero byte: " NOT_AN_ADDRESS, number);
	text += strspn(text, " \t");
	word = xasprintf("%.*s", (int)strcspn(text, " \t\r"), text);
	buf_clear(line);
	if (is_address(word))
		return add_address(run, word, BATCH);
	return *word ? name_batch(run) ?: fail_usage("line %lu: '%s': " NOT_AN_ADDRESS, number, word) : 0;
}

/* Reads available input. Before it blocks, it names the addresses so far, because the writer may wait for the answers. */
static int read_input(struct addr2sym *run, char *bytes, size_t room, size_t *ret_nr)
{
	struct pollfd input = { STDIN_FILENO, POLLIN, 0 };
	int err = poll(&input, 1, 0) ? 0 : name_batch(run);
	ssize_t nr;

	if (err)
		return err;
	do
		nr = read(STDIN_FILENO, bytes, room);
	while (nr < 0 && errno == EINTR);
	*ret_nr = nr < 0 ? 0 : (size_t)nr;
	return nr < 0 ? fail(-errno, "standard input: %s", strerror(errno)) : 0;
}

static int name_input(struct addr2sym *run)
{
	_cleanup_(buf_done) struct buf line = {};
	unsigned long number = 0;
	char bytes[BUFSIZ];
	size_t nr = 0;
	int err;

	do {
		err = read_input(run, bytes, sizeof(bytes), &nr);
		for (size_t i = 0; !err && i < nr; i++) {
			if (bytes[i] == '\n')
				err = take_line(run, &line, ++number);
			else
				buf_addc(&line, bytes[i]);
		}
	} while (!err && nr);
	if (!err && line.nr)
		err = take_line(run, &line, ++number);
	return err ? err : name_batch(run);
}

/* ---- --find ---- */

static void free_functions(struct symbol_function **functions)
{
	free(*functions);
}

static const char *name_of(const struct symbol_function *function)
{
	return function->readable ? function->readable : function->name;
}

/* Whether these are copies of a constructor, which only differ in their mangled names. */
static bool is_same_function(const struct symbol_function *a, const struct symbol_function *b)
{
	return a->address == b->address && !strcmp(name_of(a), name_of(b));
}

static int find(struct addr2sym *run)
{
	_cleanup_(freep) char *pattern = match_wildcard(run->request->find);
	_cleanup_(free_functions) struct symbol_function *functions = NULL;
	const char *near, *where = run->request->kernel ? "/proc/kallsyms" : run->request->file;
	uint32_t subject = run->request->kernel ? SYMBOL_KERNEL : THE_FILE;
	size_t nr = 0;
	int err = pattern ? symbolizer_find_readable(run->symbolizer, subject, pattern, &functions, &nr) : -ENOMEM;

	if (err)
		return fail(err, "'%s': cannot search functions: %s", where,
			    err == -EPERM          ? "it shows no addresses"
			    : err == -EMSGSIZE     ? "too many functions, or their names are too long"
			    : err != -ENOEXEC      ? strerror(-err)
			    : run->request->kernel ? "not a list of symbols"
						   : "not a usable ELF file");
	for (size_t i = 0; i < nr; i++) {
		if (i && is_same_function(&functions[i - 1], &functions[i]))
			continue;
		buf_addf(&run->text, "0x%" PRIx64 " ", functions[i].address);
		escape_add(&run->text, name_of(&functions[i]), ESCAPE_NAME);
		buf_addc(&run->text, '\n');
	}
	if (nr)
		return write_text(run);
	fail_no_match("'%s': no function '%s'", where, run->request->find);
	if (symbolizer_suggest(run->symbolizer, subject, run->request->find, &near, 1) == 1)
		hint("did you mean '%s'?", near);
	return -ENOENT;
}

/* ---- the run ---- */

static void say_missing_split(const char *path, const char *split, uint32_t nr)
{
	_cleanup_(buf_done) struct buf text = {};

	profile_add_missing_split(&text, path, split, nr);
	fprintf(stderr, "stacktool addr2sym: %s\n", buf_text(&text));
}

/* Prints this once per file. */
static void say_missing_splits(const struct addr2sym *run)
{
	const struct profile *profile = &run->profile;

	if (run->missing_split)
		say_missing_split(run->request->file, run->missing_split, run->nr_missing_splits);
	for (size_t i = 0; i < profile->files.nr; i++) {
		const struct profile_file *file = &profile->files.data[i];

		if (file->missing_split)
			say_missing_split(profile_string(profile, file->path),
					  profile_string(profile, file->missing_split), file->nr_missing_splits);
	}
}

static int open_file(struct addr2sym *run)
{
	int fd = opener_open_user(run->request->file, 0);

	run->path = realpath(run->request->file, NULL);
	run->naming.path = run->path;
	return fd < 0 ? fd : symbolizer_add_file(run->symbolizer, THE_FILE, fd, 0);
}

/* A wrong file of --vmlinux is a failure; missing debug information without the option is not. */
static int open_vmlinux(struct addr2sym *run)
{
	char text[256];

	if (!wants_lines(run->request))
		return 0;
	host_kernel_build_id(text);
	run->profile.host.kernel_build_id = profile_add_string(&run->profile, text);
	host_describe(text, sizeof(text));
	run->profile.kernel_release = profile_add_string(&run->profile, text);
	run->lines.kernel.vmlinux = run->request->vmlinux;
	run->lines.kernel.directories = run->request->debug_directories;
	run->lines.kernel.debuginfod = &run->debuginfod;
	run->lines.kernel.why = run->naming.why;
	return run->request->vmlinux ? kernel_debug_open(&run->lines.kernel, &run->profile, run->symbolizer) : 0;
}

static int open_kernel(struct addr2sym *run)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return fail(-errno, "/proc/kallsyms: cannot be opened: %s", strerror(errno));
	return symbolizer_add_kernel(run->symbolizer, fd) ?: open_vmlinux(run);
}

static int open_process(struct addr2sym *run)
{
	const struct spaces_options options = {
		.symbolizer = run->symbolizer,
		.profile = &run->profile,
		.only_tgid = run->request->tgid,
		.why = run->naming.why,
		.host_root = run->request->host_root,
	};
	int err = process_require_proc();

	err = err ?: process_exists(run->request->tgid);
	if (err)
		return err;
	run->spaces = spaces_new(&options);
	spaces_prime(run->spaces, run->request->tgid);
	return 0;
}

static int check(const struct addr2sym_request *request)
{
	if (!request->file && !request->kernel && !request->tgid)
		return fail_usage("give --exe FILE, --pid PID or --kernel");
	if (wants_lines(request) && request->find)
		return fail_usage("argument --%s: not allowed with --find", request->lines ? "lines" : "inlines");
	if (request->vmlinux && (!request->kernel || !wants_lines(request)))
		return fail_usage("argument --vmlinux: needs --kernel and --lines or --inlines");
	if (request->find && request->tgid)
		return fail_usage("argument --find: needs --exe FILE or --kernel");
	if (request->why && request->find)
		return fail_usage("argument --why: not allowed with --find");
	if (request->find && request->addresses.nr)
		return fail_usage("argument --find: not allowed with addresses");
	return 0;
}

int run_addr2sym(const struct addr2sym_request *request)
{
	struct addr2sym run = { .request = request };
	int err = check(request);

	if (err)
		return err;
	run.naming = (struct naming){ .no_demangle = request->no_demangle,
				      .lines = wants_lines(request),
				      .debuginfod = &run.debuginfod,
				      .debug_directories = request->debug_directories,
				      .host_root = request->host_root,
				      .why = request->why ? &run.why : NULL,
				      .spaces = &run.spaces };
	profile_init(&run.profile);
	run.profile.view.lines = request->lines;
	run.profile.view.inlines = request->inlines;
	debuginfod_start(&run.debuginfod);
	err = naming_start(&run.naming, &run.symbolizer);
	err = err ?: naming_await(run.symbolizer);
	err = err ?: request->file ? open_file(&run) : request->kernel ? open_kernel(&run) : open_process(&run);
	if (!err && request->find)
		err = find(&run);
	else if (!err)
		err = request->addresses.nr ? name_words(&run) : name_input(&run);
	say_missing_splits(&run);
	if (!err)
		naming_warn(run.symbolizer, NULL, true);
	spaces_free(run.spaces);
	frame_lines_done(&run.lines);
	symbolizer_free(run.symbolizer);
	debuginfod_done(&run.debuginfod);
	profile_done(&run.profile);
	vec_done(&run.addresses);
	buf_done(&run.text);
	buf_done(&run.why);
	free(run.path);
	return err;
}
