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
};

struct applet {
	const char *name;            /* canonical: "profile" */
	const char *const *aliases;  /* NULL-terminated; further names ("stackcount" for count), or NULL */
	const char *bcc_name;        /* name of the bcc tool it replaces, for --install; NULL = none */
	const char *summary;         /* one line, lower case, no full stop */
	const char *description;     /* paragraphs separated by an empty line, for --help and the man page */
	const char *overhead; /* collecting applets: what a run costs, measured, for the man page; NULL = not said */
	const struct option_spec *options; /* with the operands; ends with OPTION_END */
	const struct applet_example *examples; /* ends with a NULL `arguments` */

	/* Options are parsed into a zeroed block of this size, after `defaults` (or NULL) was copied over it. */
	size_t options_size;
	const void *defaults;

	/* Exit status for options that exclude each other when called by bcc_name; 0 = 2, as for every usage error. */
	int bcc_exclusive_status;

	/*
	 * Collecting applets, whose options are a struct run_options: completes the plan in them. Pure, no host access; 0 or a
	 * usage error. The caller frees the plan in both cases.
	 */
	int (*plan)(struct run_options *options);

	/* The header line (without newline) once it is known what was attached; leaves ret empty for none. */
	void (*header)(const struct plan *plan, size_t nr_attached, struct buf *ret_line);

	/* The line after the last report, not in folded output: "Detaching..."; NULL = none. */
	const char *footer;

	/* Other applets: does the work. 0 or a negative errno with a recorded cause. */
	int (*main)(void *options);
};
