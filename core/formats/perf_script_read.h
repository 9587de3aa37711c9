/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of `perf script` as a profile. A sample is a line that tells of it and then its frames, leaf first, up to an
 * empty line (tools/perf/builtin-script.c of Linux, perf-script(1)):
 *
 *     comm  PID/TID [cpu] seconds.fraction:  PERIOD event:
 *     	    ffffffff810001 symbol+0xoffset (dso)
 *
 * The command may hold spaces and stand behind some; CPU, time, period and the process id before the slash may be missing.
 * A sample without call chain has its only frame behind the event.
 *
 * A sample weighs its period, as in stackcollapse-perf.pl. Each becomes a record of its own with its time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/buf.h"
#include "core/profile/profile.h"

/* Whether the first line that is no comment begins a sample. */
bool perf_script_is(const char *text, size_t nr_bytes);

/*
 * Reads the samples of the first event into `ret_profile`, which it initialises; what is left out becomes lines of
 * `ret_notes`. 0, or -EINVAL with a recorded cause when there is no sample.
 */
int perf_script_decode(const char *text, size_t nr_bytes, const char *name, struct profile *ret_profile,
		       struct buf *ret_notes);
