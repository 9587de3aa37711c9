/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An applet is a constant that describes one tool. docs/internals/new-applet.md has the steps to add one. A collecting applet (profile,
 * count) fills in a plan, which core/run/run.c carries out. Other applets (report) have a `main` of their own.
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
	bool is_first; /* the short help has it too */
};

struct applet {
	const char *name;            /* canonical: "profile" */
	const char *const *aliases; /* other names ("stackcount" for count); ends with NULL; may be NULL */
	const char *bcc_name;        /* name of the bcc tool it replaces, for --install; NULL = none */
	const char *summary;         /* one line, lower case, no full stop */
	const char *description;     /* paragraphs separated by an empty line, for --help and the man page */
	const char *overhead; /* collecting applets: measured cost of a run, for the man page; may be NULL */
	const struct option_spec *options; /* with the operands; ends with OPTION_END */
	const struct option_spec *bcc_options; /* when called by bcc_name; NULL: the same */
	const struct applet_example *examples; /* ends with a NULL `arguments` */

	/* The options structure: its size, and its initial bytes (NULL: zeros). */
	size_t options_size;
	const void *defaults;

	/* Exit status for options that exclude each other, when called by bcc_name. 0: 2, as for every usage error. */
	int bcc_exclusive_status;

	/* Completes the plan in a struct run_options, without the host. 0 or a usage error; the caller frees the plan either way. */
	int (*plan)(struct run_options *options);

	/* Adds the header line, without newline, which is printed when everything is attached. May add nothing. */
	void (*header)(const struct plan *plan, size_t nr_attached, struct buf *ret_line);

	/* The line after the last report ("Detaching..."), not printed in folded output; NULL: none. */
	const char *footer;

	/* Other applets: runs it. 0 or a negative errno with a recorded cause. */
	int (*main)(void *options);
};
