/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Only macros of man(7) that both groff and mandoc know. */
#include "core/cli/man.h"

#include "core/base/cleanup.h"
#include "core/cli/help.h"
#include "core/cli/option_groups.h"
#include "core/cli/status.h"
#include "core/cli/version.h"

/* An array of paragraphs ends with an empty one. */
struct paragraph {
	const char *title; /* in the left column; NULL: a plain paragraph */
	const char *text;
};

static const struct paragraph description[] = {
	{ NULL,
	  "Counts, times and samples stack traces. BPF programs aggregate them in the kernel: each stack is sent to "
	  "user space once, then only its counter changes. Every tool is an applet, called as 'stacktool APPLET' or "
	  "through a link with its name. The names of bcc's tools work too (profile, profile.py, profile-bpfcc, "
	  "bpf-profile)." },
	{ NULL,
	  "Reports go to standard output; notes, warnings and errors go to standard error. Every event is counted, "
	  "filtered or reported as lost. A run needs root, or CAP_BPF, CAP_PERFMON and a few more capabilities "
	  "('stacktool doctor' lists them). Reading a saved profile needs no privileges." },
	{},
};

static const struct paragraph commands[] = {
	{ "help [APPLET]",
	  "print the help of stacktool or of an applet (also: stacktool APPLET --help; --help=all for all options)" },
	{ "help --man [APPLET|probes]", "print the help as a man page: stacktool help --man count | man -l -" },
	{ "--list", "list the applets, one per line" },
	{ "--version", "print the version, the libraries and the build options" },
	{ "--install DIR", "install links under the names of bcc's tools" },
	{ "--completions SHELL", "print the completion script for bash, zsh or fish" },
	{},
};

static const struct paragraph environment[] = {
	{ "STACKTOOL_MAX_OVERHEAD", "default of --max-overhead; 'off': no limit" },
	{ "BCC_PROBE_LIMIT", "default of --max-probes, instead of 1000" },
	{ "DEBUGINFOD_URLS",
	  "servers for debug files, queried by build id with debuginfod-find (elfutils); if unset, no server is "
	  "queried" },
	{ "PATH, LD_LIBRARY_PATH", "where the programs and libraries of patterns are searched" },
	{ "STACKTOOL_FORMAT",
	  "format of reports without --format and -o; if unset, a summary on a terminal, else text" },
	{ "NO_COLOR", "if set, a summary has no colours; other text never has" },
	{},
};

static const char debugging_elsewhere[] =
	"stacktool(8) explains frames without names, missing symbols and broken stacks, with remedies. --explain "
	"prints what would be attached, how and why, then exits; --debug prints the plan and the BPF configuration.";

static const char overhead_of_run[] =
	"With -v, the last line of a run reports what it cost. The figures were measured on a virtual machine with two "
	"CPUs and Linux 6.18.";

/* The figures are from docs/internals/benchmarks.md. */
static const struct paragraph debugging[] = {
	{ NULL,
	  "stacktool reports on standard error, with a count, everything that is lost, unnamed or unavailable; -v also "
	  "prints what is in order. "
	  "'stacktool doctor' checks what this host can do and prints a remedy for each gap." },
	{ "[unknown]",
	  "A frame without a name. The note below the report counts the reasons. 'The file has no symbol table': "
	  "install its debug symbols. 'Code in anonymous memory' is code of a JIT compiler: have it write "
	  "/tmp/perf-PID.map. 'No code was mapped there': the stack is broken, see below." },
	{ "[unknown] in all kernel frames",
	  "/proc/kallsyms shows no addresses: kernel.kptr_restrict is 2, or CAP_SYSLOG is missing." },
	{ "stacks that are truncated or wrong",
	  "The program was compiled without frame pointers, but its stack was walked by frame pointers: the default "
	  "of system-wide count and stacksnoop. Use --unwind=auto, -p or a command after --." },
	{ "[no unwind information], [unsupported unwind rule], [no unwind table yet], [unknown code]",
	  "Unwinding stopped before the root. The reasons, in this order: the code has neither .eh_frame nor frame "
	  "pointers; its .eh_frame has a rule that stacktool does not support; the table of the file was not ready "
	  "yet, which happens in the first milliseconds of a process; the code is not in a known file, such as "
	  "code of a JIT compiler." },
	{ "[Missed User Stack], [Missed Kernel Stack]",
	  "The kernel could not walk the stack. Kernel threads have no user stack; for them nothing is printed." },
	{ "[... frames ...]", "Stands for the middle of a stack with more than 127 frames. Stacks that "
			      "differ only in the number of these frames are one row." },
	{ "[truncated]",
	  "The stack has more frames than the limit: 2,048, or 127 for kernel stacks and for stacks walked by "
	  "frame pointers. Its root is missing." },
	{ "[truncated by --max-depth]", "--max-depth omitted the outer frames." },
	{ "nothing matches",
	  "Exit status 5, with similar names. 'stacktool list PATTERN' prints what a pattern matches; '--explain' "
	  "prints what would be attached, how and why." },
	{},
};

