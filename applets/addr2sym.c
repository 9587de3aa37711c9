/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/common.h"
#include "core/cli/applet.h"
#include "core/run/run.h"

static const struct option_spec table[] = {
	OPTION('e', "exe", struct addr2sym_request, file, "FILE", "link-time addresses of this program or library",
	       .exclusive = "subject"),
	OPTION('p', "pid", struct addr2sym_request, tgid, "PID", "addresses in the memory of this process", .min = 1,
	       .max = PID_MAX, .noun = "a process id", .exclusive = "subject"),
	OPTION('k', "kernel", struct addr2sym_request, kernel, NULL, "addresses of the kernel", .exclusive = "subject"),
	OPTION('r', "return", struct addr2sym_request, is_return, NULL,
	       "the addresses are return addresses: look up the call before each"),
	OPTION(0, "find", struct addr2sym_request, find, "NAME",
	       "print the addresses of the functions of this name; '*' is a wildcard"),
	OPTION(0, "lines", struct addr2sym_request, lines, NULL, "add source lines, from the debug information"),
	OPTION(0, "inlines", struct addr2sym_request, inlines, NULL,
	       "add inlined calls, one per line, innermost first"),
	OPTION(0, "vmlinux", struct addr2sym_request, vmlinux, "FILE",
	       "debug information of the kernel, for --lines and --inlines; its build id must match the kernel's "
	       "(default: look where distributions install it)"),
	OPTION(0, "no-demangle", struct addr2sym_request, no_demangle, NULL, "do not demangle C++, Rust and D names"),
	OPTION(0, "why", struct addr2sym_request, why, NULL,
	       "explain each name: print the files searched, the tables, and the rule that chose it"),
	OPTION(0, "debug-dir", struct addr2sym_request, debug_directories, "DIR[:DIR...]",
	       "search for separate debug files here first, then in /usr/lib/debug"),
	OPTION(0, "host-root", struct addr2sym_request, host_root, "DIR",
	       "in a container: DIR is where the host's file system is mounted; search it for debug files and perf "
	       "maps too",
	       .parse = host_root_parse),
	OPERAND("address", struct addr2sym_request, addresses,
		"hexadecimal, with or without 0x; default: read from standard input, one per line"),
	OPTION_END,
};

static int name(void *request)
{
	return run_addr2sym(request);
}

static const struct applet_example examples[] = {
	{ "-e /bin/bash 0x4f5a0", "the function of a program that has this address" },
	{ "-p 181 7f2a1c0b3e10", "the function at an address of a process" },
	{ "-k ffffffff81000000", "a kernel function" },
	{ "-e /bin/bash --find 'exec*'", "the addresses of functions" },
	{ "-k --find 'vfs_*'", "the addresses of kernel functions" },
	{ "--why -e /bin/bash 0x4f5a0", "how the name was found, or why there is none" },
	{},
};

const struct applet addr2sym_applet = {
	.name = "addr2sym",
	.summary = "name addresses of a file, a process or the kernel",
	.description =
		"Prints one line for each address: the name of the function and the offset from its start, by the "
		"same rules as in every profile. Where no symbol covers the address, it prints the reason instead of "
		"a name. It does not use BPF, and needs privileges only for files, processes and kernel addresses "
		"that the user may not read.",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct addr2sym_request),
	.main = name,
};
