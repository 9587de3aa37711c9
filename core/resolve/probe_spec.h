/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/plan/plan.h"

/*
 * Parses a pattern by bcc's grammar (docs/use/probes.md): up to three parts separated by ':'. `library` is the value of -l in the old form
 * `-l LIB FUNC`, or NULL. The caller frees the result with probe_spec_done(). 0 or a usage error.
 */
int probe_spec_parse(const char *text, const char *library, bool regex, struct probe_spec *ret_spec);
