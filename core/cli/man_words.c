/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/cli/man_words.h"

#include <stddef.h>

const struct man_paragraph man_description[] = {
	{ NULL,
	  "Counts, times and samples stack traces with BPF programs, which aggregate in the kernel: every stack leaves it once, after "
	  "that only numbers change. Every tool is an applet, called as 'stacktool APPLET' or by a link of its name; the names of "
	  "bcc's tools work too (profile, profile.py, profile-bpfcc, bpf-profile)." },
	{ NULL,
	  "Reports go to standard output, notes, warnings and errors to standard error. Every event is counted, filtered or named as "
	  "lost. A run needs root, or CAP_BPF, CAP_PERFMON and a few others that it names ('stacktool doctor'); reading a saved "
	  "profile needs nothing." },
	{ NULL, NULL },
};

const struct man_paragraph man_commands[] = {
	{ "help [APPLET]", "how to use it; 'stacktool APPLET --help' is the same" },
	{ "help --man [APPLET|probes]", "the same as a manual page: stacktool help --man count | man -l -" },
	{ "--list", "the applets, one per line" },
	{ "--version", "version, libraries and what was built in" },
	{ "--install DIR", "links for the names of bcc's tools in a folder" },
	{ "--completions SHELL", "what bash, zsh or fish completes, as a script for it" },
	{ NULL, NULL },
};

const struct man_paragraph man_environment[] = {
	{ "STACKTOOL_MAX_OVERHEAD", "the limit of --max-overhead where a command does not give one; off for none" },
	{ "BCC_PROBE_LIMIT", "how many matches a pattern may have without --max-probes; 1000 without it" },
	{ "DEBUGINFOD_URLS",
	  "servers that debuginfod-find, where it is installed, asks for debug files by build id; without it nobody is asked" },
	{ "PATH, LD_LIBRARY_PATH", "where programs and libraries of patterns are looked for" },
	{ "NO_COLOR", "nothing to do: text is never coloured" },
	{ NULL, NULL },
};

const char man_debugging_elsewhere[] =
	"What frames without names, missing symbols and broken stacks mean, and what helps, is in stacktool(8). --explain says what "
	"would be attached, how and why, and stops; --debug prints the plan and the BPF instructions.";

const char man_overhead_of_run[] =
	"Each run ends with a line that says what it took. The figures are of a virtual machine of two CPUs with Linux 6.18.";

/* The figures are those of docs/internals/benchmarks.md. */
const struct man_paragraph man_debugging[] = {
	{ NULL,
	  "Nothing is left out without a word: what is lost, unnamed or not as asked stands on stderr, with a number. "
	  "'stacktool doctor' says what this host can and cannot do, with the remedy for each gap." },
	{ "[unknown]",
	  "A frame without a name. The note under the report counts the reasons: the file has no symbol table (install its "
	  "debug symbols), code without a file (made by a JIT compiler: let it write /tmp/perf-PID.map), no symbol covers "
	  "the address, no code was mapped there (the stack itself is broken, see below)." },
	{ "[unknown] in all kernel frames",
	  "/proc/kallsyms shows no addresses: kernel.kptr_restrict is 2, or CAP_SYSLOG is missing." },
	{ "stacks that end early, or in nonsense",
	  "Programs that were compiled without frame pointers, walked by frame pointers: the default of count and stacksnoop for the "
	  "whole system. Take --unwind=auto, -p or a command after --." },
	{ "[no unwind information], [unsupported unwind rule], [no unwind table yet], [unknown code]",
	  "A walk by unwind tables ended before the root: code without .eh_frame and without frame pointers; code whose "
	  ".eh_frame has a rule of a kind that stacktool does not follow; a file whose table was still being made, in the first 100 milliseconds of a process; code in no file (made by a JIT compiler)." },
	{ "[Missed User Stack], [Missed Kernel Stack]",
	  "The kernel's own walk failed. A kernel thread has no user stack: that is no failure, and nothing is printed." },
	{ "[truncated]", "127 frames are the most; the root is missing." },
	{ "[truncated by --max-depth]", "There are more frames, which --max-depth leaves out." },
	{ "nothing matches",
	  "Status 5, with near names. 'stacktool list PATTERN' prints what a pattern matches; '--explain' what would be "
	  "attached, how and why." },
	{ NULL, NULL },
};

