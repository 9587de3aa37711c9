/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

#include "core/cli/applet.h"

/* All applets in the order of --list; ends with NULL. */
extern const struct applet *const applets[];

/*
 * The applet with this name or alias: NAME, NAME.py, NAME-bpfcc or bpf-NAME, with or without a directory; or NULL. *ret_as_bcc: whether it
 * is the name of a bcc tool.
 */
const struct applet *applet_find(const char *name, bool *ret_as_bcc);

/* Fails with a usage error, and suggests a similar name. */
int fail_no_applet(const char *word);
