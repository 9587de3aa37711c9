/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an applet is: a constant that describes one tool. docs/internals/new-applet.md has the steps to add one.
 *
 * A collecting applet (profile, count) turns its options into a plan; core/run/run.c does the rest. Other applets (report)
 * have a `main` of their own.
 */
#pragma once

#include <stddef.h>

#include "core/base/buf.h"
#include "core/cli/options.h"
#include "core/plan/plan.h"

struct run_options; /* applets/common.h */

struct applet_example {
	const char *arguments; /* after the applet's name, as typed in a shell: "-F 99 5" */
	const char *meaning;   /* "profile at 99 Hertz for 5 seconds" */
	bool is_first;         /* among the few in the short help */
};

struct applet {
	const char *name;            /* canonical: "profile" */
	const char *const *aliases;  /* NULL-terminated; further names ("stackcount" for count), or NULL */
	const char *bcc_name;        /* name of the bcc tool it replaces, for --install; NULL = none */
	const char *summary;         /* one line, lower case, no full stop */
	const char *description;     /* paragraphs separated by an empty line, for --help and the man page */
	const char *overhead; /* collecting applets: the measured cost of a run, for the man page; NULL: not given */
	const struct option_spec *options; /* with the operands; ends with OPTION_END */
	const struct option_spec *bcc_options; /* if called by bcc_name, where bcc means something else; NULL: the same */
	const struct applet_example *examples; /* ends with a NULL `arguments` */

	/* The options structure has this size. It is zeroed, or copied from `defaults`, before options are parsed. */
	size_t options_size;
	const void *defaults;

	/* Exit status for options that exclude each other if called by bcc_name. 0: 2, as for every usage error. */
	int bcc_exclusive_status;

	/*
	 * Collecting applets, whose options are a struct run_options: completes the plan in it, without access to the
	 * host. 0 or a usage error. The caller frees the plan in both cases.
	 */
	int (*plan)(struct run_options *options);

	/* The header line, without newline, when everything is attached. Leaves `ret_line` empty if there is none. */
	void (*header)(const struct plan *plan, size_t nr_attached, struct buf *ret_line);

	/* The line after the last report, not in folded output: "Detaching..."; NULL: none. */
	const char *footer;

	/* Other applets: does the work. 0 or a negative errno with a recorded cause. */
	int (*main)(void *options);
};
