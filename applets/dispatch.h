/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the applet of a subcommand, or of the name by which the program was called. */
#pragma once

#include <stdbool.h>

#include "core/cli/applet.h"

/* All applets in the order of --list; ends with NULL. */
extern const struct applet *const applets[];

/*
 * The applet with this name or alias: NAME, NAME.py, NAME-bpfcc or bpf-NAME, with or without a directory; NULL if there
 * is none. *ret_as_bcc: whether the name is that of a bcc tool.
 */
const struct applet *applet_find(const char *name, bool *ret_as_bcc);

/* Fails with a usage error: no applet has this name. Adds a similar name. */
int fail_no_applet(const char *word);
