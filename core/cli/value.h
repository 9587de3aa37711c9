/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the text of an option's value to the field it fills. */
#pragma once

#include "core/cli/option_spec.h"

/*
 * Stores the value of `text` in `field`, by the kind and the limits of the option. 0, or a usage error about `label`
 * ("-F/--frequency") that lists what is accepted; the field is then as before. Not for flags.
 */
int value_store(const struct option_spec *spec, const char *label, const char *text, void *field);
