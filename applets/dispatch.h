/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which applet a word means: as a subcommand, or as the name the program was called by. */
#pragma once

#include <stdbool.h>

#include "core/cli/applet.h"

/* All applets in the order of --list; ends with NULL. */
extern const struct applet *const applets[];

/*
 * The applet of a name as it stands in the field: with a folder before it, as NAME, NAME.py, NAME-bpfcc or bpf-NAME,
 * by name or alias. NULL when there is none. *ret_as_bcc says whether it is the name of a bcc tool.
 */
const struct applet *applet_find(const char *name, bool *ret_as_bcc);

/* A usage error about a word that is no applet, with a did-you-mean. */
int fail_no_applet(const char *word);
