/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor's findings as text and JSON: pure functions, for run_doctor() and tests. */
#pragma once

#include "core/base/buf.h"
#include "core/run/doctor_checks.h"

/* A line per ability, "ID STATE FINDING"; for a gap also, indented, the remedy and what does not work. */
void doctor_text(const ability_list *abilities, struct buf *ret_text);

/*
 * Adds an empty line and the verdict: which uses of stacktool work on this host, which do not, and which are unknown. "nothing works" and
 * the reason if an essential ability is missing. A limited ability counts as missing.
 */
void doctor_verdict(const ability_list *abilities, struct buf *ret_text);

/* The JSON document of docs/reference/doctor.md, with a newline at its end. */
void doctor_json(const ability_list *abilities, const char *kernel, const char *version, struct buf *ret_text);