const struct man_paragraph man_overhead[] = {
	{ NULL,
	  "The cost is that of the events, not of the time: first ask how often they happen. 'stacktool funccount' is "
	  "the cheapest way to know, for it takes no stacks." },
	{ NULL,
	  "Each run ends with a line that says what it took: the programs time some of their own runs. Above 5 % of all CPU time "
	  "(--max-overhead, or STACKTOOL_MAX_OVERHEAD in the environment) the hottest probe is detached with a warning, and the run "
	  "ends when it was the only one; under --strict that is status 4. More than 100 probes run for 5 minutes at "
	  "most, but with --forever." },
	{ "count",
	  "About 1.2 microseconds for an event with both stacks (16 user frames, 6.18 on a virtual machine), 0.6 of the "
	  "kernel's own two walks of the stack; by unwind tables about twice as long. A million events a second would take more "
	  "than a CPU." },
	{ "profile",
	  "At 49 Hertz 0.2 % of all CPU time while a compiler runs on every CPU: 25 to 37 microseconds for a sample with cold caches." },
	{ "user functions and USDT probes",
	  "Each is a trap into the kernel and back, in the traced program itself: a probe of a function that is called millions "
	  "of times a second is felt." },
	{ "offcputime, offwaketime, wakeuptime",
	  "Follow every switch of threads, of all of them, whatever -p says: busy hosts have a million a second. A switch, out and in, "
	  "takes 1.7 microseconds with --unwind=fp and 3.5 by unwind tables, the default." },
	{ "stacksnoop", "Prints: for what happens seldom. Above 1,000 events a second it says so, once." },
	{ "memory",
	  "12 MB for three processes in a profile of 5 seconds of the whole system, and 5 to 7 MB of kernel memory; more while "
	  "compilers run, for the unwind tables of what they are made of." },
	{ NULL, NULL },
};

const struct man_paragraph man_patterns[] = {
	{ "FUNCTION, p::FUNCTION", "a kernel function" },
	{ "LIB:FUNCTION, p:LIB:FUNCTION",
	  "a function of a library (c, ssl, libc.so.6) or of a program in PATH; with one process given, as that process sees it" },
	{ "/path:FUNCTION, ./path:FUNCTION", "the same, by its file" },
	{ "-l LIB FUNCTION", "the same in the older form; FUNCTION is taken whole" },
	{ "t:CATEGORY:EVENT", "a kernel tracepoint" },
	{ "u:LIB:PROBE, u:LIB:PROVIDER:PROBE", "a USDT probe of a library or program" },
	{ "u::PROBE", "a USDT probe in the files of the processes of -p" },
	{ NULL,
	  "A function is named as in the symbol table or as people read it: app:_ZN2ns4funcEi, app:ns::func(int), or "
	  "app:ns::func for every overload." },
	{ NULL, NULL },
};

const struct man_paragraph man_wildcards[] = {
	{ NULL,
	  "Without -r, '*' stands for any number of any characters and everything else for itself; the whole name must "
	  "match. With -r the pattern is a regular expression (PCRE2), anchored at the start, for kernel functions at "
	  "both ends. The library or path in front is never an expression." },
	{ NULL, "More than 1000 matches are refused, unless --max-probes or BCC_PROBE_LIMIT say otherwise." },
	{ NULL, NULL },
};

const struct man_paragraph man_colons[] = {
	{ NULL, "A single colon separates. Two in a row do not (app:std::sort), nor those in a path but the last "
		"(/opt/a:b/app:main), nor those inside brackets of a regular expression." },
	{ NULL, NULL },
};
