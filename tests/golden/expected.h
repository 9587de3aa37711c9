/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text that is compared with a file, or becomes it. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"

static inline char *read_expected(const char *path)
{
	_cleanup_(fclosep) FILE *file = fopen(path, "r");
	static char text[1 << 16];

	if (!file)
		return NULL;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	return text;
}

static inline int accept_text(const char *path, const char *text)
{
	_cleanup_(fclosep) FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0) {
		perror(path);
		return 1;
	}
	return 0;
}

static inline int compare(const char *name, const char *what, const char *expected, const char *text)
{
	if (expected && !strcmp(expected, text))
		return 0;
	printf("FAIL %s (%s)\n---- expected\n%s---- printed\n%s----\n", name, what, expected ? expected : "(no file)\n",
	       text);
	return 1;
}