static const struct paragraph overhead[] = {
	{ NULL, "The cost depends on the number of events, not on the time. First find out how often they happen: "
		"'stacktool funccount' is the cheapest way, because it takes no stacks." },
	{ NULL,
	  "With -v, the last line of a run reports what it cost: the BPF programs time some of their runs. Above 5 % of "
	  "all CPU time, or with -p of the CPU time of the traced processes (--max-overhead, or STACKTOOL_MAX_OVERHEAD "
	  "in the environment), stacktool detaches the costliest probe and prints a warning; if the run needs it, "
	  "the run ends with status 6. Events of a command after -- have no limit. With --strict the exit status is 4 "
	  "if a probe was detached. Runs with more than 100 probes end after 5 minutes, except with --forever." },
	{ "count",
	  "An event with both stacks (16 user frames) costs about 1.2 microseconds, 0.6 times the cost of the "
	  "kernel's own two stack walks; unwind tables add about a fifth. A million events a second would take more "
	  "than one CPU." },
	{ "profile",
	  "At 99 Hertz, sampling takes less than 0.4 % of a CPU that runs a compiler: 25 to 37 microseconds a "
	  "sample, with cold caches." },
	{ "user functions and USDT probes",
	  "Each hit is a trap into the kernel and back, in the traced program itself. A probe on a function that is "
	  "called millions of times a second slows the program." },
	{ "offcputime, offwaketime, wakeuptime",
	  "They follow every context switch of every thread, even with -p; a busy host has a million a second. A "
	  "switch out and back in costs 1.7 microseconds with --unwind=fp and 2.3 with unwind tables (the default)." },
	{ "wall",
	  "It follows the switches of all threads as offcputime does, and walks the stacks of its targets only." },
	{ "lock",
	  "The same, and walks the stacks of threads that wait for a lock or release one that others wait for." },
	{ "stacksnoop",
	  "It prints each event, so use it for rare events. Above 1,000 events a second it prints a note once." },
	{ "memory",
	  "A system-wide profile of 5 seconds needs 12 MB in three processes, and 5 to 7 MB of kernel memory; more "
	  "while compilers run, because of their large unwind tables." },
	{},
};

static const struct paragraph patterns[] = {
	{ "FUNCTION, p::FUNCTION", "a kernel function" },
	{ "LIB:FUNCTION, p:LIB:FUNCTION",
	  "a function of a library (c, ssl, libc.so.6) or of a program in PATH; with one -p, as that process sees it" },
	{ "/path:FUNCTION, ./path:FUNCTION", "the same, by path" },
	{ "-l LIB FUNCTION", "the same in bcc's older syntax; FUNCTION is not split at colons" },
	{ "t:CATEGORY:EVENT", "a kernel tracepoint" },
	{ "u:LIB:PROBE, u:LIB:PROVIDER:PROBE", "a USDT probe of a library or program" },
	{ "u::PROBE", "a USDT probe in the files of the processes of -p" },
	{ "PATTERN PATTERN...",
	  "several patterns, all kernel functions, user functions, tracepoints or USDT probes. An event that several of "
	  "them match counts once." },
	{ "@FILE", "the patterns in the lines of FILE; empty lines and those that begin with '#' are skipped" },
	{ NULL,
	  "A function may be written mangled or demangled: app:_ZN2ns4funcEi, app:ns::func(int), or app:ns::func for "
	  "all overloads." },
	{},
};

static const struct paragraph wildcards[] = {
	{ NULL,
	  "Without -r, '*' matches any number of any characters, every other character matches itself, and the whole "
	  "name must match. With -r the pattern is a regular expression (PCRE2), anchored at the start, and for "
	  "kernel functions at both ends. The library or path before it is never an expression." },
	{ NULL, "More than 1000 matches are refused; --max-probes and BCC_PROBE_LIMIT change the limit." },
	{},
};

