/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Selects the format if the user does not: a summary on a terminal, else text. */
#pragma once

#include <stdbool.h>

#include "core/plan/output_options.h"

/*
 * Sets the format if there is neither --format nor -o: that of $STACKTOOL_FORMAT, or `summary` if standard output is a
 * terminal that supports more than printing lines (TERM is neither unset nor "dumb"). `wants_rows`: an option is about
 * rows of text, so there is no summary. Sets size and colours (NO_COLOR) of a summary. 0, or a usage error if the
 * variable is not a format.
 */
_must_check_ int terminal_choose_form(struct output_options *options, bool wants_rows);
