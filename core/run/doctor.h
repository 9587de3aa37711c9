/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two forms of doctor's findings; pure functions, for run_doctor() and tests. */
#pragma once

#include "core/base/buf.h"
#include "core/run/doctor_checks.h"

/*
 * A line per ability, "ID  STATE  FINDING"; below a gap, indented, what to do and what suffers without it.
 */
void doctor_text(const ability_list *abilities, struct buf *ret_text);

/* The JSON document of docs/reference/doctor.md, with a newline at its end, for this `kernel` and `version`. */
void doctor_json(const ability_list *abilities, const char *kernel, const char *version, struct buf *ret_text);