static const struct paragraph colons[] = {
	{ NULL,
	  "A single colon separates the parts of a pattern. Two colons in a row do not (app:std::sort). In a path, "
	  "only the last colon separates (/opt/a:b/app:main). Inside the brackets of a regular expression, no colon "
	  "does." },
	{},
};

/* ---- roff ---- */

/* Escapes text for roff: backslashes, dashes and quotes are printed as they are, and so are control characters at the start of a line. */
static void add_text(struct buf *page, const char *text)
{
	for (const char *c = text; *c; c++) {
		bool line_start = !page->nr || page->data[page->nr - 1] == '\n';

		if (line_start && (*c == '.' || *c == '\''))
			buf_adds(page, "\\&");
		if (*c == '\\')
			buf_adds(page, "\\e");
		else if (*c == '-')
			buf_adds(page, "\\-");
		else if (*c == '\'')
			buf_adds(page, "\\(aq");
		else if (*c == '\n' && c[1] == '\n')
			buf_adds(page, "\n.PP");
		else
			buf_addc(page, *c);
	}
}

#define COMMANDS 8
#define MISCELLANEOUS 7

static void add_head(struct buf *page, const char *title, int section, const char *summary)
{
	buf_addf(page, ".TH %s %d \"\" \"stacktool %s\"\n.SH NAME\n", title, section, version_number());
	add_text(page, title);
	buf_adds(page, " \\- ");
	add_text(page, summary);
	buf_addc(page, '\n');
}

static void add_option_name(struct buf *page, const struct option_spec *spec)
{
	if (spec->operand) {
		buf_addf(page, "\\fI%s\\fR\n", spec->name);
		return;
	}
	buf_adds(page, "\\fB");
	if (spec->letter) {
		buf_addf(page, "\\-%c", spec->letter);
		buf_adds(page, "\\fR, \\fB");
	}
	if (spec->also)
		buf_addf(page, "\\-%c\\fR, \\fB", spec->also);
	add_text(page, "--");
	add_text(page, spec->name);
	buf_adds(page, "\\fR");
	if (option_takes_value(spec))
		buf_addf(page, "=\\fI%s\\fR", spec->metavar);
	else if (spec->kind == OPTION_KIND_HELP)
		buf_addf(page, "[=\\fI%s\\fR]", spec->metavar);
	buf_addc(page, '\n');
}

static void add_option(struct buf *page, const struct applet *applet, const struct option_entry *entry)
{
	_cleanup_(buf_done) struct buf words = {};

	buf_adds(page, ".TP\n");
	add_option_name(page, entry->spec);
	buf_adds(&words, entry->spec->help);
	help_default(applet, entry, &words);
	add_text(page, buf_text(&words));
	buf_addc(page, '\n');
}

static void add_operands(struct buf *page, const struct applet *applet, const struct option_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		if (list->data[i].spec->operand && !list->data[i].hidden)
			add_option(page, applet, &list->data[i]);
}

/* Groups have titles if there are many options. */
static void add_options(struct buf *page, const struct applet *applet, const struct option_list *list)
{
	for (const struct option_group *group = option_groups; group->title; group++) {
		entry_list entries = {};

		option_group_pick(group, list, false, &entries);
		if (entries.nr && option_list_is_long(list))
			buf_addf(page, ".SS %s\n", group->title);
		for (size_t i = 0; i < entries.nr; i++)
			add_option(page, applet, entries.data[i]);
		vec_done(&entries);
	}
}

static void add_examples(struct buf *page, const struct applet *applet)
{
	if (!applet->examples || !applet->examples->arguments)
		return;
	buf_adds(page, ".SH EXAMPLES\n");
	for (const struct applet_example *example = applet->examples; example->arguments; example++) {
		buf_adds(page, ".TP\n\\fB");
		add_text(page, "stacktool ");
		add_text(page, applet->name);
		if (*example->arguments) {
			buf_addc(page, ' ');
			add_text(page, example->arguments);
		}
		buf_adds(page, "\\fR\n");
		add_text(page, example->meaning);
		buf_addc(page, '\n');
	}
}

static void add_statuses(struct buf *page)
{
	static const struct {
		int status;
		const char *text;
	} statuses[] = {
#define X(name, status, word, text) { status, text },
		EXIT_STATUSES(X)
#undef X
	};

	buf_adds(page, ".SH EXIT STATUS\n");
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		buf_addf(page, ".TP\n%d\n%s\n", statuses[i].status, statuses[i].text);
}

