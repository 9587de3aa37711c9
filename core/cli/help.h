/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Help as plain text, from the option table. */
#pragma once

#include "core/cli/applet.h"

/*
 * What --help prints: usage, operands, the most used options of `table`, some examples. `all`, or if there are few options: the
 * description and everything. `command` is how the applet was called, "stacktool count" or "stackcount", and the table that of this name.
 */
void help_text(const struct applet *applet, const char *command, const struct option_spec *table, bool all,
	       struct buf *ret_text);

/* "[option...] [duration]": what follows the applet's name. */
void help_usage(const struct option_list *list, struct buf *ret_text);

/* " (default 49)" if the table has a default, else nothing. */
void help_default(const struct applet *applet, const struct option_entry *entry, struct buf *ret_text);
