/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Help as plain text, from the option table. */
#pragma once

#include "core/cli/applet.h"

/* What --help prints: usage, description, operands, options, examples. */
void help_text(const struct applet *applet, struct buf *ret_text);

/* "[option...] [duration]": what follows the applet's name. */
void help_usage(const struct option_list *list, struct buf *ret_text);

/* " (default 49)" where the table knows of one, else nothing. */
void help_default(const struct applet *applet, const struct option_entry *entry, struct buf *ret_text);