static void add_synopsis(struct buf *page, const struct applet *applet, const struct option_list *list)
{
	_cleanup_(buf_done) struct buf usage = {};

	buf_adds(page, ".SH SYNOPSIS\n\\fB");
	add_text(page, "stacktool ");
	add_text(page, applet->name);
	buf_adds(page, "\\fR ");
	help_usage(list, &usage);
	add_text(page, buf_text(&usage));
	buf_adds(page, "\n.SH DESCRIPTION\n");
	add_text(page, applet->description);
	buf_addc(page, '\n');
}

/* DEBUGGING and OVERHEAD, as in bcc's man pages. What is the same for all applets is in stacktool(8). */
static void add_cost(struct buf *page, const struct applet *applet)
{
	if (!applet->overhead)
		return;
	buf_adds(page, ".SH DEBUGGING\n");
	add_text(page, debugging_elsewhere);
	buf_adds(page, "\n.SH OVERHEAD\n");
	add_text(page, applet->overhead);
	buf_adds(page, "\n.PP\n");
	add_text(page, overhead_of_run);
	buf_addc(page, '\n');
}

void man_page(const struct applet *applet, struct buf *ret_text)
{
	_cleanup_(option_list_done) struct option_list list;
	_cleanup_(buf_done) struct buf title = {};

	option_list_init(&list, applet->options);
	buf_addf(&title, "stacktool-%s", applet->name);
	add_head(ret_text, buf_text(&title), COMMANDS, applet->summary);
	add_synopsis(ret_text, applet, &list);
	buf_adds(ret_text, ".SH OPTIONS\n");
	add_operands(ret_text, applet, &list);
	add_options(ret_text, applet, &list);
	add_examples(ret_text, applet);
	add_cost(ret_text, applet);
	add_statuses(ret_text);
	buf_adds(ret_text, ".SH SEE ALSO\n\\fBstacktool\\fR(8), \\fBstacktool\\-probes\\fR(7)\n");
}

static void add_words(struct buf *page, const char *section, const struct paragraph *paragraphs)
{
	const struct paragraph *first = paragraphs;

	buf_addf(page, ".SH %s\n", section);
	for (; paragraphs->text; paragraphs++) {
		if (paragraphs->title) {
			buf_adds(page, ".TP\n\\fB");
			add_text(page, paragraphs->title);
			buf_adds(page, "\\fR\n");
		} else if (paragraphs != first) {
			buf_adds(page, ".PP\n");
		}
		add_text(page, paragraphs->text);
		buf_addc(page, '\n');
	}
}

void man_probes(struct buf *ret_text)
{
	add_head(ret_text, "stacktool-probes", MISCELLANEOUS, "patterns that select events");
	add_words(ret_text, "PATTERNS", patterns);
	add_words(ret_text, "WILDCARDS AND REGULAR EXPRESSIONS", wildcards);
	add_words(ret_text, "COLONS", colons);
	buf_adds(ret_text, ".SH SEE ALSO\n\\fBstacktool\\fR(8), \\fBstacktool\\-list\\fR(8)\n");
}

void man_overview(const struct applet *const *applets, struct buf *ret_text)
{
	add_head(ret_text, "stacktool", COMMANDS, "count, time and sample stack traces");
	buf_adds(ret_text, ".SH SYNOPSIS\n\\fBstacktool\\fR \\fIapplet\\fR [argument...]\n");
	add_words(ret_text, "DESCRIPTION", description);
	add_words(ret_text, "OPTIONS", commands);
	buf_adds(ret_text, ".SH APPLETS\n");
	for (; *applets; applets++) {
		buf_adds(ret_text, ".TP\n\\fB");
		add_text(ret_text, "stacktool-");
		add_text(ret_text, (*applets)->name);
		buf_adds(ret_text, "\\fR(8)\n");
		add_text(ret_text, (*applets)->summary);
		buf_addc(ret_text, '\n');
	}
	add_statuses(ret_text);
	add_words(ret_text, "DEBUGGING", debugging);
	add_words(ret_text, "OVERHEAD", overhead);
	add_words(ret_text, "ENVIRONMENT", environment);
	buf_adds(ret_text, ".SH SEE ALSO\n\\fBstacktool\\-probes\\fR(7)\n");
}
