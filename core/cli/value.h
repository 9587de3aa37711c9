/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/cli/option_spec.h"

/* Parses `text` into `field`. 0, or a usage error about `label` ("-F/--frequency"), which leaves `field` unchanged. Not for flags. */
int value_store(const struct option_spec *spec, const char *label, const char *text, void *field);
