/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/cli/applet.h"

/*
 * What --help prints: usage, summary, operands, the most used options of `table`, some examples. With `all`, or if there are few options:
 * usage, description, all operands, options and examples. `command` is what the user called: "stacktool count", or "stackcount" with the
 * table of that name.
 */
void help_text(const struct applet *applet, const char *command, const struct option_spec *table, bool all,
	       struct buf *ret_text);

/* Adds "[option...] [duration]": what follows the applet's name. */
void help_usage(const struct option_list *list, struct buf *ret_text);

/* Adds " (default 49)" if the option has a default that is a number. */
void help_default(const struct applet *applet, const struct option_entry *entry, struct buf *ret_text);
