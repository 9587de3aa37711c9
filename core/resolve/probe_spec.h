/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/plan/plan.h"

/*
 * Takes a pattern apart by bcc's grammar (docs/use/probes.md): up to three parts separated by ':'. `library` is the
 * operand of the old form `-l LIB FUNC`, or NULL. Needs no host. Usage error when it does not parse.
 */
int probe_spec_parse(const char *text, const char *library, bool regex, struct probe_spec *ret_spec);
