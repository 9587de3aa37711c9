/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the man pages say that no table knows: private to man.c. */
#pragma once

struct man_paragraph {
	const char *title; /* in the left column; NULL: a plain paragraph */
	const char *text;
};

/* Each ends with a paragraph without text. */
extern const struct man_paragraph man_description[];
extern const struct man_paragraph man_commands[];
extern const struct man_paragraph man_debugging[];
extern const struct man_paragraph man_overhead[];
extern const struct man_paragraph man_environment[];
extern const struct man_paragraph man_patterns[];
extern const struct man_paragraph man_wildcards[];
extern const struct man_paragraph man_colons[];

/* In the pages of the applets. */
extern const char man_debugging_elsewhere[];
extern const char man_overhead_of_run[];
