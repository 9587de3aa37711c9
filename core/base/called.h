/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the user called the program, for the start of messages: "stacktool count", or "stackcount-bpfcc" for a link. */
#pragma once

/*
 * Sets the result of called() to "PROGRAM APPLET". `program`: "stacktool" or the name of a link. `applet`: the word after "stacktool"; NULL
 * for a link, or if there is no such word. Both are copied.
 */
void called_as(const char *program, const char *applet);

/* For `fprintf(stderr, "%s: ", called())`. */
const char *called(void);
