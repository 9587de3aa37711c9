/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the applet of a subcommand, or of the name by which the program was called. */
#pragma once

#include <stdbool.h>

#include "core/cli/applet.h"

/* All applets in the order of --list; ends with NULL. */
extern const struct applet *const applets[];

/*
 * The applet with this name or alias: NAME, NAME.py, NAME-bpfcc or bpf-NAME, with or without a folder before it; NULL if no
 * applet has it. *ret_as_bcc: whether the name is that of a bcc tool.
 */
const struct applet *applet_find(const char *name, bool *ret_as_bcc);

/* A usage error: no applet has this name. With a did-you-mean. */
int fail_no_applet(const char *word);
