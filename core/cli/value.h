/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the text of an option's value into its field. */
#pragma once

#include "core/cli/option_spec.h"

/*
 * Parses `text` into `field`, by kind and limits of the option. 0, or a usage error about `label` ("-F/--frequency")
 * that lists what is accepted; `field` is then unchanged. Not for flags.
 */
int value_store(const struct option_spec *spec, const char *label, const char *text, void *field);
