/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

#include "core/plan/output_options.h"

/*
 * If there is neither --format nor -o, sets the format: that of $STACKTOOL_FORMAT, or `summary` if standard output is a terminal with
 * cursor control (TERM is neither unset nor "dumb"). `wants_rows`: an option is about rows of text, so there is no summary. Sets size and
 * colours (NO_COLOR) of a summary. 0, or a usage error for the variable.
 */
_must_check_ int terminal_choose_form(struct output_options *options, bool wants_rows);
