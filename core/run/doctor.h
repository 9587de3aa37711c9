/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats doctor's findings as text and JSON: pure functions, for run_doctor() and tests. */
#pragma once

#include "core/base/buf.h"
#include "core/run/doctor_checks.h"

/* A line for each ability, "ID  STATE  FINDING". Below a gap, indented: the remedy, and what does not work. */
void doctor_text(const ability_list *abilities, struct buf *ret_text);

/*
 * The last line, below an empty one: which uses of stacktool work on this host, which do not, and for which that is unknown. "nothing
 * works" and the reason if an essential ability is missing. A limited ability counts as missing: the lines above have the details.
 */
void doctor_verdict(const ability_list *abilities, struct buf *ret_text);

/* The JSON document of docs/reference/doctor.md, with a newline at its end, for this `kernel` and `version`. */
void doctor_json(const ability_list *abilities, const char *kernel, const char *version, struct buf *ret_text);
