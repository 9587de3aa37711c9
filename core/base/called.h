/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the user called the program. Messages begin with it: "stacktool count", or "stackcount-bpfcc" for a link. */
#pragma once

/* `applet` is the word after "stacktool", NULL for a link or without one. Both are borrowed, and one of our names. */
void called_as(const char *program, const char *applet);

/* For `fprintf(stderr, "%s: ", called())`. */
const char *called(void);
