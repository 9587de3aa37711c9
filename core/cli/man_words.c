/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/cli/man_words.h"

#include <stddef.h>

const struct man_paragraph man_description[] = {
	{ NULL,
	  "Counts, times and samples stack traces. BPF programs aggregate them in the kernel: each stack is sent to "
	  "user space once, then only its counter changes. Every tool is an applet, called as 'stacktool APPLET' or "
	  "through a link with its name. The names of bcc's tools work too (profile, profile.py, profile-bpfcc, "
	  "bpf-profile)." },
	{ NULL,
	  "Reports go to standard output; notes, warnings and errors go to standard error. Every event is counted, "
	  "filtered or reported as lost. A run needs root, or CAP_BPF, CAP_PERFMON and a few more capabilities "
	  "('stacktool doctor' lists them). Reading a saved profile needs no privileges." },
	{ NULL, NULL },
};

const struct man_paragraph man_commands[] = {
	{ "help [APPLET]", "print the help of stacktool or of an applet (also: stacktool APPLET --help)" },
	{ "help --man [APPLET|probes]", "print the help as a man page: stacktool help --man count | man -l -" },
	{ "--list", "list the applets, one per line" },
	{ "--version", "print the version, the libraries and the build options" },
	{ "--install DIR", "install links under the names of bcc's tools" },
	{ "--completions SHELL", "print the completion script for bash, zsh or fish" },
	{ NULL, NULL },
};

const struct man_paragraph man_environment[] = {
	{ "STACKTOOL_MAX_OVERHEAD", "default of --max-overhead; 'off': no limit" },
	{ "BCC_PROBE_LIMIT", "default of --max-probes, instead of 1000" },
	{ "DEBUGINFOD_URLS",
	  "servers for debug files, queried by build id with debuginfod-find (elfutils); if unset, no server is "
	  "queried" },
	{ "PATH, LD_LIBRARY_PATH", "where the programs and libraries of patterns are searched" },
	{ "NO_COLOR", "ignored: text is never coloured" },
	{ NULL, NULL },
};

const char man_debugging_elsewhere[] =
	"stacktool(8) explains frames without names, missing symbols and broken stacks, with remedies. --explain "
	"prints what would be attached, how and why, then exits; --debug prints the plan and the BPF configuration.";

const char man_overhead_of_run[] =
	"Each run reports its own cost in its last line. The figures were measured on a virtual machine with two "
	"CPUs and Linux 6.18.";

/* The figures are those of docs/internals/benchmarks.md. */
const struct man_paragraph man_debugging[] = {
	{ NULL, "stacktool reports on standard error, with a count, everything that is lost, unnamed or unavailable. "
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
	  "yet, which happens in the first 100 milliseconds of a process; the code is not in a known file, such as "
	  "code of a JIT compiler." },
	{ "[Missed User Stack], [Missed Kernel Stack]",
	  "The kernel could not walk the stack. Kernel threads have no user stack; for them nothing is printed." },
	{ "[truncated]", "The stack has more than 127 frames, the limit; its root is missing." },
	{ "[truncated by --max-depth]", "--max-depth omitted the outer frames." },
	{ "nothing matches",
	  "Exit status 5, with similar names. 'stacktool list PATTERN' prints what a pattern matches; '--explain' "
	  "prints what would be attached, how and why." },
	{ NULL, NULL },
};

const struct man_paragraph man_overhead[] = {
	{ NULL, "The cost depends on the number of events, not on the time. First find out how often they happen: "
		"'stacktool funccount' is the cheapest way, because it takes no stacks." },
	{ NULL,
	  "Each run reports its own cost in its last line: the BPF programs time some of their runs. Above 5 % of "
	  "all CPU time (--max-overhead, or STACKTOOL_MAX_OVERHEAD in the environment) stacktool detaches the "
	  "costliest probe and prints a warning; if it was the only one, the run ends. With --strict the exit status "
	  "is then 4. Runs with more than 100 probes end after 5 minutes, except with --forever." },
	{ "count",
	  "An event with both stacks (16 user frames) costs about 1.2 microseconds, 0.6 times the cost of the "
	  "kernel's own two stack walks; unwind tables add about a fifth. A million events a second would take more "
	  "than one CPU." },
	{ "profile", "At 49 Hertz, sampling uses 0.2 % of all CPU time while a compiler runs on every CPU: 25 to 37 "
		     "microseconds a sample, with cold caches." },
	{ "user functions and USDT probes",
	  "Each hit is a trap into the kernel and back, in the traced program itself. A probe on a function that is "
	  "called millions of times a second slows the program." },
	{ "offcputime, offwaketime, wakeuptime",
	  "They follow every context switch of every thread, even with -p; a busy host has a million a second. A "
	  "switch out and back in costs 1.7 microseconds with --unwind=fp and 2.3 with unwind tables (the default)." },
	{ "stacksnoop",
	  "It prints each event, so use it for rare events. Above 1,000 events a second it prints a note once." },
	{ "memory",
	  "A system-wide profile of 5 seconds needs 12 MB in three processes, and 5 to 7 MB of kernel memory; more "
	  "while compilers run, because of their large unwind tables." },
	{ NULL, NULL },
};

const struct man_paragraph man_patterns[] = {
	{ "FUNCTION, p::FUNCTION", "a kernel function" },
	{ "LIB:FUNCTION, p:LIB:FUNCTION",
	  "a function of a library (c, ssl, libc.so.6) or of a program in PATH; with one -p, as that process sees it" },
	{ "/path:FUNCTION, ./path:FUNCTION", "the same, by path" },
	{ "-l LIB FUNCTION", "the same in bcc's older syntax; FUNCTION is not split at colons" },
	{ "t:CATEGORY:EVENT", "a kernel tracepoint" },
	{ "u:LIB:PROBE, u:LIB:PROVIDER:PROBE", "a USDT probe of a library or program" },
	{ "u::PROBE", "a USDT probe in the files of the processes of -p" },
	{ NULL,
	  "A function may be written mangled or demangled: app:_ZN2ns4funcEi, app:ns::func(int), or app:ns::func for "
	  "all overloads." },
	{ NULL, NULL },
};

const struct man_paragraph man_wildcards[] = {
	{ NULL,
	  "Without -r, '*' matches any number of any characters, every other character matches itself, and the whole "
	  "name must match. With -r the pattern is a regular expression (PCRE2), anchored at the start, and for "
	  "kernel functions at both ends. The library or path before it is never an expression." },
	{ NULL, "More than 1000 matches are refused; --max-probes and BCC_PROBE_LIMIT change the limit." },
	{ NULL, NULL },
};

const struct man_paragraph man_colons[] = {
	{ NULL,
	  "A single colon separates the parts of a pattern. Two colons in a row do not (app:std::sort). In a path, "
	  "only the last colon separates (/opt/a:b/app:main). Inside the brackets of a regular expression, no colon "
	  "does." },
	{ NULL, NULL },
};
